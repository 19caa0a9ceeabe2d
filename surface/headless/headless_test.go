package headless_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/surface/headless"
)

// script is a runner that plays events.
type script struct {
	events []agent.Event
	err    error
}

func (s script) Run(context.Context, string, trimtab.Message) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for _, ev := range s.events {
			if !yield(ev, nil) {
				return
			}
		}
		if s.err != nil {
			yield(nil, s.err)
		}
	}
}

func played(err error) script {
	call := trimtab.ToolCall{ID: "c1", Name: "bash", Input: json.RawMessage(`{"command":"make"}`)}
	m := trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "done")
	m.Usage = &trimtab.Usage{Input: 100, Output: 20}
	s := script{events: []agent.Event{
		agent.Called{Call: call},
		agent.Output{Call: call, Text: "cc"},
		agent.Returned{Call: call, Result: trimtab.ToolResult{ID: "c1", Text: "cc"}, Effects: []tool.Effect{{Files: []tool.FileChange{{Path: "a.o"}}, Command: &tool.CommandRun{Exit: 2}}}},
		agent.Delta{Text: "done"},
		agent.Replied{Message: m},
	}, err: err}
	if err == nil {
		s.events = append(s.events, agent.Stopped{Reason: agent.Ended})
	}
	return s
}

func run(s script, format string) (out string, err error) {
	var b, progress strings.Builder
	err = headless.Run(context.Background(), headless.Options{
		Runner: s, Session: "s1", Model: "fake", Prompt: trimtab.Prompt("go"), Format: format, Out: &b, Err: &progress,
		Cost: func(_ string, u trimtab.Usage) (float64, bool) { return float64(u.Input) / 1000, true },
	})
	return b.String(), err
}

// TestChat_6_AStreamForPrograms: every line is an object, with calls, usage and cost, and the
// last one says how it ended, also where it failed.
func TestChat_6_AStreamForPrograms(t *testing.T) {
	for _, fails := range []error{nil, errors.New("the line is dead")} {
		out, err := run(played(fails), headless.Stream)
		if (err != nil) != (fails != nil) {
			t.Errorf("%v", err)
		}
		var types []string
		var last agent.Line
		for line := range strings.Lines(out) {
			last = agent.Line{}
			if err := json.Unmarshal([]byte(line), &last); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			types = append(types, last.Type)
			if last.Type == "result" && (last.Exit == nil || *last.Exit != 2 || len(last.Files) != 1) {
				t.Errorf("%s", line)
			}
		}
		if got := strings.Join(types, " "); got != "start call output result text reply end" {
			t.Errorf("%s", got)
		}
		a := last.Answer
		if a == nil || a.Usage.Output != 20 || a.Cost == nil || *a.Cost != 0.1 || len(a.Calls) != 1 || (a.Error != "") != (fails != nil) {
			t.Errorf("%+v", a)
		}
	}
}

// One object at the end, also of a run that failed; text only of one that did not.
func TestOneObjectAlsoOnFailure(t *testing.T) {
	out, err := run(played(errors.New("the line is dead")), headless.JSON)
	var a agent.Answer
	if json.Unmarshal([]byte(out), &a) != nil || err == nil || a.Error != "the line is dead" || a.Steps != 1 {
		t.Errorf("%s, %v", out, err)
	}
	if out, err := run(played(nil), headless.Text); err != nil || out != "done\n" {
		t.Errorf("%q, %v", out, err)
	}
	if out, err := run(played(errors.New("dead")), headless.Text); err == nil || out != "" {
		t.Errorf("%q, %v", out, err)
	}
	if headless.CheckFormat("xml") == nil || headless.CheckFormat("json") != nil {
		t.Error("a format is taken for another")
	}
}

// TestContextIsReadUpToASize, and who waits is told for what.
func TestContextIsReadUpToASize(t *testing.T) {
	if got, err := headless.ReadContext(strings.NewReader("four"), 4, nil); got != "four" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := headless.ReadContext(strings.NewReader("five!"), 4, nil); !errors.Is(err, trimtab.ErrTooLarge) {
		t.Errorf("%v", err)
	}
}

func TestWhoWaitsForStdinSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := ""
		tell := func(text string) { said += text }
		r, w := io.Pipe()
		go func() {
			_, _ = io.WriteString(w, "some ")
			time.Sleep(time.Minute) // of the bubble's time
			_, _ = io.WriteString(w, "context")
			_ = w.Close()
		}()
		if got, err := headless.ReadContext(r, 100, tell); got != "some context" || err != nil || !strings.Contains(said, "waiting for the end of stdin") {
			t.Errorf("%q, %v; it says %q", got, err, said)
		}
		said = ""
		if _, err := headless.ReadContext(strings.NewReader("at once"), 100, tell); err != nil || said != "" {
			t.Errorf("it says %q, %v", said, err)
		}
	})
}
