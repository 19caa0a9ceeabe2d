package fakemodel_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// rule is a body and what the API says to it: nothing, or words of its refusal.
type rule struct {
	name string
	body string
	want string
}

func checkRules(t *testing.T, f fakemodel.Format, rules []rule) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			err := fakemodel.Validate(f, []byte(r.body))
			if r.want == "" {
				if err != nil {
					t.Fatalf("refused: %v", err)
				}
				return
			}
			var refusal *fakemodel.Refusal
			if !errors.As(err, &refusal) {
				t.Fatalf("accepted, want a refusal that says %q", r.want)
			}
			if refusal.Status != 400 || refusal.Format != f || !strings.Contains(refusal.Message, r.want) {
				t.Errorf("refused with %d %s: %s\nwant 400 %s: … %s …", refusal.Status, refusal.Format, refusal.Message, f, r.want)
			}
			if !json.Valid(refusal.Body()) {
				t.Errorf("the error body is not JSON: %s", refusal.Body())
			}
		})
	}
}

// What no JSON reader of a provider takes, in any format.
func TestEveryFormatRefusesBadJSON(t *testing.T) {
	good := map[fakemodel.Format]string{
		fakemodel.Anthropic: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi%s"}]}`,
		fakemodel.Chat:      `{"model":"m","messages":[{"role":"user","content":"hi%s"}]}`,
		fakemodel.Responses: `{"model":"m","input":[{"role":"user","content":"hi%s"}]}`,
		fakemodel.Gemini:    `{"contents":[{"role":"user","parts":[{"text":"hi%s"}]}]}`,
	}
	for _, f := range fakemodel.Formats() {
		body := fmt.Sprintf(good[f], "")
		with := func(s string) string { return fmt.Sprintf(good[f], s) }
		t.Run(string(f), func(t *testing.T) {
			checkRules(t, f, []rule{
				{"in order", body, ""},
				{"a whole surrogate pair", with(`\ud83d\ude00 \\ud83d`), ""},
				{"empty", "", "EOF"},
				{"truncated", body[:len(body)-1], "EOF"},
				{"not an object", `[` + body + `]`, "not an object"},
				{"two values", body + body, "follows the value"},
				{"a duplicate key at the top", strings.Replace(body, "{", `{"model":"x","model":"y",`, 1), "duplicate key \"model\""},
				{"a duplicate key inside", strings.Replace(body, `"role":"user"`, `"role":"user","role":"user"`, 1), "duplicate key \"role\""},
				{"the same key written in two ways", strings.Replace(body, `"role":"user"`, `"role":"user","rol\u0065":"user"`, 1), "duplicate key \"role\""},
				{"half of a surrogate pair", with(`\ud83d`), "surrogate"},
				{"the other half", with(`\ude00`), "surrogate"},
				{"half of a pair before a letter", with(`\ud83d\u0041`), "surrogate"},
				{"bytes that are not UTF-8", with("\xff"), "UTF-8"},
				{"nested too deep", strings.Replace(body, "{", `{"x":`+strings.Repeat("[", 600)+strings.Repeat("]", 600)+`,`, 1), "nested deeper"},
				{"a comma too many", strings.Replace(body, "}]", "},]", 1), "invalid character"},
			})
		})
	}
}

const (
	claudeHead = `{"model":"claude-opus-5-5","max_tokens":100,"messages":[`
	userHi     = `{"role":"user","content":"hi"}`
	useA       = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Bash","input":{}}]}`
	useAB      = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Bash","input":{}},{"type":"tool_use","id":"b","name":"Bash","input":{}}]}`
	gotA       = `{"type":"tool_result","tool_use_id":"a","content":"ok"}`
	gotB       = `{"type":"tool_result","tool_use_id":"b","content":"ok"}`
	note       = `{"type":"text","text":"note"}`
)

// claude makes a body of messages.
func claude(messages ...string) string { return claudeHead + strings.Join(messages, ",") + "]}" }

// said makes a user message of blocks.
func said(blocks ...string) string {
	return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
}

