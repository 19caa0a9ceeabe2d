package trimtab

import "time"

// Event is something that happened in a session: Said, Calling, Using,
// Stopping, Checked, Asked, Advised, Resumed, Rewritten or Reset.
type Event interface{ event() }

// Said is a message that joined the history.
type Said struct {
	Message Message `json:"message"`
	Vouched bool    `json:"vouched,omitempty"` // what is a person's in it was vouched for: by the prompt hook of the host
}

// Calling is a request about to leave for the model. Due notes take their seats
// now. A second Calling with nothing said in between is the client's retry.
type Calling struct {
	Travel  Travel `json:"travel,omitempty"`  // where the surface knows; else the setting
	Hosted  []Note `json:"hosted,omitempty"`  // what the host itself has put into the request, by its maker, slot and text
	NoTodos bool   `json:"noTodos,omitempty"` // the request offers no tool to write a todo list with
	Folder  string `json:"folder,omitempty"`  // that the host says it works in; for a session of which nobody knows it
}

// Using is a tool about to run. An intervention may answer with Deny.
type Using struct {
	Call ToolCall `json:"call"`
}

// Stopping is the agent about to end its turn. An intervention may answer with
// Continue; Continued says that the agent is only still at work because one did.
type Stopping struct {
	Continued bool   `json:"continued,omitempty"`
	Waiting   bool   `json:"waiting,omitempty"` // for work of its own in the background
	Last      string `json:"last,omitempty"`    // what the agent said last, where no Said told it yet

	// Where the surface is on the project's machine: whether it runs a Check, and which files
	// of the working tree were written last.
	Runs  bool      `json:"runs,omitempty"`
	Wrote []Written `json:"wrote,omitempty"`
}

// Written is a file of the project, and when it was written or taken away.
type Written struct {
	File string    `json:"file"`
	At   time.Time `json:"at"`
}

// Checked is what came of a Check.
type Checked struct {
	Receipt Receipt `json:"receipt"`
}

// Receipt says that a command was run on a state of the project, and what came of it.
type Receipt struct {
	Command string    `json:"command"`
	Tree    string    `json:"tree,omitempty"`   // a hash of the working tree that it ran on
	Exit    int       `json:"exit,omitempty"`   // its exit code; not 0 where it did not come to its end
	Lapsed  string    `json:"lapsed,omitempty"` // why it did not come to its end
	Output  string    `json:"output,omitempty"` // the end of what it said
	At      time.Time `json:"at"`
	Since   time.Time `json:"since,omitzero"` // since when it is known to fail in this way
}

// Asked is a command: a slash command, a verb, an API or tool call. By is who
// gave it; the zero value is a person. Away says that it was given from outside
// the conversation, before somebody opens it again.
type Asked struct {
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	By      Author   `json:"by,omitempty"`
	Away    bool     `json:"away,omitempty"`
}

// Advised is what a program outside the process asks for under the name of its
// intervention in the lineup. It is an event so that the journal has it: a replay
// does the same without the program.
type Advised struct {
	By      string  `json:"by"`
	Actions []Taken `json:"actions"`
}

// Resumed is a session that was opened again.
type Resumed struct{}

// Rewritten is a host that changed its own history, by compaction or editing. It
// comes after what is new in the changed history was said.
type Rewritten struct {
	Lost []string `json:"lost,omitempty"` // anchors (see Session.Anchors) that are gone
	All  bool     `json:"all,omitempty"`  // every anchor is gone but the message said last
	Size int      `json:"size,omitempty"` // bytes of the history now
	Kept int      `json:"kept,omitempty"` // how many of them, from the beginning, are as they were
	Last Ref      `json:"last,omitzero"`  // the newest message, where it is not the one said last
}

// Reset is a conversation that starts over under the same id.
type Reset struct{}

func (Said) event()      {}
func (Calling) event()   {}
func (Using) event()     {}
func (Stopping) event()  {}
func (Checked) event()   {}
func (Asked) event()     {}
func (Advised) event()   {}
func (Resumed) event()   {}
func (Rewritten) event() {}
func (Reset) event()     {}
