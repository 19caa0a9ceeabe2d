package wiretest

import (
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/wire"
)

// Responses is the Responses API.
func Responses() Corpus {
	message := func(role, kind string, texts []string) string {
		var parts []string
		for _, t := range texts {
			parts = append(parts, `{"type":"`+kind+`","text":`+quote(t)+`}`)
		}
		return `{"type":"message","role":"` + role + `","content":[` + strings.Join(parts, ",") + `]}`
	}
	return Corpus{
		Name: "responses", API: fakemodel.Responses, Encode: encodeResponses, Read: readResponses,
		Wrap: func(items ...string) string {
			return `{"model":"m","input":[` + message("user", "input_text", []string{"go"}) + `,` + strings.Join(items, ",") + `]}`
		},
		Typed:   func(texts ...string) string { return message("user", "input_text", texts) },
		Typed1:  func(t string) string { return `{"role":"user","content":` + quote(t) + `}` },
		Foreign: foreignResponses, Stream: streamResponses, Document: documentResponses,
	}
}

func encodeResponses(t Talk, c *Chance, tidy bool) []byte {
	input := arr{}
	if c.One(4) {
		input = append(input, obj{{"type", "additional_tools"}, {"role", "developer"}, {"tools", arr{obj{{"type", "namespace"}, {"name", "functions"}}}}})
	}
	if c.One(2) {
		input = append(input, obj{{"type", "message"}, {"role", "developer"}, {"content", arr{obj{{"type", "input_text"}, {"text", leadingSystem}}}}})
	}
	for _, e := range t.Entries {
		input = append(input, c.responses(e)...)
		if e.System != "" {
			input = append(input, obj{{"role", "developer"}, {"content", e.System}})
		}
	}
	list := any(input)
	if len(t.Entries) == 1 && len(t.Entries[0].Texts) == 1 && c.One(2) {
		list = t.Entries[0].Texts[0]
	}
	tools := arr{}
	for i := range t.Tools {
		tools = append(tools, obj{{"type", "function"}, {"name", fmt.Sprint("tool", i)}})
	}
	body := obj{
		{"model", "gpt-x"},
		{"stream", tidy || c.One(2)},
		{"instructions", t.System},
		{"input", list},
		{"tools", tools},
		{"store", false},
		{"prompt_cache_key", "s-1"},
		{"include", arr{"reasoning.encrypted_content"}},
	}
	s := c.style()
	if tidy {
		s = plain(c)
	}
	return s.ws(s.value(s.ws(nil), body))
}

// id makes an item's id, which begins as the API has it.
func (c *Chance) id(prefix string) string { return fmt.Sprint(prefix, "_", c.N(1e9)) }

func (c *Chance) item(prefix string, o obj) obj {
	if c.One(2) {
		o = o.add("id", c.id(prefix))
	}
	if c.One(3) {
		o = o.add("status", "completed")
	}
	return o
}

func (c *Chance) said(role, kind string, e Entry) obj {
	var parts arr
	var by arr
	for _, t := range e.Texts {
		p := obj{{"type", kind}, {"text", t}}
		if kind == "output_text" && c.One(2) {
			p = p.add("annotations", arr{})
		}
		parts = append(parts, p)
		by = append(by, obj{{"provenance", obj{{"type", "user"}}}})
	}
	if e.Picture {
		parts = append(parts, obj{{"type", "input_image"}, {"image_url", "data:image/png;base64,QUJD"}})
	}
	o := obj{{"role", role}}
	if c.One(2) {
		o = obj{{"type", "message"}, {"role", role}}
	}
	if len(e.Texts) == 1 && !e.Picture && c.One(2) {
		return c.item("msg", o.add("content", e.Texts[0]))
	}
	o = o.add("content", parts)
	if role == "user" && c.One(4) {
		o = o.add("internal_chat_message_metadata_passthrough", obj{{"turn_id", "t"}, {"content_item_metadata", by}})
	}
	return c.item("msg", o)
}