func TestAnthropicRefusesUnpairedTools(t *testing.T) {
	checkRules(t, fakemodel.Anthropic, []rule{
		{"one call and its result", claude(userHi, useA, said(gotA)), ""},
		{"two calls and their results, in any order", claude(userHi, useAB, said(gotB, gotA)), ""},
		{"text after the results", claude(userHi, useAB, said(gotA, gotB, note)), ""},
		{"text in a message of its own after the results", claude(userHi, useA, said(gotA), said(note)), ""},
		{"a result without content", claude(userHi, useA, said(`{"type":"tool_result","tool_use_id":"a"}`)), ""},
		{"a result of blocks", claude(userHi, useA, said(`{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"ok"},{"type":"image","source":{}}]}`)), ""},
		{"no result", claude(userHi, useA, said(note)), "without `tool_result` blocks immediately after: a"},
		{"no message after the call", claude(userHi, useA), "without `tool_result` blocks immediately after: a"},
		{"one result of two", claude(userHi, useAB, said(gotA)), "immediately after: b"},
		{"the second result one message later", claude(userHi, useAB, said(gotA), said(gotB)), "immediately after: b"},
		{"text before the result", claude(userHi, useA, said(note, gotA)), "immediately after: a"},
		{"text between the results", claude(userHi, useAB, said(gotA, note, gotB)), "immediately after: b"},
		{"a user message between call and result", claude(userHi, useA, userHi, said(gotA)), "immediately after: a"},
		{"a system message between call and result", claude(userHi, useA, `{"role":"system","content":"x"}`, said(gotA)), "directly follow a `user`"},
		{"a result of no call", claude(userHi, useA, said(gotA, gotB)), "unexpected `tool_use_id`"},
		{"a result at the start", claude(said(gotA)), "unexpected `tool_use_id`"},
		{"a result given twice", claude(userHi, useA, said(gotA, gotA)), "multiple `tool_result` blocks with id: a"},
		{"a call id used twice", claude(userHi, useA, said(gotA), useA, said(gotA)), "ids must be unique"},
		{"a call in a user message", claude(said(`{"type":"tool_use","id":"a","name":"B","input":{}}`)), "can only be in `assistant`"},
		{"a result in an assistant message", claude(userHi, `{"role":"assistant","content":[`+gotA+`]}`), "can only be in `user`"},
		{"an id with a bad letter", claude(userHi, strings.ReplaceAll(useA, `"a"`, `"a b"`), said(strings.ReplaceAll(gotA, `"a"`, `"a b"`))), "tool_use.id: String should match"},
		{"an input that is no object", claude(userHi, strings.Replace(useA, `{}`, `"{}"`, 1), said(gotA)), "valid dictionary"},
		{"a server tool that is done", claude(userHi, serverUse(`,{"type":"web_search_tool_result","tool_use_id":"s","content":[]}`), said(gotA, note)), ""},
		{"results only beside a pending server tool", claude(userHi, serverUse(""), said(gotA)), ""},
		{"text beside a pending server tool", claude(userHi, serverUse(""), said(gotA, note)), "may only hold `tool_result`"},
		{"text in the next message beside a pending server tool", claude(userHi, serverUse(""), said(gotA), userHi), "may only hold `tool_result`"},
		{"text beside a server tool that runs through two replies", claude(userHi, serverUse(""), said(gotA), useB, said(gotB, note)), "may only hold `tool_result`"},
		{"text after a server tool that ended in the second reply", claude(userHi, serverUse(""), said(gotA), serverDone, said(note)), ""},
	})
}

const (
	useB       = `{"role":"assistant","content":[{"type":"tool_use","id":"b","name":"Bash","input":{}}]}`
	serverDone = `{"role":"assistant","content":[{"type":"web_search_tool_result","tool_use_id":"s","content":[]},{"type":"text","text":"found"}]}`
)

func serverUse(more string) string {
	return `{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}}` + more + `,{"type":"tool_use","id":"a","name":"Bash","input":{}}]}`
}

