package fakemodel_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// One conversation in each format: a system prompt, a prompt, a call with its
// result, a note after it, and a reply.
var conversation = map[fakemodel.Format]string{
	fakemodel.Anthropic: `{"model":"m","max_tokens":9,"system":[{"type":"text","text":"be brief"}],"tools":[{"name":"sh","input_schema":{"type":"object"}}],"messages":[
		{"role":"user","content":"list"},
		{"role":"assistant","content":[{"type":"text","text":"looking"},{"type":"tool_use","id":"c1","name":"sh","input":{"b":[1,2],"a":"x"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"a.txt"}]},{"type":"text","text":"note"}]},
		{"role":"assistant","content":"one file"},
		{"role":"user","content":[{"type":"text","text":"thanks"}]}]}`,
	fakemodel.Chat: `{"model":"m","tools":[{"type":"function","function":{"name":"sh","parameters":{"type":"object"}}}],"messages":[
		{"role":"system","content":"be brief"},
		{"role":"user","content":"list"},
		{"role":"assistant","content":"looking","tool_calls":[{"id":"c1","type":"function","function":{"name":"sh","arguments":"{\"b\": [1,2], \"a\":\"x\"}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"a.txt"},
		{"role":"user","content":[{"type":"text","text":"note"}]},
		{"role":"assistant","content":"one file"},
		{"role":"user","content":"thanks"}]}`,
	fakemodel.Responses: `{"model":"m","instructions":"be brief","tools":[{"type":"function","name":"sh","parameters":{"type":"object"}}],"input":[
		{"role":"user","content":"list"},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"looking"}]},
		{"type":"function_call","call_id":"c1","name":"sh","arguments":"{\"b\":[1,2],\"a\":\"x\"}"},
		{"type":"function_call_output","call_id":"c1","output":"a.txt"},
		{"role":"user","content":[{"type":"input_text","text":"note"}]},
		{"role":"assistant","content":"one file"},
		{"role":"user","content":"thanks"}]}`,
	fakemodel.Gemini: `{"systemInstruction":{"parts":[{"text":"be brief"}]},"tools":[{"functionDeclarations":[{"name":"sh","parametersJsonSchema":{"type":"object"}}]}],"contents":[
		{"role":"user","parts":[{"text":"list"}]},
		{"role":"model","parts":[{"text":"looking"},{"functionCall":{"id":"c1","name":"sh","args":{"b":[1,2],"a":"x"}}}]},
		{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"sh","response":{"output":"a.txt"}}},{"text":"note"}]},
		{"role":"model","parts":[{"text":"one file"}]},
		{"role":"user","parts":[{"text":"thanks"}]}]}`,
}

const conversationRead = `system text be brief
user text list
assistant text looking
assistant call sh c1 {"a":"x","b":[1,2]}
tool result c1 a.txt
user text note
assistant text one file
user text thanks
`

func TestAConversationReadsTheSameInEveryFormat(t *testing.T) {
	for _, f := range fakemodel.Formats() {
		t.Run(string(f), func(t *testing.T) {
			s := fakemodel.Start(t, fakemodel.Options{})
			post(t, s, f, paths[f], conversation[f], 200)
			r := s.Main()[0]
			if d := cmp.Diff(conversationRead, r.Transcript()); d != "" {
				t.Errorf("want -, got +\n%s", d)
			}
			if len(r.Tools) != 1 || r.Tools[0].Name != "sh" || string(r.Tools[0].Schema) != `{"type":"object"}` {
				t.Errorf("tools %+v", r.Tools)
			}
			if r.Said("user", "a.txt") || !r.Said("tool", "a.txt") || strings.Join(r.Texts("user"), " ") != "list note thanks" {
				t.Error("the words are not where they belong")
			}
			if first := r.Items[0].Message; f != fakemodel.Chat && first != -1 || f == fakemodel.Chat && first != 0 {
				t.Errorf("the system prompt stands at %d", first)
			}
		})
	}
}

func TestWhatIsNotTextIsNamed(t *testing.T) {
	for f, body := range map[fakemodel.Format]string{
		fakemodel.Anthropic: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"image","source":{}},{"type":"text","text":"what?"}]}]}`,
		fakemodel.Chat:      `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{}},{"type":"text","text":"what?"}]}]}`,
		fakemodel.Responses: `{"model":"m","input":[{"role":"user","content":[{"type":"input_image"},{"type":"input_text","text":"what?"}]}]}`,
		fakemodel.Gemini:    `{"contents":[{"role":"user","parts":[{"inlineData":{}},{"text":"what?"}]}]}`,
	} {
		s := fakemodel.Start(t, fakemodel.Options{})
		post(t, s, f, paths[f], body, 200)
		items := s.Requests()[0].Items
		if len(items) != 2 || items[0].Kind != fakemodel.Other || items[0].Name == "" || items[1].Text != "what?" {
			t.Errorf("%s: %v", f, items)
		}
	}
}
