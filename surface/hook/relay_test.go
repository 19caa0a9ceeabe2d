package hook

import (
	"context"
	"errors"
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
