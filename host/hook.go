package host

// HookKind is what an event of a host means to us.
type HookKind byte

// The kinds.
const (
	HookNone       HookKind = iota
	HookStart               // a session begins, or goes on
	HookPrompt              // a person's prompt is about to reach the model
	HookUsing               // a tool is about to run
	HookUsed                // tools have run, and the model is about to be asked again
	HookStop                // the agent is about to end its turn
	HookCompacting          // the host is about to shorten its history
	HookCompacted           // it has
	HookEnd                 // the session is over
	HookRequest             // a request is about to leave, told by a plugin of ours that puts notes into it
)

// hookNames are what we call the kinds, the same for every host.
var hookNames = [...]string{
	HookNone: "", HookStart: "start", HookPrompt: "prompt", HookUsing: "before-tool", HookUsed: "after-tool", HookStop: "stop",
	HookCompacting: "before-compact", HookCompacted: "after-compact", HookEnd: "end", HookRequest: "request",
}

func (k HookKind) String() string { return hookNames[k] }

// Relayed reports whether a gateway needs to hear of events of this kind, to have the
// host add notes.
func (k HookKind) Relayed() bool { return k == HookStart || k == HookPrompt || k == HookUsed }

// HookEvent is an event of a host, by the host's own name.
type HookEvent struct {
	Name string
	Kind HookKind
}

// Hooks is what the hooks of a host look like.
type Hooks struct {
	Events  []HookEvent // that we answer; none: it has no hooks that call programs
	Answer  HookAnswer
	Keeps   bool   // what a hook says before a request stands in its own history as an instruction, behind the prompt or all results of a reply
	Typed   string // the member of a prompt's call that holds what the person typed, before the host expands commands; "": it has none
	Blocks  bool   // the hook of a prompt is given what was typed, and may keep it from going on
	Deaf    bool   // it lets no hook say anything to the model but the reason of a block
	TodoGap bool   // it calls no hook for its todo tool: the list is read from its session file
}

// HookAnswer is the form of the JSON in which a host takes answers.
type HookAnswer byte

// The forms.
const (
	AnswerNone   HookAnswer = iota
	AnswerPermit            // text for the model, permissionDecision for a tool, "block" at a stop
	AnswerDeny              // text for the model, "deny" for a tool and at a stop
	AnswerBlock             // "block" with a reason, and nothing else
	AnswerNotes             // in our own words, to a plugin of ours: notes and where they stand
)

// Install is where and how a host keeps its hooks and MCP servers.
type Install struct {
	File    string // with the hooks, below the home folder; "": nothing can be put into its settings
	Folder  string // the variable that names another folder in place of Base
	Base    string // the folder below the home folder that Folder stands for; "" is File's first part
	Code    string // File is a program of ours that the host loads: the name of its text in surface/hook/install/plugin
	Seconds bool   // timeouts are in seconds; else in milliseconds
	Named   bool   // a hook has a name
	Matcher bool   // tool events need a matcher
	Servers string // the file with the MCP servers, below the home folder
	Gateway bool   // a base URL can be set
	Ours    bool   // File is one that nobody but us has: when nothing is left in it, it goes
	Trust   bool   // it runs no hook that its person has not trusted
	Also    []File // written beside the hooks' folder
	Plugin  string // the folder below the home folder that the host loads as a plugin, where it has such; its files are surface/hook/install/plugin/NAME
	Note    string // what the person must know or do after installing
}

// RunForm is how a host is given hooks and an MCP server for one run.
type RunForm byte

// The forms.
const (
	RunNone      RunForm = iota // it is not
	RunSettings                 // --settings with JSON, --mcp-config
	RunOverrides                // -c with TOML
	RunDefaults                 // a file that a variable names as the lowest layer of settings
	RunContent                  // a variable that holds settings
)

// OneRun is what a host takes for one run in the place of settings.
type OneRun struct {
	Form     RunForm
	NoHooks  string // why it takes no hooks so
	Variable string // of RunDefaults and RunContent
	// Of RunDefaults: the variable that names the file of the highest layer, beside
	// which the lowest lies, and where that is otherwise.
	System, Linux, Mac, Windows string
}
