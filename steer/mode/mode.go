// Package mode tells the agent in which frame of mind to work: planning,
// research, code review, debugging, a mode with a goal, one from a file, or none.
// Its Definition is the one form that all modes have.
//
// A person chooses the mode; choosing sends nothing. The first prompt in a mode
// is preceded by its entry prompt, which becomes part of the history; later
// prompts come with its reminder, which does not. What was sent stays, so the first
// prompt after a mode says once that it is over. A mode never moves a word of the
// person's, and never comes between a tool call and its result.
//
//	modes, err := mode.New(mode.Config{})
//	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(modes))
//	s, out := engine.Step(s, trimtab.Asked{Command: "mode", Args: []string{"planning"}}, now)
package mode

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Config sets what modes may do. Zero values take the defaults.
type Config struct {
	Enforce *bool `json:"enforce" default:"false" doc:"refuse tools that change things in planning, research and code-review, and those that a mode of your own leaves out, where the host lets a tool call be refused"`

	Restrict *bool `json:"restrict" default:"true" doc:"our chat: in planning, research and code-review take tools that write away from the model, and in a mode of your own those that it leaves out; commands can be run in all of them, asked for as ever"`

	ShowNormal *bool `json:"showNormal" default:"false" doc:"show that it is normal mode too, in the footer and in every status"`

	Model map[string]string `json:"model" guard:"user" doc:"the model that our chat asks in a mode: the mode's id and the model's name"`
}

// Modes is the intervention.
type Modes struct {
	cfg   Config
	list  []Definition
	cycle int // so many of them are gone through with + and -
}

// New returns the intervention with the modes that a person cycles through and
// more that are chosen by name. Of two with one id the first counts.
func New(cfg Config, more ...Definition) (Modes, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return Modes{}, fmt.Errorf("modes: %w", err)
	}
	d := Modes{cfg: cfg, list: BuiltIn()}
	d.cycle = len(d.list)
	for _, def := range more {
		if d.index(def.ID) < 0 {
			d.list = append(d.list, def)
		}
	}
	return d, nil
}

// Memory is the mode of a session. Told is the mode of the last prompt: a
// prompt in another one is a new entry. A session that is opened again counts as
// told, unless the mode was set from outside in the meantime: then it is Armed.
// Shown is the mode of which the model has read last and not that it is over.
type Memory struct {
	Mode  string `json:"mode"`
	Told  string `json:"told,omitempty"`
	Armed bool   `json:"armed,omitempty"`
	Shown string `json:"shown,omitempty"`
}

// Name is "mode".
func (Modes) Name() string { return "mode" }

// The slots.
const entry, reminder, over = "entry", "reminder", "over"

// Steer speaks when a person does.
func (d Modes) Steer(t trimtab.Turn, m Memory) (Memory, []trimtab.Action) {
	m, acts := d.known(m)
	switch ev := t.Event.(type) {
	case trimtab.Asked:
		return d.command(m, ev)
	case trimtab.Resumed:
		if !m.Armed {
			m.Told = m.Mode
		}
	case trimtab.Said:
		if ev.Message.IsPrompt() && !t.Sub() {
			var more []trimtab.Action
			m, more = d.prompt(m)
			acts = append(acts, more...)
		}
	case trimtab.Rewritten:
		var more []trimtab.Action
		m, more = d.putBack(t, m)
		acts = append(acts, more...)
	case trimtab.Using:
		if why := d.refuse(m, ev.Call); why != "" {
			acts = append(acts, trimtab.Deny{Why: why})
		}
	}
	return m, acts
}

// known falls back to Normal where a stored mode does not exist here.
func (d Modes) known(m Memory) (Memory, []trimtab.Action) {
	if m.Mode == "" {
		m.Mode, m.Told = Normal, Normal
	}
	if d.index(m.Mode) >= 0 {
		return m, nil
	}
	text := fmt.Sprintf("the session was in mode %q, which does not exist here; going on in normal mode", m.Mode)
	return Memory{Mode: Normal, Told: Normal, Shown: m.Shown}, []trimtab.Action{trimtab.Notify{Text: text, Warning: true}}
}

func (d Modes) prompt(m Memory) (Memory, []trimtab.Action) {
	def := d.list[d.index(m.Mode)]
	in := trimtab.Inject{Slot: reminder, Text: signed(def.Reminder, forTurn), Place: trimtab.BeforePrompt, Life: trimtab.OneTurn, Why: "a further prompt in " + def.Name, Requested: true}
	if m.Told != m.Mode {
		in = trimtab.Inject{Slot: entry, Text: signed(def.Opening(), untilOver), Place: trimtab.BeforePrompt, Life: trimtab.Kept, Why: "first prompt in " + def.Name, Requested: true}
	}
	var acts []trimtab.Action
	if m.Shown != "" && m.Shown != m.Mode {
		left := d.called(m.Shown)
		acts = append(acts, trimtab.Inject{Slot: over, Text: isOver(left) + " " + forGood, Place: trimtab.BeforePrompt, Life: trimtab.Kept, Why: "first prompt after " + left, Requested: true})
		m.Shown = ""
	}
	if in.Text != "" {
		m.Shown = m.Mode
	}
	m.Told, m.Armed = m.Mode, false
	return m, append(acts, in)
}

