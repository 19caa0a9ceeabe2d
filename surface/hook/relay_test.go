package hook

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
)

// TestH2_AHookHandsOnWhatTheGatewayGivesIt: at a prompt, after a batch of tools and after
// a compaction; not at other events, and not on hosts that put it elsewhere.
func TestH2_AHookHandsOnWhatTheGatewayGivesIt(t *testing.T) {
	for _, host := range []string{"claude", "qwen"} {
		t.Run(host, func(t *testing.T) {
			r := newRig(t, host)
			var asked [][]trimtab.Event
			hosted, fails := true, error(nil)
			r.opt.Gateway = true
			r.opt.Relay = func(_ context.Context, session string, events []trimtab.Event, vouch bool) ([]string, bool, error) {
				if vouch {
					return nil, false, nil
				}
				asked = append(asked, events)
				return []string{"note one", "note two"}, hosted, fails
			}
			r.start("startup")
			first, tool := r.prompt("go"), r.shell(1)
			if host != "claude" {
				none(t, "a prompt", first)
				if len(asked) > 0 {
					t.Errorf("asked for %+v", asked)
				}
				return
			}
			holds(t, "a prompt", first, "note one", "note two")
			holds(t, "a tool", tool, "note one")
			holds(t, "a tool that comes next", r.shell(2), "note two")
			holds(t, "a compaction", r.start("compact"), "note one")
			if len(asked) != 5 || len(asked[0]) != 0 || len(asked[1]) != 1 || len(asked[2]) != 2 {
				t.Errorf("asked for %+v", asked)
			}
			r.prompt("/look at it")
			if said := asked[len(asked)-1][0].(trimtab.Said); said.Message.IsPrompt() {
				t.Errorf("a command of the host counts as typed: %+v", said)
			}
			if _, err := r.opt.Service.Session(t.Context(), "claude:s1"); !errors.Is(err, trimtab.ErrNotFound) {
				t.Errorf("the session begins with the first request, not with a hook: %v", err)
			}
			fails = errors.New("gone")
			none(t, "a gateway that is gone", r.prompt("on"))
			fails, hosted = nil, false
			r.prompt("on")
			before := len(asked)
			if r.shell(3); len(asked) != before {
				t.Error("the gateway sends notes itself, and is asked all the same")
			}
		})
	}
}

// TestH8_APromptHookVouchesForWhatWasTyped, on hosts that say so; a host that tells what it
// made of a prompt vouches for nothing.
func TestH8_APromptHookVouchesForWhatWasTyped(t *testing.T) {
	const (
		plain   = `{"session_id":"s1","hook_event_name":"x","prompt":"automata: go"}`
		both    = `{"session_id":"s1","hook_event_name":"x","prompt":"what the file says: automata","submitted_prompt":"automata: go"}`
		command = `{"session_id":"s1","hook_event_name":"x","prompt":"what the file says: automata","submitted_prompt":"/fix it"}`
		slash   = `{"session_id":"s1","hook_event_name":"x","prompt":"/fix it"}`
	)
	for _, c := range []struct {
		host, input string
		calls       int
		typed, told string
	}{
		{"qwen", both, 1, "automata: go", ""},
		{"qwen", command, 1, "", "/fix it"},
		{"qwen", plain, 1, "", ""},
		{"codex", plain, 1, "automata: go", ""},
		{"codex", slash, 1, "", "/fix it"},
		{"gemini", plain, 0, "", ""},
		{"goose", plain, 0, "", ""},
	} {
		r := newRig(t, c.host)
		calls, typed, told := 0, "", ""
		r.opt.Gateway, r.opt.Session = true, "run1"
		r.opt.Relay = func(_ context.Context, _ string, events []trimtab.Event, vouch bool) ([]string, bool, error) {
			if calls++; !vouch {
				t.Errorf("%s: it is asked for notes", c.host)
			}
			for _, ev := range events {
				m := ev.(trimtab.Said).Message
				if typed = m.Typed(); typed == "" {
					told = m.Text()
				}
			}
			return nil, false, nil
		}
		event := map[string]string{"gemini": "BeforeAgent"}[c.host]
		if event == "" {
			event = "UserPromptSubmit"
		}
		r.call(event, c.input)
		if calls != c.calls || typed != c.typed || told != c.told {
			t.Errorf("%s %s: %d calls, typed %q, told %q", c.host, c.input, calls, typed, told)
		}
	}
}

// TestH8_WithoutAGatewayTheHookSaysWhoVouches, and a prompt that a file of the repository
// holds switches nothing.
func TestH8_WithoutAGatewayTheHookSaysWhoVouches(t *testing.T) {
	for host, vouched := range map[string]bool{"claude": true, "codex": true, "gemini": false} {
		r := newRig(t, host)
		r.opt.File = func(text string) bool { return text == "automata from a file" }
		r.start("startup")
		r.prompt("automata from a file")
		r.prompt("go on")
		s, err := r.opt.Service.Session(t.Context(), host+":s1")
		if err != nil {
			t.Fatal(err)
		}
		raw, err := s.Memory("automata")
		if on := strings.Contains(string(raw), `"automataEnabled":true`); err != nil || s.Vouched != vouched || on != vouched { // a person may type what a file holds, where the host says that they did
			t.Errorf("%s: vouched %v, automata %v, %v", host, s.Vouched, on, err)
		}
	}
}

// TestH8_WhatWasTypedCountsAndNotWhatBecameOfIt: Qwen Code tells both.
func TestH8_WhatWasTypedCountsAndNotWhatBecameOfIt(t *testing.T) {
	for input, want := range map[string]bool{
		`{"session_id":"s1","prompt":"automata, says the file","submitted_prompt":"please fix it"}`: false,
		`{"session_id":"s1","prompt":"what the file says","submitted_prompt":"automata: fix it"}`:   true,
	} {
		r := newRig(t, "qwen")
		r.call("UserPromptSubmit", input)
		s, err := r.opt.Service.Session(t.Context(), "qwen:s1")
		if err != nil {
			t.Fatal(err)
		}
		raw, err := s.Memory("automata")
		if on := strings.Contains(string(raw), `"automataEnabled":true`); err != nil || on != want || !s.Vouched {
			t.Errorf("%s: automata %v, vouched %v, %v", input, on, s.Vouched, err)
		}
	}
}
