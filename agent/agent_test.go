package agent_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/demo"
)

func TestAWholeRunOfTheDemoModel(t *testing.T) {
	h := newHarness(t, reminder())
	events := run(t, h.agent(demo.New(demo.Options{}), project(t)...), "automata: tidy this")
	var replies []string
	injected, heeded, removed := 0, 0, 0
	for _, ev := range events {
		switch ev := ev.(type) {
		case agent.Replied:
			replies = append(replies, ev.Message.Text())
		case agent.Returned:
			if ev.Result.Failed {
				t.Errorf("%s %s failed: %s", ev.Call.Name, ev.Call.Input, ev.Result.Text)
			}
		case agent.Steered:
			switch ev.Change.Kind {
			case trimtab.Injected:
				injected++
			case trimtab.Heeded:
				heeded++
			default:
				removed++
			}
		}
	}
	if len(replies) < 10 {
		t.Errorf("%d replies, want 10 or more", len(replies))
	}
	if injected != 1 || heeded != 1 || removed != 1 {
		t.Errorf("%d notes came, %d were heeded and %d went, want one of each", injected, heeded, removed)
	}
	all := strings.Join(replies, "\n")
	for _, want := range []string{"demo model", "I see a note from trimtab (todo).", "I bring my list up to date"} {
		if strings.Count(all, want) != 1 {
			t.Errorf("%q is said %d times, want once", want, strings.Count(all, want))
		}
	}
	answer := replies[len(replies)-1]
	for _, want := range []string{"5 files and 2 folders", `README.md: 3 lines, titled "Windmill".`, "TODO-like marks: 2 in 2 files (docs/plan.md:3, mill.go:3).", "Lines that end in blanks: 1 in 1 file (mill.go:4)."} {
		if !strings.Contains(answer, want) {
			t.Errorf("%q is missing in the answer:\n%s", want, answer)
		}
	}
	if open := (trimtab.Todos{Items: h.session.Todos}).Open(); len(h.session.Todos) == 0 || len(open) > 0 {
		t.Errorf("todos %v, want a list with nothing open", h.session.Todos)
	}
	if last := events[len(events)-1]; last != (agent.Stopped{Reason: agent.Ended}) {
		t.Errorf("last event %#v", last)
	}
	h.whole()
}

