package host

// Headless is how a host is run without a person. What is written in the rows was
// seen to work with the versions that internal/client pins. The prompt always comes
// on standard input: it may be long, and other users of a machine can read arguments.
// improve/agents does it.
type Headless struct {
	Program string // "": it is not run so

	Args    []string // of every run
	Write   []string // and of one that may write
	Look    []string // and of one that may not
	NoTools []string // in their place for one that only answers; nil: it cannot be run without tools, and Look counts
	Boxed   []string // in the place of Write and Look where our own sandbox holds it; nil: no difference
	Login   []string // where it is in the person's home for its login only
	Model   string   // flag that names the model
	Cost    string   // flag that limits the dollars; "": it has none, and the cost is looked at as it goes
	Last    []string // arguments that must stand at the end

	Keys    []string // variables with a key; one of them is enough to need no login
	Vars    []string // variables that say which model and where it is
	Env     []string // NAME=value that every run gets
	LookEnv []string // and one that may not write, outside of our sandbox

	State  []string // folders below the person's home in which it keeps its login and sessions
	Reads  []Read   // what it reads there besides
	Files  []File   // settings in a private home
	Locked []string // words by which it says that it has no key
	Unlock string   // what a person does about that; "": the usual
	Output Output
}

// Read is a place below the person's home that an agent reads, always or where a
// variable is set.
type Read struct{ Path, If string }

// Output is the form in which an agent writes what it says and does.
type Output byte

// The forms.
const (
	OutputText     Output = iota // its output is its words
	OutputClaude                 // stream-json of Claude Code, and of Qwen Code
	OutputCodex                  // codex exec --json
	OutputGemini                 // stream-json of Gemini CLI
	OutputOpencode               // opencode run --format json
	OutputGoose                  // stream-json of goose
	OutputOwn                    // one object, as trimtab -p --json writes it
)
