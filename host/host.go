// Package host is the one table of the agents that Trimtab works with: how the
// requests of each are recognised, how it is started, which hooks it calls, where
// its settings and its session files are, which tools write its todo list, which
// text it writes into a person's messages, and how it is run without a person. Each
// host has one file here with one row; the packages that act on a row read it from
// here, so that a new version of a host is a change in one place.
//
// The package is data. It imports nothing, and every row is laid out by the
// compiler: cmd/trimtab-hook links it, and a host waits for that program at every
// event. What needs more stands in the packages below: host/markup divides a
// message by author, host/todotool reads todo lists, host/launch starts an agent,
// host/sessions finds session files.
//
//	h, ok := host.Find("claude")
//	fmt.Println(h.Launch.Command, h.Install.File, host.IsTodoTool("TodoWrite"))
package host

// Host is one agent. A part that is empty is something that the host has not, or
// that we do not use.
type Host struct {
	Name     string // as it is called everywhere: in settings, session ids, and on the command line
	Requests Requests
	Launch   Launch
	Hooks    Hooks
	Install  Install
	OneRun   OneRun
	MCP      MCP
	Sessions []SessionDir
	Private  []string // places below the home folder with its login, settings and sessions; no other agent may read them
	Todos    []TodoTool
	Markup   Markup
	Prompts  Prompts
	Headless Headless
}

// table has a row for each host. Where the first match counts, this is the order.
var table = [...]*Host{&claude, &codex, &opencode, &gemini, &qwen, &goose, &pi, &crush, &trimtab}

// All returns the hosts in the order of the table. The list is the caller's, what
// the rows hold is not to be changed.
func All() []Host {
	all := make([]Host, len(table))
	for i, h := range table {
		all[i] = *h
	}
	return all
}

// Find returns the host of a name.
func Find(name string) (Host, bool) {
	for _, h := range table {
		if h.Name == name {
			return *h, true
		}
	}
	return Host{}, false
}

// Var is an environment variable.
type Var struct{ Name, Value string }

// File is a small file that a host is given.
type File struct{ Name, Text string }
