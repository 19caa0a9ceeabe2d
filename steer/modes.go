package steer

import (
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer/focus"
	"github.com/trimtab/trimtab/steer/mode"
)

// modes puts mode and focus into the lineup under one name: one command enters any
// mode, and one that has a goal is watched from then on. Where both speak, what
// belongs to the mode stands before what belongs to the goal.
type modes struct {
	mode  mode.Modes
	focus focus.Focus
}

// modesMemory is what both remember. The goal is left out where there is none.
type modesMemory struct {
	mode.Memory
	Focus *focus.Memory `json:"focus,omitempty"`
}

func (modes) Name() string { return "mode" }

// Steer asks the one and then the other, and keeps them in the same mode.
func (d modes) Steer(t trimtab.Turn, m modesMemory) (modesMemory, []trimtab.Action) {
	goal := focus.Memory{}
	if m.Focus != nil {
		goal = *m.Focus
	}
	var acts, left, more []trimtab.Action
	ask, asked := t.Event.(trimtab.Asked)
	if !asked || ask.Command == "mode" {
		m.Memory, acts = d.mode.Steer(t, m.Memory)
	}
	if goal.At() != m.Mode {
		goal, left = d.focus.Enter(goal, m.Mode)
	}
	if !asked || ask.Command != "mode" {
		goal, more = d.focus.Steer(t, goal)
	}
	if at := goal.At(); at != "" && at != m.Mode { // begun by the goal's own command
		m.Mode, m.Armed = at, ask.Away
	}
	acts = append(append(acts, left...), more...)
	m.Focus = nil
	if goal.Mode != "" {
		m.Focus = new(goal) // not &goal, which would cost a session without one as much
	}
	return m, acts
}

func (d modes) Commands() []trimtab.Command {
	return append(d.mode.Commands(), d.focus.Commands()...)
}

// Status is the mode and, where it has a goal, how far that is.
func (d modes) Status(m modesMemory) string {
	words := []string{d.mode.Status(m.Memory)}
	if m.Focus != nil {
		if goal := d.focus.Status(*m.Focus); goal != "" {
			words = append(words, goal)
		}
	}
	return strings.Join(words, " · ")
}
