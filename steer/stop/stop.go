// Package stop decides whether an agent may end its turn. It may not, once after
// each prompt, while code that it changed was not checked since, its own todo list
// has open items, or its last words announce a step that it has not taken.
//
// It answers Stopping with Continue, so a hooked agent, our own chat and a program
// that uses the engine go on alike; where a host does not ask, an unproved turn is told
// with the next prompt and in the status line. It never holds back an agent that asks the
// person something or waits for work in the background, and it never speaks twice
// after one prompt: an agent that stops again has decided.
//
//	keep, err := stop.New(stop.Config{}, stop.Verify{})
//	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(keep))
package stop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Config says whether an agent is held back at all. Zero values take the defaults.
type Config struct {
	Enabled *bool `json:"enabled" default:"true" doc:"let an agent go on, once after each prompt, that stops with open todo items or right after announcing a step"`
}

// Verify says whether a finish has to be proved. Zero values take the defaults.
type Verify struct {
	Enabled *bool  `json:"enabled" default:"true" doc:"let an agent go on, once after each prompt, that stops after it changed code and before a check of it has passed"`
	Mode    string `json:"mode" guard:"user" default:"ask" enum:"ask,run" doc:"ask has the agent run the missing check; run runs it, in the sandbox, where we are on the project's machine, and shows the agent what fails"`
	Command string `json:"command" guard:"user" doc:"the command line that checks the project in the mode run; empty is the newest check that passed in the session"`
	Seconds int    `json:"seconds" guard:"user" default:"50" min:"1" max:"3600" doc:"the longest that a check may take in the mode run; in a hook of another agent never longer than the host waits, 4 seconds"`
}

// Limit is the longest that a check may take.
func (v Verify) Limit() time.Duration { return time.Duration(cmp.Or(v.Seconds, 50)) * time.Second }

// Stop is the intervention.
type Stop struct {
	cfg    Config
	verify Verify
}

// New returns the intervention.
func New(cfg Config, verify Verify) (Stop, error) {
	cfg, err1 := settingtag.Fill(cfg)
	verify, err2 := settingtag.Fill(verify)
	if err1 != nil {
		return Stop{}, fmt.Errorf("stop: %w", err1)
	}
	if err2 != nil {
		return Stop{}, fmt.Errorf("verify: %w", err2)
	}
	return Stop{cfg, verify}, nil
}

// Memory is what is known of the turn and of the newest reply. Not the reply itself: a
// memory is stored with every step.
type Memory struct {
	Asked     bool             `json:"asked,omitempty"`     // for a check, since the last prompt
	Continued int              `json:"continued,omitempty"` // how often it was held back since the last prompt
	Asks      bool             `json:"asks,omitempty"`      // the newest reply ends with a question
	Offers    bool             `json:"offers,omitempty"`    // it is the offer to commit or to publish the work
	Announced string           `json:"announced,omitempty"` // the step that it announces at its end
	Admits    bool             `json:"admits,omitempty"`    // it says itself that something was not run, or fails
	Excused   bool             `json:"excused,omitempty"`   // the person said that nothing is to be run
	Listed    bool             `json:"listed,omitempty"`    // the todo list is what this turn is about: it was written, or the person said to go on
	Claims    bool             `json:"claims,omitempty"`    // it says that tests pass, and none was run since the last change
	Handed    string           `json:"handed,omitempty"`    // a command of its own that it hands to the person unrun
	Began     time.Time        `json:"began,omitzero"`      // when the last prompt came
	Checked   int              `json:"checked,omitempty"`   // checks that were run for it since the last prompt
	Receipt   *trimtab.Receipt `json:"receipt,omitempty"`   // of the newest of them, in this session
	Ended     bool             `json:"ended,omitempty"`     // the newest message is a reply that ends a turn
	Stops     bool             `json:"stops,omitempty"`     // the host asks before an agent stops
	Missed    int              `json:"missed,omitempty"`    // finishes in a row that stayed unchecked though it was asked for
	Skip      int              `json:"skip,omitempty"`      // prompts for which it is not asked for again
	Work      evidence.Record  `json:"work,omitzero"`
}

// Opening begins every text with which an agent is sent on. Hosts hand the text back
// as a prompt: by it we know our own words, which are nobody's prompt.
const Opening = "Before you stop: "

