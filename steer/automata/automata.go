// Package automata asks an agent to look up from its work now and then: what is
// missing, what is new, what comes first, what could be better.
//
// It is off until a person types the word "automata", and stays on for the rest
// of the session. Only a person's own words count: never a tool's, the model's,
// the host's, our own, or a transcript that the person quotes. It asks every
// InitialTurns steps, one reflection at a time; a todo write answers it.
//
//	reflection, err := automata.New(automata.Config{InitialTurns: 12})
//	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(reflection))
package automata

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Config sets when the reflection comes. Zero values take the defaults.
type Config struct {
	Enabled      *bool  `json:"enabled" default:"true" doc:"let the word automata in a prompt switch reflection on"`
	InitialTurns int    `json:"initialTurns" default:"8" min:"1" max:"1000" doc:"steps between reflections"`
	Match        string `json:"match" default:"word" enum:"word,anywhere" doc:"word: the prompt holds the word, outside of what it quotes; anywhere: it contains these letters, within other words and quotations too"`
}

// Automata is the intervention.
type Automata struct {
	cfg   Config
	words *template.Template
}

// New returns the intervention. A value out of range is an error that names it.
func New(cfg Config) (Automata, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return Automata{}, fmt.Errorf("automataMode: %w", err)
	}
	words, err := template.New(slot).Parse(reflection)
	return Automata{cfg, words}, err
}

// Memory is what the reflection knows of a session, by the names of the
// contract, and the diary since the last reflection.
type Memory struct {
	Enabled        bool  `json:"automataEnabled"`
	LastAutomata   int   `json:"lastAutomataTurn"`   // the step of the activation
	LastReflection int   `json:"lastReflectionTurn"` // the step of the last reflection; 0 is none
	Diary          Diary `json:"diary,omitzero"`
}

// Name is "automata".
func (Automata) Name() string { return "automata" }

const slot = "reflection"

// Steer listens for the word, keeps the diary, and asks when it is time.
func (a Automata) Steer(t trimtab.Turn, m Memory) (Memory, []trimtab.Action) {
	if t.Sub() {
		return m, nil
	}
	switch ev := t.Event.(type) {
	case trimtab.Asked:
		return a.command(t, m, ev)
	case trimtab.Said:
		return a.listen(t, m, ev.Message)
	case trimtab.Calling:
		return a.reflect(t, m)
	}
	return m, nil
}

func (a Automata) listen(t trimtab.Turn, m Memory, said trimtab.Message) (Memory, []trimtab.Action) {
	var acts []trimtab.Action
	if !m.Enabled && *a.cfg.Enabled && said.IsPrompt() && a.called(said.Typed()) {
		m = Memory{Enabled: true, LastAutomata: t.Step}
		acts = append(acts, trimtab.Notify{Text: fmt.Sprintf("automata on: a reflection every %s", plural.Count(a.cfg.InitialTurns, "step"))})
	}
	if m.Enabled {
		m.Diary = m.Diary.note(said)
	}
	if t.Todos.Wrote {
		acts = append(acts, trimtab.Retract{Slot: slot, Why: "the todo list was written", Heeded: true})
	}
	return m, acts
}

func (a Automata) reflect(t trimtab.Turn, m Memory) (Memory, []trimtab.Action) {
	if !m.Enabled || !*a.cfg.Enabled {
		return m, []trimtab.Action{trimtab.Retract{Slot: slot, Why: "automata is off"}}
	}
	base := max(m.LastAutomata, m.LastReflection)
	if t.Step-base < a.cfg.InitialTurns {
		return m, nil
	}
	since := "the last look back"
	if m.LastReflection < m.LastAutomata || m.LastReflection == 0 {
		since = "they were asked for"
	}
	act := trimtab.Inject{
		Slot: slot, Text: a.text(t, m.Diary.lines(t.Step-base, since)), Place: trimtab.AtEnd, Life: trimtab.Standing, Asks: true, Requested: true,
		Why: plural.Count(t.Step-base, "step") + " since the last look back",
	}
	m.LastReflection, m.Diary = t.Step, Diary{}
	return m, []trimtab.Action{act}
}

//go:embed reflection.md
var reflection string

// mostOpen is how many open items a reflection names.
const mostOpen = 5

// text is the reflection. What is open on the todo list stands in front of the four
// questions: in the reminder, where one rides on the same request, else in the
// reflection itself. A reminder that stays where it was sent lies further back.
func (a Automata) text(t trimtab.Turn, happened []string) string {
	data := struct {
		Happened []string
		Open     []trimtab.Todo
		More     int
		NoList   bool // there is no tool to write one with
	}{Happened: happened}
	if ev, ok := t.Event.(trimtab.Calling); ok {
		data.NoList = ev.NoTodos
	}
	if !slices.ContainsFunc(t.Notes, func(n trimtab.Note) bool { return n.By == "todo" && n.Live() && !n.Fixed }) {
		open := t.Todos.Open()
		data.Open, data.More = open[:min(mostOpen, len(open))], max(0, len(open)-mostOpen)
	}
	var out strings.Builder
	if err := a.words.Execute(&out, data); err != nil {
		return ""
	}
	return strings.TrimSpace(out.String())
}

// Commands declares "automata".
func (Automata) Commands() []trimtab.Command {
	return []trimtab.Command{{
		Name: "automata", Usage: "[on|off]", Short: "Switch periodic reflection on or off, or say how it stands",
		Values: []string{"on", "off"}, Examples: []string{"on", "off", ""},
	}}
}

func (a Automata) command(t trimtab.Turn, m Memory, ev trimtab.Asked) (Memory, []trimtab.Action) {
	refuse := func(text string) (Memory, []trimtab.Action) {
		return m, []trimtab.Action{trimtab.Reply{Text: text, Failed: true}}
	}
	var acts []trimtab.Action
	switch arg := strings.ToLower(strings.Join(ev.Args, " ")); {
	case arg == "":
	case arg != "on" && arg != "off":
		return refuse(fmt.Sprintf("automata takes on or off, not %q", arg))
	case ev.By != "" && ev.By != trimtab.Person:
		return refuse("only a person switches automata on or off")
	case !*a.cfg.Enabled && arg == "on":
		return refuse("automata is disabled by the config (automataMode.enabled)")
	case arg == "on" && !m.Enabled:
		m = Memory{Enabled: true, LastAutomata: t.Step}
	case arg == "off":
		m = Memory{}
		acts = append(acts, trimtab.Retract{Slot: slot, Why: "automata was switched off"})
	}
	state := "automata is off; the word automata in a prompt, or automata on, starts it"
	if m.Enabled {
		next := max(m.LastAutomata, m.LastReflection) + a.cfg.InitialTurns
		state = fmt.Sprintf("automata is on since step %d; the next reflection comes at step %d (now %d)", m.LastAutomata, next, t.Step)
	}
	data, err := json.Marshal(m)
	if err != nil {
		return refuse(err.Error())
	}
	return m, append(acts, trimtab.Reply{Text: state, Data: data})
}

// Status shows that it is on.
func (a Automata) Status(m Memory) string {
	if m.Enabled && *a.cfg.Enabled {
		return "automata"
	}
	return ""
}
