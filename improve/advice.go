package improve

import "github.com/trimtab/trimtab/loop"

// advice says what to do about a pattern. It is made of our own words and of the
// tool's name alone: it goes into titles and prompts, where nothing that a session
// said belongs.
func advice(p Pattern) string {
	tool := p.Context.Text(KeyTool)
	switch p.Type {
	case RepeatedTool:
		if p.Context[KeyKind] == "same_tool" {
			return "one tool (" + tool + ") carries much of the session; a script, a make target or a purpose-made tool may do in one call what takes many"
		}
		return "the same call of " + tool + " is made again and again; keep its result, or make a script or make target of what it is needed for"
	case ErrorPatterns:
		if p.Context[KeyKind] == "various" {
			return "tools fail often, each time otherwise; look at the samples for what they have in common, and say in the agent's instructions how commands are run here"
		}
		return "the same error of " + tool + " keeps coming back; remove its cause, or say in the agent's instructions how to avoid it"
	case SaidNo:
		if p.General() {
			return "the person sent changes back; read the reasons for a rule that could stand in the agent's instructions"
		}
		return "the person said no to this command; say in the agent's instructions when it may be run, or leave it out of what the agent may run"
	case Interrupted:
		return "the person had to break the agent off; read what they said next for a rule that could stand in the agent's instructions"
	case ReportedRed:
		return "the person had to say that a check is red; say in the agent's instructions which command must pass before it ends, or install the stop hook"
	case LintRule:
		return "the agent breaks this rule of the linter time after time; say in its instructions how to write it here, or switch the rule off where nobody wants it"
	case GuessedPath:
		return "the agent looks for this path, which is not there; say in its instructions where it is"
	case Unproved:
		if p.Context[KeyKind] == RedEnd {
			return "the agent ends while a check is red; say in its instructions which command must pass before it ends, or install the stop hook"
		}
		return "the agent ends with changes that nothing has checked; say in its instructions which command must pass before it ends, or install the stop hook"
	case Frustration:
		return "the person had to complain more than once; look at what came before, and have the agent check that it works before it says so"
	case LongSession:
		return "sessions grow long; split the work into smaller tasks, or fold finished parts into frames"
	case Loop:
		return "the agent goes in circles: " + loopKind(p.Context.Text(KeyKind)) + "; have it change its approach after the second failure"
	case IgnoredTodo:
		return "todos are written down and left open; remind the agent of its list (todoReminder), or have it check the list before it ends"
	case PrematureStop:
		return "the agent stops before the work is done; say in its instructions when a task is done, or install the stop hook"
	case Overflow:
		return "the context fills up; keep long outputs out of it, and fold finished parts into frames"
	case SameCorrection:
		return "the same instruction had to be given more than once; write it into the agent's instructions (AGENTS.md)"
	}
	return "look at the samples"
}

// loopKind tells a kind of loop in words.
func loopKind(kind string) string {
	switch loop.Kind(kind) {
	case loop.SameCall:
		return "one call gives the same result over and over"
	case loop.SameError:
		return "one error comes back whatever is tried"
	case loop.Cycle:
		return "a few calls in turn, with the same results"
	case loop.Failures:
		return "nothing that is tried succeeds"
	case loop.Streak:
		return "one kind of call fails each time"
	case loop.Rephrase:
		return "the same is asked in other words"
	case loop.SameReport:
		return "the person reports the same error again"
	case loop.SameWords:
		return "replies that say the same"
	case loop.Monologue:
		return "replies that nobody answers"
	case loop.Chant:
		return "one reply that repeats itself"
	}
	return "the same over and over"
}