func TestAnthropicRefusesRolesOutOfPlace(t *testing.T) {
	system := `{"role":"system","content":"be brief"}`
	reply := `{"role":"assistant","content":"hello"}`
	sonnet := func(s string) string { return strings.Replace(s, "claude-opus-5-5", "claude-sonnet-4-5", 1) }
	effort := `{"role":"system","content":[],"output_config":{"effort":"low"}}`
	found := `,{"type":"web_search_tool_result","tool_use_id":"s","content":[]}`
	search := `{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}}%s]}`
	checkRules(t, fakemodel.Anthropic, []rule{
		{"user, assistant, user", claude(userHi, reply, userHi), ""},
		{"consecutive user messages", claude(userHi, userHi, reply, userHi, userHi), ""},
		{"consecutive assistant messages", claude(userHi, reply, reply, userHi), ""},
		{"assistant first", claude(reply, userHi), `first message must use the "user" role`},
		{"an unknown role", claude(`{"role":"tool","content":"x"}`), "Input should be 'user' or 'assistant'"},
		{"system at the end", claude(userHi, system), ""},
		{"system before a reply", claude(userHi, system, reply, userHi), ""},
		{"system after results", claude(userHi, useA, said(gotA), system), ""},
		{"system with its own effort", claude(userHi, `{"role":"system","content":"x","output_config":{"effort":"low"}}`), ""},
		{"only effort first", claude(effort, userHi), ""},
		{"only effort before a user message", claude(userHi, reply, effort, userHi), ""},
		{"only effort between a call and its result", claude(userHi, useA, effort, said(gotA)), ""},
		{"effort beside words follows the rule for words", claude(userHi, reply, effort, system, userHi), "directly follow a `user`"},
		{"a system message without content", claude(userHi, `{"role":"system","content":[]}`), "non-empty content"},
		{"system after a server tool's result", claude(userHi, fmt.Sprintf(search, found), system), ""},
		{"system while a server tool runs", claude(userHi, fmt.Sprintf(search, ""), system), "directly follow a `user`"},
		{"system first", claude(system, userHi), `first message must use the "user" role`},
		{"system after a reply", claude(userHi, reply, system), "directly follow a `user`"},
		{"system after system", claude(userHi, system, system), ""},
		{"two system messages before a user message", claude(userHi, system, system, userHi), "messages.2: a `system` message must be followed by an `assistant`"},
		{"system before a user message", claude(userHi, system, userHi), "followed by an `assistant`"},
		{"system on a model without it", sonnet(claude(userHi, system)), "not supported on this model"},
		{"an image in a system message", claude(userHi, `{"role":"system","content":[{"type":"image","source":{}}]}`), "can only be in `user`"},
		{"an unknown key in a message", claude(`{"role":"user","content":"hi","name":"x"}`), "messages.0.name: Extra inputs"},
		{"a message that is no object", claude(`"hi"`), "valid dictionary"},
	})
}

func TestAnthropicRefusesEmptyAndUnknownBlocks(t *testing.T) {
	block := func(b string) string { return claude(said(b)) }
	checkRules(t, fakemodel.Anthropic, []rule{
		{"text", block(note), ""},
		{"an image and a document", claude(said(`{"type":"image","source":{}}`, `{"type":"document","source":{}}`, note)), ""},
		{"an empty text block", block(`{"type":"text","text":""}`), "text content blocks must be non-empty"},
		{"a blank text block", block(`{"type":"text","text":" \n"}`), "non-whitespace"},
		{"a mark on an empty block", block(`{"type":"text","text":"","cache_control":{"type":"ephemeral"}}`), "cannot be set for empty text"},
		{"text that is no string", block(`{"type":"text","text":1}`), "valid string"},
		{"an unknown key in a text block", block(`{"type":"text","text":"x","from":"us"}`), "text.from: Extra inputs"},
		{"an unknown block", block(`{"type":"note","text":"x"}`), "Input tag 'note'"},
		{"a block without a type", block(`{"text":"x"}`), "type: Field required"},
		{"no blocks", claude(`{"role":"user","content":[]}`), "non-empty content"},
		{"an empty string", claude(`{"role":"user","content":""}`), "non-empty content"},
		{"no content", claude(`{"role":"user"}`), "valid string or a valid list"},
		{"an empty last reply", claude(userHi, `{"role":"assistant","content":""}`), ""},
		{"an empty reply in between", claude(userHi, `{"role":"assistant","content":""}`, userHi), "non-empty content"},
		{"a last reply that ends in a space", claude(userHi, `{"role":"assistant","content":"so "}`), "trailing whitespace"},
		{"an empty block in a result", claude(userHi, useA, said(`{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":""}]}`)), "non-empty"},
		{"an unknown block in a result", claude(userHi, useA, said(`{"type":"tool_result","tool_use_id":"a","content":[{"type":"tool_use"}]}`)), "Input tag 'tool_use'"},
		{"an empty system block", strings.Replace(claude(userHi), "{", `{"system":[{"type":"text","text":""}],`, 1), "system: text content blocks must be non-empty"},
		{"a system block that is no text", strings.Replace(claude(userHi), "{", `{"system":[{"type":"image"}],`, 1), "Input should be 'text'"},
	})
}

