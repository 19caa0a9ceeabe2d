package fakemodel_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// The thinking of the latest assistant turn comes back as it was sent, or the
// request is refused.
func TestAnthropicThinkingMustComeBackUnchanged(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("done", fakemodel.Run("ls"))})
	path, body := hello(fakemodel.Anthropic, "true")
	first := listen(t, fakemodel.Anthropic, string(post(t, s, fakemodel.Anthropic, path, body, 200)))
	call := first.Calls[0]

	thought := func(thinking, signature string) string {
		return `{"type":"thinking","thinking":` + quote(thinking) + `,"signature":` + quote(signature) + `},`
	}
	sent := thought(first.Thinking, first.Signature)
	use := `{"type":"text","text":"x"},{"type":"tool_use","id":"` + call.ID + `","name":"Bash","input":{}}`
	result := said(`{"type":"tool_result","tool_use_id":"` + call.ID + `","content":"ok"}`)
	loop := func(kind, blocks string) string {
		return `{"model":"claude-opus-5-5","max_tokens":9000,"thinking":` + kind + `,` + helloTools + `"messages":[` + userHello + `,{"role":"assistant","content":[` + blocks + `]},` + result + `]}`
	}
	adaptive, off := `{"type":"adaptive"}`, `{"type":"disabled"}`
	later := func(blocks string) string {
		return `{"model":"claude-opus-5-5","max_tokens":9000,` + helloTools + `"messages":[` + userHello + `,{"role":"assistant","content":[` + blocks + `{"type":"text","text":"x"}]},` + userHi + `,{"role":"assistant","content":"y"},` + userHi + `]}`
	}
	for _, c := range []struct {
		name, body, want string
	}{
		{"unchanged", loop(adaptive, sent+use), ""},
		{"changed words", loop(adaptive, thought(first.Thinking+"!", first.Signature)+use), "cannot be modified"},
		{"left out", loop(adaptive, use), ""},
		{"left out with thinking off", loop(off, use), ""},
		{"given twice", loop(adaptive, sent+sent+use), "cannot be modified"},
		{"another signature", loop(adaptive, thought(first.Thinking, "c2ln")+use), "Invalid `signature`"},
		{"another signature in an old turn", later(thought("x", "c2ln")), "Invalid `signature`"},
		{"changed words in an old turn", later(thought("x", first.Signature)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			status := 200
			if c.want != "" {
				status = 400
			}
			has(t, post(t, s, fakemodel.Anthropic, path, c.body, status), c.want)
		})
	}
	s.Remember("made by hand", "c2ln")
	post(t, s, fakemodel.Anthropic, path, later(thought("made by hand", "c2ln")), 200)
}

func TestHiddenThinkingMustComeBackHidden(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("done", fakemodel.Run("ls"))})
	path, body := hello(fakemodel.Anthropic, "true")
	body = strings.Replace(body, `"adaptive"`, `"adaptive","display":"omitted"`, 1)
	first := listen(t, fakemodel.Anthropic, string(post(t, s, fakemodel.Anthropic, path, body, 200)))
	next := func(thinking string) string {
		return `{"model":"claude-opus-5-5","max_tokens":9000,"thinking":{"type":"adaptive","display":"omitted"},` + helloTools + `"messages":[` + userHello +
			`,{"role":"assistant","content":[{"type":"thinking","thinking":` + quote(thinking) + `,"signature":` + quote(first.Signature) +
			`},{"type":"tool_use","id":"` + first.Calls[0].ID + `","name":"Bash","input":{}}]},` +
			said(`{"type":"tool_result","tool_use_id":"`+first.Calls[0].ID+`","content":"ok"}`) + `]}`
	}
	post(t, s, fakemodel.Anthropic, path, next(""), 200)
	has(t, post(t, s, fakemodel.Anthropic, path, next("words"), 400), "cannot be modified")
}

// A model that is told to think thinks, even where the script does not say what.
func TestEnabledThinkingAlwaysThinks(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(fakemodel.Reply{Text: "hi"})})
	path, body := hello(fakemodel.Anthropic, "false")
	body = strings.Replace(body, `{"type":"adaptive"}`, `{"type":"enabled","budget_tokens":2000}`, 1)
	if h := listenWhole(t, fakemodel.Anthropic, string(post(t, s, fakemodel.Anthropic, path, body, 200))); h.Thinking == "" || h.Signature == "" {
		t.Errorf("heard %+v", h)
	}
}

