package agent_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
)

// recorded is a run that happens as it is written down.
type recorded struct {
	events []agent.Event
	err    error
}

func (r recorded) Run(context.Context, string, trimtab.Message) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for _, ev := range r.events {
			if !yield(ev, nil) {
				return
			}
		}
		if r.err != nil {
			yield(nil, r.err)
		}
	}
}

func TestOnce_SumsUpARun(t *testing.T) {
	said := func(text string) agent.Event {
		return agent.Replied{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, text)}
	}
	change := trimtab.Change{Kind: trimtab.Injected, By: "todo"}
	for name, c := range map[string]struct {
		run  recorded
		want agent.Answer
		ends bool
	}{
		"ended":  {recorded{events: []agent.Event{said("I look."), agent.Steered{Change: change}, said("Done."), agent.Stopped{Reason: agent.Ended}}}, agent.Answer{Session: "s", Answer: "Done.", Stopped: "ended", Steps: 2, Changes: []trimtab.Change{change}}, true},
		"paused": {recorded{events: []agent.Event{said("So far."), agent.Paused{Why: "look"}}}, agent.Answer{Session: "s", Answer: "So far.", Stopped: "paused: look", Steps: 1, Changes: []trimtab.Change{}}, false},
		"broken": {recorded{err: errors.New("dead")}, agent.Answer{Session: "s", Changes: []trimtab.Change{}, Error: "dead"}, false},
	} {
		heard := 0
		got, err := agent.Once(t.Context(), c.run, "s", trimtab.Prompt("x"), func(agent.Event) { heard++ })
		c.want.Calls = []agent.AnswerCall{}
		if diff := cmp.Diff(c.want, got); diff != "" || !errors.Is(err, c.run.err) || got.Ended() != c.ends || heard != len(c.run.events) {
			t.Errorf("%s: %v, %d heard\n%s", name, err, heard, diff)
		}
	}
}
