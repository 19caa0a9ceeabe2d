package fakemodel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

func TestToolsAreOfferedAndWithdrawnInTheConversation(t *testing.T) {
	k := echoing(t, fakemodel.Options{})
	k.betas = []string{fakemodel.BetaInlineTools}
	k.tools = `[{"name":"A","input_schema":{}},{"name":"B","input_schema":{}},{"name":"C","defer_loading":true,"input_schema":{}},{"name":"D","defer_loading":true,"input_schema":{}}]`
	change := func(kind, tool string) {
		k.messages = append(k.messages, userHi, `{"role":"system","content":[{"type":"`+kind+`","tool":`+tool+`}]}`)
	}
	offered := func() string {
		t.Helper()
		k.ask()
		var names []string
		all := k.s.Requests()
		for _, tool := range all[len(all)-1].Offered() {
			names = append(names, tool.Name)
		}
		return strings.Join(names, " ")
	}
	ref := func(name string) string { return `{"type":"tool_reference","name":"` + name + `"}` }
	var got []string
	got = append(got, offered())
	change("tool_removal", ref("A"))
	got = append(got, offered())
	change("tool_addition", ref("C"))
	got = append(got, offered())
	change("tool_addition", `{"type":"tool_definition","definition":{"name":"E","input_schema":{}}}`)
	got = append(got, offered())
	change("tool_addition", ref("A"))
	got = append(got, offered())
	if want := "A B|B|B C|B C E|B C E A"; strings.Join(got, "|") != want {
		t.Errorf("offered %s, want %s", strings.Join(got, "|"), want)
	}
	k.s.NoneRefused(t)
}

// Only a user message clears; a paused turn goes on with the reminder in sight.
func TestAReplyClearsNothing(t *testing.T) {
	k := echoing(t, fakemodel.Options{})
	k.betas = []string{fakemodel.BetaClearAt}
	paused := `{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"x","input":{}},{"type":"x_tool_result","tool_use_id":"s"}]}`
	seen := func(messages ...string) bool {
		t.Helper()
		k.messages = messages
		k.refused()
		all := k.s.Requests()
		return strings.Contains(fmt.Sprint(all[len(all)-1].Visible()), "mind the list")
	}
	if !seen(userHi, reminder) || !seen(userHi, reminder, paused) || seen(userHi, reminder, paused, userHi) {
		t.Error("a reminder is seen until the next user message, and no longer")
	}
}

// A tool that was deferred is bound from where it is named.
func TestADeferredToolIsBoundOnceItIsNamed(t *testing.T) {
	k := newTalk(t, fakemodel.Start(t, fakemodel.Options{Script: looking}))
	k.betas = []string{fakemodel.BetaToolChanges}
	k.ask()
	k.tools = strings.Replace(k.tools, "]", `,{"name":"Late","defer_loading":true,"input_schema":{}}]`, 1)
	k.messages = append(k.messages, `{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_reference","name":"Late"}}]}`)
	k.ask()
	k.refused()
	k.tools = strings.Replace(k.tools, `"Late",`, `"Late","description":"other",`, 1)
	k.refused("messages.4.content.0: Invalid", otherConversation)
}

// OpenAI's operators may speak anywhere; the gateway's notes go there.
func TestOperatorsSpeakAnywhereInOpenAIsFormats(t *testing.T) {
	for _, role := range []string{"system", "developer"} {
		op, user, reply := `{"role":"`+role+`","content":"mind"}`, `{"role":"user","content":"hi"}`, `{"role":"assistant","content":"so"}`
		call := `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		result := `{"role":"tool","tool_call_id":"a","content":"ok"}`
		chat := func(messages ...string) string {
			return `{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`
		}
		checkRules(t, fakemodel.Chat, []rule{
			{role + " first, between and last", chat(op, user, op, op, reply, op, user, op), ""},
			{role + " behind a result", chat(user, call, result, op), ""},
			{role + " between a call and its result", chat(user, call, op, result), "must be followed by tool messages"},
		})
		called, output := `{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}`, `{"type":"function_call_output","call_id":"a","output":"ok"}`
		input := func(items ...string) string { return `{"model":"m","input":[` + strings.Join(items, ",") + `]}` }
		checkRules(t, fakemodel.Responses, []rule{
			{role + " first, between and last", input(op, user, op, op, reply, op, user, op), ""},
			{role + " behind an output", input(user, called, output, op), ""},
			{role + " in parts", input(user, `{"role":"`+role+`","content":[{"type":"input_text","text":"mind"}]}`), ""},
			{role + " in a reply's parts", input(user, `{"role":"`+role+`","content":[{"type":"output_text","text":"mind"}]}`), "Invalid value: 'output_text'"},
			{role + " behind reasoning", input(user, `{"type":"reasoning","id":"rs_1","summary":[]}`, op), "without its required following item"},
		})
	}
}
