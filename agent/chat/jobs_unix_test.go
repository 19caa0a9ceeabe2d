//go:build unix

package chat

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/llm"
)

// scripted is a model that calls a tool in each reply until it is out of calls, and then
// ends the turn.
type scripted struct {
	calls []trimtab.ToolCall
	asked []llm.Request
}

func (*scripted) Name() string { return "scripted" }

func (s *scripted) Stream(_ context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	s.asked = append(s.asked, r)
	reply := llm.Done{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "Done."), Stop: llm.StopEnd}
	if len(s.calls) > 0 {
		call := s.calls[0]
		call.ID = fmt.Sprint("c", len(s.asked))
		reply = llm.Done{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{call}}, Stop: llm.StopCalls}
		s.calls = s.calls[1:]
	}
	return func(yield func(llm.Chunk, error) bool) { yield(reply, nil) }
}

func calling(name, input string) trimtab.ToolCall {
	return trimtab.ToolCall{Name: name, Input: []byte(input)}
}

// say runs a prompt, and returns what the model read of it.
func say(t *testing.T, c *Chat, m *models, model *scripted, session string, calls ...trimtab.ToolCall) string {
	t.Helper()
	m.own, model.calls = model, calls
	chosen, err := c.Choose(t.Context(), model.Name(), func(context.Context, tool.Ask) (tool.Reply, error) { return tool.Reply{Answer: tool.Once}, nil })
	if err != nil {
		t.Fatal(err)
	}
	first := len(model.asked)
	for _, err := range chosen.Run(t.Context(), session, trimtab.Prompt("go")) {
		if err != nil {
			t.Fatal(err)
		}
	}
	messages := model.asked[first].Messages
	return messages[len(messages)-1].Text()
}

func noSandbox(t *testing.T) func(*Options) {
	dir := t.TempDir()
	return func(o *Options) { o.Record, o.Environ = dir, []string{"PATH=" + os.Getenv("PATH")} }
}

// TestChat_2_TheEndOfACommandIsToldTheModelOnce: with the next prompt, unless it has read
// it itself by then.
func TestChat_2_TheEndOfACommandIsToldTheModelOnce(t *testing.T) {
	c, m := open(t, noSandbox(t))
	s, err := c.Begin(t.Context(), "scripted")
	if err != nil {
		t.Fatal(err)
	}
	model := &scripted{}
	until := func(file string) string {
		return fmt.Sprintf(`{"command":"while ! test -e %s; do sleep 0.01; done; echo so","background":true}`, file)
	}
	end := func(file, id string) {
		put(t, filepath.Join(c.opt.Dir, file), "")
		for c.running(id) {
			time.Sleep(5 * time.Millisecond)
		}
	}
	say(t, c, m, model, s.ID, calling("bash", until("one")))
	end("one", "b1")
	if got := say(t, c, m, model, s.ID); !strings.Contains(got, "The background command b1 (while") || !strings.Contains(got, "has ended with exit code 0") || !strings.Contains(got, "Trimtab says this, not the person") {
		t.Errorf("the model is told %q", got)
	}
	if got := say(t, c, m, model, s.ID, calling("bash", until("two"))); got != "go" {
		t.Errorf("told twice: %q", got)
	}
	end("two", "b2")
	// It ends while nobody looks, and the model reads it in the next turn's first call.
	if got := say(t, c, m, model, s.ID, calling("bash", until("three"))); !strings.Contains(got, "b2") {
		t.Errorf("%q", got)
	}
	put(t, filepath.Join(c.opt.Dir, "three"), "")
	say(t, c, m, model, s.ID, calling("bash_job", `{"id":"b3","wait":60}`))
	if got := say(t, c, m, model, s.ID, calling("bash", `{"command":"exit 3","background":true}`), calling("bash_job", `{"id":"b4","wait":60}`)); got != "go" {
		t.Errorf("the model has read the end of b3, and is told %q", got)
	}
	other, err := c.Begin(t.Context(), "scripted")
	if err != nil {
		t.Fatal(err)
	}
	say(t, c, m, model, s.ID, calling("bash", until("five")))
	end("five", "b5")
	if got := say(t, c, m, model, other.ID); got != "go" {
		t.Errorf("another session hears %q", got)
	}
	if got := say(t, c, m, model, s.ID); !strings.Contains(got, "b5") {
		t.Errorf("%q", got)
	}
}

func (c *Chat) running(id string) bool {
	for _, j := range c.folder.Jobs() {
		if j.ID == id {
			return j.Running
		}
	}
	return false
}

// TestChat_2_WhatRanInTheBackgroundIsGoneWithTheProgram: whoever goes on with the session is
// told, the person when it is opened, the model once with the next prompt.
func TestChat_2_WhatRanInTheBackgroundIsGoneWithTheProgram(t *testing.T) {
	set := noSandbox(t)
	var before Options
	c, m := open(t, func(o *Options) { set(o); before = *o })
	s, err := c.Begin(t.Context(), "scripted")
	if err != nil {
		t.Fatal(err)
	}
	model := &scripted{}
	say(t, c, m, model, s.ID, calling("bash", `{"command":"sleep 600","background":true}`), calling("bash", `{"command":"sleep 601","background":true}`), calling("bash_job", `{"id":"b2","stop":true}`))
	if got := c.LostJobs(s.ID); got != "" {
		t.Errorf("while it runs: %q", got)
	}
	release, _ := c.Claim(s.ID)
	again := func() (*Chat, *models) {
		return open(t, func(o *Options) {
			set(o)
			o.Service, o.Archive, o.Dir = before.Service, before.Archive, before.Dir
		})
	}
	second, _ := again()
	if got := second.LostJobs(s.ID); got != "" {
		t.Errorf("in a second program, while the first one runs it: %q", got)
	}
	release()
	if err := c.folder.Close(); err != nil { // as the program ends
		t.Fatal(err)
	}
	later, m := again()
	for range 2 { // as often as it is opened
		if got := later.LostJobs(s.ID); got != "what ran in the background ended when trimtab was closed: b1 (sleep 600)" {
			t.Errorf("the person is told %q", got)
		}
	}
	if got := say(t, later, m, model, s.ID, calling("bash", `{"command":"sleep 602","background":true}`)); !strings.Contains(got, "what ran in the background ended with it: b1 (sleep 600). Start again") {
		t.Errorf("the model is told %q", got)
	}
	if got := say(t, later, m, model, s.ID); got != "go" || later.LostJobs(s.ID) != "" {
		t.Errorf("told again: %q, %q", got, later.LostJobs(s.ID))
	}
	if err := later.folder.Close(); err != nil {
		t.Fatal(err)
	}
	if last, _ := again(); !strings.HasSuffix(last.LostJobs(s.ID), ": b1 (sleep 602)") {
		t.Errorf("%q", last.LostJobs(s.ID))
	}
}
