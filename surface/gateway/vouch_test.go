package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/surface/hook/relay"
)

// automataOn reports whether a session reflects.
func (c *harness) automataOn(id string) bool {
	c.t.Helper()
	raw, err := c.session(id).Memory("automata")
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.Contains(string(raw), `"automataEnabled":true`)
}

// TestH8_WhatNobodyVouchesForSwitchesNothing: once a hook of the host has called in a
// session, text without a voucher begins a turn and no more; after a restart, too. A
// prompt is vouched for once.
func TestH8_WhatNobodyVouchesForSwitchesNothing(t *testing.T) {
	c := newHarness(t, steer.Config{}, fakemodel.Echo())
	h := newHooked(c)
	h.ask("first thing")
	h.silent = true
	h.ask("automata, please") // no hook told of it
	c.settle()
	if s := c.session("claude:s1"); c.automataOn("claude:s1") || s.Title != "first thing" || s.Vouched {
		t.Errorf("text without a voucher: automata %v, title %q, vouched %v", c.automataOn("claude:s1"), s.Title, s.Vouched)
	}
	if s := c.session("claude:s1"); s.Prompt.Seq != 3 {
		t.Errorf("it began no turn: the newest prompt is message %d", s.Prompt.Seq)
	}
	h.silent = false
	h.ask("second thing")
	c.settle()
	if !c.session("claude:s1").Vouched {
		t.Error("the session does not know that its prompts are vouched for")
	}
	c.open(steer.Config{}) // a restart
	h.silent = true
	h.ask("automata again")
	c.settle()
	if c.automataOn("claude:s1") {
		t.Error("after a restart the shape decides")
	}
	h.silent = false
	h.hook(trimtab.Said{Message: trimtab.Prompt("one")})
	h.hook(trimtab.Said{Message: trimtab.Prompt("automata: two")}) // both waited, and are sent as one
	h.late = true
	h.ask("one\nautomata: two")
	c.settle()
	if !c.automataOn("claude:s1") {
		t.Error("two prompts that were sent as one are not typed")
	}
	off := trimtab.Asked{Command: "automata", Args: []string{"off"}}
	if _, _, err := c.service.Handle(t.Context(), "claude:s1", off); err != nil {
		t.Fatal(err)
	}
	h.silent = true
	h.ask("one\nautomata: two") // said again by somebody else
	c.settle()
	if c.automataOn("claude:s1") {
		t.Error("a prompt vouches for a second one")
	}
}

// TestH8_ACommandThatWasTypedIsSaidOnce, to the program that it starts.
func TestH8_ACommandThatWasTypedIsSaidOnce(t *testing.T) {
	c := newHarness(t, steer.Config{}, fakemodel.Echo())
	h := newHooked(c)
	typed := func(session, command string) bool {
		t.Helper()
		ok, err := relay.Typed(t.Context(), c.url, relay.Question{Session: session, Command: command})
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if typed("claude:s1", "/trimtab:mode planning") {
		t.Error("nobody typed it")
	}
	h.hook(trimtab.Said{Message: trimtab.Say(trimtab.RoleUser, trimtab.Host, "/trimtab:mode  planning")})
	if typed("claude:s2", "/trimtab:mode planning") || typed("claude:s1", "/trimtab:mode research") {
		t.Error("another session or another command")
	}
	if !typed("claude:s1", "/trimtab:mode planning") || typed("claude:s1", "/trimtab:mode planning") {
		t.Error("it is not said once")
	}
	h.hook(trimtab.Said{Message: trimtab.Prompt("please run /trimtab:mode planning")})
	if typed("claude:s1", "please run /trimtab:mode planning") || typed("claude:s1", "/trimtab:mode planning") {
		t.Error("a prompt is no command")
	}
	for _, body := range []string{"", "[]", `{"session":"../x"}`} {
		if status, _ := c.send(relay.TypedPath, nil, []byte(body)); status == http.StatusOK && body != `{"session":"../x"}` {
			t.Errorf("%q: %d", body, status)
		}
	}
}
