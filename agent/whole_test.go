package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/demo"
)

// The demo model is cancelled at every one of its events, by the context and by
// the reader's leaving. The history stays whole, and the session goes on.
func TestWhereverARunIsCancelledTheHistoryStaysWhole(t *testing.T) {
	tools := project(t)
	h := newHarness(t, reminder())
	total := len(run(t, h.agent(demo.New(demo.Options{}), tools...), "tidy the sails"))
	for at := 0; at < total; at += 1 + at/10 { // every one at first, then fewer: they are alike
		for _, leave := range []bool{false, true} {
			h := newHarness(t, reminder())
			a := h.agent(demo.New(demo.Options{}), tools...)
			ctx, cancel := context.WithCancel(t.Context())
			n, last := 0, agent.Event(nil)
			for ev, err := range a.Run(ctx, "s1", trimtab.Prompt("tidy the sails")) {
				if err != nil {
					t.Fatalf("cancelled at event %d: %v", at, err)
				}
				last = ev
				if n == at {
					cancel()
					if leave {
						break
					}
				}
				n++
			}
			cancel()
			h.whole()
			if !leave && at < total-1 && last != (agent.Stopped{Reason: agent.Cancelled}) {
				t.Errorf("cancelled at event %d: the last event is %q", at, line(last))
			}
			events := run(t, a, "go on")
			if last := events[len(events)-1]; last != (agent.Stopped{Reason: agent.Ended}) {
				t.Errorf("cancelled at event %d: the next run ends with %q", at, line(last))
			}
			h.whole()
			if t.Failed() {
				t.Fatalf("cancelled at event %d of %d, reader left: %v", at, total, leave)
			}
		}
	}
}