func TestAnthropicRefusesMoreThanFourCacheMarks(t *testing.T) {
	mark := func(n int, ttl string) []string {
		var all []string
		for range n {
			all = append(all, `{"type":"text","text":"x","cache_control":{"type":"ephemeral"`+ttl+`}}`)
		}
		return all
	}
	tools := `{"tools":[{"name":"t","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"%s}}],"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],`
	with := func(head, body string) string { return strings.Replace(body, "{", head, 1) }
	hour := `,"ttl":"1h"`
	checkRules(t, fakemodel.Anthropic, []rule{
		{"four", claude(said(mark(4, "")...)), ""},
		{"five", claude(said(mark(5, "")...)), "maximum of 4 blocks with cache_control may be provided. Found 5."},
		{"four in tools, system and messages", with(fmt.Sprintf(tools, ""), claude(said(mark(2, "")...))), ""},
		{"five in tools, system and messages", with(fmt.Sprintf(tools, ""), claude(said(mark(3, "")...))), "Found 5."},
		{"four and one that the API places", with(`{"cache_control":{"type":"ephemeral"},`, claude(said(mark(4, "")...))), "Found 5."},
		{"a mark inside a result counts", claude(userHi, useA, said(append([]string{`{"type":"tool_result","tool_use_id":"a","content":[` + mark(1, "")[0] + `]}`}, mark(4, "")...)...)), "Found 5."},
		{"a mark inside a document counts", claude(said(append([]string{`{"type":"document","source":{"type":"content","content":[` + mark(1, "")[0] + `]}}`}, mark(4, "")...)...)), "Found 5."},
		{"long before short", with(fmt.Sprintf(tools, hour), claude(userHi)), ""},
		{"long after short", with(fmt.Sprintf(tools, ""), claude(said(mark(1, hour)...))), "must not come after"},
		{"another kind", claude(said(`{"type":"text","text":"x","cache_control":{"type":"forever"}}`)), "Input should be 'ephemeral'"},
		{"another time", claude(said(mark(1, `,"ttl":"2h"`)...)), "'5m' or '1h'"},
		{"a mark on thinking", claude(userHi, `{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s","cache_control":{"type":"ephemeral"}}]}`, userHi), "thinking.cache_control: Extra inputs"},
	})
}

func TestAnthropicRefusesMissingFields(t *testing.T) {
	checkRules(t, fakemodel.Anthropic, []rule{
		{"no max_tokens", `{"model":"m","messages":[` + userHi + `]}`, "max_tokens: Field required"},
		{"max_tokens 0", `{"model":"m","max_tokens":0,"messages":[` + userHi + `]}`, "greater than or equal to 1"},
		{"max_tokens as text", `{"model":"m","max_tokens":"9","messages":[` + userHi + `]}`, "valid integer"},
		{"no model", `{"max_tokens":1,"messages":[` + userHi + `]}`, "model: Field required"},
		{"no messages", `{"model":"m","max_tokens":1}`, "messages: Field required"},
		{"empty messages", `{"model":"m","max_tokens":1,"messages":[]}`, "at least one message"},
		{"messages as text", `{"model":"m","max_tokens":1,"messages":"hi"}`, "valid list"},
		{"keys in capitals are others", `{"model":"m","max_tokens":1,"Messages":[` + userHi + `]}`, "messages: Field required"},
		{"a tool without a schema", `{"model":"m","max_tokens":1,"tools":[{"name":"t"}],"messages":[` + userHi + `]}`, "input_schema: Field required"},
		{"a server's tool without a schema", `{"model":"m","max_tokens":1,"tools":[{"type":"web_search_20250305","name":"t"}],"messages":[` + userHi + `]}`, ""},
		{"a tool twice", `{"model":"m","max_tokens":1,"tools":[{"name":"t","input_schema":{}},{"name":"t","input_schema":{}}],"messages":[` + userHi + `]}`, "must be unique"},
		{"a tool with a bad name", `{"model":"m","max_tokens":1,"tools":[{"name":"t t","input_schema":{}}],"messages":[` + userHi + `]}`, "should match pattern"},
		{"system that is a number", `{"model":"m","max_tokens":1,"system":1,"messages":[` + userHi + `]}`, "system: Input"},
	})
}

