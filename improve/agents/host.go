package agents

import (
	"slices"
	"strconv"
)

// host is how one agent is run without a person. What is written here was seen to
// work with the versions that internal/client pins; when a new version wants
// something else, it is changed here and nowhere else. The prompt always comes on
// standard input: it may be long, and other users of a machine can read arguments.
type host struct {
	name    string
	program string

	always []string // arguments of every run
	work   []string // and of one that may write
	look   []string // and of one that may not
	inBox  []string // in the place of work and look where our own sandbox holds it; nil: no difference
	login  []string // arguments where it is in the person's home for its login only
	model  string   // flag that names the model
	cost   string   // flag that limits the dollars; "": it has none, and the cost is looked at as it goes
	last   []string // arguments that must stand at the end

	keys  []string // variables with a key; one of them is enough to need no login
	vars  []string // variables that say which model and where it is
	set   []string // variables that every run gets
	look2 []string // and one that may not, outside of our sandbox

	state  []string           // folders below the person's home in which it keeps its login and sessions
	seen   []sight            // what it reads there besides
	files  map[string]string  // settings in a private home
	locked []string           // words by which it says that it has no key
	open   string             // what a person does about that; "": the usual
	read   func(*said, event) // nil: its output is its words
	whole  bool               // its output is one JSON object, as trimtab -p --json writes it
}

// sight is a place below the person's home that an agent reads, always or where a
// variable says so.
type sight struct{ path, by string }

// find returns the agent of a name.
func find(name string) (host, bool) {
	all := hosts()
	i := slices.IndexFunc(all, func(h host) bool { return h.name == name })
	if i < 0 {
		return host{}, false
	}
	return all[i], true
}

// argv is the command line for a job. boxed: our sandbox holds it; login: it is in
// the person's home for its login only.
func (h host) argv(job Job, model string, boxed, login bool) []string {
	out := append([]string{h.program}, h.always...)
	mode := h.work
	switch {
	case boxed && h.inBox != nil:
		mode = h.inBox
	case job.ReadOnly:
		mode = h.look
	}
	out = append(out, mode...)
	if login {
		out = append(out, h.login...)
	}
	if model != "" {
		out = append(out, h.model, model)
	}
	if h.cost != "" && job.Cost > 0 {
		out = append(out, h.cost, strconv.FormatFloat(job.Cost, 'f', -1, 64))
	}
	return append(out, h.last...)
}

// variables are what it gets beside its keys. The last of a name counts.
func (h host) variables(job Job, boxed bool) []string {
	out := slices.Clone(h.set)
	if job.ReadOnly && !boxed {
		return append(out, h.look2...)
	}
	return out
}
