// Package mute lets a person keep the lineup from speaking in a session: one kind of message,
// or all of them, until they say otherwise. What is muted goes on watching and counting, says
// nothing, holds nothing and sends no agent on; a tool that a mode refuses stays refused, for
// that the person chose. A conversation that starts over is heard again.
//
// Only a person mutes: a model that asks for it is refused.
//
//	quiet := mute.New("todo", "guard")
//	engine, err := trimtab.New(trimtab.Config{}, reminder, watch, trimtab.Use(quiet))
package mute

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// Name is that of the intervention, All the word for every kind, Command and Undo what a
// person asks for.
const (
	Name    = "mute"
	All     = "all"
	Command = "mute"
	Undo    = "unmute"
)

// Memory is what a person wants to hear nothing of.
type Memory struct {
	All   bool     `json:"all,omitempty"`
	Kinds []string `json:"kinds,omitempty"` // sorted
}

// Mute is the intervention.
type Mute struct{ kinds []string }

// New returns one for a lineup of these names.
func New(kinds ...string) Mute { return Mute{slices.Sorted(slices.Values(kinds))} }

// Name is "mute".
func (Mute) Name() string { return Name }

// Silences reports whether a person wants to hear nothing of an intervention.
func (Mute) Silences(m Memory, by string) bool {
	return by != Name && (m.All || slices.Contains(m.Kinds, by))
}

// Status says what is muted.
func (Mute) Status(m Memory) string {
	switch {
	case m.All:
		return "steering paused"
	case len(m.Kinds) > 0:
		return "muted: " + strings.Join(m.Kinds, ", ")
	}
	return ""
}

// Commands declares "mute" and "unmute".
func (d Mute) Commands() []trimtab.Command {
	values := append(slices.Clone(d.kinds), All)
	return []trimtab.Command{
		{Name: Command, Usage: "[KIND… | all]", Short: "Hear nothing of a kind of message in this session; all pauses steering", Values: values, Examples: []string{"", "todo", "all"}},
		{Name: Undo, Usage: "[KIND… | all]", Short: "Hear it again; nothing named is all", Values: values, Examples: []string{"todo", "all"}},
	}
}

// Steer answers the commands.
func (d Mute) Steer(t trimtab.Turn, m Memory) (Memory, []trimtab.Action) {
	ev, ok := t.Event.(trimtab.Asked)
	if !ok {
		return m, nil
	}
	next, text, err := d.ask(m, ev)
	if err != nil {
		return m, []trimtab.Action{trimtab.Reply{Text: err.Error(), Failed: true}}
	}
	raw, err := json.Marshal(struct {
		All   bool     `json:"all"`
		Kinds []string `json:"kinds"`
	}{next.All, append([]string{}, next.Kinds...)})
	if err != nil {
		raw = nil // a list of words always has a JSON form
	}
	return next, []trimtab.Action{trimtab.Reply{Text: text, Data: raw}}
}

func (d Mute) ask(m Memory, ev trimtab.Asked) (Memory, string, error) {
	kinds, undo := ev.Args, ev.Command == Undo
	if len(kinds) == 0 && !undo {
		return m, d.told(m), nil
	}
	if ev.By != "" && ev.By != trimtab.Person {
		return m, "", errors.New("only a person says what is muted")
	}
	if len(kinds) == 0 || slices.Contains(kinds, All) {
		m = Memory{All: !undo}
		return m, d.told(m), nil
	}
	for _, k := range kinds {
		if !slices.Contains(d.kinds, k) {
			return m, "", fmt.Errorf("no kind %q; there are %s, and %s", trimtab.Clip(k, 40), strings.Join(d.kinds, ", "), All)
		}
	}
	rest := m.Kinds
	if m.All && undo { // of all, all but these
		rest, m.All = d.kinds, false
	}
	rest = slices.DeleteFunc(slices.Clone(rest), func(k string) bool { return slices.Contains(kinds, k) })
	if !undo {
		rest = append(rest, kinds...)
	}
	m.Kinds = slices.Compact(slices.Sorted(slices.Values(rest)))
	return m, d.told(m), nil
}

func (d Mute) told(m Memory) string {
	switch {
	case m.All:
		return "Steering is paused in this session: nothing is said until it is unmuted."
	case len(m.Kinds) > 0:
		return "Muted in this session: " + strings.Join(m.Kinds, ", ") + "."
	}
	return "Nothing is muted."
}
