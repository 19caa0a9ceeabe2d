package wiretest

import (
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/wire"
)

// Anthropic is the Messages API.
func Anthropic() Corpus {
	return Corpus{
		Name: "anthropic", API: fakemodel.Anthropic, Encode: encodeAnthropic, Read: readAnthropic,
		Wrap: func(items ...string) string {
			return `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"},` + strings.Join(items, ",") + `]}`
		},
		Typed: func(texts ...string) string {
			var blocks []string
			for _, t := range texts {
				blocks = append(blocks, `{"type":"text","text":`+quote(t)+`}`)
			}
			return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
		},
		Typed1:  func(t string) string { return `{"role":"user","content":` + quote(t) + `}` },
		Foreign: foreignAnthropic, Stream: streamAnthropic, Document: documentAnthropic,
	}
}

// marker puts cache marks on blocks, as long as there are any left.
type marker struct {
	*Chance
	left int
}

func (m *marker) mark(o obj) obj {
	if m.left > 0 && m.One(6) {
		m.left--
		return o.add("cache_control", obj{{"type", "ephemeral"}})
	}
	return o
}

func encodeAnthropic(t Talk, c *Chance, tidy bool) []byte {
	m := &marker{c, c.N(5)}
	if tidy {
		m.left = 0
	}
	messages := arr{}
	pending := false
	for _, e := range t.Entries {
		messages = append(messages, m.anthropic(e, &pending)...)
		if e.System != "" {
			content := any(e.System)
			if c.One(2) {
				content = arr{m.mark(obj{{"type", "text"}, {"text", e.System}})}
			}
			msg := obj{{"role", "system"}, {"content", content}}
			if c.One(3) {
				msg = msg.add("output_config", obj{{"effort", "medium"}})
			}
			messages = append(messages, msg)
		}
	}
	system := any(t.System)
	if tidy || c.One(2) {
		system = arr{obj{{"type", "text"}, {"text", t.System}}, m.mark(obj{{"type", "text"}, {"text", "identity"}})}
	}
	tools := arr{}
	for i := range t.Tools {
		tools = append(tools, m.mark(obj{{"name", fmt.Sprint("tool", i)}, {"description", "“x”"}, {"input_schema", obj{{"type", "object"}, {"properties", obj{{"cache_control", obj{{"type", "string"}}}}}}}}))
	}
	body := obj{
		{"model", "claude-opus-5"},
		{"max_tokens", 1000},
		{"temperature", lit("1.0e0")},
		{"messages", messages},
		{"system", system},
		{"tools", tools},
		{"metadata", obj{{"user_id", `{"device_id":"d","session_id":"s-1"}`}}},
		{"stream", tidy || c.One(2)},
		{"thinking", obj{{"type", "adaptive"}}},
	}
	s := c.style()
	if tidy {
		s = plain(c)
	}
	return s.ws(s.value(s.ws(nil), body))
}

func (m *marker) anthropic(e Entry, pending *bool) arr {
	var blocks arr
	switch e.Who {
	case Prompt:
		if len(e.Texts) == 1 && !e.Picture && m.One(2) {
			return arr{obj{{"role", "user"}, {"content", e.Texts[0]}}}
		}
		for _, t := range e.Texts {
			blocks = append(blocks, m.mark(obj{{"type", "text"}, {"text", t}}))
		}
		if e.Picture {
			blocks = append(blocks, obj{{"type", "image"}, {"source", obj{{"type", "base64"}, {"media_type", "image/png"}, {"data", strings.Repeat("QUJD", 30)}}}})
		}
		return arr{obj{{"role", "user"}, {"content", blocks}}}
	case Tools:
		return m.results(e)
	}
	if *pending && !e.Pending {
		blocks = append(blocks, obj{{"type", "code_execution_tool_result"}, {"tool_use_id", "srv"}, {"content", obj{{"type", "code_execution_result"}, {"stdout", "ok"}}}})
	}
	if e.Thought != "" {
		blocks = append(blocks, obj{{"type", "thinking"}, {"thinking", e.Thought}, {"signature", "c2ln"}})
	}
	for _, t := range e.Texts {
		blocks = append(blocks, m.mark(obj{{"type", "text"}, {"text", t}}))
	}
	for range e.Server {
		blocks = append(blocks, obj{{"type", "server_tool_use"}, {"id", "ws"}, {"name", "web_search"}, {"input", obj{{"query", "q"}}}},
			obj{{"type", "web_search_tool_result"}, {"tool_use_id", "ws"}, {"content", arr{}}})
	}
	if e.Pending && !*pending {
		blocks = append(blocks, obj{{"type", "server_tool_use"}, {"id", "srv"}, {"name", "code_execution"}, {"input", obj{{"code", "x"}}}})
	}
	*pending = e.Pending
	for _, call := range e.Calls {
		blocks = append(blocks, m.mark(obj{{"type", "tool_use"}, {"id", call.ID}, {"name", call.Name}, {"input", lit(call.Input)}}))
	}
	return arr{obj{{"role", "assistant"}, {"content", blocks}}}
}

