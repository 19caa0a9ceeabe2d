// Package focus keeps a session on its goal. It counts the messages of a mode that
// has one, and now and then says something: the goal again, that the talk goes in
// circles, that the next phase has begun, that enough was looked up, that it is
// time to sum up, that all is done.
//
// It works from the session's own messages, so in a chat, behind the gateway and
// among several speakers alike. A criterion is met by structure or by an explicit
// mark, never by a word in passing, and never by what a tool prints; what later
// work undoes counts no longer. It never reads the history: what it knows of a
// session is bounded, and a message costs what its own length costs.
//
//	goals, err := focus.New(focus.Config{}, mode.Sessions()...)
//	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(goals))
//	s, out := engine.Step(s, trimtab.Asked{Command: "focus", Args: []string{"start", "copywrite"}}, now)
//	s, out = engine.Step(s, trimtab.Said{Message: reply}, now) // perhaps a note, a new phase, a pause
//	s, out = engine.Step(s, trimtab.Asked{Command: "focus"}, now) // the reply's Data is a Progress
//
// Whoever has messages and no session calls Process, which returns what it would
// do as data.
package focus

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence"
	"github.com/trimtab/trimtab/internal/settingtag"
	"github.com/trimtab/trimtab/loop"
	"github.com/trimtab/trimtab/steer/mode"
)

// Config sets what the controller may do. Zero values take the defaults.
type Config struct {
	Detector string `json:"detector" default:"seed" enum:"seed,progress,both" doc:"what tells that a session with a goal goes in circles: seed compares messages as the mode says; progress looks whether anything comes of the work; both"`
	Repeat   *bool  `json:"repeatLoops" default:"false" doc:"tell a loop with every message as long as the mode's window holds it; else once, and the second one forces synthesis"`
	Enforce  *bool  `json:"enforce" default:"false" doc:"refuse research tools over the limit of the mode, where the host lets a tool call be refused"`
	Pause    *bool  `json:"pause" default:"true" doc:"hold the session when all success criteria of its mode are met"`
}

// Focus is the intervention.
type Focus struct {
	cfg   Config
	modes []watched
	work  loop.Progress
}

// watched is a mode with a goal. Its plan is made when it is entered first: most
// programs that have an engine never enter most modes.
type watched struct {
	id   string
	plan func() plan
}

// New returns the controller for modes. Those without a goal are passed over; of
// two with one id the first counts.
func New(cfg Config, modes ...mode.Definition) (Focus, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return Focus{}, fmt.Errorf("focus: %w", err)
	}
	work, err := loop.NewProgress(loop.ProgressConfig{})
	d := Focus{cfg: cfg, work: work}
	errs := []error{err}
	for _, def := range modes {
		if d.Has(def.ID) || !def.HasGoal() {
			continue
		}
		rule, err := ruleOf(def, *cfg.Repeat)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		d.modes = append(d.modes, watched{def.ID, sync.OnceValue(func() plan { return newPlan(def, rule) })})
	}
	return d, errors.Join(errs...)
}

func (d Focus) plan(id string) (plan, bool) {
	for _, w := range d.modes {
		if w.id == id {
			return w.plan(), true
		}
	}
	return plan{}, false
}

// Has reports whether a mode has a goal to keep.
func (d Focus) Has(id string) bool {
	return slices.ContainsFunc(d.modes, func(w watched) bool { return w.id == id })
}

// Memory is what the controller knows of a session. Every list in it is bounded.
type Memory struct {
	Mode      string `json:"mode,omitempty"`
	Off       bool   `json:"off,omitempty"`       // the mode was left; coming back goes on from here
	Phase     string `json:"phase,omitempty"`     // its id
	Total     int    `json:"total,omitempty"`     // messages in the mode
	InPhase   int    `json:"inPhase,omitempty"`   // messages in the phase
	Since     int    `json:"since,omitempty"`     // messages since the goal was told
	Reminders int    `json:"reminders,omitempty"` // so far
	Loops     int    `json:"loops,omitempty"`     // so far
	Again     int    `json:"again,omitempty"`     // loops in this phase
	Held      bool   `json:"held,omitempty"`      // a person came here though all was met: only they, or the limit, lead on
	Forced    bool   `json:"forced,omitempty"`    // the total was reached
	Done      bool   `json:"done,omitempty"`      // success was shown in this phase

	Research int      `json:"research,omitempty"`
	Topics   []topic  `json:"topics,omitempty"`
	Limit    bool     `json:"limit,omitempty"` // that the limit was passed was said
	Fired    []string `json:"fired,omitempty"` // what was said once in this phase
	Told     uint64   `json:"told,omitempty,string"`

	Marks []Mark `json:"marks,omitempty"`
	Talk  talk   `json:"talk,omitzero"`

	Did   evidence.Record     `json:"did,omitzero"`
	Words loop.SeedMemory     `json:"words,omitzero"`
	Work  loop.ProgressMemory `json:"work,omitzero"`
}

