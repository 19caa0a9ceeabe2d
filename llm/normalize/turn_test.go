package normalize_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm/normalize"
)

const model = "anthropic/claude-x"

func user(text string) trimtab.Message { return trimtab.Prompt(text) }

func reply(parts ...trimtab.Part) trimtab.Message {
	return trimtab.Message{Role: trimtab.RoleAssistant, Model: model, Parts: parts}
}

func text(s string) trimtab.Text { return trimtab.Text{Text: s} }

func call(id string) trimtab.ToolCall { return trimtab.ToolCall{ID: id, Name: "read"} }

func result(id, s string) trimtab.Message {
	return trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: s}}}
}

func note(s string) trimtab.Message {
	return trimtab.Message{Role: trimtab.RoleUser, From: "todo", Parts: []trimtab.Part{text(s)}}
}

// lines are turns, a line each.
func lines(talk normalize.Talk) []string {
	var all []string
	for _, t := range talk.Turns {
		var words []string
		for _, r := range t.Results {
			failed := ""
			if r.Failed {
				failed = "!"
			}
			words = append(words, fmt.Sprintf("%s%s=%s", failed, r.ID, r.Text))
		}
		for _, say := range t.Says {
			for _, p := range say.Parts {
				switch p := p.(type) {
				case trimtab.Text:
					words = append(words, p.Text)
				case trimtab.ToolCall:
					words = append(words, "call:"+p.ID)
				case trimtab.Opaque:
					words = append(words, "opaque:"+p.Kind)
				}
			}
			if say.Note {
				words = append(words, "(note)")
			}
		}
		all = append(all, string(t.Role)+": "+strings.Join(words, ", "))
	}
	return all
}

func TestOrder(t *testing.T) {
	thought := trimtab.Opaque{Kind: "thinking", By: trimtab.Model, Raw: json.RawMessage(`{}`)}
	foreign := reply(thought, text("a"))
	foreign.Model = "openai/gpt"
	for _, c := range []struct {
		name string
		in   []trimtab.Message
		want []string
	}{
		{"nothing", nil, nil},
		{"only blanks", []trimtab.Message{user(" \n")}, nil},
		{"in order", []trimtab.Message{user("a"), reply(text("b")), user("c")}, []string{"user: a", "assistant: b", "user: c"}},
		{"a call and its result", []trimtab.Message{user("a"), reply(call("x"), call("y")), result("y", "2"), result("x", "1")}, []string{"user: a", "assistant: call:x, call:y", "user: x=1, y=2"}},
		{"a word between call and result comes behind", []trimtab.Message{user("a"), reply(call("x")), note("n"), result("x", "1"), user("b")}, []string{"user: a", "assistant: call:x", "user: x=1, n, (note), b"}},
		{"a call without a result", []trimtab.Message{user("a"), reply(call("x")), user("b")}, []string{"user: a", "assistant: call:x", "user: !x=no result was recorded, b"}},
		{"a call at the end", []trimtab.Message{user("a"), reply(call("x"))}, []string{"user: a", "assistant: call:x", "user: !x=no result was recorded"}},
		{"a result without a call", []trimtab.Message{user("a"), result("x", "1")}, []string{"user: a, A tool that was called earlier gave this result:\n1"}},
		{"a second result", []trimtab.Message{user("a"), reply(call("x")), result("x", "1"), result("x", "2")}, []string{"user: a", "assistant: call:x", "user: x=1, A tool that was called earlier gave this result:\n2"}},
		{"two replies", []trimtab.Message{user("a"), reply(text("b")), reply(text("c")), user("d")}, []string{"user: a", "assistant: b", "user: Go on.", "assistant: c", "user: d"}},
		{"a reply first", []trimtab.Message{reply(text("b")), user("c")}, []string{"user: Go on.", "assistant: b", "user: c"}},
		{"a reply last", []trimtab.Message{user("a"), reply(text("b"))}, []string{"user: a", "assistant: b", "user: Go on."}},
		{"an id twice", []trimtab.Message{user("a"), reply(call("x")), result("x", "1"), reply(call("x")), result("x", "2")}, []string{"user: a", "assistant: call:x", "user: x=1", "assistant: call:call_2", "user: call_2=2"}},
		{"an id twice in a reply", []trimtab.Message{user("a"), reply(call("x"), call("x")), result("x", "1"), result("x", "2")}, []string{"user: a", "assistant: call:x, call:call_2", "user: x=1, call_2=2"}},
		{"an id that is none", []trimtab.Message{user("a"), reply(call("a b!")), result("a b!", "1")}, []string{"user: a", "assistant: call:call_1", "user: call_1=1"}},
		{"own thinking stays", []trimtab.Message{user("a"), reply(thought, text("b")), user("c")}, []string{"user: a", "assistant: opaque:thinking, b", "user: c"}},
		{"another's thinking goes", []trimtab.Message{user("x"), foreign, user("c")}, []string{"user: x", "assistant: a", "user: c"}},
		{"thinking alone is no reply", []trimtab.Message{user("a"), reply(thought), user("c")}, []string{"user: a, c"}},
		{"system inside is said in its place", []trimtab.Message{user("a"), trimtab.Say(trimtab.RoleSystem, trimtab.Host, "s")}, []string{"user: a, s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, lines(normalize.Order(c.in, model))); diff != "" {
				t.Error(diff)
			}
		})
	}
	talk := normalize.Order([]trimtab.Message{trimtab.Say(trimtab.RoleSystem, trimtab.Host, "s"), user("a")}, model)
	if diff := cmp.Diff([]string{"s"}, talk.System); diff != "" {
		t.Error(diff)
	}
}