// results writes tool results, in one user message or spread over two.
func (m *marker) results(e Entry) arr {
	var blocks arr
	for _, r := range e.Results {
		o := obj{{"tool_use_id", r.ID}, {"type", "tool_result"}}
		switch {
		case r.Parts:
			o = o.add("content", arr{m.mark(obj{{"type", "text"}, {"text", r.Text}}), obj{{"type", "text"}, {"text", "more"}}})
		default:
			o = o.add("content", r.Text)
		}
		if r.Failed || m.One(3) {
			o = o.add("is_error", r.Failed)
		}
		blocks = append(blocks, m.mark(o))
	}
	var out arr
	if len(blocks) > 1 && m.One(5) {
		out = append(out, obj{{"role", "user"}, {"content", blocks[:1:1]}})
		blocks = blocks[1:]
	}
	for _, t := range e.Texts {
		blocks = append(blocks, obj{{"type", "text"}, {"text", t}})
	}
	return append(out, obj{{"role", "user"}, {"content", blocks}})
}

func readAnthropic(body []byte) ([]Seen, error) {
	v, err := decode(body)
	if err != nil {
		return nil, err
	}
	var out []Seen
	for _, m := range array(get(v, "messages")) {
		s := Seen{Role: text(get(m, "role")), Model: text(get(m, "role")) == "assistant"}
		if c, ok := get(m, "content").(string); ok {
			s.Text = c
		}
		for _, b := range array(get(m, "content")) {
			switch text(get(b, "type")) {
			case "text":
				s.Text += text(get(b, "text"))
			case "tool_use":
				s.Calls = append(s.Calls, Call{ID: text(get(b, "id")), Name: text(get(b, "name")), Input: encode(get(b, "input"))})
			case "tool_result":
				failed, _ := get(b, "is_error").(bool)
				words, others := resultText(get(b, "content"))
				s.Results = append(s.Results, Result{ID: text(get(b, "tool_use_id")), Text: words, Failed: failed})
				s.Others += others
			default:
				s.Others++
			}
		}
		out = append(out, s)
	}
	return out, nil
}

// resultText joins the texts of a result and counts what is none.
func resultText(v any) (string, int) {
	if s, ok := v.(string); ok {
		return s, 0
	}
	var texts []string
	others := 0
	for _, p := range array(v) {
		if t, ok := get(p, "text").(string); ok {
			texts = append(texts, t)
		} else {
			others++
		}
	}
	return strings.Join(texts, "\n"), others
}

func foreignAnthropic(words string) []Placed {
	w := quote(words)
	call := `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Read","input":{}}]},`
	result := func(rest string) string {
		return call + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":` + rest + `]}`
	}
	return []Placed{
		{"the model's text", `{"role":"assistant","content":` + w + `}`},
		{"a text block of the model's", `{"role":"assistant","content":[{"type":"text","text":` + w + `}]}`},
		{"thinking", `{"role":"assistant","content":[{"type":"thinking","thinking":` + w + `,"signature":"s"}]}`},
		{"a call's input", `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":` + w + `}}]}`},
		{"a call's name", `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":` + w + `,"input":{}}]}`},
		{"a tool's result", result(w + `}`)},
		{"a tool's failed result", result(w + `,"is_error":true}`)},
		{"a tool's result in parts", result(`[{"type":"text","text":` + w + `}]}`)},
		{"a document in a result", result(`[{"type":"document","source":{"type":"text","data":` + w + `}}]}`)},
		{"text behind a result", result(`"x"},{"type":"text","text":` + w + `}`)},
		{"text before a result", call + `{"role":"user","content":[{"type":"text","text":` + w + `},{"type":"tool_result","tool_use_id":"t","content":"x"}]}`},
		{"a system message", `{"role":"system","content":` + w + `}`},
		{"a system message in blocks", `{"role":"system","content":[{"type":"text","text":` + w + `}]}`},
		{"a document", `{"role":"user","content":[{"type":"document","title":` + w + `,"source":{"type":"text","media_type":"text/plain","data":` + w + `}}]}`},
		{"a search result", `{"role":"user","content":[{"type":"search_result","title":` + w + `,"content":[{"type":"text","text":` + w + `}]}]}`},
		{"a server tool", `{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":` + w + `}},{"type":"web_search_tool_result","tool_use_id":"s","content":[{"title":` + w + `}]}]}`},
		{"an unknown block", `{"role":"user","content":[{"type":"new_thing","text":` + w + `}]}`},
		{"an unknown member", `{"role":"user","note":` + w + `,"content":"x"}`},
	}
}

