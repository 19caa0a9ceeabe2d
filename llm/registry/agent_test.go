package registry_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/llm/client"
)

// nag reminds after every result, for one request.
type nag struct{}

func (nag) Name() string { return "nag" }

func (nag) Steer(t trimtab.Turn, n int) (int, []trimtab.Action) {
	said, ok := t.Event.(trimtab.Said)
	if !ok || said.Message.Role != trimtab.RoleTool {
		return n, nil
	}
	return n + 1, []trimtab.Action{trimtab.Inject{Slot: "nag", Text: "mind the goal", Place: trimtab.AtEnd, Life: trimtab.Once, Why: "test"}}
}

// service keeps one session in memory, as a store would: in JSON.
type service struct {
	engine  *trimtab.Engine
	session trimtab.Session
	stored  [][]byte
}

func (d *service) Handle(_ context.Context, _ string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error) {
	var out trimtab.Outcome
	for _, ev := range events {
		d.session, out = d.engine.Step(d.session, ev, time.Unix(0, 0))
		if said, ok := ev.(trimtab.Said); ok {
			said.Message.ID = trimtab.MessageID(d.session.Seq)
			raw, err := json.Marshal(said.Message)
			if err != nil {
				return d.session, out, err
			}
			d.stored = append(d.stored, raw)
		}
	}
	return d.session, out, nil
}

func (d *service) Messages(context.Context, string, int) iter.Seq2[trimtab.Message, error] {
	return func(yield func(trimtab.Message, error) bool) {
		for _, raw := range d.stored {
			var m trimtab.Message
			if err := json.Unmarshal(raw, &m); !yield(m, err) {
				return
			}
		}
	}
}

// The whole way: agent, steering, a store, and each provider's strict fake.
func TestAnAgentWorksWithEachProvider(t *testing.T) {
	each(t, func(t *testing.T, p provider) {
		script := fakemodel.Steps(
			fakemodel.Reply{Thinking: "Two <b> & more.", Text: "Looking.", Calls: []fakemodel.Call{call("read", `{"path":"a"}`), call("read", `{"path":"b"}`)}},
			fakemodel.Reply{Thinking: "One more.", Calls: []fakemodel.Call{call("read", `{"path":"c"}`)}},
			fakemodel.Reply{Text: "All read."})
		// Our own agent still moves a note, which an account that enforces the binding
		// of thinking refuses; here the thinking behind it is dropped.
		m, server := p.ask(t, fakemodel.Options{Script: script, Binding: fakemodel.BindingSilent}, client.Options{})
		engine, err := trimtab.New(trimtab.Config{}, trimtab.Use[int](nag{}))
		if err != nil {
			t.Fatal(err)
		}
		d := &service{engine: engine, session: trimtab.NewSession("s", time.Unix(0, 0))}
		read := tool.Tool{Tool: tools()[0], Run: func(_ context.Context, input json.RawMessage) (string, error) { return "read " + string(input), nil }}
		a := agent.New(d, m, agent.Options{History: d, Tools: []tool.Tool{read}, System: "Be brief."})
		for _, words := range []string{"read all", "and again"} { // the second run begins with what was stored
			answer := ""
			for ev, err := range a.Run(t.Context(), "s", trimtab.Prompt(words)) {
				if err != nil {
					t.Fatal(err)
				}
				if r, ok := ev.(agent.Replied); ok {
					answer = r.Message.Text()
				}
			}
			if answer != "All read." {
				t.Errorf("%s: %q", words, answer)
			}
		}
		server.NoneRefused(t)
		if n := len(server.Main()); n != 6 {
			t.Fatalf("%d requests", n)
		}
		if seen := server.Main()[2].Transcript(); strings.Count(seen, "mind the goal") != 1 {
			t.Errorf("the note is to be there once:\n%s", seen)
		}
	})
}