// Name is "focus".
func (Focus) Name() string { return "focus" }

// Enter begins a mode, or goes on with the one that was left last. One without a
// goal ends it. What stood there for the old goal goes.
func (d Focus) Enter(m Memory, id string) (Memory, []trimtab.Action) {
	var acts []trimtab.Action
	if m.At() != "" && m.At() != id {
		for _, slot := range []string{slotGoal, slotPhase, slotLoop, slotResearch, slotNeeded, slotFinish, slotUndone} {
			acts = append(acts, trimtab.Retract{Slot: slot, Why: "the mode was left"})
		}
	}
	p, ok := d.plan(id)
	switch {
	case !ok:
		m.Off = true
	case m.Mode == id:
		m.Off = false
	default:
		m = p.begin()
	}
	return m, acts
}

// At is the mode that is being watched, or "".
func (m Memory) At() string {
	if m.Off {
		return ""
	}
	return m.Mode
}

// Steer watches what is said and answers commands. Sub-agents have no goal of
// their own.
func (d Focus) Steer(t trimtab.Turn, m Memory) (Memory, []trimtab.Action) {
	p, ok := d.plan(m.At())
	switch ev := t.Event.(type) {
	case trimtab.Asked:
		return d.command(t, m, ev)
	case trimtab.Said:
		if !ok || t.Sub() {
			return m, nil
		}
		m, list := d.Process(m, ev.Message, t.At)
		return d.apply(p, m, list)
	case trimtab.Rewritten:
		if ok {
			return d.putBack(t, p, m)
		}
	case trimtab.Using:
		if ok && *d.cfg.Enforce && p.Research > 0 && m.Research > p.Research && researches(ev.Call) {
			return m, []trimtab.Action{trimtab.Deny{Why: fmt.Sprintf("%s: the mode %s takes %d research requests, and this is number %d; work with what there is", ev.Call.Name, p.Name, p.Research, m.Research)}}
		}
	}
	return m, nil
}

// The slots of the notes.
const (
	slotGoal     = "goal"
	slotPhase    = "phase"
	slotLoop     = "loop"
	slotResearch = "research"
	slotNeeded   = "needed" // what a phase waits for
	slotFinish   = "finish"
	slotUndone   = "undone"
)

// apply turns what the controller wants into what the engine does. The goal stands
// in one place and is replaced; what happened at a time becomes part of the
// history, since taking it out again would cost more than it says.
func (d Focus) apply(p plan, m Memory, list []Intervention) (Memory, []trimtab.Action) {
	var acts []trimtab.Action
	for _, iv := range list {
		note := trimtab.Inject{Text: iv.Message, Place: trimtab.AtEnd, Life: trimtab.Kept, Why: iv.Why}
		switch iv.Type {
		case GoalReminder:
			note.Slot, note.Life = slotGoal, trimtab.Standing
		case LoopDetected:
			note.Slot = slotLoop
		case ResearchLimit:
			note.Slot = slotResearch
		case PhaseTransition:
			note.Slot = slotNeeded
		case ForceSynthesis:
			note.Slot = slotFinish
		case SuccessCheck:
			note.Slot = slotUndone
		}
		if iv.Action == TransitionPhase {
			note.Slot, m.Told = slotPhase, sum(iv.Message)
			acts = append(acts, trimtab.Notify{Text: p.where(m) + ": " + iv.Why})
		}
		if iv.Action != Hold {
			acts = append(acts, note)
			continue
		}
		acts = append(acts, trimtab.Notify{Text: iv.Message})
		if *d.cfg.Pause {
			acts = append(acts, trimtab.Pause{Why: iv.Why})
		}
	}
	return m, acts
}

// putBack says again which phase it is, where the host's rewriting took that away.
func (d Focus) putBack(t trimtab.Turn, p plan, m Memory) (Memory, []trimtab.Action) {
	lost := slices.ContainsFunc(t.Gone, func(n trimtab.Note) bool { return n.Slot == slotPhase && sum(n.Text) == m.Told })
	if !lost {
		return m, nil
	}
	text := p.announce(m, "The conversation was shortened; this is where it stands.")
	m.Told = sum(text)
	return m, []trimtab.Action{trimtab.Inject{Slot: slotPhase, Text: text, Place: trimtab.AtEnd, Life: trimtab.Kept, Why: "put back after the host rewrote its history"}}
}

// Status is the phase and how much is met.
func (d Focus) Status(m Memory) string {
	p, ok := d.plan(m.At())
	if !ok {
		return ""
	}
	met, all := p.count(m)
	text := p.where(m)
	if all > 0 {
		text += fmt.Sprintf(", %d/%d met", met, all)
	}
	return text
}
