package deliberate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer/focus"
	"github.com/trimtab/trimtab/steer/mode"
)

// Focused is the Goal of sessions whose lineup is that of steer.
type Focused struct {
	control focus.Focus
	modes   []mode.Definition
}

// NewGoal returns the goal of sessions in these modes.
func NewGoal(modes []mode.Definition) (Focused, error) {
	control, err := focus.New(focus.Config{}, modes...)
	return Focused{control, modes}, err
}

// Wants returns the criteria of success of a mode. It refuses one that is not known or
// has no goal.
func (g Focused) Wants(id string) ([]Criterion, error) {
	var names []string
	for _, d := range g.modes {
		if !g.control.Has(d.ID) {
			continue
		}
		if d.ID == id {
			return progressOf(d, focus.Progress{}).Criteria, nil
		}
		names = append(names, d.ID)
	}
	return nil, fmt.Errorf("no mode with a goal is called %q; give one of %s", trimtab.Clip(id, 60), strings.Join(names, ", "))
}

// stored is the part of a session's memory that is read here.
type stored struct {
	Mode  string        `json:"mode"`
	Focus *focus.Memory `json:"focus"`
}

// Progress reads what the controller remembers.
func (g Focused) Progress(s trimtab.Session) (Progress, error) {
	raw, err := s.Memory("mode")
	if err != nil {
		return Progress{}, err
	}
	var m stored
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &m); err != nil {
			return Progress{}, fmt.Errorf("the goal of session %s: %w", s.ID, err)
		}
	}
	i := slices.IndexFunc(g.modes, func(d mode.Definition) bool { return d.ID == m.Mode })
	if m.Focus == nil || i < 0 {
		return Progress{}, fmt.Errorf("session %s is in mode %q, which has no goal; give a mode that has one", s.ID, m.Mode)
	}
	now, ok := g.control.Progress(*m.Focus)
	if !ok {
		return Progress{}, fmt.Errorf("session %s: mode %q is not watched", s.ID, m.Mode)
	}
	return progressOf(g.modes[i], now), nil
}

func progressOf(def mode.Definition, now focus.Progress) Progress {
	p := Progress{
		Mode: def.ID, Phase: max(0, now.Number-1), Messages: now.Messages,
		Total: now.Total, MaxMessages: def.Most, Reminders: now.Reminders, Loops: now.Loops,
		Research: Quota{Used: now.Research, Max: def.Research, PerTopic: def.PerTopic, Required: def.Needed},
	}
	all := def.Criteria()
	look := func(list []mode.Criterion) (out []Criterion) {
		for _, c := range list {
			if j := slices.IndexFunc(all, func(o mode.Criterion) bool { return o.ID == c.ID }); j >= 0 {
				c = all[j] // what one place says of it holds in all
			}
			k := Criterion{ID: c.ID, Description: c.Description, Aliases: c.Aliases}
			if j := slices.IndexFunc(now.Met, func(m focus.Mark) bool { return m.ID == c.ID }); j >= 0 {
				k.Met, k.Evidence, k.Message = true, now.Met[j].Text, now.Met[j].At.ID
			}
			out = append(out, k)
		}
		return out
	}
	for _, ph := range def.Phases {
		p.Phases = append(p.Phases, Phase{ph.ID, ph.Title(), ph.Focus, ph.Most, look(ph.Exit)})
	}
	p.Criteria = look(def.Success)
	return p
}
