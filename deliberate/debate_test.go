package deliberate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/store/memory"
)

const brief = "A landing page for a bakery that delivers by bike"

// harness is what a debate needs: a store, the service to it and the demo model.
type harness struct {
	t     testing.TB
	store *memory.Store
	opt   deliberate.Options
	plan  deliberate.Plan
	seen  []deliberate.Event
}

func newHarness(t testing.TB, own ...mode.Definition) *harness {
	t.Helper()
	r := &harness{t: t, store: memory.New()}
	var cfg steer.Config
	off := false
	cfg.Todo.Enabled = &off
	engine, err := steer.New(cfg, steer.Modes(own...))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)
	service := session.New(engine, r.store, session.Options{Clock: func() time.Time { return now }})
	goal, err := deliberate.NewGoal(append(mode.Sessions(), own...))
	if err != nil {
		t.Fatal(err)
	}
	cast, err := deliberate.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	r.opt = deliberate.Options{Service: service, History: r.store, Goal: goal, Model: r.models(nil)}
	r.plan = deliberate.Plan{ID: "debate", Mode: "copywrite", Brief: brief, Model: "demo", Cast: cast}
	return r
}

// models opens the demo, or one of a test's own by its name.
func (r *harness) models(own map[string]llm.Model) func(context.Context, string) (llm.Model, error) {
	return func(_ context.Context, name string) (llm.Model, error) {
		if m := own[name]; m != nil {
			return m, nil
		}
		if name != "demo" {
			return nil, fmt.Errorf("model %q: %w", name, llm.ErrModel)
		}
		return deliberate.NewPlayer(0), nil
	}
}

