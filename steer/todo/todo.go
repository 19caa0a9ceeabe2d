// Package todo reminds an agent of its own todo list when it has not touched it
// for a while, and names the item that it is stuck on.
//
// The engine reads the hosts' todo tools and keeps the list; this package only
// decides when to speak and what to say. It never writes a list, and a list
// that is read, or a write that fails, counts for nothing.
//
//	reminder, err := todo.New(todo.Config{InitialTurns: 6})
//	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(reminder))
//
// With fixed timing the reminder comes InitialTurns steps after the last write, then every
// RepeatTurns. With adaptive timing, which is the default, it comes at most once after each
// prompt, and only where it tells something: the list has open items and the work has left
// it behind, or there is none and the work is evidently in several parts. Either way there
// is one at a time, which goes when the list is written, and none when all items are done.
package todo

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Config sets when the reminder comes. Zero values take the defaults.
type Config struct {
	Enabled        *bool  `json:"enabled" default:"true" doc:"remind the agent of its todo list"`
	Timing         string `json:"timing" default:"adaptive" enum:"adaptive,fixed" doc:"adaptive: at most once after each prompt, where the work has left the list behind, or is in several parts and there is none; fixed: by the number of steps alone"`
	InitialTurns   int    `json:"initialTurns" default:"8" min:"1" max:"1000" doc:"steps without a todo write before the first reminder"`
	RepeatTurns    int    `json:"repeatTurns" default:"4" min:"1" max:"1000" doc:"steps between further reminders, with fixed timing"`
	StuckTaskTurns int    `json:"stuckTaskTurns" default:"12" min:"1" max:"10000" doc:"steps in progress after which an item is called stuck"`
}

// Todo is the intervention.
type Todo struct {
	cfg   Config
	words *template.Template
}

// New returns the intervention. A value out of range is an error that names it.
func New(cfg Config) (Todo, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return Todo{}, fmt.Errorf("todoReminder: %w", err)
	}
	words, err := template.New(slot).Parse(reminder)
	return Todo{cfg, words}, err
}

// Memory is what the reminder knows of a session.
type Memory struct {
	LastWrite    int            `json:"lastTodoWrite"`          // the step of the last write
	LastReminder int            `json:"lastReminder,omitempty"` // the step of the last reminder since then
	Items        []trimtab.Todo `json:"items,omitempty"`        // for the status line

	// For adaptive timing.
	Prompt   int      `json:"prompt,omitempty"`   // the step of the person's last prompt
	Reminded bool     `json:"reminded,omitempty"` // since then
	Parts    bool     `json:"parts,omitempty"`    // it asks for work in several parts
	Files    []string `json:"files,omitempty"`    // that changed since the prompt and the last write
}

// Name is "todo".
func (Todo) Name() string { return "todo" }

const slot = "reminder"

// Steer reminds at Calling, and acknowledges a write as soon as it is said.
func (d Todo) Steer(t trimtab.Turn, m Memory) (Memory, []trimtab.Action) {
	m.Items = t.Todos.Items
	switch ev := t.Event.(type) {
	case trimtab.Reset:
		return Memory{LastWrite: t.Step}, nil
	case trimtab.Asked:
		return m, []trimtab.Action{d.list(t, m)}
	case trimtab.Said:
		m = m.follow(t.Step, ev.Message)
		if t.Todos.Wrote {
			m.LastWrite, m.LastReminder, m.Files = t.Step, 0, nil
			return m, []trimtab.Action{trimtab.Retract{Slot: slot, Why: "the todo list was written", Heeded: true}}
		}
	case trimtab.Calling:
		return d.remind(t, m, !ev.NoTodos)
	}
	return m, nil
}

