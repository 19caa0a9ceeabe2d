package agents

import (
	"slices"
	"strconv"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
)

// program is one agent and how it is run without a person.
type program struct {
	name string
	host.Headless
}

// programs are the agents that people have.
func programs() []program {
	var all []program
	for _, h := range host.All() {
		if h.Headless.Program != "" && h.Name != trimtab.OwnHost { // that one is called own here
			all = append(all, program{h.Name, h.Headless})
		}
	}
	return all
}

// find returns the agent of a name.
func find(name string) (program, bool) {
	all := programs()
	i := slices.IndexFunc(all, func(h program) bool { return h.name == name })
	if i < 0 {
		return program{}, false
	}
	return all[i], true
}

// readers read what an agent writes, by its form. A form that is not here is plain
// text, or one object.
var readers = map[host.Output]func(*said, event){
	host.OutputClaude: readClaude, host.OutputCodex: readCodex, host.OutputGemini: readGemini,
	host.OutputOpencode: readOpencode, host.OutputGoose: readGoose,
}

// argv is the command line for a job. boxed: our sandbox holds it; login: it is in
// the person's home for its login only.
func (h program) argv(job Job, model string, boxed, login bool) []string {
	out := append([]string{h.Program}, h.Args...)
	mode := h.Write
	switch {
	case job.NoTools && h.NoTools != nil:
		mode = h.NoTools
	case boxed && h.Boxed != nil:
		mode = h.Boxed
	case job.ReadOnly:
		mode = h.Look
	}
	out = append(out, mode...)
	if login {
		out = append(out, h.Login...)
	}
	if model != "" {
		out = append(out, h.Model, model)
	}
	if h.Cost != "" && job.Cost > 0 {
		out = append(out, h.Cost, strconv.FormatFloat(job.Cost, 'f', -1, 64))
	}
	return append(out, h.Last...)
}

// variables are what it gets beside its keys. The last of a name counts.
func (h program) variables(job Job, boxed bool) []string {
	out := slices.Clone(h.Env)
	if job.ReadOnly && !boxed || job.NoTools {
		return append(out, h.LookEnv...)
	}
	return out
}
