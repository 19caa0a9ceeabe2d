package wiretest

import (
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/wire"
)

// OpenAIChat is the Chat Completions API.
func OpenAIChat() Corpus {
	return Corpus{
		Name: "openaichat", API: fakemodel.Chat, Encode: encodeChat, Read: readChat,
		Wrap: func(items ...string) string {
			return `{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"go"},` + strings.Join(items, ",") + `]}`
		},
		Typed: func(texts ...string) string {
			var parts []string
			for _, t := range texts {
				parts = append(parts, `{"type":"text","text":`+quote(t)+`}`)
			}
			return `{"role":"user","content":[` + strings.Join(parts, ",") + `]}`
		},
		Typed1:  func(t string) string { return `{"role":"user","content":` + quote(t) + `}` },
		Foreign: foreignChat, Stream: streamChat, Document: documentChat,
	}
}

func encodeChat(t Talk, c *Chance, tidy bool) []byte {
	m := &marker{c, 4}
	if tidy {
		m.left = 0
	}
	messages := arr{}
	for range c.N(3) {
		messages = append(messages, obj{{"role", Pick(c, "system", "developer")}, {"content", leadingSystem}})
	}
	for _, e := range t.Entries {
		messages = append(messages, m.chat(e)...)
		if e.System != "" {
			messages = append(messages, obj{{"role", "developer"}, {"content", e.System}})
		}
	}
	tools := arr{}
	for i := range t.Tools {
		tools = append(tools, obj{{"type", "function"}, {"function", obj{{"name", fmt.Sprint("tool", i)}, {"parameters", obj{}}}}})
	}
	body := obj{{"model", "gpt-x"}, {"messages", messages}, {"temperature", lit("1.00")}}
	if t.Tools > 0 {
		body = body.add("tools", tools)
	}
	if tidy || c.One(2) {
		body = body.add("stream", true).add("stream_options", obj{{"include_usage", true}})
	}
	s := c.style()
	if tidy {
		s = plain(c)
	}
	return s.ws(s.value(s.ws(nil), body))
}

func (m *marker) chat(e Entry) arr {
	switch e.Who {
	case Prompt:
		if len(e.Texts) == 1 && !e.Picture && m.One(2) {
			return arr{obj{{"role", "user"}, {"content", e.Texts[0]}}}
		}
		return arr{obj{{"role", "user"}, {"content", m.chatParts(e)}}}
	case Tools:
		var out arr
		for _, r := range e.Results {
			content := any(r.Text)
			if r.Parts {
				content = arr{obj{{"type", "text"}, {"text", r.Text}}}
			}
			out = append(out, obj{{"role", "tool"}, {"tool_call_id", r.ID}, {"content", content}})
		}
		if len(e.Texts) > 0 {
			out = append(out, obj{{"role", "user"}, {"content", m.chatParts(e)}})
		}
		return out
	}
	msg := obj{{"role", "assistant"}}
	switch {
	case len(e.Texts) > 0:
		msg = msg.add("content", e.Texts[0])
	case m.One(2):
		msg = msg.add("content", nil)
	}
	if e.Thought != "" {
		msg = msg.add("reasoning_content", e.Thought)
	}
	calls := arr{}
	for _, call := range e.Calls {
		o := obj{{"id", call.ID}, {"type", "function"}, {"function", obj{{"name", call.Name}, {"arguments", call.Input}}}}
		if call.Plain {
			o = obj{{"id", call.ID}, {"type", "custom"}, {"custom", obj{{"name", call.Name}, {"input", call.Input}}}}
		}
		calls = append(calls, o)
	}
	if len(calls) > 0 {
		msg = msg.add("tool_calls", calls)
	}
	return arr{msg}
}

func (m *marker) chatParts(e Entry) arr {
	var parts arr
	for _, t := range e.Texts {
		parts = append(parts, m.mark(obj{{"type", "text"}, {"text", t}}))
	}
	if e.Picture {
		parts = append(parts, obj{{"type", "image_url"}, {"image_url", obj{{"url", "data:image/png;base64,QUJD"}}}})
	}
	return parts
}

func readChat(body []byte) ([]Seen, error) {
	v, err := decode(body)
	if err != nil {
		return nil, err
	}
	var out []Seen
	for _, m := range array(get(v, "messages")) {
		role := text(get(m, "role"))
		s := Seen{Role: role, Model: role == "assistant"}
		if role == "developer" {
			s.Role = "system"
		}
		if role == "tool" {
			words, others := resultText(get(m, "content"))
			s.Results, s.Others = []Result{{ID: text(get(m, "tool_call_id")), Text: words}}, others
			out = append(out, s)
			continue
		}
		s.Text = text(get(m, "content"))
		for _, p := range array(get(m, "content")) {
			if t, ok := get(p, "text").(string); ok {
				s.Text += t
			} else {
				s.Others++
			}
		}
		if text(get(m, "reasoning_content")) != "" {
			s.Others++
		}
		for _, c := range array(get(m, "tool_calls")) {
			call := Call{ID: text(get(c, "id")), Name: text(get(c, "function", "name")), Input: text(get(c, "function", "arguments"))}
			if custom := get(c, "custom"); custom != nil {
				call.Name, call.Input = text(get(custom, "name")), encode(get(custom, "input"))
			}
			s.Calls = append(s.Calls, call)
		}
		out = append(out, s)
	}
	return out, nil
}