func TestAnthropicWantsThinkingToBeginAToolLoop(t *testing.T) {
	body := func(budget, reply string) string {
		return `{"model":"m","max_tokens":4000,"thinking":{"type":"enabled"` + budget + `},"messages":[` + userHi + `,` + reply + `,` + said(gotA) + `]}`
	}
	thought := `{"type":"thinking","thinking":"x","signature":"s"}`
	withThought := strings.Replace(useA, "[", "["+thought+",", 1)
	checkRules(t, fakemodel.Anthropic, []rule{
		{"it does", body(`,"budget_tokens":2000`, withThought), ""},
		{"redacted thinking does too", body(`,"budget_tokens":2000`, strings.Replace(useA, "[", `[{"type":"redacted_thinking","data":"x"},`, 1)), ""},
		{"it does not", body(`,"budget_tokens":2000`, useA), "but found `tool_use`"},
		{"not asked when thinking is off", claude(userHi, useA, said(gotA)), ""},
		{"a budget as large as the reply", body(`,"budget_tokens":4000`, withThought), "greater than `thinking.budget_tokens`"},
		{"a small budget", body(`,"budget_tokens":100`, withThought), "equal to 1024"},
		{"no budget", body(``, withThought), "budget_tokens: Field required"},
		{"thinking without a signature", claude(userHi, `{"role":"assistant","content":[{"type":"thinking","thinking":"x"}]}`, userHi), "thinking.signature: Field required"},
	})
}

func TestChatRefusesUnpairedTools(t *testing.T) {
	chat := func(messages ...string) string {
		return `{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`
	}
	call := func(ids ...string) string {
		var all []string
		for _, id := range ids {
			all = append(all, `{"id":"`+id+`","type":"function","function":{"name":"sh","arguments":"{}"}}`)
		}
		return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(all, ",") + `]}`
	}
	got := func(id string) string { return `{"role":"tool","tool_call_id":"` + id + `","content":"ok"}` }
	checkRules(t, fakemodel.Chat, []rule{
		{"call and result", chat(userHi, call("a"), got("a")), ""},
		{"two calls, results in any order", chat(userHi, call("a", "b"), got("b"), got("a"), userHi), ""},
		{"a note after all results", chat(userHi, call("a"), got("a"), userHi), ""},
		{"no result", chat(userHi, call("a"), userHi), "did not have response messages: a"},
		{"no result at the end", chat(userHi, call("a")), "did not have response messages: a"},
		{"one result of two", chat(userHi, call("a", "b"), got("a"), userHi), "did not have response messages: b"},
		{"a note between call and result", chat(userHi, call("a"), userHi, got("a")), "did not have response messages: a"},
		{"a note between the results", chat(userHi, call("a", "b"), got("a"), userHi, got("b")), "did not have response messages: b"},
		{"a result of no call", chat(userHi, got("a")), "must be a response to a preceeding message"},
		{"a result of another call", chat(userHi, call("a"), got("b")), "'b' not found in 'tool_calls'"},
		{"a result given twice", chat(userHi, call("a"), got("a"), got("a")), "'a' not found in 'tool_calls'"},
		{"a result after a note", chat(userHi, call("a"), got("a"), userHi, got("a")), "must be a response"},
		{"the same id twice", chat(userHi, call("a", "a"), got("a"), got("a")), "Duplicate 'id'"},
		{"a result without an id", chat(userHi, call("a"), `{"role":"tool","content":"x"}`), "Missing required parameter"},
		{"no calls in the list", chat(userHi, `{"role":"assistant","tool_calls":[]}`), "empty array"},
		{"calls of the user", chat(strings.NewReplacer("assistant", "user", "null", `"x"`).Replace(call("a"))), "Unknown parameter: 'messages[0].tool_calls'"},
		{"arguments that are no string", chat(userHi, strings.Replace(call("a"), `"{}"`, `{}`, 1), got("a")), "expected a string"},
		{"a custom call", chat(userHi, `{"role":"assistant","tool_calls":[{"id":"a","type":"custom","custom":{"name":"x","input":"y"}}]}`, got("a")), ""},
		{"an unknown kind of call", chat(userHi, `{"role":"assistant","tool_calls":[{"id":"a","type":"magic"}]}`), "Invalid value: 'magic'"},
		{"a call without a name", chat(userHi, `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"arguments":""}}]}`), "Missing required parameter"},
	})
}

