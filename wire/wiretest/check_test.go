package wiretest

import (
	"strings"
	"testing"
)

// TestCheckRefuses shows a body for each rule that the suite relies on: those of
// the APIs, which the fake model knows, and ours.
func TestCheckRefuses(t *testing.T) {
	anthropic := func(messages ...string) string {
		return `{"model":"claude-opus-5","max_tokens":9,"messages":[` + strings.Join(messages, ",") + `]}`
	}
	chat := func(messages ...string) string {
		return `{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`
	}
	responses := func(items ...string) string {
		return `{"model":"m","input":[` + strings.Join(items, ",") + `]}`
	}
	gemini := func(contents ...string) string { return `{"contents":[` + strings.Join(contents, ",") + `]}` }

	user, reply, system := `{"role":"user","content":"u"}`, `{"role":"assistant","content":"a"}`, `{"role":"system","content":"s"}`
	leading := `{"role":"system","content":"` + leadingSystem + `"}`
	blocks := func(role string, all ...string) string {
		return `{"role":"` + role + `","content":[` + strings.Join(all, ",") + `]}`
	}
	use := func(id string) string { return `{"type":"tool_use","id":"` + id + `","name":"n","input":{}}` }
	got := func(id string) string { return `{"type":"tool_result","tool_use_id":"` + id + `","content":"x"}` }
	note, server := `{"type":"text","text":"n"}`, `{"type":"server_tool_use","id":"v","name":"n","input":{}}`
	mark := `{"type":"text","text":"n","cache_control":{"type":"ephemeral"}}`

	call := func(id string) string {
		return `{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"n","arguments":"{}"}}]}`
	}
	tool := func(id string) string { return `{"role":"tool","tool_call_id":"` + id + `","content":"x"}` }

	item := func(kind, id string) string {
		return `{"type":"` + kind + `","call_id":"` + id + `","name":"n","arguments":"{}","input":"x","output":"x"}`
	}
	thought := `{"type":"reasoning","summary":[]}`

	turn := func(role string, parts ...string) string {
		return `{"role":"` + role + `","parts":[` + strings.Join(parts, ",") + `]}`
	}
	words, fn := `{"text":"x"}`, `{"functionCall":{"name":"n","args":{}}}`
	answer := `{"functionResponse":{"name":"n","response":{}}}`
	other := `{"functionResponse":{"name":"m","response":{}}}`

	for _, c := range []struct {
		corpus Corpus
		good   []string
		bad    map[string]string
	}{
		{
			Anthropic(),
			[]string{
				anthropic(user, blocks("assistant", use("a"), use("b")), blocks("user", got("b"), got("a"), note), reply, user, system),
				anthropic(user, blocks("assistant", use("a"), use("b")), blocks("user", got("a")), blocks("user", got("b"))), // the API joins them
				anthropic(user, blocks("assistant", server, use("a")), blocks("user", got("a"))),
				anthropic(user, system, system), // one section
			},
			map[string]string{
				"no JSON": `{"messages":`, "something behind it": anthropic(user) + "{}", "a key twice": strings.Replace(anthropic(user), `{"role"`, `{"role":"user","role"`, 1),
				"no messages": anthropic(), "five marks": anthropic(blocks("user", mark, mark, mark, mark, mark)),
				"no blocks": anthropic(blocks("user")), "a blank text": anthropic(`{"role":"user","content":" "}`), "a blank block": anthropic(blocks("user", `{"type":"text","text":" "}`)),
				"a blank reply at the end": anthropic(user, `{"role":"assistant","content":" "}`), "an empty reply at the end": anthropic(user, blocks("assistant")),
				"a reply first": anthropic(reply, user), "the system first": anthropic(system, reply, user), "no role": anthropic(`{"content":"x"}`), "an unknown role": anthropic(user, `{"role":"wizard","content":"x"}`),
				"the system behind a reply": anthropic(user, reply, system), "a prompt behind the system": anthropic(user, system, user), "a prompt behind two of the system": anthropic(user, system, system, user),
				"no result": anthropic(user, blocks("assistant", use("a")), user), "no result at the end": anthropic(user, blocks("assistant", use("a"))), "no result before a reply": anthropic(user, blocks("assistant", use("a")), reply, user),
				"one result of two": anthropic(user, blocks("assistant", use("a"), use("b")), blocks("user", got("a"))), "a result that nobody asked for": anthropic(user, blocks("assistant", use("a")), blocks("user", got("a"), got("b"))),
				"a result twice": anthropic(user, blocks("assistant", use("a")), blocks("user", got("a"), got("a"))), "a text before a result": anthropic(user, blocks("assistant", use("a")), blocks("user", note, got("a"))),
				"a prompt before a result": anthropic(user, blocks("assistant", use("a")), user, blocks("user", got("a"))), "a prompt between results": anthropic(user, blocks("assistant", use("a"), use("b")), blocks("user", got("a")), user, blocks("user", got("b"))),
				"a text beside results that the provider waits for": anthropic(user, blocks("assistant", server, use("a")), blocks("user", got("a"), note)), "a prompt behind them": anthropic(user, blocks("assistant", server, use("a")), blocks("user", got("a")), user),
				"a text beside them, one reply later": anthropic(user, blocks("assistant", server, use("a")), blocks("user", got("a")), blocks("assistant", use("b")), blocks("user", got("b"), note)),
			},
		},
		{
			OpenAIChat(),
			[]string{chat(leading, leading, user, call("a"), tool("a"), system, user)},
			map[string]string{
				"no JSON": `{"messages":`, "no messages": chat(), "an unknown role": chat(`{"role":"wizard","content":"x"}`), "a function's message": chat(user, `{"role":"function","name":"f","content":"x"}`),
				"an empty prompt": chat(`{"role":"user","content":""}`), "a prompt without parts": chat(`{"role":"user","content":[]}`), "a prompt without content": chat(`{"role":"user"}`),
				"a prompt between a call and its result": chat(user, call("a"), user, tool("a")), "the system between them": chat(user, call("a"), system, tool("a")), "a call that is open": chat(user, call("a")),
				"a result that nobody asked for": chat(user, tool("a")), "a result twice": chat(user, call("a"), tool("a"), tool("a")), "a result of another call": chat(user, call("a"), tool("b")),
				"a prompt before the system's": chat(user, leading), "another system message before it": chat(system, leading, user),
			},
		},
		{
			Responses(),
			[]string{
				`{"model":"m","input":"x"}`,
				responses(`{"type":"additional_tools","role":"developer","tools":[]}`, leading, user, thought, item("function_call", "a"), item("function_call_output", "a")),
			},
			map[string]string{
				"no JSON": `{"input":`, "an empty input": `{"model":"m","input":""}`, "no input": responses(), "an item that is no object": responses(`"x"`),
				"a thought at the end": responses(user, thought), "a thought before a prompt": responses(thought, user), "an empty prompt": responses(`{"role":"user","content":""}`), "a prompt without parts": responses(blocks("user")),
				"a prompt between a call and its output": responses(item("function_call", "a"), user, item("function_call_output", "a")), "a call that is open": responses(user, item("custom_tool_call", "a")),
				"a prompt before the system's": responses(user, leading), "a prompt before the tools": responses(user, `{"type":"additional_tools","role":"developer","tools":[]}`),
				"an output that nobody asked for": responses(user, item("function_call_output", "a")), "an output twice": responses(item("function_call", "a"), item("function_call_output", "a"), item("function_call_output", "a")),
				"an output of another kind": responses(item("function_call", "a"), item("custom_tool_call_output", "a")),
			},
		},
		{
			Gemini(),
			[]string{gemini(turn("user", words), turn("model", words, fn, fn), turn("user", answer, answer, words), turn("user", words))},
			map[string]string{
				"no JSON": `{"contents":`, "no contents": gemini(), "no role": gemini(`{"parts":[` + words + `]}`), "an unknown role": gemini(turn("assistant", words)), "the role of a function": gemini(turn("function", words)),
				"no parts": gemini(turn("user")), "a response that nobody asked for": gemini(turn("user", answer)), "one response of two": gemini(turn("user", words), turn("model", fn, fn), turn("user", answer)),
				"a prompt between a call and its response": gemini(turn("user", words), turn("model", fn), turn("user", words), turn("user", answer)), "a response of another name": gemini(turn("user", words), turn("model", fn), turn("user", other)),
				"a call of the user": gemini(turn("user", words), turn("user", fn), turn("user", answer)), "a response of the model": gemini(turn("user", words), turn("model", fn), turn("model", answer), turn("user", words)),
				"a call that is open": gemini(turn("user", words), turn("model", fn)),
			},
		},
	} {
		for _, body := range c.good {
			if err := c.corpus.Check([]byte(body)); err != nil {
				t.Errorf("%s: %v\n%s", c.corpus.Name, err, body)
			}
		}
		for name, body := range c.bad {
			if c.corpus.Check([]byte(body)) == nil {
				t.Errorf("%s: %s is taken: %s", c.corpus.Name, name, body)
			}
		}
	}
}