// Who speaks, and until when it holds. The prompts of modes are a person's or their
// document's words and stay as they are; this stands behind them. A reminder may stand
// behind every tool result of its turn, depending on how notes travel.
const (
	speaker   = "(Trimtab says this"
	untilOver = speaker + ", for the mode that the person chose; it holds until the mode is over.)"
	forTurn   = speaker + ", for the mode that the person chose; it holds for this turn, also where it stands twice.)"
	forGood   = speaker + "; the person left the mode.)"
)

// signed is a prompt of a mode with who speaks. One that is empty stays empty: it is not
// said.
func signed(text, clause string) string {
	if text == "" {
		return ""
	}
	return text + "\n" + clause
}

// called is the name of a mode, also of one that does not exist here.
func (d Modes) called(id string) string {
	if i := d.index(id); i >= 0 {
		return d.list[i].Name
	}
	return strings.ToUpper(id)
}

// isOver says that a mode is over: its entry prompt stands in the history for good.
// The modes whose names are capitals call themselves MODE in their prompts.
func isOver(name string) string {
	if name == strings.ToUpper(name) {
		name += " MODE"
	} else {
		name = "The mode " + name
	}
	return strings.TrimSpace(strings.ReplaceAll(prompt("over"), "{{.Name}}", name))
}

// putBack repeats what the host's rewriting took away and still holds: the entry prompt
// of the present mode, and that an earlier mode is over where its entry prompt stands.
func (d Modes) putBack(t trimtab.Turn, m Memory) (Memory, []trimtab.Action) {
	gone := func(text string) bool { // with who speaks or, in older sessions, without
		return text != "" && slices.ContainsFunc(t.Gone, func(n trimtab.Note) bool {
			return n.By == d.Name() && (n.Text == text || strings.HasPrefix(n.Text, text) && strings.HasPrefix(strings.TrimSpace(n.Text[len(text):]), speaker))
		})
	}
	var acts []trimtab.Action
	back := func(slot, text string) {
		acts = append(acts, trimtab.Inject{Slot: slot, Text: text, Place: trimtab.BeforePrompt, Life: trimtab.Kept, Why: "put back after the host rewrote its history", Requested: true})
	}
	for _, def := range d.list {
		entryGone := gone(def.Opening())
		switch {
		case def.ID == m.Mode:
			if entryGone && m.Told == m.Mode {
				back(entry, signed(def.Opening(), untilOver))
			}
		case entryGone && m.Shown == def.ID: // left, and no prompt came since
			m.Shown = ""
		case !entryGone && gone(isOver(def.Name)):
			back(over, isOver(def.Name)+" "+forGood)
		}
	}
	return m, acts
}

// Status shows the mode, but for Normal, which is shown where the settings want it.
func (d Modes) Status(m Memory) string {
	i := d.index(cmp.Or(m.Mode, Normal))
	if i > 0 || i == 0 && *d.cfg.ShowNormal {
		return d.list[i].Name
	}
	return ""
}

func (d Modes) index(id string) int {
	return slices.IndexFunc(d.list, func(def Definition) bool { return def.ID == id })
}

// Commands declares "mode".
func (d Modes) Commands() []trimtab.Command {
	values := make([]string, 0, len(d.list)+2)
	for _, def := range d.list {
		values = append(values, def.ID)
	}
	return []trimtab.Command{{
		Name: "mode", Usage: "[NAME | + | -]", Short: "List the modes, or enter one by name; + and - go to the next and the one before",
		Values: append(values, "+", "-"), Examples: []string{"", "planning", "+"},
	}}
}

func (d Modes) command(m Memory, ev trimtab.Asked) (Memory, []trimtab.Action) {
	name := strings.TrimSpace(strings.Join(ev.Args, " "))
	if name == "" {
		return m, []trimtab.Action{d.show(m, "", false)}
	}
	if ev.By != "" && ev.By != trimtab.Person {
		return m, []trimtab.Action{trimtab.Reply{Text: "only a person changes the mode", Failed: true}}
	}
	i, problem := d.find(m, name)
	if problem != "" {
		return m, []trimtab.Action{d.show(m, problem, true)}
	}
	m.Mode, m.Armed = d.list[i].ID, ev.Away
	notice := "Mode: " + d.list[i].Name
	data, err := json.Marshal(map[string]string{"mode": m.Mode})
	if err != nil {
		return m, []trimtab.Action{trimtab.Reply{Text: err.Error(), Failed: true}}
	}
	return m, []trimtab.Action{trimtab.Reply{Text: notice, Data: data}}
}

// show lists the modes, the present one marked.
func (d Modes) show(m Memory, head string, failed bool) trimtab.Action {
	var lines []string
	if head != "" {
		lines = append(lines, head)
	}
	wide := 12
	for _, def := range d.list {
		wide = max(wide, len(def.ID))
	}
	var brief []Definition
	for _, def := range d.list {
		mark := " "
		if def.ID == m.Mode {
			mark = "*"
		}
		lines = append(lines, fmt.Sprintf("%s %-*s %s", mark, wide, def.ID, def.Description))
		brief = append(brief, Definition{ID: def.ID, Name: def.Name, Icon: def.Icon, Description: def.Description, ReadOnly: def.ReadOnly})
	}
	data, err := json.Marshal(struct {
		Mode  string       `json:"mode"`
		Modes []Definition `json:"modes"` // without their prompts
	}{m.Mode, brief})
	if err != nil {
		data = nil
	}
	return trimtab.Reply{Text: strings.Join(lines, "\n"), Data: data, Failed: failed}
}