func TestChatRefusesMissingAndUnknownFields(t *testing.T) {
	one := func(m string) string { return `{"model":"m","messages":[` + m + `]}` }
	checkRules(t, fakemodel.Chat, []rule{
		{"system, developer, user", one(`{"role":"system","content":"a"},{"role":"developer","content":"b"},` + userHi), ""},
		{"consecutive users", one(userHi + "," + userHi), ""},
		{"assistant first", one(`{"role":"assistant","content":"a"}`), ""},
		{"empty assistant text beside a call", one(`{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"n","arguments":""}}]},{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"x"}]}`), ""},
		{"parts", one(`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"x"}}]}`), ""},
		{"no model", `{"messages":[` + userHi + `]}`, "must provide a model"},
		{"no messages", `{"model":"m"}`, "Missing required parameter: 'messages'"},
		{"empty messages", `{"model":"m","messages":[]}`, "empty array"},
		{"messages as text", `{"model":"m","messages":"hi"}`, "Invalid type for 'messages'"},
		{"an unknown role", one(`{"role":"model","content":"a"}`), "Invalid value: 'model'"},
		{"no content", one(`{"role":"user"}`), "got null"},
		{"no parts", one(`{"role":"user","content":[]}`), "empty array"},
		{"content that is a number", one(`{"role":"user","content":1}`), "Invalid type"},
		{"an unknown part", one(`{"role":"user","content":[{"type":"note","text":"a"}]}`), "Invalid value: 'note'"},
		{"an image of the assistant", one(`{"role":"assistant","content":[{"type":"image_url"}]}`), "Invalid value: 'image_url'"},
		{"a part without text", one(`{"role":"user","content":[{"type":"text"}]}`), "Missing required parameter"},
		{"an unknown key in a part", one(`{"role":"user","content":[{"type":"text","text":"a","from":"us"}]}`), "Unknown parameter"},
		{"an unknown key in a message", one(`{"role":"user","content":"a","from":"us"}`), "Unknown parameter: 'messages[0].from'"},
		{"no tools in the list", `{"model":"m","tools":[],"messages":[` + userHi + `]}`, "Invalid 'tools': empty array"},
		{"a tool without a name", `{"model":"m","tools":[{"type":"function","function":{}}],"messages":[` + userHi + `]}`, "does not match pattern"},
		{"an unknown kind of tool", `{"model":"m","tools":[{"type":"x"}],"messages":[` + userHi + `]}`, "Supported values are: 'function'"},
		{"two limits", `{"model":"m","max_tokens":1,"max_completion_tokens":1,"messages":[` + userHi + `]}`, "at the same time"},
		{"stream options without a stream", `{"model":"m","stream_options":{},"messages":[` + userHi + `]}`, "only allowed when 'stream'"},
	})
}

func TestResponsesRefusesUnpairedTools(t *testing.T) {
	with := func(head string, items ...string) string {
		return `{"model":"m",` + head + `"input":[` + strings.Join(items, ",") + `]}`
	}
	input := func(items ...string) string { return with("", items...) }
	call := func(id string) string {
		return `{"type":"function_call","call_id":"` + id + `","name":"sh","arguments":"{}"}`
	}
	got := func(id string) string {
		return `{"type":"function_call_output","call_id":"` + id + `","output":"ok"}`
	}
	custom := `{"type":"custom_tool_call","call_id":"c","name":"exec","input":"x"}`
	customGot := `{"type":"custom_tool_call_output","call_id":"c","output":"ok"}`
	developer := `{"type":"message","role":"developer","content":"note"}`
	thought := `{"type":"reasoning","id":"rs_1","summary":[]}`
	checkRules(t, fakemodel.Responses, []rule{
		{"call and output", input(userHi, call("a"), got("a")), ""},
		{"two calls", input(userHi, call("a"), call("b"), got("b"), got("a")), ""},
		{"a developer message in between", input(userHi, call("a"), developer, got("a")), ""},
		{"custom call and output", input(userHi, custom, customGot), ""},
		{"no output", input(userHi, call("a"), userHi), "No tool output found for function call a."},
		{"no custom output", input(userHi, custom), "No tool output found for custom tool call c."},
		{"no call", input(userHi, got("a")), "No tool call found for function call output with call_id a."},
		{"no custom call", input(userHi, customGot), "No tool call found for custom tool call output with call_id c."},
		{"an output before its call", input(userHi, got("a"), call("a")), "No tool call found"},
		{"an output twice", input(userHi, call("a"), got("a"), got("a")), "No tool call found"},
		{"an output of the other kind", input(userHi, custom, got("c")), "No tool call found for function call output"},
		{"a call id twice", input(userHi, call("a"), got("a"), call("a"), got("a")), "Duplicate call_id"},
		{"an output whose call is stored", with(`"previous_response_id":"resp_1",`, got("a")), ""},
		{"one twice whose call is stored", with(`"previous_response_id":"resp_1",`, got("a"), got("a")), "No tool call found"},
		{"a call without an answer on a stored response", with(`"previous_response_id":"resp_1",`, call("a")), "No tool output found"},
		{"reasoning and its call", input(userHi, thought, call("a"), got("a")), ""},
		{"reasoning and its words", input(userHi, thought, `{"role":"assistant","content":"x"}`), ""},
		{"reasoning at the end", input(userHi, thought), "without its required following item"},
		{"a note between reasoning and call", input(userHi, thought, userHi, call("a"), got("a")), "without its required following item"},
		{"a developer's note between them", input(userHi, thought, developer, call("a"), got("a")), "without its required following item"},
		{"arguments that are no string", input(userHi, `{"type":"function_call","call_id":"a","name":"n","arguments":{}}`, got("a")), "Missing required parameter: 'input[1].arguments'"},
		{"an output that is null", input(userHi, call("a"), `{"type":"function_call_output","call_id":"a","output":null}`), "output'"},
		{"an output of parts", input(userHi, call("a"), `{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"x"}]}`), ""},
	})
}