func (r *harness) begin() *deliberate.Debate {
	r.t.Helper()
	d, err := deliberate.Begin(r.t.Context(), r.opt, r.plan)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

// run lets a debate go on to its end and returns the last event.
func (r *harness) run(d *deliberate.Debate) deliberate.Event {
	r.t.Helper()
	var last deliberate.Event
	for ev, err := range d.Run(r.t.Context()) {
		if err != nil {
			r.t.Fatal(err)
		}
		r.seen, last = append(r.seen, ev), ev
	}
	return last
}

// script is what happened, a line an event.
func (r *harness) script() string {
	var b strings.Builder
	for _, ev := range r.seen {
		switch ev := ev.(type) {
		case deliberate.Spoke:
			fmt.Fprintf(&b, "%d %s: %.140q\n", ev.Seq, ev.By, ev.Text)
		case deliberate.Steered:
			fmt.Fprintf(&b, "   %s %s/%s: %s\n", ev.Change.Kind, ev.Change.By, ev.Change.Slot, ev.Change.Why)
		case deliberate.Moved:
			fmt.Fprintf(&b, "   phase %s -> %s\n", ev.From.ID, ev.To.ID)
		case deliberate.Ticked:
			fmt.Fprintf(&b, "   %s met=%v\n", ev.Criterion.ID, ev.Criterion.Met)
		case deliberate.Voted:
			fmt.Fprintf(&b, "   P%d %.2f for %.2f against\n", ev.Proposal.N, ev.Support, ev.Opposition)
		case deliberate.Missed:
			fmt.Fprintf(&b, "   missed %s: %s\n", ev.Who, ev.Why)
		case deliberate.Noticed:
			fmt.Fprintf(&b, "   notice %.100q\n", ev.Text)
		case deliberate.Faulted:
			fmt.Fprintf(&b, "   fault %v\n", ev.Fault)
		case deliberate.Ended, deliberate.Paused:
			fmt.Fprintf(&b, "%T %v\n", ev, ev)
		}
	}
	return b.String()
}

// said is the history, a line a message, without times.
func (r *harness) said(id string) []string {
	r.t.Helper()
	var out []string
	for m, err := range r.store.Messages(r.t.Context(), id, 0) {
		if err != nil {
			r.t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s %s %s", m.ID, m.Role, m.Text()))
	}
	return out
}

func (r *harness) journal(id string) []trimtab.Entry {
	r.t.Helper()
	var out []trimtab.Entry
	for e, err := range r.store.Journal(r.t.Context(), id, 0) {
		if err != nil {
			r.t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// ended fails the test unless the debate ended for this reason.
func (r *harness) ended(last deliberate.Event, want deliberate.Reason) {
	r.t.Helper()
	if end, ok := last.(deliberate.Ended); !ok || end.Reason != want {
		r.t.Fatalf("the debate ended with %#v, want %s\n%s", last, want, r.script())
	}
}

// events are those of one kind.
func events[E deliberate.Event](r *harness) []E {
	var out []E
	for _, ev := range r.seen {
		if e, ok := ev.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

// TestD13_FromBriefToDocument plays the whole copywriting session on the demo model.
func TestD13_FromBriefToDocument(t *testing.T) {
	r := newHarness(t)
	d := r.begin()
	r.ended(r.run(d), deliberate.Success)

	var phases, slots []string
	for _, m := range events[deliberate.Moved](r) {
		phases = append(phases, m.To.ID)
	}
	if diff := cmp.Diff([]string{"research", "ideation", "synthesis", "drafting"}, phases); diff != "" {
		t.Errorf("phases:\n%s", diff)
	}
	for _, s := range events[deliberate.Steered](r) {
		if s.Change.Kind == trimtab.Injected {
			slots = append(slots, s.Change.Slot)
		}
	}
	for _, want := range []string{"goal", "phase"} {
		if !slices.Contains(slots, want) {
			t.Errorf("no note in the slot %s: %q", want, slots)
		}
	}
	result := d.Result()
	var ids []string
	for _, s := range result.Sections {
		ids = append(ids, s.ID)
		if !s.Agreed() {
			t.Errorf("%s is not agreed on: %+v", s.ID, s.Vote)
		}
	}
	if diff := cmp.Diff([]string{"hero_copy", "value_props", "cta"}, ids); diff != "" {
		t.Errorf("sections:\n%s", diff)
	}
	document := result.Markdown()
	for _, want := range []string{"# " + brief, "## Hero copy", "## Value props", "## CTA", "delivers by bike", "## Dissent", "**contrarian** on P", "## Evidence", "[x] `consensus`", "### Looked up", "## How it came about", "Conformity"} {
		if !strings.Contains(document, want) {
			t.Errorf("the document lacks %q:\n%s", want, document)
		}
	}
	transcript := d.Transcript(r.journal("debate"))
	for _, want := range []string{"mode/goal", "mode/phase", "Discovery has what it needed", "success criteria of the mode", "### 2 · You", "· Skeptic · demo", "The debate has ended: success."} {
		if !strings.Contains(transcript, want) {
			t.Errorf("the transcript lacks %q", want)
		}
	}
}

// TestD14_TheSameBriefGivesTheSameDebate twice, to the letter.
func TestD14_TheSameBriefGivesTheSameDebate(t *testing.T) {
	first, second := newHarness(t), newHarness(t)
	first.run(first.begin())
	second.run(second.begin())
	if diff := cmp.Diff(first.said("debate"), second.said("debate")); diff != "" {
		t.Errorf("two runs differ:\n%s", diff)
	}
}

// TestD13_EveryModeEnds on the demo, and with a verdict where there must be one.
func TestD13_EveryModeEnds(t *testing.T) {
	for _, def := range mode.Sessions() {
		t.Run(def.ID, func(t *testing.T) {
			r := newHarness(t)
			r.plan.Mode = def.ID
			d := r.begin()
			last := r.run(d)
			if _, ok := last.(deliberate.Ended); !ok {
				t.Fatalf("the debate ended with %#v\n%s", last, r.script())
			}
			document := d.Result().Markdown()
			if len(def.Success) > 0 {
				r.ended(last, deliberate.Success)
			}
			for _, c := range def.Success {
				if c.ID == "verdict" && !strings.Contains(document, "MAYBE-IF") {
					t.Errorf("no verdict in\n%s", document)
				}
			}
		})
	}
}

// TestD13_ResumeAtTheSameMessage stops after each message in turn and goes on: the
// history is that of a debate that was never stopped.
func TestD13_ResumeAtTheSameMessage(t *testing.T) {
	whole := newHarness(t)
	whole.run(whole.begin())
	want := whole.said("debate")
	for stop := 1; stop < len(want)-2; stop += 2 + stop/6 {
		r := newHarness(t)
		n := 0
		for ev, err := range r.begin().Run(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := ev.(deliberate.Spoke); ok {
				n++
			}
			if n == stop {
				break
			}
		}
		d, err := deliberate.Resume(t.Context(), r.opt, "debate")
		if err != nil {
			t.Fatal(err)
		}
		r.ended(r.run(d), deliberate.Success)
		if diff := cmp.Diff(want, r.said("debate")); diff != "" {
			t.Fatalf("stopped after %d messages, the debate went another way:\n%s", stop, diff)
		}
		if len(d.Result().Sections) != 3 {
			t.Fatalf("stopped after %d messages: %d sections", stop, len(d.Result().Sections))
		}
	}
}

func TestD13_AnEndedDebateStaysEnded(t *testing.T) {
	r := newHarness(t)
	r.run(r.begin())
	before := r.said("debate")
	d, err := deliberate.Resume(t.Context(), r.opt, "debate")
	if err != nil {
		t.Fatal(err)
	}
	r.ended(r.run(d), deliberate.Success)
	if diff := cmp.Diff(before, r.said("debate")); diff != "" {
		t.Errorf("something was said:\n%s", diff)
	}
}

func TestResumeOfWhatIsNoDebate(t *testing.T) {
	r := newHarness(t)
	for _, id := range []string{"none", "plain"} {
		if id == "plain" {
			if _, err := r.opt.Service.Begin(t.Context(), trimtab.Info{ID: id}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := deliberate.Resume(t.Context(), r.opt, id); !errors.Is(err, trimtab.ErrNotFound) {
			t.Errorf("resume %s: %v", id, err)
		}
	}
}

func TestBeginRefuses(t *testing.T) {
	for name, break_ := range map[string]func(*deliberate.Plan){
		"the brief is empty":  func(p *deliberate.Plan) { p.Brief = " \n" },
		"too large":           func(p *deliberate.Plan) { p.Brief = strings.Repeat("x", 1<<20) },
		"at least two":        func(p *deliberate.Plan) { p.Cast = p.Cast[:1] },
		"no such model":       func(p *deliberate.Plan) { p.Cast = slices.Clone(p.Cast); p.Cast[2].Model = "gpt-9" },
		`called "nonsense"`:   func(p *deliberate.Plan) { p.Mode = "nonsense" },
		"no mode with a goal": func(p *deliberate.Plan) { p.Mode = "planning" },
		"not a session id":    func(p *deliberate.Plan) { p.ID = "../x" },
	} {
		r := newHarness(t)
		break_(&r.plan)
		if _, err := deliberate.Begin(t.Context(), r.opt, r.plan); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("want an error about %q, got %v", name, err)
		}
	}
}