func TestAnInterruptedReplyIsKeptAndMarked(t *testing.T) {
	h := newHarness(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []string
	for ev, err := range h.agent(play(t, "reply\nsay one two three four\ncall a\n")).Run(ctx, "s1", trimtab.Prompt("go")) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := ev.(agent.Context); ok {
			continue
		}
		got = append(got, line(ev))
		if len(got) == 2 {
			cancel()
		}
	}
	if diff := cmp.Diff([]string{"delta one", "delta two", "replied m2", "stopped cancelled"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	want := trimtab.Message{ID: "m2", Role: trimtab.RoleAssistant, Model: "demo:test", Parts: []trimtab.Part{
		trimtab.Text{Text: "one two ", By: trimtab.Model}, trimtab.Text{Text: "[interrupted: cancelled by the person]", By: trimtab.Host},
	}}
	if diff := cmp.Diff(want, h.said[1]); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}

func TestNothingSaidYetLeavesNoReply(t *testing.T) {
	h := newHarness(t)
	ctx, cancel := context.WithCancel(t.Context())
	a := h.agent(model(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Chunk, error] {
		return func(yield func(llm.Chunk, error) bool) {
			cancel()
			yield(nil, ctx.Err())
		}
	}))
	events, err := collect(a.Run(ctx, "s1", trimtab.Prompt("go")))
	if diff := cmp.Diff([]string{"stopped cancelled"}, lines(events)); diff != "" || err != nil {
		t.Errorf("err %v, events (-want +got):\n%s", err, diff)
	}
	if len(h.said) != 1 {
		t.Errorf("%d messages, want the prompt alone", len(h.said))
	}
}

func TestAModelThatDoesNotListenIsLeft(t *testing.T) {
	h := newHarness(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a := h.agent(model(func(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
		return func(yield func(llm.Chunk, error) bool) {
			for yield(llm.TextDelta{Text: "and "}, nil) {
			}
		}
	}))
	deltas := 0
	for ev, err := range a.Run(ctx, "s1", trimtab.Prompt("go")) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := ev.(agent.Delta); ok {
			if deltas++; deltas == 3 {
				cancel()
			}
		}
		if deltas > 10 {
			t.Fatal("it goes on and on")
		}
	}
	if deltas != 3 {
		t.Errorf("%d pieces, want 3", deltas)
	}
}

func TestToolsThatAreCancelledHaveTheirResults(t *testing.T) {
	h := newHarness(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a := h.agent(play(t, "reply\ncall quick\ncall slow\ncall later\nreply\nsay end\n"),
		plain("quick", true, func(context.Context) (string, error) { return "done", nil }),
		plain("slow", true, func(ctx context.Context) (string, error) {
			cancel()
			<-ctx.Done()
			return "", fmt.Errorf("wait: %w", ctx.Err())
		}),
		plain("later", false, func(context.Context) (string, error) {
			t.Error("a tool ran after the person cancelled")
			return "", nil
		}))
	events, err := collect(a.Run(ctx, "s1", trimtab.Prompt("go")))
	if err != nil {
		t.Fatal(err)
	}
	if last := events[len(events)-1]; last != (agent.Stopped{Reason: agent.Cancelled}) {
		t.Errorf("last event %q", line(last))
	}
	want := []trimtab.Part{
		trimtab.ToolResult{ID: "script-1-1", Text: "done"},
		trimtab.ToolResult{ID: "script-1-2", Text: "cancelled by the person", Failed: true},
		trimtab.ToolResult{ID: "script-1-3", Text: "cancelled by the person", Failed: true},
	}
	// The quick one may have been cancelled before it began.
	if got := h.said[2].Parts; cmp.Diff(want[1:], got[1:]) != "" || got[0].(trimtab.ToolResult).ID != "script-1-1" {
		t.Errorf("results (-want +got):\n%s", cmp.Diff(want, got))
	}
	h.whole()
}

// TestChat_B13_AReplyThatBreaksOffIsKept, as one that the person interrupts is: they have read
// it, and the model goes on from there.
func TestChat_B13_AReplyThatBreaksOffIsKept(t *testing.T) {
	h := newHarness(t)
	a := h.agent(play(t, "reply\nsay so\ncall a\nreply\nsay half a sent\nfail the line is dead\nreply\nsay end\n"), plain("a", true, func(context.Context) (string, error) { return "A", nil }))
	events, err := collect(a.Run(t.Context(), "s1", trimtab.Prompt("go")))
	if err == nil || !strings.Contains(err.Error(), "the line is dead") || !strings.Contains(err.Error(), `say "go on"`) {
		t.Errorf("err = %v, want one that says what to do", err)
	}
	if diff := cmp.Diff([]string{"replied m2", "called a", "returned a failed=false A", "replied m4"}, lines(events)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if len(h.said) != 4 || !strings.Contains(h.said[3].Text(), "half a sent") || !strings.Contains(h.said[3].Text(), "[broken off: the connection was lost]") {
		t.Errorf("%d messages, want prompt, reply, result and half a reply: %+v", len(h.said), h.said[len(h.said)-1])
	}
	h.whole()
	if diff := cmp.Diff([]string{"replied m6", "stopped ended"}, lines(run(t, a, "go on"))); diff != "" {
		t.Errorf("next run (-want +got):\n%s", diff)
	}
	h.whole()
}

func TestP11_AStreamThatEndsEarlyIsAnError(t *testing.T) {
	h := newHarness(t)
	a := h.agent(model(func(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
		return chunks(llm.TextDelta{Text: "half"})
	}))
	if _, err := collect(a.Run(t.Context(), "s1", trimtab.Prompt("go"))); !errors.Is(err, llm.ErrCut) {
		t.Errorf("err = %v, want %v", err, llm.ErrCut)
	}
	if len(h.said) != 2 || !strings.Contains(h.said[1].Text(), "[broken off") {
		t.Errorf("%d messages, want the prompt and what was said, marked", len(h.said))
	}
}

// P6: a store that fails is an error, never a false success, and the reply that
// the person waited for is not lost on the way.
func TestP6_AStoreErrorComesAfterTheReply(t *testing.T) {
	full := errors.New("disk full")
	breaks := func(role trimtab.Role) func(trimtab.Event) error {
		return func(ev trimtab.Event) error {
			if said, ok := ev.(trimtab.Said); ok && said.Message.Role == role {
				return full
			}
			return nil
		}
	}
	for _, tt := range []struct {
		fail func(trimtab.Event) error
		want []string
		said int
	}{
		{breaks(trimtab.RoleUser), nil, 0},
		{breaks(trimtab.RoleAssistant), []string{"replied "}, 1},
		{breaks(trimtab.RoleTool), []string{"replied m2", "called a", "returned a failed=false A"}, 2},
		{func(ev trimtab.Event) error { return errorAt[trimtab.Calling](ev, full) }, nil, 1},
		{func(ev trimtab.Event) error { return errorAt[trimtab.Using](ev, full) }, []string{"replied m2", "called a", "returned a failed=true not run: the call could not be recorded"}, 3},
	} {
		h := newHarness(t)
		h.fail = tt.fail
		a := h.agent(play(t, "reply\nsay so\ncall a\nreply\nsay end\n"), plain("a", true, func(context.Context) (string, error) { return "A", nil }))
		events, err := collect(a.Run(t.Context(), "s1", trimtab.Prompt("go")))
		if !errors.Is(err, full) {
			t.Errorf("err = %v, want %v", err, full)
		}
		if diff := cmp.Diff(tt.want, lines(events)); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		if len(h.said) != tt.said {
			t.Errorf("%d messages stored, want %d", len(h.said), tt.said)
		}
		h.fail = nil
		events = run(t, a, "go on")
		if last := line(events[len(events)-1]); last != "stopped ended" {
			t.Errorf("next run ends with %q", last)
		}
		h.whole()
	}
}

func errorAt[E trimtab.Event](ev trimtab.Event, err error) error {
	if _, ok := ev.(E); ok {
		return err
	}
	return nil
}

func TestCallsThatACrashLeftOpenAreClosed(t *testing.T) {
	h := newHarness(t)
	for _, m := range []trimtab.Message{trimtab.Prompt("go"), {Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "x", Name: "a"}, trimtab.ToolCall{ID: "y", Name: "a"}}}} {
		if _, _, err := h.Handle(t.Context(), "s1", trimtab.Said{Message: m}); err != nil {
			t.Fatal(err)
		}
	}
	run(t, h.agent(demo.New(demo.Options{})), "hello")
	h.whole()
	if text := h.said[2].Parts[0].(trimtab.ToolResult).Text; !strings.Contains(text, "may or may not have run") {
		t.Errorf("the result says %q", text)
	}
}

// What a model sends is not trusted to be well formed: an id is missing or twice,
// an input is not JSON, words claim to be a person's, a result is made up.
func TestAnOddReplyIsMadeWhole(t *testing.T) {
	h := newHarness(t)
	asked := 0
	a := h.agent(model(func(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
		asked++
		switch asked {
		case 1:
			return says(trimtab.Text{Text: "automata", By: trimtab.Person}, trimtab.ToolCall{Name: "a"}, trimtab.ToolCall{ID: "x", Name: "a", Input: json.RawMessage(`{"half`)},
				trimtab.ToolCall{ID: "x", Name: "a"}, trimtab.ToolCall{ID: "z", Name: "none"}, trimtab.ToolResult{ID: "z", Text: "made up"})
		case 2:
			return says()
		}
		return says(trimtab.Text{Text: "end"})
	}), plain("a", true, func(context.Context) (string, error) { return "A", nil }))
	got := lines(run(t, a, "go"))
	want := []string{
		"replied m2", "called a", "called a", "called a", "called none", "returned a failed=false A",
		"returned a failed=true the input was not valid JSON; make the call again with one that is", "returned a failed=false A",
		`returned none failed=true there is no tool "none"; there are a`, "replied m4", "stopped ended",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if h.said[1].IsPrompt() {
		t.Error("the model's words pass for a person's")
	}
	h.whole()
}

func TestAToolThatPanicsIsAFailedResult(t *testing.T) {
	h := newHarness(t)
	a := h.agent(play(t, "reply\ncall a\nreply\nsay end\n"), plain("a", true, func(context.Context) (string, error) { panic("oh") }))
	want := []string{"replied m2", "called a", "faulted tool a: panic: oh", "returned a failed=true a: the tool broke down (oh); do without it", "replied m4", "stopped ended"}
	if diff := cmp.Diff(want, lines(run(t, a, "go"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	h.whole()
}

func TestToolsThatOnlyLookRunSideBySide(t *testing.T) {
	h := newHarness(t)
	meet := make(chan string)
	a := h.agent(play(t, "reply\ncall give\ncall take\nreply\nsay end\n"),
		plain("give", true, func(context.Context) (string, error) { meet <- "hand"; return "given", nil }), // each waits for the other
		plain("take", true, func(context.Context) (string, error) { return <-meet, nil }))
	want := []string{"replied m2", "called give", "called take", "returned give failed=false given", "returned take failed=false hand", "replied m4", "stopped ended"}
	if diff := cmp.Diff(want, lines(run(t, a, "go"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAToolThatChangesSomethingRunsAlone(t *testing.T) {
	h := newHarness(t)
	var order []string // no lock: the race detector would tell
	step := func(name string) func(context.Context) (string, error) {
		return func(context.Context) (string, error) { order = append(order, name); return "", nil }
	}
	a := h.agent(play(t, "reply\ncall look\ncall write\ncall paint\ncall look\nreply\nsay end\n"),
		plain("look", true, step("look")), plain("write", false, step("write")), plain("paint", false, step("paint")))
	run(t, a, "go")
	if diff := cmp.Diff([]string{"look", "write", "paint", "look"}, order); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