func TestResponsesRefusesMissingAndUnknownFields(t *testing.T) {
	input := func(items string) string { return `{"model":"m","input":[` + items + `]}` }
	checkRules(t, fakemodel.Responses, []rule{
		{"input as text", `{"model":"m","input":"hi"}`, ""},
		{"no items", `{"model":"m","input":[]}`, ""},
		{"only a stored response", `{"model":"m","previous_response_id":"resp_1"}`, ""},
		{"no model", `{"input":"hi"}`, "Missing required parameter: 'model'"},
		{"no input", `{"model":"m"}`, "Missing required parameter: 'input'"},
		{"input as a number", `{"model":"m","input":1}`, "Invalid type for 'input'"},
		{"an item that is no object", input(`"hi"`), "Invalid type for 'input[0]'"},
		{"an unknown item", input(`{"type":"note"}`), "Invalid value: 'note'"},
		{"an item without type and role", input(`{}`), "Invalid value: ''"},
		{"an unknown role", input(`{"role":"tool","content":"x"}`), "Invalid value: 'tool'"},
		{"no content", input(`{"role":"user"}`), "Missing required parameter: 'input[0].content'"},
		{"input_text of the user", input(`{"role":"user","content":[{"type":"input_text","text":"x"}]}`), ""},
		{"output_text of the user", input(`{"role":"user","content":[{"type":"output_text","text":"x"}]}`), "Invalid value: 'output_text'"},
		{"output_text of the assistant", input(`{"role":"assistant","content":[{"type":"output_text","text":"x"}]}`), ""},
		{"input_text of the assistant", input(`{"role":"assistant","content":[{"type":"input_text","text":"x"}]}`), "Invalid value: 'input_text'"},
		{"a part without text", input(`{"role":"user","content":[{"type":"input_text"}]}`), "content[0].text"},
		{"an id of the wrong kind", input(`{"type":"message","id":"note_1","role":"user","content":"x"}`), "begins with 'msg'"},
		{"an id twice", input(`{"id":"msg_1","role":"user","content":"x"},{"id":"msg_1","role":"user","content":"y"}`), "Duplicate item found with id msg_1"},
		{"tools as an item", input(`{"type":"additional_tools","role":"developer","tools":[]},` + userHi), ""},
	})
}