func TestTheOrderOfEvents(t *testing.T) {
	h := newHarness(t, use("note", func(t trimtab.Turn, n int) (int, []trimtab.Action) {
		switch t.Event.(type) {
		case trimtab.Calling:
			return n, []trimtab.Action{trimtab.Inject{Slot: "x", Text: "hm", Life: trimtab.Once}}
		case trimtab.Using:
			return n, []trimtab.Action{trimtab.Notify{Text: "a tool"}}
		case trimtab.Stopping:
			panic("boo")
		}
		return n, nil
	}))
	a := h.agent(play(t, "reply\nsay one two\ncall a\ncall b\nreply\nsay end\n"),
		plain("a", true, func(context.Context) (string, error) { return "A", nil }),
		plain("b", true, func(context.Context) (string, error) { return "", errors.New("no") }))
	var got []string
	for _, ev := range run(t, a, "go") {
		got = append(got, line(ev))
	}
	want := []string{
		"steered injected note", "delta one", "delta two", "replied m2",
		"noticed a tool", "called a", "noticed a tool", "called b", "returned a failed=false A", "returned b failed=true no",
		"steered removed note", "steered injected note", "delta end", "replied m4",
		"faulted note: panic: boo", "stopped ended",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	var roles []trimtab.Role
	for i, m := range h.said {
		roles = append(roles, m.Role)
		if m.ID != trimtab.MessageID(i+1) {
			t.Errorf("message %d has the id %q", i+1, m.ID)
		}
	}
	if diff := cmp.Diff([]trimtab.Role{trimtab.RoleUser, trimtab.RoleAssistant, trimtab.RoleTool, trimtab.RoleAssistant}, roles); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
}

// The model sees what steering shapes: the view, with live notes behind the newest
// message. Nothing that was sent before the newest reply changes.
func TestTheModelSeesTheView(t *testing.T) {
	h := newHarness(t, use("note", func(t trimtab.Turn, n int) (int, []trimtab.Action) {
		if said, ok := t.Event.(trimtab.Said); ok && said.Message.IsPrompt() {
			return n, []trimtab.Action{trimtab.Inject{Slot: "x", Text: "mind this", Place: trimtab.BeforePrompt, Life: trimtab.Standing}}
		}
		return n, nil
	}))
	var seen [][]string
	a := h.agent(model(func(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
		var texts []string
		for _, m := range r.Messages {
			texts = append(texts, m.From+":"+m.Text())
		}
		seen = append(seen, append(texts, r.System))
		return says(trimtab.Text{Text: "fine"})
	}))
	run(t, a, "one")
	run(t, a, "two")
	want := [][]string{{":one", "note:mind this", "You are at work."}, {":one", ":fine", ":two", "note:mind this", "You are at work."}}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestTwoRunsGiveTheSameHistory(t *testing.T) {
	once := func() ([]trimtab.Message, []string) {
		h := newHarness(t, reminder())
		a := h.agent(demo.New(demo.Options{}), project(t)...)
		events := append(run(t, a, "automata: tidy the windmill"), run(t, a, "thanks")...)
		return h.said, lines(events)
	}
	said1, events1 := once()
	said2, events2 := once()
	if diff := cmp.Diff(said1, said2); diff != "" {
		t.Errorf("histories differ:\n%s", diff)
	}
	if diff := cmp.Diff(events1, events2); diff != "" {
		t.Errorf("events differ:\n%s", diff)
	}
}

func TestSteeringMayDenyATool(t *testing.T) {
	h := newHarness(t, use("guard", func(t trimtab.Turn, n int) (int, []trimtab.Action) {
		if u, ok := t.Event.(trimtab.Using); ok && u.Call.Name == "b" {
			return n, []trimtab.Action{trimtab.Deny{Why: "look only"}}
		}
		return n, nil
	}))
	var ran atomic.Int32
	count := func(context.Context) (string, error) { ran.Add(1); return "done", nil }
	got := lines(run(t, h.agent(play(t, "reply\ncall a\ncall b\nreply\nsay end\n"), plain("a", true, count), plain("b", true, count)), "go"))
	want := []string{"replied m2", "called a", "called b", "returned a failed=false done", "returned b failed=true denied (guard): look only", "replied m4", "stopped ended"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if ran.Load() != 1 {
		t.Errorf("%d tools ran, want 1", ran.Load())
	}
	h.whole()
}

func TestSteeringMayKeepTheAgentGoingEightTimes(t *testing.T) {
	var continued []bool
	h := newHarness(t, use("push", func(t trimtab.Turn, n int) (int, []trimtab.Action) {
		if s, ok := t.Event.(trimtab.Stopping); ok {
			continued = append(continued, s.Continued)
			return n, []trimtab.Action{trimtab.Continue{Text: "go on", Why: "not done"}}
		}
		return n, nil
	}))
	got := lines(run(t, h.agent(play(t, strings.Repeat("reply\nsay done\n", 20))), "go"))
	if n := strings.Count(strings.Join(got, "\n"), "continued push"); n != 8 {
		t.Errorf("went on %d times, want 8", n)
	}
	if last := got[len(got)-1]; last != "stopped pushed" {
		t.Errorf("last event %q", last)
	}
	if diff := cmp.Diff([]bool{false, true, true, true, true, true, true, true, true}, continued); diff != "" {
		t.Errorf("Continued (-want +got):\n%s", diff)
	}
	for _, m := range h.said[2:] {
		if m.Role == trimtab.RoleUser && (m.IsPrompt() || m.From != "push" || m.Parts[0].(trimtab.Text).By != trimtab.Ours) {
			t.Errorf("steering's words pass for someone else's: %+v", m)
		}
	}
	h.whole()
}

func TestAPausedRunGoesOnWithoutAPrompt(t *testing.T) {
	h := newHarness(t, use("brake", func(t trimtab.Turn, n int) (int, []trimtab.Action) {
		if said, ok := t.Event.(trimtab.Said); ok && said.Message.Role == trimtab.RoleAssistant && n == 0 {
			return 1, []trimtab.Action{trimtab.Pause{Why: "look here"}}
		}
		return n, nil
	}))
	a := h.agent(play(t, "reply\ncall a\nreply\nsay end\n"), plain("a", true, func(context.Context) (string, error) { return "A", nil }))
	if diff := cmp.Diff([]string{"replied m2", "called a", "returned a failed=false A", "paused look here"}, lines(run(t, a, "go"))); diff != "" {
		t.Errorf("first run (-want +got):\n%s", diff)
	}
	if _, ok := h.events[len(h.events)-1].(trimtab.Said); !ok {
		t.Errorf("after the pause came %T: a request was about to leave", h.events[len(h.events)-1])
	}
	h.whole()
	if diff := cmp.Diff([]string{"replied m4", "stopped ended"}, lines(run(t, a, ""))); diff != "" {
		t.Errorf("second run (-want +got):\n%s", diff)
	}
	h.whole()
}

func TestARunHasAMostOfSteps(t *testing.T) {
	h := newHarness(t)
	a := agent.New(h, play(t, strings.Repeat("reply\ncall a\n", 20)), agent.Options{History: h, MaxSteps: 3})
	events := run(t, a, "go")
	if h.session.Step != 3 {
		t.Errorf("%d replies, want 3", h.session.Step)
	}
	if last := events[len(events)-1]; last != (agent.Stopped{Reason: agent.Steps}) {
		t.Errorf("last event %#v", last)
	}
	h.whole()
}

func TestTheReasonOfAReplysEndIsTold(t *testing.T) {
	for stop, want := range map[llm.StopReason]agent.Reason{llm.StopEnd: agent.Ended, llm.StopLength: agent.Length, llm.StopRefused: agent.Refused} {
		h := newHarness(t)
		a := h.agent(model(func(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
			return chunks(llm.Retrying{Wait: time.Second, Why: "busy"}, llm.ThinkingDelta{Text: "hm"}, llm.Done{Stop: stop, Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "so")})
		}))
		if diff := cmp.Diff([]string{"retrying after 1s: busy", "thought hm", "replied m2", "stopped " + string(want)}, lines(run(t, a, "go"))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestAnAgentWithoutHistorySaysSo(t *testing.T) {
	h := newHarness(t)
	_, err := collect(agent.New(h, demo.New(demo.Options{}), agent.Options{}).Run(t.Context(), "s1", trimtab.Prompt("hello")))
	if err == nil || !strings.Contains(err.Error(), "History") {
		t.Errorf("err = %v", err)
	}
}

// model is a model made of a function.
type model func(context.Context, llm.Request) iter.Seq2[llm.Chunk, error]

func (model) Name() string { return "fake" }

func (m model) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return m(ctx, r)
}

func chunks(all ...llm.Chunk) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for _, c := range all {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// says is a whole reply of these parts.
func says(parts ...trimtab.Part) iter.Seq2[llm.Chunk, error] {
	return chunks(llm.Done{Message: trimtab.Message{Parts: parts}, Stop: llm.StopEnd})
}