func TestOrderLeavesTheHistoryAsItWas(t *testing.T) {
	in := []trimtab.Message{user("a"), reply(call("a b!"), text("\xff")), result("a b!", "1")}
	before, _ := json.Marshal(in)
	normalize.Order(in, model)
	if after, _ := json.Marshal(in); string(after) != string(before) {
		t.Errorf("before %s, after %s", before, after)
	}
}

func TestObjectIsAlwaysOne(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200)
	for in, want := range map[string]string{
		"": `{}`, "null": `{}`, "\t{\"a\":1}\n": `{"a":1}`, `"x"`: `{"input":"x"}`, `[1]`: `{"input":[1]}`, `{"a`: `{"input":"{\"a"}`, "7": `{"input":7}`,
	} {
		if got := string(normalize.Object(json.RawMessage(in))); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	if got := normalize.Object(json.RawMessage(deep)); !strings.HasPrefix(string(got), `{"input":"`) || !json.Valid(got) {
		t.Errorf("deep: %.60s", got)
	}
}

// TestObjectHasOneForm: what a store has written in its own way is sent as it was sent
// when the model had just said it.
func TestObjectHasOneForm(t *testing.T) {
	for in, want := range map[string]string{
		`{"command": "a && b <c> \\u003c \u2028", "depth": 4}`: `{"command":"a && b <c> \\u003c ` + "\u2028" + `","depth":4}`,
		`{"a":"\u00e9\u0041"}`:                                 `{"a":"\u00e9\u0041"}`,
	} {
		fresh := normalize.Object(json.RawMessage(in))
		stored, err := json.Marshal(trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "c", Name: "bash", Input: json.RawMessage(in)}}})
		if err != nil {
			t.Fatal(err)
		}
		var m trimtab.Message
		if err := json.Unmarshal(stored, &m); err != nil {
			t.Fatal(err)
		}
		again := normalize.Object(m.Parts[0].(trimtab.ToolCall).Input)
		if string(fresh) != want || string(again) != want {
			t.Errorf("fresh %s\nagain %s\nwant  %s", fresh, again, want)
		}
	}
}

func FuzzObject(f *testing.F) {
	for _, s := range []string{"", "{}", `{"a":[1,"]"]}`, `"\ud800"`, "\xff", "[[[[", "\"&\xff\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := normalize.Object(raw)
		var object map[string]any
		if err := json.Unmarshal(got, &object); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		if again := normalize.Object(got); string(again) != string(got) {
			t.Fatalf("%s, and then %s", got, again)
		}
		if stored, err := json.Marshal(json.RawMessage(raw)); err == nil && string(normalize.Object(stored)) != string(got) {
			t.Fatalf("%s, and from a store %s", got, normalize.Object(stored))
		}
	})
}

func TestAPictureGoesToEveryAPI(t *testing.T) {
	want := normalize.Image{Media: "image/png", Data: "aGk="}
	for _, raw := range []json.RawMessage{want.Anthropic(), want.Chat(), want.Gemini()} {
		if got, ok := normalize.Picture(trimtab.Opaque{Kind: "image", Raw: raw}); !ok || got != want {
			t.Errorf("%s: %+v", raw, got)
		}
	}
	for _, raw := range []string{"", "{}", `{"image_url":{"url":"https://example.org/x.png"}}`, `{"inlineData":{"mimeType":"text/html","data":"aGk="}}`, `{"inlineData":{"mimeType":"image/png","data":"no base64!"}}`} {
		if _, ok := normalize.Picture(trimtab.Opaque{Raw: json.RawMessage(raw)}); ok {
			t.Errorf("%s is no picture that we can pass on", raw)
		}
	}
}
