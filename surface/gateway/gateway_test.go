package gateway_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/steer"
)

// tools is a script of n tool calls and then text, for each prompt.
func tools(n int) fakemodel.Script {
	var calls []fakemodel.Call
	for i := range n {
		calls = append(calls, fakemodel.Run(fmt.Sprintf("echo %d", i)))
	}
	return fakemodel.ToolThenText("All done.", calls...)
}

// inMode begins the host's session in a mode, as `trimtab mode` does.
func inMode(c *harness, id, mode string) {
	c.t.Helper()
	if _, err := c.service.Begin(context.Background(), trimtab.Info{ID: id}); err != nil {
		c.t.Fatal(err)
	}
	c.ask(id, "mode", mode)
}

func (c *harness) ask(id, command string, args ...string) {
	c.t.Helper()
	if _, _, err := c.service.Handle(context.Background(), id, trimtab.Asked{Command: command, Args: args, Away: true}); err != nil {
		c.t.Fatal(err)
	}
}

func each(t *testing.T, script fakemodel.Script, test func(t *testing.T, c *harness, h *host, id string)) {
	for name := range idOf {
		t.Run(name, func(t *testing.T) {
			c := newHarness(t, steer.Config{}, script)
			test(t, c, hosts(c)[name], idOf[name])
			c.model.NoneRefused(t)
			if n := c.gate.Stats.Faults.Load(); n > 0 {
				t.Errorf("%d faults", n)
			}
		})
	}
}

// TestM2M3_ModesReachTheModel: the entry before the first prompt, kept; the reminder
// behind the newest message of every request of the second turn, and gone after it.
func TestM2M3_ModesReachTheModel(t *testing.T) {
	each(t, tools(2), func(t *testing.T, c *harness, h *host, id string) {
		inMode(c, id, "planning")
		h.say("first thing")
		got := c.last()
		if count(got, "You are in PLANNING MODE") != 1 || strings.Index(got, "PLANNING MODE") > strings.Index(got, "first thing") {
			t.Fatalf("the entry prompt does not stand before the prompt:\n%s", got)
		}
		h.say("second thing")
		for _, r := range c.model.Main()[3:] {
			got := seen(r)
			if count(got, "still in PLANNING") != 1 || count(got, "You are in PLANNING MODE") != 1 || !strings.Contains(lastLine(got), "still in PLANNING") {
				t.Fatalf("the reminder is not where it belongs:\n%s", got)
			}
		}
		c.ask(id, "mode", "normal")
		h.say("third thing")
		if got := seen(c.model.Main()[6]); count(got, "still in PLANNING") != 0 || count(got, "You are in PLANNING MODE") != 1 {
			t.Fatalf("after the turn the reminder should be gone and the entry kept:\n%s", got)
		}
	})
}

// seen is what the model sees of a request, as lines.
func seen(r fakemodel.Request) string {
	r.Items = r.Visible()
	return r.Transcript()
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndex(text, "\n")+1:]
}

// TestT1A3_RemindersReachTheModel: the todo reminder and the reflection after eight
// steps, in that order, behind the newest message of every later request, once each.
func TestT1A3_RemindersReachTheModel(t *testing.T) {
	each(t, tools(13), func(t *testing.T, c *harness, h *host, id string) {
		h.say("automata: tidy this")
		all := c.model.Main()
		if len(all) != 14 {
			t.Fatalf("%d requests, want 14", len(all))
		}
		for i, r := range all {
			got := seen(r)
			todo, look := strings.Index(got, "no todo list has been written"), strings.Index(got, "Time to look up")
			switch {
			case i < 8 && (todo >= 0 || look >= 0):
				t.Fatalf("request %d is too early for notes:\n%s", i+1, got)
			case i >= 8 && (todo < strings.LastIndex(got, "echo") || look < todo || count(got, "no todo list") != 1 || count(got, "Time to look up") != 1):
				t.Fatalf("request %d has not each note once, at the end, in order:\n%s", i+1, got)
			}
		}
		c.settle()
		if s := c.session(id); s.Step != 14 {
			t.Errorf("%d steps were counted, want 14", s.Step)
		}
	})
}