func (c *Chance) responses(e Entry) arr {
	var out arr
	switch e.Who {
	case Prompt:
		return arr{c.said("user", "input_text", e)}
	case Tools:
		for _, r := range e.Results {
			output := any(r.Text)
			if r.Parts {
				output = arr{obj{{"type", "input_text"}, {"text", r.Text}}}
			}
			out = append(out, c.item("out", obj{{"type", resultKind(r.Name)}, {"call_id", r.ID}, {"output", output}}))
		}
		if len(e.Texts) > 0 {
			out = append(out, c.said("user", "input_text", Entry{Texts: e.Texts}))
		}
		return out
	}
	if e.Thought != "" {
		out = append(out, obj{{"type", "reasoning"}, {"id", c.id("rs")}, {"summary", arr{obj{{"type", "summary_text"}, {"text", e.Thought}}}}, {"encrypted_content", "RU5D"}})
	}
	for range e.Server {
		out = append(out, obj{{"type", "web_search_call"}, {"id", c.id("ws")}, {"status", "completed"}, {"action", obj{{"type", "search"}, {"query", "q"}}}})
	}
	if len(e.Texts) > 0 {
		out = append(out, c.said("assistant", "output_text", Entry{Texts: e.Texts}))
	}
	for _, call := range e.Calls {
		if n := len(out); n > 0 && c.One(12) && out[n-1].(obj)[0].V != "reasoning" { // a host's hook
			out = append(out, obj{{"type", "message"}, {"role", "developer"}, {"content", arr{obj{{"type", "input_text"}, {"text", "context of a hook"}}}}})
		}
		switch resultKind(call.Name) {
		case "custom_tool_call_output":
			out = append(out, c.item("ctc", obj{{"type", "custom_tool_call"}, {"call_id", call.ID}, {"name", call.Name}, {"input", call.Input}}))
		case "local_shell_call_output":
			out = append(out, c.item("lsh", obj{{"type", "local_shell_call"}, {"call_id", call.ID}, {"action", lit(call.Input)}}))
		default:
			out = append(out, c.item("fc", obj{{"type", "function_call"}, {"call_id", call.ID}, {"name", call.Name}, {"arguments", call.Input}}))
		}
	}
	return out
}

// resultKind says how a tool's results are called, by the tool.
func resultKind(name string) string {
	switch name {
	case "Bash":
		return "custom_tool_call_output"
	case "shell":
		return "local_shell_call_output"
	}
	return "function_call_output"
}

func readResponses(body []byte) ([]Seen, error) {
	v, err := decode(body)
	if err != nil {
		return nil, err
	}
	if s, ok := get(v, "input").(string); ok {
		return []Seen{{Role: "user", Text: s}}, nil
	}
	var out []Seen
	open := map[string]bool{}
	for i, it := range array(get(v, "input")) {
		s := seenItem(it)
		if s.Model {
			s.Inside = i > 0 && out[i-1].Model || len(open) > 0
			for _, c := range s.Calls {
				open[c.ID] = true
			}
		}
		for _, r := range s.Results {
			delete(open, r.ID)
		}
		if s.Role == "user" {
			clear(open)
		}
		out = append(out, s)
	}
	return out, nil
}

func seenItem(it any) Seen {
	kind := text(get(it, "type"))
	switch kind {
	case "", "message":
		s := Seen{Role: text(get(it, "role")), Text: text(get(it, "content"))}
		if s.Role == "developer" {
			s.Role = "system"
		}
		s.Model = s.Role == "assistant"
		for _, p := range array(get(it, "content")) {
			if t, ok := get(p, "text").(string); ok {
				s.Text += t
			} else {
				s.Others++
			}
		}
		return s
	case "additional_tools":
		return Seen{Role: "system", Others: 1}
	case "function_call":
		return Seen{Role: "assistant", Model: true, Calls: []Call{{ID: text(get(it, "call_id")), Name: text(get(it, "name")), Input: text(get(it, "arguments"))}}}
	case "custom_tool_call":
		return Seen{Role: "assistant", Model: true, Calls: []Call{{ID: text(get(it, "call_id")), Name: text(get(it, "name")), Input: encode(get(it, "input"))}}}
	case "local_shell_call":
		return Seen{Role: "assistant", Model: true, Calls: []Call{{ID: text(get(it, "call_id")), Name: "local_shell", Input: encode(get(it, "action"))}}}
	}
	if strings.HasSuffix(kind, "_output") {
		words, others := resultText(get(it, "output"))
		return Seen{Role: "tool", Results: []Result{{ID: text(get(it, "call_id")), Text: words}}, Others: others}
	}
	return Seen{Role: "assistant", Model: true, Others: 1}
}