// speaker ends every such text: who asks, and for how long.
const speaker = " (Trimtab asks this, not the person, and once for this turn.)"

// mostContinues is how often an agent is held back after one prompt. It is below the
// limit of every host that has one.
const mostContinues = 1

// Name is "stop".
func (Stop) Name() string { return "stop" }

// Steer follows the work, remembers how the newest reply ends, and answers Stopping.
func (d Stop) Steer(t trimtab.Turn, m Memory) (Memory, []trimtab.Action) {
	switch ev := t.Event.(type) {
	case trimtab.Reset:
		return Memory{}, nil
	case trimtab.Resumed:
		m.Continued = 0
	case trimtab.Said:
		acts := d.left(t, m, ev.Message)
		waits := m.waits()
		m = m.hear(ev.Message, t.Now)
		m.Listed = m.Listed || t.Todos.Wrote
		if waits && m.Asked && !m.waits() {
			m.Asked, m.Missed, m.Skip = false, 0, 0
			acts = append(acts, trimtab.Retract{Slot: slotContinue, Why: "the check was run", Heeded: true})
		}
		return m, acts
	case trimtab.Checked:
		if t.Sub() {
			return m, nil
		}
		return d.checked(m, ev.Receipt)
	case trimtab.Stopping:
		m.Stops = true
		m.Work = m.Work.Found(m.found(ev.Wrote))
		if ev.Last != "" {
			m = m.reply(ev.Last, true)
		}
		text, why, urgency := d.unfinished(t, ev, m)
		if urgency == trimtab.UnprovenDone && text != "" {
			if command := d.check(ev, m); command != "" {
				return m, []trimtab.Action{trimtab.Check{Command: command, Why: why}}
			}
		}
		if text != "" {
			m.Continued++
			m.Asked = urgency == trimtab.UnprovenDone
			return m, []trimtab.Action{trimtab.Continue{Text: Opening + text + speaker, Why: why, Urgency: urgency}}
		}
	}
	return m, nil
}

// hear takes a message in. What a host hands back of our own words is nobody's prompt.
func (m Memory) hear(said trimtab.Message, now time.Time) Memory {
	if said.IsPrompt() {
		typed := strings.TrimSpace(said.Typed())
		if typed == "" || strings.Contains(typed, Opening) {
			return m
		}
		m = m.next(excuses(typed), m.Listed && goesOn(typed))
		m.Began = now
	}
	m.Work = m.Work.See(said)
	m.Ended = false
	if said.Role == trimtab.RoleAssistant && said.From == "" {
		m.Ended = !slices.ContainsFunc(said.Parts, func(p trimtab.Part) bool { _, call := p.(trimtab.ToolCall); return call })
		m = m.reply(said.Text(), m.Ended)
	}
	return m
}

// proved reports whether code changed in this turn and a check has passed since.
func (m Memory) proved() bool {
	return len(m.Work.Changed) > 0 && slices.ContainsFunc(m.Work.Ran, func(n evidence.Ran) bool { return n.Kind == evidence.Check && m.Work.Holds(n) })
}

// waits reports whether a check that was asked for is still missing.
func (m Memory) waits() bool {
	if !m.Asked {
		return false
	}
	_, open := m.Work.Unproved()
	return open
}

// patience is how many finishes in a row may stay unchecked, though it was asked for, before
// the question waits: one that is new after each prompt is worth a word each time.
const patience = 2

// next begins a turn. Where several in a row were asked for a check and ended without it, the
// question waits for a while, twice as long each time.
func (m Memory) next(excused, listed bool) Memory {
	n := Memory{Work: m.Work, Stops: m.Stops, Receipt: m.Receipt, Excused: excused, Listed: listed, Missed: m.Missed, Skip: max(0, m.Skip-1)}
	if m.Asked {
		n.Missed, n.Skip = 0, 0
		if _, open := m.Work.Unproved(); open {
			n.Missed = min(m.Missed+1, 6)
			n.Skip = 1<<max(0, n.Missed-patience) - 1
		}
	}
	return n
}

