package toolset

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/steer/steertool"
)

// Policy decides what the model is offered, and by the session's mode what of it runs.
type Policy struct {
	Modes    []mode.Definition // all that there are
	ReadOnly bool              // offer only tools that read, in every mode
	Free     bool              // no mode takes a tool away
}

// Offer reports whether the model is offered a tool: for agent.Options.Offer. It is the
// same in every mode: a list of tools that changes costs the provider's whole cached
// prefix, so a mode refuses instead.
func (p Policy) Offer(_ trimtab.Session, t llm.Tool) bool { return t.ReadOnly || !p.ReadOnly }

// Refuse says, for the model, why a tool does not run in the session's mode; "" where it
// does: for agent.Options.Refuse.
func (p Policy) Refuse(s trimtab.Session, t llm.Tool) string {
	name := p.ExcludedBy(s, t)
	switch {
	case name == "":
		return ""
	case t.Name == steertool.CriterionMet:
		return "not run: there are no criteria to be met; they come with a mode that has a goal"
	}
	return "not run: " + t.Name + " is not for " + name + ", the mode that the person chose. Do the work of this mode without it; what you would change, say. Only the person changes the mode."
}

// runs reports whether a tool runs commands, or an agent that is bound by the same mode.
func runs(name string) bool { return name == "bash" || name == agent.TaskTool }

// ExcludedBy is the name of the session's mode, where it excludes a tool: one that
// writes in a mode that only looks, one that the mode does not name where it names
// some, and criteria where there are none. It is "" for every other tool. Commands
// stay: a review runs the tests, and the person is asked as for every command.
func (p Policy) ExcludedBy(s trimtab.Session, t llm.Tool) string {
	def := p.modeOf(s)
	switch {
	case t.Name == steertool.CriterionMet && !hasGoal(s):
		return cmp.Or(def.Name, "NORMAL")
	case p.Free:
		return ""
	case def.ReadOnly && !t.ReadOnly && !runs(t.Name), len(def.Tools) > 0 && !slices.Contains(def.Tools, t.Name) && !steers(t.Name):
		return def.Name
	}
	return ""
}

// modeOf is the session's mode; the zero one where it is not known.
func (p Policy) modeOf(s trimtab.Session) mode.Definition {
	raw, err := s.Memory("mode")
	var memory mode.Memory
	if err != nil || json.Unmarshal(raw, &memory) != nil {
		return mode.Definition{} // no mode yet
	}
	for _, def := range p.Modes {
		if def.ID == memory.Mode {
			return def
		}
	}
	return mode.Definition{}
}

// hasGoal reports whether the session's mode has criteria to be met.
func hasGoal(s trimtab.Session) bool {
	raw, err := s.Memory("mode")
	var memory struct {
		Focus json.RawMessage `json:"focus"`
	}
	return err == nil && json.Unmarshal(raw, &memory) == nil && len(memory.Focus) > 2
}
