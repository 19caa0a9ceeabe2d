package fakemodel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

func sessionParts() []fakemodel.Part {
	return []fakemodel.Part{
		{Word: "part-one", Steps: []fakemodel.Reply{
			{Calls: []fakemodel.Call{fakemodel.Run("a"), fakemodel.Run("b")}},
			{Calls: []fakemodel.Call{fakemodel.Run("c")}},
			{Text: "ready-one"},
		}},
		{Word: "part-two", Steps: []fakemodel.Reply{{Text: "ready-two"}}},
		{Word: "part-errand", Agent: true, Steps: []fakemodel.Reply{{Text: "ready-errand"}}},
	}
}

func TestAPromptPicksItsPart(t *testing.T) {
	a := &agent{t: t, tool: bashTool, s: fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Session(sessionParts()...)})}
	for _, c := range []struct{ prompt, said, calls string }{
		{"do part-one", "ready-one", `bash {"command":"a"}, bash {"command":"b"}, bash {"command":"c"}`},
		{"do part-two", "ready-two", ""},
		{"do part-one again", "ready-one", `bash {"command":"a"}, bash {"command":"b"}, bash {"command":"c"}`},
		{"you run part-errand", "ready-errand", ""},
	} {
		if said, calls := a.ask(c.prompt); said != c.said || strings.Join(calls, ", ") != c.calls {
			t.Errorf("%s: said %q after %s", c.prompt, said, calls)
		}
	}
	a.s.NoneRefused(t)
}

// turns are the turns of all requests that a server got.
func turns(s *fakemodel.Server) []fakemodel.Turn {
	var all []fakemodel.Turn
	for _, r := range s.Requests() {
		all = append(all, fakemodel.TurnOf(r, sessionParts()))
	}
	return all
}

func TestTurnsAreToldApart(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Session(sessionParts()...)})
	ask := func(messages string) {
		post(t, s, fakemodel.Chat, paths[fakemodel.Chat], fmt.Sprintf(`{"model":"m","tools":[%s],"messages":[%s]}`, bashTool, messages), 200)
	}
	const one = `{"role":"user","content":"do part-one"}`
	ask(one)
	ask(`{"role":"user","content":"part-errand, please"}`)
	ask(one + `,{"role":"assistant","content":"x"},{"role":"user","content":"[SUGGESTION MODE: what next?]"},{"role":"user","content":"a note behind it"}`)
	ask(one + `,{"role":"assistant","content":"x"},{"role":"user","content":"You are the component that summarizes a conversation when it is long"}`)
	ask(`{"role":"system","content":"Write a <state_snapshot> of it"},` + one)
	ask(`{"role":"user","content":"nobody knows this"}`)
	want := []fakemodel.Turn{
		{Kind: fakemodel.MainTurn, Word: "part-one"},
		{Kind: fakemodel.AgentTurn, Word: "part-errand"},
		{Kind: fakemodel.SideTurn, Name: "suggestion"},
		{Kind: fakemodel.CompactionTurn},
		{Kind: fakemodel.CompactionTurn},
		{Kind: fakemodel.SideTurn, Name: "unknown"},
	}
	if d := cmp.Diff(want, turns(s)); d != "" {
		t.Errorf("want -, got +\n%s", d)
	}
}

// Codex hands a task to another agent in an item of its own.
func TestATaskFromAgentToAgentIsASubAgentsPrompt(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Session(sessionParts()...)})
	post(t, s, fakemodel.Responses, paths[fakemodel.Responses], `{"model":"m","input":[{"type":"message","role":"user","content":"<environment/>"},
		{"type":"agent_message","author":"/root","content":[{"type":"encrypted_content","encrypted_content":"go for part-errand"}]}]}`, 200)
	if got := turns(s)[0]; got.Kind != fakemodel.AgentTurn || got.Word != "part-errand" {
		t.Errorf("it is %+v", got)
	}
}

func TestALenientModelAnswersWhatItRefuses(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{Lenient: true})
	body := `{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"x","content":"nobody asked"}]}`
	post(t, s, fakemodel.Chat, paths[fakemodel.Chat], body, 200)
	if len(s.Refused()) != 1 {
		t.Errorf("%d are logged as refused, want 1", len(s.Refused()))
	}
	post(t, s, fakemodel.Chat, paths[fakemodel.Chat], `{"model":`, 400)
}
