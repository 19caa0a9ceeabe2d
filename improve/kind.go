package improve

// Kind is a kind of improvement. It decides which evidence the steps of the work leave.
type Kind string

// The two kinds.
const (
	// Code is a change of the project itself. Its evidence is a test that fails
	// without it.
	Code Kind = "code"
	// Guidance is a change of what agents are told: instructions, a hook, a mode, a
	// script, a setting of a linter. Its evidence is that recorded turns in which it
	// went wrong go right with it.
	Guidance Kind = "guidance"
)

// Kinds are both, for flags.
func Kinds() []Kind { return []Kind{Code, Guidance} }

// KindOf is the kind of improvement that would end a pattern. What a person had to say,
// and what an agent gets wrong about a project, is mended by telling the agent; what
// fails whoever runs it, by mending the project.
func KindOf(p Pattern) Kind {
	switch p.Type {
	case SaidNo, Interrupted, ReportedRed, LintRule, GuessedPath, Unproved, PrematureStop, SameCorrection:
		return Guidance
	}
	return Code
}