func foreignChat(words string) []Placed {
	w := quote(words)
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"read","arguments":"{}"}}]},`
	return []Placed{
		{"the model's text", `{"role":"assistant","content":` + w + `}`},
		{"the model's text in parts", `{"role":"assistant","content":[{"type":"text","text":` + w + `}]}`},
		{"a refusal", `{"role":"assistant","content":[{"type":"refusal","refusal":` + w + `}]}`},
		{"reasoning", `{"role":"assistant","content":"x","reasoning_content":` + w + `}`},
		{"reasoning by another name", `{"role":"assistant","content":"x","reasoning":` + w + `}`},
		{"a call's arguments", `{"role":"assistant","tool_calls":[{"id":"t","type":"function","function":{"name":"sh","arguments":` + quote(`{"c":`+w+`}`) + `}}]}`},
		{"a call's name", `{"role":"assistant","tool_calls":[{"id":"t","type":"function","function":{"name":` + w + `,"arguments":"{}"}}]}`},
		{"a custom call", `{"role":"assistant","tool_calls":[{"id":"t","type":"custom","custom":{"name":"x","input":` + w + `}}]}`},
		{"an old call", `{"role":"assistant","content":null,"function_call":{"name":"x","arguments":` + w + `}}`},
		{"a tool message", call + `{"role":"tool","tool_call_id":"t","content":` + w + `}`},
		{"a tool message in parts", call + `{"role":"tool","tool_call_id":"t","content":[{"type":"text","text":` + w + `}]}`},
		{"an old function message", `{"role":"function","name":"f","content":` + w + `}`},
		{"a system message", `{"role":"system","content":` + w + `}`},
		{"a developer message", `{"role":"developer","content":[{"type":"text","text":` + w + `}]}`},
		{"a file", `{"role":"user","content":[{"type":"file","file":{"filename":` + w + `,"file_data":` + w + `}}]}`},
		{"an image", `{"role":"user","content":[{"type":"image_url","image_url":{"url":` + w + `}}]}`},
		{"an unknown part", `{"role":"user","content":[{"type":"new_thing","text":` + w + `}]}`},
		{"a name", `{"role":"user","name":` + w + `,"content":"x"}`},
	}
}

func chatUsage(s Said) obj {
	return obj{{"prompt_tokens", s.Usage[0] + s.Usage[2]}, {"completion_tokens", s.Usage[1]}, {"prompt_tokens_details", obj{{"cached_tokens", s.Usage[2]}}}}
}

func chatStop(s wire.Stop) string {
	return map[wire.Stop]string{wire.StopEnd: "stop", wire.StopCalls: "tool_calls", wire.StopLength: "length"}[s]
}

func streamChat(s Said, c *Chance) []byte {
	e := newEvents(c)
	chunk := func(delta obj, finish any) {
		e.put("", obj{{"id", "c"}, {"object", "chat.completion.chunk"}, {"model", "gpt-x"}, {"choices", arr{obj{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}}}, {"usage", nil}})
	}
	chunk(obj{{"role", "assistant"}, {"content", ""}}, nil)
	for _, p := range split(c, s.Thought) {
		chunk(obj{{"reasoning_content", p}, {"content", nil}}, nil)
	}
	for _, p := range split(c, s.Text) {
		chunk(obj{{"content", p}}, nil)
	}
	for i, call := range s.Calls {
		chunk(obj{{"tool_calls", arr{obj{{"index", i}, {"id", call.ID}, {"type", "function"}, {"function", obj{{"name", call.Name}, {"arguments", ""}}}}}}}, nil)
		for _, p := range split(c, call.Input) {
			chunk(obj{{"tool_calls", arr{obj{{"index", i}, {"function", obj{{"arguments", p}}}}}}}, nil)
		}
	}
	chunk(obj{}, chatStop(s.Stop))
	e.put("", obj{{"id", "c"}, {"model", "gpt-x"}, {"choices", arr{}}, {"usage", chatUsage(s)}})
	e.put("", "[DONE]")
	return e.out
}

func documentChat(s Said) []byte {
	msg := obj{{"role", "assistant"}}
	if s.Text != "" {
		msg = msg.add("content", s.Text)
	} else {
		msg = msg.add("content", nil)
	}
	if s.Thought != "" {
		msg = append(obj{{"reasoning_content", s.Thought}}, msg...)
	}
	calls := arr{}
	for _, call := range s.Calls {
		calls = append(calls, obj{{"id", call.ID}, {"type", "function"}, {"function", obj{{"name", call.Name}, {"arguments", call.Input}}}})
	}
	if len(calls) > 0 {
		msg = msg.add("tool_calls", calls)
	}
	return plain(NewChance(1)).value(nil, obj{{"id", "c"}, {"model", "gpt-x"}, {"choices", arr{obj{{"index", 0}, {"message", msg}, {"finish_reason", chatStop(s.Stop)}}}}, {"usage", chatUsage(s)}})
}
