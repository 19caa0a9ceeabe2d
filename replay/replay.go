// Package replay asks what a policy would have done on a recorded session:
// every note with its step, its cause, its tokens, the requests it would have been
// part of and what it would have cost. It calls no model: the recorded replies stay as they were, so
// what the notes would have changed in them is not known.
//
//	report, err := replay.Run(engine, session, steps, replay.Prices{})
//	other, err := replay.Run(engine2, session, steps, replay.Prices{})
//	diff := replay.Compare(report, other)
//
// Frames asks the same of frames: where the heuristics would have drawn
// boundaries, and what folding would have saved.
//
//	report, err := replay.Frames(session, steps, replay.FrameOptions{})
//
// Costs are told in tokens of plain input: what is written to a provider's
// prompt cache counts Write, what is read from it counts Read.
package replay

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/internal/settingtag"
	"github.com/trimtab/trimtab/replay/cache"
)

// Prices are what a token costs beside one of plain input. Zero values take the
// defaults, which are Anthropic's.
type Prices = cache.Prices

// Report is what a policy would have done.
type Report struct {
	Session  string   `json:"session"`
	Title    string   `json:"title,omitempty"`
	Messages int      `json:"messages"`
	Steps    int      `json:"steps"`
	Requests int      `json:"requests"`
	Tokens   int      `json:"tokens"` // of the history at its end
	Notes    []Note   `json:"notes"`
	Spoken   []Spoken `json:"spoken,omitempty"` // what was done but for notes
	Faults   []string `json:"faults,omitempty"`
	Totals
}

// Totals are the sums of a report.
type Totals struct {
	Injected int     `json:"injected"` // notes
	Added    int     `json:"added"`    // tokens of them
	Lost     int     `json:"lost"`     // tokens of cached prefix given up
	Cost     float64 `json:"cost"`     // of the notes, in tokens of plain input
	Plain    float64 `json:"plain"`    // of the session without them
}

// Share is the cost of the notes as a share of the session's.
func (t Totals) Share() float64 {
	if t.Plain == 0 {
		return 0
	}
	return t.Cost / t.Plain
}

// Note is one injection, from its seat to its end.
type Note struct {
	By      string  `json:"by"`
	Slot    string  `json:"slot"`
	Step    int     `json:"step"`   // at which it was injected
	Why     string  `json:"why"`    //
	Tokens  int     `json:"tokens"` //
	Lost    int     `json:"lost"`   // cached prefix given up to put it there and to take it away
	Ended   int     `json:"ended"`  // the step at which its life was over; 0 is never
	Because string  `json:"because,omitempty"`
	Sent    int     `json:"sent"`           // requests that it was part of
	Rode    int     `json:"rode,omitempty"` // of those, the ones at whose end it rode, behind all that a provider keeps
	Cost    float64 `json:"cost"`
	Text    string  `json:"text,omitempty"`
}

// SpokenKind says what an engine did that is no note.
type SpokenKind string

// The kinds of what is no note.
const (
	Continued SpokenKind = "continue" // the agent was about to stop and was sent on
	Paused    SpokenKind = "pause"    // the session was to wait for the person
	Noticed   SpokenKind = "notice"   // the person was told something, the model not
)

// Spoken is something that an engine did at a step and that is no note.
type Spoken struct {
	Kind SpokenKind `json:"kind"`
	By   string     `json:"by"`
	Step int        `json:"step"`
	Why  string     `json:"why,omitempty"`
	Text string     `json:"text,omitempty"`
}

// Run takes a recorded session, event by event, through an engine. Whatever was
// recorded between a reply and the next is one request. A reply without a call that a
// message of the person's side follows, or nothing, is where the agent stopped.
func Run(engine *trimtab.Engine, info trimtab.Info, recorded iter.Seq2[trimtab.Event, error], prices Prices) (Report, error) {
	prices, err := settingtag.Fill(prices)
	if err != nil {
		return Report{}, fmt.Errorf("prices: %w", err)
	}
	r := &run{engine: engine, prices: prices, s: trimtab.NewSession(info.ID, info.Created), live: map[int]int{}}
	r.s.Info, r.s.Updated = info, info.Created // an export knows when it ended; here it begins
	for ev, err := range recorded {
		if err != nil {
			return Report{}, err
		}
		r.take(ev)
	}
	r.stop()
	r.report.Session, r.report.Title = r.s.ID, r.s.Title
	r.report.Messages, r.report.Steps, r.report.Tokens = r.s.Seq, r.s.Step, r.s.Meter.Tokens(r.s.Meter.Bytes)
	for i := range r.report.Notes {
		n := &r.report.Notes[i]
		n.Cost = n.cost(prices)
		r.report.Injected++
		r.report.Added += n.Tokens
		r.report.Lost += n.Lost
		r.report.Cost += n.Cost
	}
	return r.report, nil
}

