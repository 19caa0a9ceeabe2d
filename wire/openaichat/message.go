package openaichat

import (
	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/internal/decode"
)

// Message decodes one message.
func (Format) Message(b *wire.Body, i int) trimtab.Message {
	it := &b.Items[i]
	var content, calls, call, id, name []byte
	m := trimtab.Message{Role: it.Role}
	for key, v := range jsonscan.Members(b.Bytes(it.Span)) {
		switch string(key) {
		case "content":
			content = v
		case "tool_calls":
			calls = v
		case "function_call":
			call = v
		case "tool_call_id":
			id = v
		case "name":
			name = v
		case "reasoning_content", "reasoning", "reasoning_details", "reasoning_text", "reasoning_opaque", "thinking_blocks":
			if len(v) > 2 && !jsonscan.Null(v) {
				m.Parts = append(m.Parts, decode.Opaque(string(key), trimtab.Model, v))
			}
		}
	}
	if it.Role == trimtab.RoleTool {
		if id == nil {
			id = name // before there were tools
		}
		m.Parts = append(m.Parts, decode.Result(decode.String(id), false, content)...)
		return m
	}
	m.Parts = append(m.Parts, said(content, it.Role)...)
	for v := range jsonscan.Elements(calls) {
		m.Parts = append(m.Parts, asked(v))
	}
	if !jsonscan.Null(call) {
		name := decode.String(jsonscan.Find(call, "name"))
		m.Parts = append(m.Parts, trimtab.ToolCall{ID: name, Name: name, Input: arguments(call)})
	}
	return m
}

// said decodes content: a text, or parts.
func said(content []byte, role trimtab.Role) []trimtab.Part {
	var d markup.Divider
	if len(content) > 0 && content[0] == '"' {
		return text(content, role, &d)
	}
	var parts []trimtab.Part
	for v := range jsonscan.Elements(content) {
		kind := decode.String(jsonscan.Find(v, "type"))
		switch words := jsonscan.Find(v, kind); kind {
		case "text", "refusal":
			parts = append(parts, text(words, role, &d)...)
		default:
			parts = append(parts, decode.Media(kind, author(role), v))
		}
	}
	return parts
}

func text(v []byte, role trimtab.Role, d *markup.Divider) []trimtab.Part {
	switch {
	case len(v) <= 2:
		return nil
	case role == trimtab.RoleUser:
		return decode.Divided(v, d.Divide)
	}
	return []trimtab.Part{decode.Text(v, author(role))}
}

// asked decodes a call: of a function, or of a tool that takes plain text.
func asked(v []byte) trimtab.ToolCall {
	call := trimtab.ToolCall{ID: decode.String(jsonscan.Find(v, "id"))}
	if custom := jsonscan.Find(v, "custom"); custom != nil {
		call.Name = decode.String(jsonscan.Find(custom, "name"))
		call.Input = decode.Input(jsonscan.Find(custom, "input"))
		return call
	}
	function := jsonscan.Find(v, "function")
	call.Name, call.Input = decode.String(jsonscan.Find(function, "name")), arguments(function)
	return call
}

// arguments are JSON in a string; some servers send and take the JSON itself.
func arguments(function []byte) []byte {
	v := jsonscan.Find(function, "arguments")
	if s, ok := jsonscan.Unquote(v); ok {
		return decode.Arguments(s)
	}
	return decode.Input(v)
}

func author(role trimtab.Role) trimtab.Author {
	if role == trimtab.RoleAssistant {
		return trimtab.Model
	}
	return trimtab.Host
}