func TestResponsesReasoningMustComeBackUnchanged(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("done", fakemodel.Run("ls"))})
	path, body := hello(fakemodel.Responses, "true")
	first := listen(t, fakemodel.Responses, string(post(t, s, fakemodel.Responses, path, body, 200)))
	id := first.Calls[0].ID
	next := func(encrypted string) string {
		return `{"model":"m","store":false,"input":[` + userHi + `,{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":` + quote(encrypted) + `},` +
			`{"type":"function_call","call_id":"` + id + `","name":"exec_command","arguments":"{}"},{"type":"function_call_output","call_id":"` + id + `","output":"ok"}]}`
	}
	post(t, s, fakemodel.Responses, path, next(first.Signature), 200)
	has(t, post(t, s, fakemodel.Responses, path, next(first.Signature+"x"), 400), "invalid_encrypted_content")
}

func TestResponsesBuildUponStoredOnesOnly(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{Script: func(r fakemodel.Request) fakemodel.Reply {
		if r.Said("tool", "ok") {
			return fakemodel.Reply{Text: "done"}
		}
		return fakemodel.Reply{Calls: []fakemodel.Call{fakemodel.Run("ls")}}
	}})
	path, body := hello(fakemodel.Responses, "false")
	ask := func(body string) (id, call string) {
		var reply struct {
			ID     string
			Output []struct {
				CallID string `json:"call_id"`
			}
		}
		unmarshal(t, string(post(t, s, fakemodel.Responses, path, body, 200)), &reply)
		for _, o := range reply.Output {
			call += o.CallID
		}
		return reply.ID, call
	}
	id, call := ask(body)
	next := func(id, items string) string {
		return fmt.Sprintf(`{"model":"m","previous_response_id":%q,"input":[%s]}`, id, items)
	}
	output := fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":"ok"}`, call)
	post(t, s, fakemodel.Responses, path, next(id, output), 200)
	has(t, post(t, s, fakemodel.Responses, path, next(id, userHi), 400), "No tool output found for function call "+call)
	has(t, post(t, s, fakemodel.Responses, path, next("resp_other", output), 400), "previous_response_not_found")
	unstored, _ := ask(strings.Replace(body, "{", `{"store":false,`, 1))
	has(t, post(t, s, fakemodel.Responses, path, next(unstored, output), 400), "previous_response_not_found")
}

func TestGeminiSignaturesMustComeBackInTheCurrentTurn(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("done", fakemodel.Run("ls"))})
	path, body := hello(fakemodel.Gemini, "true")
	first := listen(t, fakemodel.Gemini, string(post(t, s, fakemodel.Gemini, path, body, 200)))
	next := func(signature, more string) string {
		if signature != "" {
			signature = `,"thoughtSignature":` + quote(signature)
		}
		c := first.Calls[0]
		return `{"contents":[{"role":"user","parts":[{"text":"hello"}]},{"role":"model","parts":[{"functionCall":{"id":"` + c.ID + `","name":"` + c.Name + `","args":{}}` + signature + `}]},` +
			`{"role":"user","parts":[{"functionResponse":{"id":"` + c.ID + `","name":"` + c.Name + `","response":{"output":"ok"}}}]}` + more + `]}`
	}
	newTurn := `,{"role":"model","parts":[{"text":"done"}]},{"role":"user","parts":[{"text":"next"}]}`
	post(t, s, fakemodel.Gemini, path, next(first.Signature, ""), 200)
	post(t, s, fakemodel.Gemini, path, next("skip_thought_signature_validator", ""), 200)
	post(t, s, fakemodel.Gemini, path, next("", newTurn), 200)
	has(t, post(t, s, fakemodel.Gemini, path, next("", ""), 400), "missing a thought_signature")
	has(t, post(t, s, fakemodel.Gemini, path, next("other", ""), 400), "Corrupted thought signature")
}