// TestG5_RestartKeepsTheNotes: another gateway on the same store goes on with the same
// bytes.
func TestG5_RestartKeepsTheNotes(t *testing.T) {
	each(t, tools(9), func(t *testing.T, c *harness, h *host, id string) {
		h.say("automata: go")
		c.settle()
		c.open(steer.Config{})
		h.say("and now?")
		all := c.model.Main()
		keeps(t, all[9], all[10])
		if got := seen(all[10]); count(got, "no todo list") != 1 || count(got, "Time to look up") != 1 {
			t.Errorf("after a restart the notes are not there once each:\n%s", got)
		}
		c.settle()
		if s := c.session(id); s.Step != 20 {
			t.Errorf("%d steps after two turns of ten and a restart", s.Step)
		}
	})
}

// TestG7_WhatHooksToldIsNotToldAgain: a session that was begun under hooks goes on
// through a gateway, which reads the whole history: its steps do not count again,
// not even after another start.
func TestG7_WhatHooksToldIsNotToldAgain(t *testing.T) {
	each(t, tools(2), func(t *testing.T, c *harness, h *host, id string) {
		h.say("first thing") // gives the host a history
		c.settle()
		var told []trimtab.Event // as hooks tell it: their own names, and only what they see
		for m, err := range c.store.Messages(t.Context(), id, 0) {
			if err != nil {
				t.Fatal(err)
			}
			m.ID, m.Via = "", ""
			told = append(told, trimtab.Said{Message: m})
		}
		if err := c.store.Remove(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		c.open(steer.Config{})
		if _, err := c.service.Begin(context.Background(), trimtab.Info{ID: id}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.service.Handle(context.Background(), id, told...); err != nil {
			t.Fatal(err)
		}
		before := c.session(id).Step
		if before != 3 {
			t.Fatalf("%d steps told by hooks, want 3", before)
		}
		h.say("second thing")
		c.settle()
		if s := c.session(id); s.Step != before+3 {
			t.Errorf("%d steps after three of hooks and three of ours", s.Step)
		}
		c.open(steer.Config{})
		h.say("third thing")
		c.settle()
		if s := c.session(id); s.Step != before+6 {
			t.Errorf("%d steps after another start, want %d", s.Step, before+6)
		}
	})
}

// TestP9_ARetryIsNotAStep: the same body again changes nothing.
func TestP9_ARetryIsNotAStep(t *testing.T) {
	each(t, tools(0), func(t *testing.T, c *harness, h *host, id string) {
		h.history = append(h.history, h.user("hello"))
		for range 3 {
			c.post(h.path, h.header, h.raw())
		}
		all := c.model.Main()
		if string(all[0].Body) != string(all[2].Body) {
			t.Errorf("a retry was sent differently:\n%s\n%s", all[0].Body, all[2].Body)
		}
		c.settle()
		c.post(h.path, h.header, h.raw())
		c.settle()
		if s := c.session(id); s.Step != 1 || s.Made != 0 {
			t.Errorf("retries counted: %d steps, %d notes", s.Step, s.Made)
		}
	})
}

// TestP7_NothingToInjectIdenticalBytes: an unsteered body arrives as it left.
func TestP7_NothingToInjectIdenticalBytes(t *testing.T) {
	each(t, tools(0), func(t *testing.T, c *harness, h *host, _ string) {
		h.history = append(h.history, h.user("héllo \u2028 1e400"))
		raw := h.raw()
		c.post(h.path, h.header, raw)
		if got := c.model.Main()[0].Body; string(got) != string(raw) {
			t.Errorf("sent\n%s\narrived\n%s", raw, got)
		}
	})
}

// TestG5_CompactionPutsTheModeBack: the host replaces its history by a summary.
func TestG5_CompactionPutsTheModeBack(t *testing.T) {
	each(t, tools(1), func(t *testing.T, c *harness, h *host, id string) {
		inMode(c, id, "debugging")
		h.say("why does it crash?")
		steps := c.session(id).Step
		h.history = []any{h.user("This session is being continued from a previous conversation. Summary: it crashes.")}
		h.say("go on")
		got := c.last()
		if count(got, "You are in DEBUGGING MODE") != 1 {
			t.Errorf("the mode was not put back once:\n%s", got)
		}
		if s := c.session(id); s.Step <= steps {
			t.Errorf("steps went from %d to %d", steps, s.Step)
		}
	})
}