func streamAnthropic(s Said, c *Chance) []byte {
	e := newEvents(c)
	usage := obj{{"input_tokens", s.Usage[0]}, {"cache_read_input_tokens", s.Usage[2]}, {"cache_creation_input_tokens", s.Usage[3]}, {"output_tokens", 1}}
	put := func(name string, rest obj) { e.put(name, append(obj{{"type", name}}, rest...)) }
	put("message_start", obj{{"message", obj{{"id", "msg_1"}, {"type", "message"}, {"role", "assistant"}, {"model", "claude-x"}, {"content", arr{}}, {"stop_reason", nil}, {"usage", usage}}}})
	n := 0
	block := func(start obj, deltas ...obj) {
		put("content_block_start", obj{{"index", n}, {"content_block", start}})
		for _, d := range deltas {
			if c.One(6) {
				put("ping", nil)
			}
			put("content_block_delta", obj{{"index", n}, {"delta", d}})
		}
		put("content_block_stop", obj{{"index", n}})
		n++
	}
	if s.Thought != "" {
		var deltas []obj
		for _, p := range split(c, s.Thought) {
			deltas = append(deltas, obj{{"type", "thinking_delta"}, {"thinking", p}})
		}
		block(obj{{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}, append(deltas, obj{{"type", "signature_delta"}, {"signature", s.Sign}})...)
	}
	if s.Text != "" {
		var deltas []obj
		for _, p := range split(c, s.Text) {
			deltas = append(deltas, obj{{"type", "text_delta"}, {"text", p}})
		}
		block(obj{{"type", "text"}, {"text", ""}}, deltas...)
	}
	for _, call := range s.Calls {
		deltas := []obj{{{"type", "input_json_delta"}, {"partial_json", ""}}}
		for _, p := range split(c, call.Input) {
			deltas = append(deltas, obj{{"type", "input_json_delta"}, {"partial_json", p}})
		}
		block(obj{{"type", "tool_use"}, {"id", call.ID}, {"name", call.Name}, {"input", obj{}}}, deltas...)
	}
	put("message_delta", obj{{"delta", obj{{"stop_reason", anthropicStop(s.Stop)}, {"stop_sequence", nil}}}, {"usage", obj{{"output_tokens", s.Usage[1]}}}})
	put("message_stop", nil)
	return e.out
}

func anthropicStop(s wire.Stop) string {
	return map[wire.Stop]string{wire.StopEnd: "end_turn", wire.StopCalls: "tool_use", wire.StopLength: "max_tokens"}[s]
}

func documentAnthropic(s Said) []byte {
	var content arr
	if s.Thought != "" {
		content = append(content, obj{{"type", "thinking"}, {"thinking", s.Thought}, {"signature", s.Sign}})
	}
	if s.Text != "" {
		content = append(content, obj{{"type", "text"}, {"text", s.Text}})
	}
	for _, call := range s.Calls {
		content = append(content, obj{{"type", "tool_use"}, {"id", call.ID}, {"name", call.Name}, {"input", lit(call.Input)}})
	}
	usage := obj{{"input_tokens", s.Usage[0]}, {"cache_read_input_tokens", s.Usage[2]}, {"cache_creation_input_tokens", s.Usage[3]}, {"output_tokens", s.Usage[1]}}
	return plain(NewChance(1)).value(nil, obj{
		{"id", "msg_1"},
		{"type", "message"},
		{"role", "assistant"},
		{"model", "claude-x"},
		{"content", content},
		{"stop_reason", anthropicStop(s.Stop)},
		{"usage", usage},
	})
}
