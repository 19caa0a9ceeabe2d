package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer"
)

// TestH6_AResumedRunIsTheOldSession: a host without session ids goes on with an earlier
// conversation at the address of another run. It is the old session, with its mode and
// its steps, also where the host writes another opening than it did then.
func TestH6_AResumedRunIsTheOldSession(t *testing.T) {
	for name, make := range map[string]func(*harness) *host{"qwen": chatHost, "gemini": geminiHost} {
		t.Run(name, func(t *testing.T) {
			c := newHarness(t, steer.Config{}, tools(2))
			h := make(c)
			if _, err := c.service.Begin(t.Context(), trimtab.Info{ID: "s1", Project: "project", Host: name}); err != nil {
				t.Fatal(err)
			}
			c.ask("s1", "mode", "planning")
			opening := h.user("This is the Qwen Code. We are setting up the context. Today is Monday.")
			h.history = []any{opening}
			h.say("tidy the house")
			h.say("and the garden")
			c.settle()
			c.open(steer.Config{})
			h.path = strings.Replace(h.path, "/s1/", "/run2/", 1)
			h.history[0] = h.user("This is the Qwen Code. We are setting up the context. Today is Tuesday.")
			h.say("what is left?")
			c.settle()
			if got := seen(c.model.Main()[6]); count(got, "still in PLANNING") != 1 {
				t.Errorf("the mode is lost:\n%s", got)
			}
			if s := c.session("s1"); s.Step != 9 {
				t.Errorf("%d steps after three turns of three replies", s.Step)
			}
			if ids := c.ids(); len(ids) != 1 {
				t.Errorf("sessions %q", ids)
			}
			c.model.NoneRefused(t)
		})
	}
}

// TestH6_ANewRunIsANewSession, though it begins with the words and the opening of an
// earlier one.
func TestH6_ANewRunIsANewSession(t *testing.T) {
	c := newHarness(t, steer.Config{}, tools(2))
	for _, run := range []string{"/s1/", "/run2/"} {
		h := chatHost(c)
		h.path = strings.Replace(h.path, "/s1/", run, 1)
		h.history = []any{h.user("This is the Qwen Code. We are setting up the context. Today is Monday.")}
		h.say("tidy the house")
		h.say("and the garden")
		c.settle()
	}
	if ids := c.ids(); len(ids) != 2 {
		t.Fatalf("sessions %q", ids)
	}
	for _, id := range c.ids() {
		if s := c.session(id); s.Step != 6 {
			t.Errorf("%s: %d steps", id, s.Step)
		}
	}
}

// TestH6_SameWordsAreTwoSessions: clients that name nothing begin with the same words,
// one after the other and both at once.
func TestH6_SameWordsAreTwoSessions(t *testing.T) {
	c := newHarness(t, steer.Config{}, tools(2))
	client := func() *host {
		h := chatHost(c)
		h.path, h.header = "/v1/chat/completions", http.Header{"Authorization": {"Bearer sk-test"}, "User-Agent": {"agent/1"}}
		h.history = []any{h.user("<system_reminder>Today is Monday, the folder is empty.</system_reminder>")}
		return h
	}
	a, b := client(), client()
	a.say("tidy the house")
	b.say("tidy the house")
	a.say("and the garden")
	b.say("and the roof")
	a.say("well done")
	c.settle()
	steps := map[int]int{}
	for _, id := range c.ids() {
		steps[c.session(id).Step]++
	}
	if len(c.ids()) != 2 || steps[9] != 1 || steps[6] != 1 {
		t.Errorf("sessions %q, steps %v", c.ids(), steps)
	}
	// A restart finds both again.
	c.open(steer.Config{})
	b.say("well done")
	c.settle()
	if len(c.ids()) != 2 {
		t.Errorf("after a restart: %q", c.ids())
	}
}

func (c *harness) ids() (all []string) {
	c.t.Helper()
	for info, err := range c.store.List(c.t.Context(), trimtab.Query{}) {
		if err != nil {
			c.t.Fatal(err)
		}
		all = append(all, info.ID)
	}
	return all
}