func TestGeminiRefusesUnpairedTools(t *testing.T) {
	contents := func(all ...string) string { return `{"contents":[` + strings.Join(all, ",") + `]}` }
	turn := func(role string, parts ...string) string {
		return `{"role":"` + role + `","parts":[` + strings.Join(parts, ",") + `]}`
	}
	call := func(id string) string { return `{"functionCall":{"id":"` + id + `","name":"sh","args":{}}}` }
	got := func(id string) string {
		return `{"functionResponse":{"id":"` + id + `","name":"sh","response":{"output":"ok"}}}`
	}
	hi, text := turn("user", `{"text":"hi"}`), `{"text":"note"}`
	checkRules(t, fakemodel.Gemini, []rule{
		{"call and response", contents(hi, turn("model", call("a")), turn("user", got("a"))), ""},
		{"two, in any order", contents(hi, turn("model", call("a"), call("b")), turn("user", got("b"), got("a"))), ""},
		{"without ids", contents(hi, turn("model", `{"functionCall":{"name":"sh","args":{}}}`), turn("user", `{"functionResponse":{"name":"sh","response":{}}}`)), ""},
		{"the other spelling", contents(hi, turn("model", `{"function_call":{"name":"sh","args":{}}}`), turn("user", `{"function_response":{"name":"sh","response":{}}}`)), ""},
		{"text after the responses", contents(hi, turn("model", call("a")), turn("user", got("a"), text)), ""},
		{"text in a turn of its own after them", contents(hi, turn("model", call("a")), turn("user", got("a")), turn("user", text)), ""},
		{"no response", contents(hi, turn("model", call("a")), turn("user", text)), "number of function response parts is equal"},
		{"one of two", contents(hi, turn("model", call("a"), call("b")), turn("user", got("a"))), "number of function response parts is equal"},
		{"the second one turn later", contents(hi, turn("model", call("a"), call("b")), turn("user", got("a")), turn("user", got("b"))), "number of function response parts is equal"},
		{"one too many", contents(hi, turn("model", call("a")), turn("user", got("a"), got("a"))), "number of function response parts is equal"},
		{"a turn in between", contents(hi, turn("model", call("a")), hi, turn("user", got("a"))), "number of function response parts is equal"},
		{"text before the response", contents(hi, turn("model", call("a")), turn("user", text, got("a"))), "come first"},
		{"a response to nothing", contents(hi, turn("user", got("a"))), "immediately after a function call turn"},
		{"a response to another call", contents(hi, turn("model", call("a")), turn("user", got("b"))), "answers no function call"},
		{"a call first", contents(turn("model", call("a")), turn("user", got("a"))), "immediately after a user turn"},
		{"a call after the model's words", contents(hi, turn("model", text), turn("model", call("a")), turn("user", got("a"))), "immediately after a user turn"},
		{"a response of the model", contents(hi, turn("model", call("a")), turn("model", got("a")), hi), "of the role user"},
		{"a call that is no object", contents(hi, turn("model", `{"functionCall":"a"}`), turn("user", got("a"))), "a message was expected"},
		{"a call that is null", contents(hi, turn("model", `{"functionCall":null}`), hi), "a message was expected"},
		{"a response that is no object", contents(hi, turn("model", call("a")), turn("user", `{"function_response":"a"}`)), "a message was expected"},
		{"a call of the user", contents(hi, turn("user", call("a")), turn("user", got("a"))), "of the role model"},
		{"a call at the end", contents(hi, turn("model", call("a"))), "end with a user turn"},
	})
}

func TestGeminiRefusesMissingAndUnknownFields(t *testing.T) {
	parts := func(p string) string { return `{"contents":[{"role":"user","parts":[` + p + `]}]}` }
	checkRules(t, fakemodel.Gemini, []rule{
		{"text", parts(`{"text":"a"}`), ""},
		{"consecutive users", `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"parts":[{"text":"b"}]}]}`, ""},
		{"system and tools", `{"systemInstruction":{"parts":[{"text":"s"}]},"tools":[{"functionDeclarations":[]}],"contents":[{"role":"user","parts":[{"text":"a"}]}]}`, ""},
		{"no contents", `{}`, "contents is not specified"},
		{"empty contents", `{"contents":[]}`, "contents is not specified"},
		{"no parts", `{"contents":[{"role":"user","parts":[]}]}`, "must not be empty"},
		{"an unknown role", `{"contents":[{"role":"assistant","parts":[{"text":"a"}]}]}`, "valid role: user, model"},
		{"the model at the end", `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"a"}]}]}`, "end with a user turn"},
		{"an unknown key at the top", `{"messages":[],"contents":[{"role":"user","parts":[{"text":"a"}]}]}`, `Unknown name "messages"`},
		{"an unknown key in a turn", `{"contents":[{"role":"user","id":"x","parts":[{"text":"a"}]}]}`, `Unknown name "id"`},
		{"an unknown key in a part", parts(`{"text":"a","type":"text"}`), `Unknown name "type"`},
		{"an empty part", parts(`{}`), "must have one initialized field"},
		{"a part that is two things", parts(`{"text":"a","inlineData":{}}`), "oneof field 'data' is already set"},
		{"an empty text", parts(`{"text":""}`), "empty text parameter"},
		{"an empty text that bears a signature", `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"","thoughtSignature":"x"}]},{"role":"user","parts":[{"text":"a"}]}]}`, ""},
		{"a signature of the user", parts(`{"text":"a","thoughtSignature":"x"}`), "only be in a model turn"},
		{"a system instruction without parts", `{"systemInstruction":{},"contents":[{"role":"user","parts":[{"text":"a"}]}]}`, "must not be empty"},
	})
}