// remind speaks where it is time. Without a tool to write a list with there is nothing to
// remind of.
func (d Todo) remind(t trimtab.Turn, m Memory, offered bool) (Memory, []trimtab.Action) {
	if !*d.cfg.Enabled || t.Sub() || !offered {
		return m, []trimtab.Action{trimtab.Retract{Slot: slot, Why: "the reminder is switched off"}}
	}
	open := t.Todos.Open()
	if len(t.Todos.Items) > 0 && len(open) == 0 {
		return m, nil
	}
	due := d.fixed
	if d.cfg.Timing == "adaptive" {
		due = d.adaptive
	}
	why := due(t, m, open)
	if why == "" {
		return m, nil
	}
	if slices.ContainsFunc(t.Notes, func(n trimtab.Note) bool { return n.By == "automata" && n.Live() && n.Fixed }) {
		return m, nil // it would stand behind the reflection; the next one names the open items itself
	}
	m.LastReminder, m.Reminded = t.Step, true
	in := trimtab.Inject{Slot: slot, Text: d.text(t, t.Step-m.LastWrite, open), Place: trimtab.AtEnd, Life: trimtab.Standing, Asks: true, Why: why}
	if d.cfg.Timing == "adaptive" {
		in.Urgency, in.Every, in.Life = trimtab.Reminder, d.cfg.InitialTurns, trimtab.Once
	}
	return m, []trimtab.Action{in}
}

// fixed is due by the number of steps alone.
func (d Todo) fixed(t trimtab.Turn, m Memory, _ []trimtab.Todo) string {
	idle := t.Step - m.LastWrite
	if idle < d.cfg.InitialTurns || m.LastReminder > 0 && t.Step-m.LastReminder < d.cfg.RepeatTurns {
		return ""
	}
	return steps(idle) + " without a todo write"
}

//go:embed reminder.md
var reminder string

// most is how many open items a reminder names.
const most = 5

type stuck struct {
	Text string
	Age  string
}

func (d Todo) text(t trimtab.Turn, idle int, open []trimtab.Todo) string {
	data := struct {
		Steps string
		More  int
		Empty bool
		Open  []trimtab.Todo
		Stuck []stuck
	}{Steps: steps(idle), Empty: len(t.Todos.Items) == 0, Open: open[:min(most, len(open))], More: max(0, len(open)-most)}
	for _, it := range open {
		if age := t.Step - it.Since; it.Status == trimtab.InProgress && age >= d.cfg.StuckTaskTurns {
			data.Stuck = append(data.Stuck, stuck{it.Text, steps(age)})
		}
	}
	var out strings.Builder
	if err := d.words.Execute(&out, data); err != nil {
		return ""
	}
	return strings.TrimSpace(out.String())
}

// Commands declares "todo".
func (Todo) Commands() []trimtab.Command {
	return []trimtab.Command{{Name: "todo", Short: "Show the agent's todo list as it last wrote it", Examples: []string{""}}}
}

func (d Todo) list(t trimtab.Turn, m Memory) trimtab.Action {
	items := t.Todos.Items
	data, err := json.Marshal(struct {
		Items     []trimtab.Todo `json:"items"`
		LastWrite int            `json:"lastTodoWrite"`
		Step      int            `json:"step"`
	}{append([]trimtab.Todo{}, items...), m.LastWrite, t.Step})
	if err != nil {
		return trimtab.Reply{Failed: true, Text: err.Error()}
	}
	if len(items) == 0 {
		return trimtab.Reply{Text: "The agent has written no todo list.", Data: data}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d of %d open, last written %s ago", len(t.Todos.Open()), len(items), steps(t.Step-m.LastWrite))
	for _, it := range items {
		fmt.Fprintf(&out, "\n%s %s", mark(it.Status), it.Text)
		if age := t.Step - it.Since; it.Status == trimtab.InProgress && age >= d.cfg.StuckTaskTurns {
			fmt.Fprintf(&out, " (in progress for %s)", steps(age))
		}
	}
	return trimtab.Reply{Text: out.String(), Data: data}
}

func steps(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}

func mark(s trimtab.TodoStatus) string {
	switch s {
	case trimtab.Completed:
		return "✓"
	case trimtab.InProgress:
		return "→"
	case trimtab.Pending:
		return "○"
	}
	return "[" + string(s) + "]"
}

// Status counts what is open.
func (d Todo) Status(m Memory) string {
	if len(m.Items) == 0 {
		return ""
	}
	return fmt.Sprintf("todo %d/%d", len(m.Items)-len(trimtab.Todos{Items: m.Items}.Open()), len(m.Items))
}
