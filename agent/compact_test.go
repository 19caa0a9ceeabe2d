package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/steer/frame"
)

// narrow is a model with a window: it says much, counts four bytes to a token as
// providers do, and refuses what does not fit.
type narrow struct {
	window int
	says   string
	calls  int // of a tool before it answers
	asked  [][]trimtab.Message
	left   int
}

func (n *narrow) Name() string { return "narrow" }

func (n *narrow) Stream(_ context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		size := len(r.System)
		for _, m := range r.Messages {
			size += m.Size()
		}
		if size/4 > n.window {
			yield(nil, fmt.Errorf("%d tokens: %w", size/4, llm.ErrLong))
			return
		}
		n.asked = append(n.asked, r.Messages)
		m := trimtab.Say(trimtab.RoleAssistant, trimtab.Model, n.says)
		if r.Messages[len(r.Messages)-1].IsPrompt() {
			n.left = n.calls
		}
		if n.left > 0 {
			n.left--
			m.Parts = append(m.Parts, trimtab.ToolCall{ID: fmt.Sprintf("c%d", len(n.asked)), Name: "look", Input: []byte(`{}`)})
		}
		m.Usage = &trimtab.Usage{Input: size / 4, Output: len(n.says) / 4}
		yield(llm.Done{Message: m}, nil)
	}
}

func frames(t *testing.T) trimtab.Steerer {
	t.Helper()
	f, err := frame.New(frame.Config{}, frame.Autonomy{Level: "manual"})
	if err != nil {
		t.Fatal(err)
	}
	return trimtab.Use(f)
}

// TestChat_A5_AContextThatNeverEnds: forty turns of a tenth of the window each. None
// fails, the person is warned before the first fold, the meter counts the reply that was
// just given, and what was folded comes back.
func TestChat_A5_AContextThatNeverEnds(t *testing.T) {
	for _, told := range []bool{true, false} { // whether the window is known
		h := newHarness(t, frames(t))
		model := &narrow{window: 10_000, says: strings.Repeat("word ", 800)}
		opt := agent.Options{History: h, System: "You are at work."}
		if told {
			opt.Window = model.window
		}
		a := agent.New(h, model, opt)
		warned, folds := 0, 0
		for i := range 40 {
			for ev, err := range a.Run(t.Context(), "s1", trimtab.Prompt(fmt.Sprintf("task %d", i))) {
				if err != nil {
					t.Fatalf("turn %d, window told: %v: %v", i, told, err)
				}
				switch ev := ev.(type) {
				case agent.Noticed:
					if strings.Contains(ev.Notify.Text, "% full") && folds == 0 {
						warned++
					}
				case agent.Folded:
					folds++
					if ev.Frame == "" || ev.After >= ev.Before || !strings.Contains(ev.Summary, "Asked: task") {
						t.Errorf("%+v", ev)
					}
				}
			}
		}
		if folds < 3 || told && warned != 1 {
			t.Errorf("window told: %v: %d folds, %d warnings", told, folds, warned)
		}
		last := model.asked[len(model.asked)-1]
		if !strings.Contains(last[0].Text(), "[Frame ") || last[len(last)-1].Text() != "task 39" {
			t.Errorf("the model sees %.80q … %q", last[0].Text(), last[len(last)-1].Text())
		}
		if len(h.said) != 80 {
			t.Errorf("%d messages are stored", len(h.said))
		}
	}
}

// TestChat_A5_ALongTurnFoldsItsOlderSteps, and never its prompt.
func TestChat_A5_ALongTurnFoldsItsOlderSteps(t *testing.T) {
	h := newHarness(t, frames(t))
	model := &narrow{window: 10_000, says: "I look.", calls: 60}
	look := tool.Tool{Tool: llm.Tool{Name: "look", ReadOnly: true}, Run: func(context.Context, json.RawMessage) (string, error) { return strings.Repeat("text ", 400), nil }}
	a := agent.New(h, model, agent.Options{History: h, Tools: []tool.Tool{look}, Window: model.window})
	events := run(t, a, "the long task")
	if end := events[len(events)-1]; end != (agent.Stopped{Reason: agent.Ended}) {
		t.Fatalf("it ended with %+v", end)
	}
	for i, asked := range model.asked {
		found := false
		for _, m := range asked {
			found = found || m.Text() == "the long task"
		}
		if !found {
			t.Fatalf("request %d is without the prompt", i)
		}
	}
}

