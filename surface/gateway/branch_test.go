package gateway_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/steer"
)

// keeps fails where a request does not begin with all that the one before it held, up
// to the newest message of the client: what rides behind that is not kept by anybody.
func keeps(t *testing.T, before, after fakemodel.Request) {
	t.Helper()
	a, b := listOf(t, before), listOf(t, after)
	for len(a) > 0 && isRiding(a[len(a)-1]) {
		a = a[:len(a)-1]
	}
	for i := range a {
		if i >= len(b) || !bytes.Equal(a[i], b[i]) {
			t.Fatalf("message %d of %d changed:\n%s\nis now\n%s", i, len(a), a[i], at(b, i))
		}
	}
}

func isRiding(raw json.RawMessage) bool {
	return !bytes.Contains(raw, []byte("clear_at")) && (bytes.Contains(raw, []byte("still in ")) || bytes.Contains(raw, []byte("no todo list")) || bytes.Contains(raw, []byte("Time to look up")))
}

func at(list []json.RawMessage, i int) json.RawMessage {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func listOf(t *testing.T, r fakemodel.Request) (list []json.RawMessage) {
	t.Helper()
	for _, name := range []string{"messages", "input", "contents"} {
		if raw := r.Raw(name); raw != nil {
			decode(t, raw, &list)
			return list
		}
	}
	t.Fatal("no list")
	return nil
}

// messages is how many messages a session holds.
func (c *harness) messages(id string) (n int) {
	c.t.Helper()
	for _, err := range c.store.Messages(c.t.Context(), id, 0) {
		if err != nil {
			c.t.Fatal(err)
		}
		n++
	}
	return n
}

// sub is a sub-agent of a host: its own history, system prompt and prompt.
func sub(h *host, system string) *host {
	s := *h
	s.history = nil
	s.edit = func(raw []byte) []byte {
		return bytes.Replace(raw, []byte("You are an agent."), []byte(system), 1)
	}
	return &s
}

// TestH5_SubAgentsAreLeftAlone: a sub-agent works between two requests of the main
// line, in the same session. It is told nothing, switches nothing and counts for
// nothing, and the main line goes on as if it had not been.
func TestH5_SubAgentsAreLeftAlone(t *testing.T) {
	each(t, tools(3), func(t *testing.T, c *harness, h *host, id string) {
		inMode(c, id, "planning")
		h.say("first thing")
		h.say("second thing")
		main := len(c.model.Main())
		other := sub(h, "You are a helper that looks for files and reports. Nothing else is your task.")
		other.say("automata: find the files")
		for _, r := range c.model.Main()[main:] {
			if got := r.Transcript(); strings.Contains(got, "PLANNING") {
				t.Fatalf("the sub-agent was steered:\n%s", got)
			}
		}
		before := c.model.Main()[main-1]
		main = len(c.model.Main())
		h.say("third thing")
		keeps(t, before, c.model.Main()[main])
		c.settle()
		s := c.session(id)
		if s.Step != 12 {
			t.Errorf("%d steps after three turns of four replies", s.Step)
		}
		for _, st := range c.service.Engine().Status(s) {
			if st.By == "automata" && strings.Contains(st.Text, "on") {
				t.Errorf("the sub-agent's prompt switched automata on: %v", st)
			}
		}
		if s.Title != "first thing" {
			t.Errorf("title %q", s.Title)
		}
	})
}

// TestH5_AHandedDownPromptIsASubAgents: it has the system prompt and the tools of the
// main line, but its prompt is one that the model gave to a tool.
func TestH5_AHandedDownPromptIsASubAgents(t *testing.T) {
	const task = "look through all the documents for links that lead nowhere"
	each(t, fakemodel.ToolThenText("Done.", fakemodel.Run(task)), func(t *testing.T, c *harness, h *host, id string) {
		inMode(c, id, "planning")
		h.history = append(h.history, h.user("first thing"))
		h.take(h, h.post(h.path, h.header, h.raw()))
		other := sub(h, "You are an agent.")
		other.say(task)
		for _, r := range c.model.Main()[1:] {
			if got := r.Transcript(); strings.Contains(got, "PLANNING") {
				t.Fatalf("the sub-agent was steered:\n%s", got)
			}
		}
		h.take(h, h.post(h.path, h.header, h.raw()))
		c.settle()
		if s := c.session(id); s.Step != 2 {
			t.Errorf("%d steps, want the main line's 2", s.Step)
		}
	})
}

// TestH5_RewindInterruptRetry: what the client changes at the end of its history
// changes nothing of what stands before, and steps are never taken back.
func TestH5_RewindInterruptRetry(t *testing.T) {
	each(t, tools(2), func(t *testing.T, c *harness, h *host, id string) {
		inMode(c, id, "planning")
		h.say("first thing")
		h.say("second thing")
		mark := len(h.history)
		h.say("third thing")
		before := c.model.Main()[5]
		h.history = h.history[:mark] // the third prompt is taken back
		n := len(c.model.Main())
		h.say("something else")
		keeps(t, before, c.model.Main()[n])
		c.settle()
		if s := c.session(id); s.Step != 12 {
			t.Errorf("%d steps after four turns of three replies", s.Step)
		}
		// An interrupt: the person speaks again before any reply.
		before = c.model.Main()[len(c.model.Main())-1]
		h.history = append(h.history, h.user("never mind"))
		n = len(c.model.Main())
		h.say("rather this")
		keeps(t, before, c.model.Main()[n])
		if got := seen(c.model.Main()[n]); count(got, "still in PLANNING") != 1 {
			t.Errorf("reminders:\n%s", got)
		}
	})
}

// TestH5_ASharedPrefixCarriesItsNotes: the request for a summary goes beside the main
// line and carries what stands in the history that it shares, and nothing new.
func TestH5_ASharedPrefixCarriesItsNotes(t *testing.T) {
	each(t, tools(9), func(t *testing.T, c *harness, h *host, id string) {
		words := map[string]string{ // Gemini's has no such words: it comes without tools, and so shares no prefix
			"/v1/messages": "CRITICAL: Respond with TEXT ONLY. Sum it up.", "/v1/responses": "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary.",
			"/s/s1/v1/chat/completions": "You are the component that summarizes a conversation when its context window is about to overflow.",
		}[h.path]
		inMode(c, id, "planning")
		h.say("first thing")
		h.say("second thing")
		before := c.model.Main()[len(c.model.Main())-1]
		c.settle()
		steps := c.session(id).Step
		body := h.body(append(h.history, h.user(cmp.Or(words, "Generate a new summary.")))).(obj)
		if words == "" {
			delete(body, "tools")
		}
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		h.post(h.path, h.header, raw)
		all := c.model.Requests()
		after := all[len(all)-1]
		if words != "" {
			keeps(t, before, after)
		} else if strings.Contains(after.Transcript(), "PLANNING") {
			t.Errorf("notes in a request that shares no prefix:\n%s", after.Transcript())
		}
		if got := lastLine(seen(after)); strings.Contains(got, "PLANNING") {
			t.Errorf("something new was said: %s", got)
		}
		c.settle()
		if s := c.session(id); s.Step != steps {
			t.Errorf("%d steps, before %d", s.Step, steps)
		}
		if id != "claude:s1" {
			return
		}
		// The host keeps the last reply behind its summary: it is not said again.
		reply := obj{"role": "assistant", "content": "All done."} // its thinking belongs to what was before
		thanks := obj{"role": "assistant", "content": "Got it. Thanks for the summary!"}
		h.history = []any{h.user("This session is being continued from a previous conversation."), thanks, h.user("Go on."), reply}
		h.say("go on")
		c.settle()
		if s := c.session(id); s.Step != steps+10 {
			t.Errorf("%d steps after a compaction and ten replies, before %d", s.Step, steps)
		}
	})
}

// TestH5_TheTreeIsInTheStore: after a rewind and a restart, a message that was said
// twice is known by where it stands.
func TestH5_TheTreeIsInTheStore(t *testing.T) {
	each(t, tools(1), func(t *testing.T, c *harness, h *host, id string) {
		h.say("begin")
		mark := len(h.history)
		h.say("tidy up")
		h.say("go on")
		h.history = h.history[:mark]
		c.ask(id, "mode", "planning")
		h.say("go on") // the entry of the mode stands before this one
		c.settle()
		said, all := c.messages(id), c.model.Main()
		c.open(steer.Config{})
		h.say("and so")
		keeps(t, all[len(all)-1], c.model.Main()[len(all)])
		c.settle()
		if more := c.messages(id) - said; more != 4 {
			t.Errorf("%d messages were told for a prompt, two replies and a result", more)
		}
		if s := c.session(id); s.Step != 10 {
			t.Errorf("%d steps after five turns of two replies", s.Step)
		}
	})
}

// TestH5_WhatAHostWritesForTheModelIsNoStep: an agent puts a reply of its own making into
// its history, behind a call that the person stopped.
func TestH5_WhatAHostWritesForTheModelIsNoStep(t *testing.T) {
	c := newHarness(t, steer.Config{}, tools(2))
	h := anthropicHost(c)
	h.history = append(h.history, h.user("first thing"))
	h.take(h, h.post(h.path, h.header, h.raw()))
	h.history = append(h.history, obj{"role": "assistant", "content": "[The previous response was interrupted before it completed.]"})
	h.say("second thing")
	c.settle()
	if s := c.session("claude:s1"); s.Step != len(c.model.Main()) {
		t.Errorf("%d steps after %d replies", s.Step, len(c.model.Main()))
	}
	c.model.NoneRefused(t)
}

// TestH5_AReplyThatTheHostDropsIsAStep: goose takes a reply out of its history whose
// tool call was interrupted. It was received.
func TestH5_AReplyThatTheHostDropsIsAStep(t *testing.T) {
	for name := range idOf {
		t.Run(name, func(t *testing.T) {
			c := newHarness(t, steer.Config{}, tools(2))
			h := hosts(c)[name]
			h.say("first thing")
			h.history = append(h.history, h.user("second thing"))
			before := len(h.history)
			h.take(h, h.post(h.path, h.header, h.raw()))
			h.history = h.history[:before]
			h.say("third thing")
			c.settle()
			c.model.NoneRefused(t)
			if s := c.session(idOf[name]); s.Step != 7 {
				t.Errorf("%d steps after 7 replies", s.Step)
			}
		})
	}
}
