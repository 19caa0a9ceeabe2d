package agent_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/llm"
)

// named is a runner that says its name.
type named string

func (n named) Run(context.Context, string, trimtab.Message) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) { yield(agent.Delta{Text: string(n)}, nil) }
}

func TestTheModelOfTheModeAnswers(t *testing.T) {
	gone := errors.New("gone")
	for _, c := range []struct {
		name, memory string
		session      error
		want         string
		err          string
	}{
		{"no mode yet", "", nil, "default", ""},
		{"a mode without a model", `{"mode":"research"}`, nil, "default", ""},
		{"a mode with a model", `{"mode":"planning"}`, nil, "other", ""},
		{"a memory that cannot be read", `{`, nil, "default", ""},
		{"a model that cannot be opened", `{"mode":"debugging"}`, nil, "", "modes.model.debugging: gone"},
		{"no session", "", gone, "", "gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := agent.ByMode{
				Models: map[string]string{"planning": "big", "debugging": "missing"}, Default: named("default"),
				Session: func(context.Context, string) (trimtab.Session, error) {
					var s trimtab.Session
					if c.memory != "" {
						s = s.WithMemory("mode", []byte(c.memory))
					}
					return s, c.session
				},
				Open: func(_ context.Context, name string) (llm.Model, error) {
					if name == "missing" {
						return nil, gone
					}
					return nil, nil
				},
				With: func(llm.Model) agent.Runner { return named("other") },
			}
			n := 0
			for ev, err := range b.Run(t.Context(), "s", trimtab.Prompt("x")) {
				n++
				if c.err != "" {
					if err == nil || err.Error() != c.err {
						t.Errorf("%v; want %s", err, c.err)
					}
					continue
				}
				if err != nil || ev != (agent.Delta{Text: c.want}) {
					t.Errorf("%v, %v; want %s", ev, err, c.want)
				}
			}
			if n != 1 {
				t.Errorf("%d events", n)
			}
		})
	}
}
