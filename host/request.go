package host

// Requests is how a host's requests to a model are recognised.
type Requests struct {
	Known   []Sign   // any of them tells its requests
	Session []string // headers that carry its session id; none: the gateway knows the session by the run
	Side    []Sign   // any of them tells a side call: a title, a compaction, a sub-agent
	Escape  Escape
	Folder  []Between // where its system prompt or its first words name the folder that it works in
}

// Sign is a mark by which a request is recognised. All that is given must hold.
type Sign struct {
	Why     string   // what the request is, for side calls
	Header  string   // this header is there, and
	Begins  string   // begins with
	Holds   string   // or holds
	Not     string   // or is another than
	Unless  string   // and this header is not there
	NoTools bool     // the body offers no tools
	System  string   // the system prompt holds
	Last    string   // a text of the user's side since the last reply begins with
	Has     []string // the body has this member
}

// MCP is how a host is recognised when it calls an MCP server.
type MCP struct {
	Client  string   // a word in the name that its client goes by
	Headers []string // HTTP headers that carry its session id
}

// Markup is what a host writes into a person's messages on its own: reminders in
// tags, reasons of hooks, contents of files, summaries. When a version of a host
// brings new words for it, they go into its row.
type Markup struct {
	Tags        []string // text between <name …> and </name>; a * ends a name that begins so
	Openings    []string // texts that begin so are the host's as a whole
	Rest        []string // from these words on, the rest of the message is the host's
	Interrupted []string // beside tool results, what stands behind such a text was typed
}

// AnyMarkup is what several agents write, and no row claims.
var AnyMarkup = Markup{Tags: []string{"system_reminder", "system-notice"}}

// Between is a place in a text: behind one word, and before another or the end of the
// line.
type Between struct{ Before, After string }

// Escape is how the output of a command that the person gave in the host's own shell
// stands in a request, where it can be told from that of the model's commands.
type Escape struct {
	Begins []string // the text of the user's side that holds it begins with one of these
	After  string   // or it is the result of a tool that the host called itself, right behind this text of the user's side
	Prompt bool     // the host has no such shell: a prompt that is nothing but !trimtab and a command counts as the command
}

// Known reports whether it can be told.
func (e Escape) Known() bool { return len(e.Begins) > 0 || e.After != "" }