// reply remembers how a reply ends. What it admits is only looked for in one that may be
// the last of a turn, and only where that matters.
func (m Memory) reply(text string, last bool) Memory {
	m.Asks, m.Announced, m.Admits, m.Offers, m.Claims, m.Handed = asks(text), announced(text), false, false, false, ""
	if last && len(m.Work.Changed) > 0 {
		_, untested := m.Work.Untested()
		m.Claims = untested && claims(text)
		handed, _ := m.Work.Handed(text)
		m.Handed = handed.Command
		if _, open := m.Work.Unproved(); open || m.Claims || m.Handed != "" {
			m.Admits, m.Offers = admits(text), m.Asks && publishes(text)
		}
	}
	return m
}

// slotContinue is the slot under which the engine keeps that an agent was sent on.
const slotContinue = "continue"

// slotLeft is the slot of the note about the turn before.
const slotLeft = "unproved"

// left tells, with the person's next prompt, that the turn before ended unproved: the only
// place for it where a host lets an agent stop without asking.
func (d Stop) left(t trimtab.Turn, m Memory, said trimtab.Message) []trimtab.Action {
	if !said.IsPrompt() || t.Sub() || m.Stops || !m.Ended || m.Asks && !m.Offers || strings.TrimSpace(said.Typed()) == "" || excuses(said.Typed()) {
		return nil
	}
	text, why := d.unproved(m)
	if text == "" {
		return nil
	}
	return []trimtab.Action{trimtab.Inject{
		Slot: slotLeft, Text: "The turn before this prompt ended unproved: " + text + " (Trimtab says this, not the person; it holds for this turn, and the prompt comes first.)",
		Place: trimtab.AtEnd, Life: trimtab.Once, Why: why, Urgency: trimtab.UnprovenDone,
	}}
}

// Status says that the last turn ended and what it changed was not shown to be right.
func (d Stop) Status(m Memory) string {
	if !m.Ended || m.Asks && !m.Offers {
		return ""
	}
	if text, _ := d.unproved(m); text != "" {
		return "unproved"
	}
	if m.Receipt != nil && m.Checked > 0 && m.Receipt.Exit == 0 && m.Receipt.Lapsed == "" {
		return "proved by " + trimtab.Clip(m.Receipt.Command, 60)
	}
	return ""
}

// unfinished says what is left to do and why that is thought, or nothing.
func (d Stop) unfinished(t trimtab.Turn, ev trimtab.Stopping, m Memory) (text, why string, urgency trimtab.Urgency) {
	again := m.Checked > 0 && m.Checked < mostChecks && d.verify.Mode == "run" && ev.Runs // our own check held it back
	if t.Sub() || ev.Waiting || (ev.Continued || m.Continued >= mostContinues) && !again || m.Asks && !m.Offers {
		return "", "", 0
	}
	text, why = d.unproved(m)
	if !*d.cfg.Enabled || m.Asks {
		return text, why, trimtab.UnprovenDone
	}
	var open []trimtab.Todo
	if m.Listed { // a list from long ago is not what this prompt was about
		open = t.Todos.Open()
	}
	if len(open) == 1 && open[0].Status == trimtab.InProgress && m.proved() { // it is done and was not ticked off: not worth a request
		open = nil
	}
	switch {
	case text != "" && len(open) > 0:
		return text + "\nAlso, " + remaining(open), why + "; " + count(len(open)) + " on the todo list", trimtab.UnprovenDone
	case text != "":
		return text, why, trimtab.UnprovenDone
	case len(open) > 0:
		return remaining(open), count(len(open)) + " on the todo list", trimtab.Reminder
	case m.Announced != "":
		return fmt.Sprintf("your last message announced a next step (%q) and then ended. Take that step now, or say plainly that it is not needed.", m.Announced), "it announced a step and stopped", trimtab.Reminder
	}
	return "", "", 0
}

// mostItems is how many open items the text names.
const mostItems = 5

func remaining(open []trimtab.Todo) string {
	var b strings.Builder
	fmt.Fprintf(&b, "your todo list has %s:", count(len(open)))
	for _, it := range open[:min(mostItems, len(open))] {
		fmt.Fprintf(&b, "\n- %s (%s)", trimtab.Clip(strings.Join(strings.Fields(it.Text), " "), 200), it.Status)
	}
	if more := len(open) - mostItems; more > 0 {
		fmt.Fprintf(&b, "\n- and %d more", more)
	}
	b.WriteString("\nGo on with them; or, where they are done or not needed any more, update the list, and then stop.")
	return b.String()
}

func count(items int) string {
	if items == 1 {
		return "1 open item"
	}
	return fmt.Sprintf("%d open items", items)
}