// TestChat_A5_AModelWritesTheSummary, and where it fails the ends of what was said do.
func TestChat_A5_AModelWritesTheSummary(t *testing.T) {
	for _, fails := range []error{nil, errors.New("no line")} {
		h := newHarness(t, frames(t))
		model := &narrow{window: 4000, says: strings.Repeat("word ", 800)}
		a := agent.New(h, model, agent.Options{History: h, Window: model.window, Summarize: func(_ context.Context, m llm.Model, goal string, messages []trimtab.Message) (string, error) {
			return "written by " + m.Name() + " of " + goal, fails
		}})
		var got string
		for i := range 6 {
			for _, ev := range run(t, a, fmt.Sprintf("task %d", i)) {
				if f, ok := ev.(agent.Folded); ok && got == "" {
					got = f.Summary
				}
			}
		}
		if want := map[bool]string{true: "written by narrow of task 0", false: "Asked: task 0"}[fails == nil]; !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestChat_A5_TheMeterCountsTheReply that was just given.
func TestChat_A5_TheMeterCountsTheReply(t *testing.T) {
	h := newHarness(t, frames(t))
	model := &narrow{window: 100_000, says: strings.Repeat("word ", 4000)}
	last := agent.Context{}
	for ev, err := range agent.New(h, model, agent.Options{History: h, Window: model.window}).Run(t.Context(), "s1", trimtab.Prompt("go")) {
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := ev.(agent.Context); ok {
			last = c
		}
	}
	if last.Used < 4500 || last.Used > 5500 || last.Window != 100_000 {
		t.Errorf("%+v after a reply of 5,000 tokens", last)
	}
}

// TestChat_3_CompactByHand folds all but the newest turn, once.
func TestChat_3_CompactByHand(t *testing.T) {
	h := newHarness(t, frames(t))
	model := &narrow{window: 100_000, says: strings.Repeat("word ", 800)}
	a := agent.New(h, model, agent.Options{History: h, System: "You are at work."})
	for i := range 5 {
		for _, err := range a.Run(t.Context(), "s1", trimtab.Prompt(fmt.Sprintf("task %d", i))) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	var folds []int
	nothing := 0
	for range 2 {
		for ev, err := range a.Compact(t.Context(), "s1") {
			if err != nil {
				t.Fatal(err)
			}
			switch ev := ev.(type) {
			case agent.Folded:
				folds = append(folds, ev.Messages)
			case agent.Noticed:
				if strings.Contains(ev.Notify.Text, "no finished turn") {
					nothing++
				}
			}
		}
	}
	if len(folds) != 1 || folds[0] != 8 || nothing != 1 {
		t.Errorf("folds of %v messages, and %d times nothing to do", folds, nothing)
	}
}

// TestChat_3_TheGoalOfFoldedTurnsIsNotCut: a short prompt is told whole, of a long one the
// first sentence, and what no longer fits is counted.
func TestChat_3_TheGoalOfFoldedTurnsIsNotCut(t *testing.T) {
	middling := "Rename the field Count to Total in the reader, in the writer and in both of their tests, and leave the names in the file format as they are, since others read it. Then run everything."
	long := "Why does the parser lose tabs? " + strings.Repeat("I have looked at it for a day. ", 40)
	log := "This is what it says:\n" + strings.Repeat("panic at line 7\n", 100)
	endless := strings.Repeat("word ", 300)
	for _, c := range []struct {
		prompts []string
		want    string
	}{
		{[]string{middling}, strings.TrimSuffix(middling, ".")},
		{[]string{"Tidy up.", long}, "Tidy up; Why does the parser lose tabs?"},
		{[]string{log, "Tidy up.", "Tidy up."}, "This is what it says:; Tidy up"},
		{[]string{strings.Repeat("长", 10) + "。" + strings.Repeat("文", 200)}, strings.Repeat("长", 10) + "。"},
		{[]string{endless}, strings.TrimSpace(strings.Repeat("word ", 48)) + " …"},
		{[]string{middling, "Now " + middling, "And " + middling, "Also " + middling, "Last " + middling}, strings.TrimSuffix(middling, ".") + "; Now " + strings.TrimSuffix(middling, ".") + "; And " + strings.TrimSuffix(middling, ".") + "; and 2 further prompts"},
	} {
		h := newHarness(t, frames(t))
		a := agent.New(h, &narrow{window: 1_000_000, says: "Yes."}, agent.Options{History: h, System: "You are at work."})
		for _, prompt := range append(c.prompts, "the newest") {
			run(t, a, prompt)
		}
		got := ""
		for ev, err := range a.Compact(t.Context(), "s1") {
			if err != nil {
				t.Fatal(err)
			}
			if f, ok := ev.(agent.Folded); ok {
				got = f.Goal
			}
		}
		if got != c.want {
			t.Errorf("the goal is\n%q, want\n%q", got, c.want)
		}
	}
}
