package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
)

type fakeChecker struct{ ran []string }

func (f *fakeChecker) Look(context.Context, string) []trimtab.Written {
	return []trimtab.Written{{File: "a.go"}}
}

func (f *fakeChecker) Check(_ context.Context, dir, command string) trimtab.Receipt {
	f.ran = append(f.ran, dir+" "+command)
	return trimtab.Receipt{Command: command, Exit: 1}
}

// J9: before our own agent stops, the working tree is asked, the check that steering asks for
// is run, and what steering says to its receipt sends the agent on.
func TestJ9_ACheckIsRunBeforeTheAgentStops(t *testing.T) {
	var told []trimtab.Event
	h := newHarness(t, use("stop", func(t trimtab.Turn, n int) (int, []trimtab.Action) {
		switch ev := t.Event.(type) {
		case trimtab.Stopping:
			told = append(told, ev)
			if !ev.Continued {
				return n, []trimtab.Action{trimtab.Check{Command: "make check", Why: "not run"}}
			}
		case trimtab.Checked:
			told = append(told, ev)
			return n, []trimtab.Action{trimtab.Continue{Text: "it fails", Why: "red"}}
		}
		return n, nil
	}))
	h.session.Project = "/p"
	f := &fakeChecker{}
	a := agent.New(h, play(t, "reply\nsay done\nreply\nsay done\n"), agent.Options{History: h, Checker: f})
	got := lines(run(t, a, "go"))
	if !slices.Contains(got, "continued stop") && !strings.Contains(strings.Join(got, "\n"), "continued stop") {
		t.Errorf("it was not sent on: %q", got)
	}
	if !slices.Equal(f.ran, []string{"/p make check"}) {
		t.Errorf("ran %q", f.ran)
	}
	if s, ok := told[0].(trimtab.Stopping); !ok || !s.Runs || len(s.Wrote) != 1 {
		t.Errorf("the stop says %+v", told[0])
	}
	if len(told) != 3 {
		t.Errorf("%d events: %+v", len(told), told)
	}
	h.whole()
}