func foreignResponses(words string) []Placed {
	w := quote(words)
	call := `{"type":"function_call","call_id":"t","name":"read","arguments":"{}"},`
	by := func(kind string) string {
		return `{"type":"message","role":"user","content":[{"type":"input_text","text":` + w + `}],"internal_chat_message_metadata_passthrough":{"content_item_metadata":[{"provenance":{"type":"` + kind + `"}}]}}`
	}
	return []Placed{
		{"the model's text", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":` + w + `}]}`},
		{"the model's plain text", `{"role":"assistant","content":` + w + `}`},
		{"a refusal", `{"role":"assistant","content":[{"type":"refusal","refusal":` + w + `}]}`},
		{"a thought", `{"type":"reasoning","summary":[{"type":"summary_text","text":` + w + `}],"content":[{"type":"reasoning_text","text":` + w + `}],"encrypted_content":` + w + `}`},
		{"a call's arguments", `{"type":"function_call","call_id":"t","name":"sh","arguments":` + quote(`{"c":`+w+`}`) + `}`},
		{"a call's name", `{"type":"function_call","call_id":"t","name":` + w + `,"arguments":"{}"}`},
		{"a custom call", `{"type":"custom_tool_call","call_id":"t","name":"exec","input":` + w + `}`},
		{"a shell call", `{"type":"local_shell_call","call_id":"t","action":{"command":[` + w + `]}}`},
		{"an output", call + `{"type":"function_call_output","call_id":"t","output":` + w + `}`},
		{"an output in parts", call + `{"type":"function_call_output","call_id":"t","output":[{"type":"input_text","text":` + w + `}]}`},
		{"a custom output", `{"type":"custom_tool_call_output","call_id":"t","output":` + w + `}`},
		{"a developer message", `{"type":"message","role":"developer","content":[{"type":"input_text","text":` + w + `}]}`},
		{"a system message", `{"role":"system","content":` + w + `}`},
		{"tools", `{"type":"additional_tools","role":"developer","tools":[{"type":"custom","name":"x","description":` + w + `}]}`},
		{"a search", `{"type":"web_search_call","id":"w","action":{"query":` + w + `}}`},
		{"a compaction", `{"type":"compaction","encrypted_content":` + w + `}`},
		{"an unknown item", `{"type":"new_thing","role":"user","content":` + w + `}`},
		{"a file", `{"role":"user","content":[{"type":"input_file","filename":` + w + `,"file_data":` + w + `}]}`},
		{"an unknown part", `{"role":"user","content":[{"type":"new_thing","text":` + w + `}]}`},
		{"what the harness says it wrote", by("harness")},
		{"what a skill says it wrote", by("skills")},
		{"what a tool says it wrote", by("tool")},
	}
}

func responseItems(s Said) arr {
	var items arr
	if s.Thought != "" {
		items = append(items, obj{{"id", "rs_1"}, {"type", "reasoning"}, {"summary", arr{obj{{"type", "summary_text"}, {"text", s.Thought}}}}, {"encrypted_content", s.Sign}})
	}
	if s.Text != "" {
		items = append(items, obj{{"id", "msg_1"}, {"type", "message"}, {"status", "completed"}, {"role", "assistant"}, {"content", arr{obj{{"type", "output_text"}, {"text", s.Text}, {"annotations", arr{}}}}}})
	}
	for _, call := range s.Calls {
		items = append(items, obj{{"id", "fc_1"}, {"type", "function_call"}, {"call_id", call.ID}, {"name", call.Name}, {"arguments", call.Input}})
	}
	return items
}

func responseEnd(s Said) obj {
	o := obj{
		{"id", "resp_1"},
		{"object", "response"},
		{"model", "gpt-x"},
		{"error", nil},
		{"output", responseItems(s)},
		{"usage", obj{{"input_tokens", s.Usage[0] + s.Usage[2]}, {"input_tokens_details", obj{{"cached_tokens", s.Usage[2]}}}, {"output_tokens", s.Usage[1]}}},
	}
	if s.Stop == wire.StopLength {
		return o.add("status", "incomplete").add("incomplete_details", obj{{"reason", "max_output_tokens"}})
	}
	return o.add("status", "completed").add("incomplete_details", nil)
}

func streamResponses(s Said, c *Chance) []byte {
	e := newEvents(c)
	put := func(name string, rest obj) { e.put(name, append(obj{{"type", name}}, rest...)) }
	put("response.created", obj{{"response", obj{{"id", "resp_1"}, {"model", "gpt-x"}, {"status", "in_progress"}, {"output", arr{}}}}})
	for n, it := range responseItems(s) {
		item := it.(obj)
		at := func(rest ...mem) obj { return append(obj{{"output_index", n}}, rest...) }
		var name, words string
		empty := obj{}
		for _, m := range item {
			switch m.K {
			case "content", "summary":
				empty = empty.add(m.K, arr{})
			case "arguments":
				empty = empty.add(m.K, "")
				name, words = "response.function_call_arguments.delta", m.V.(string)
			case "encrypted_content":
				name, words = "response.reasoning_summary_text.delta", s.Thought
			default:
				empty = empty.add(m.K, m.V)
			}
		}
		if name == "" {
			name, words = "response.output_text.delta", s.Text
		}
		put("response.output_item.added", at(mem{"item", empty}))
		for _, p := range split(c, words) {
			put(name, at(mem{"delta", p}))
		}
		put("response.output_item.done", at(mem{"item", item}))
	}
	name := "response.completed"
	if s.Stop == wire.StopLength {
		name = "response.incomplete"
	}
	put(name, obj{{"response", responseEnd(s)}})
	return e.out
}

func documentResponses(s Said) []byte { return plain(NewChance(1)).value(nil, responseEnd(s)) }