// cost is what a note costs. While it rides it is paid anew with each request, as plain
// input; one that stays is written to the cache once and read from there ever after.
func (n Note) cost(p Prices) float64 {
	cost := float64(n.Tokens*n.Rode) + (p.Write-p.Read)*float64(n.Lost)
	if stood := n.Sent - n.Rode; stood > 0 {
		cost += p.Write*float64(n.Tokens) + p.Read*float64(n.Tokens*(stood-1))
	}
	return cost
}

type run struct {
	engine *trimtab.Engine
	prices Prices
	s      trimtab.Session
	live   map[int]int // note → its place in the report
	report Report
	sent   int  // bytes of history in the last request
	ending bool // the last message is a reply without a call
}

// take plays one event. A reply is preceded by the request that it answers.
func (r *run) take(ev trimtab.Event) {
	said, ok := ev.(trimtab.Said)
	if ok && said.Message.From == "" {
		if said.Message.Role == trimtab.RoleUser && !markup.Interrupted(said.Message.Text()) {
			r.stop()
		}
		r.ending = said.Message.Role == trimtab.RoleAssistant && !calls(said.Message)
	}
	at := r.s.Updated
	if ok {
		if said.Message.At.After(at) {
			at = said.Message.At
		}
		if said.Message.Role == trimtab.RoleAssistant && said.Message.From == "" {
			r.step(trimtab.Calling{}, at)
			r.request()
		}
	}
	r.step(ev, at)
}

// stop plays the end of a turn, if the last reply was one.
func (r *run) stop() {
	if r.ending {
		r.ending = false
		r.step(trimtab.Stopping{}, r.s.Updated)
	}
}

func calls(m trimtab.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p trimtab.Part) bool { _, ok := p.(trimtab.ToolCall); return ok })
}

// request pays for a request: the prefix is read, the rest written, and each
// note that rides or stands is part of it.
func (r *run) request() {
	r.report.Requests++
	m := r.s.Meter
	cached := min(r.sent, m.Bytes)
	r.report.Plain += r.prices.Read*float64(m.Tokens(cached)) + r.prices.Write*float64(m.Tokens(m.Bytes-cached))
	r.sent = m.Bytes
	for _, n := range r.s.Notes {
		if i, ok := r.live[n.ID]; ok && n.Seated() {
			r.report.Notes[i].Sent++
			if !n.Fixed {
				r.report.Notes[i].Rode++
			}
		}
	}
}

func (r *run) step(ev trimtab.Event, at time.Time) {
	s, out := r.engine.Step(r.s, ev, at)
	r.s = s
	if _, ok := ev.(trimtab.Rewritten); ok {
		r.sent = 0
	}
	for _, c := range out.Changes {
		i, known := r.live[c.Note]
		switch {
		case c.Kind == trimtab.Injected && known: // seated again after the host rewrote its history
			r.report.Notes[i].Lost += c.Lost
		case c.Kind == trimtab.Injected:
			r.live[c.Note] = len(r.report.Notes)
			r.report.Notes = append(r.report.Notes, Note{By: c.By, Slot: c.Slot, Step: c.Step, Why: c.Why, Tokens: c.Tokens, Lost: c.Lost, Text: c.Text})
		case (c.Kind == trimtab.Removed || c.Kind == trimtab.Retired) && known:
			n := &r.report.Notes[i]
			if n.Ended == 0 {
				n.Ended, n.Because = c.Step, c.Why
			}
			n.Lost += c.Lost
			if c.Kind == trimtab.Removed { // a retired one stands on, and is paid for
				delete(r.live, c.Note)
			}
		}
	}
	for _, taken := range out.Actions {
		r.spoken(taken)
	}
	for _, f := range out.Faults {
		r.report.Faults = append(r.report.Faults, f.Error())
	}
}

// spoken lists what was done but for notes. Answers to commands were asked for.
func (r *run) spoken(taken trimtab.Taken) {
	s := Spoken{By: taken.By, Step: r.s.Step}
	switch a := taken.Action.(type) {
	case trimtab.Continue:
		s.Kind, s.Why, s.Text = Continued, a.Why, a.Text
	case trimtab.Pause:
		s.Kind, s.Why = Paused, a.Why
	case trimtab.Notify:
		s.Kind, s.Text = Noticed, a.Text
	default:
		return
	}
	r.report.Spoken = append(r.report.Spoken, s)
}
