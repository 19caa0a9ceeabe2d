package anthropic

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
	m := trimtab.Message{Role: it.Role}
	content := jsonscan.Find(b.Bytes(it.Span), "content")
	d := markup.Divider{Results: it.Holds&wire.HoldsResult != 0}
	if len(content) > 0 && content[0] == '"' {
		m.Parts = text(content, it.Role, &d)
		return m
	}
	for v := range jsonscan.Elements(content) {
		m.Parts = append(m.Parts, block(v, it.Role, &d)...)
	}
	return m
}

// text decodes a text by the role of its message.
func text(v []byte, role trimtab.Role, d *markup.Divider) []trimtab.Part {
	switch role {
	case trimtab.RoleUser:
		return decode.Divided(v, d.Divide)
	case trimtab.RoleAssistant:
		return []trimtab.Part{decode.Text(v, trimtab.Model)}
	}
	return []trimtab.Part{decode.Text(v, trimtab.Host)}
}

func block(v []byte, role trimtab.Role, d *markup.Divider) []trimtab.Part {
	var words, id, name, input, of, content, failed []byte
	kind := ""
	for key, value := range jsonscan.Members(v) {
		switch string(key) {
		case "type":
			kind = decode.String(value)
		case "text":
			words = value
		case "id":
			id = value
		case "name":
			name = value
		case "input":
			input = value
		case "tool_use_id":
			of = value
		case "content":
			content = value
		case "is_error":
			failed = value
		}
	}
	switch {
	case kind == "text":
		return text(words, role, d)
	case kind == "tool_use" && role == trimtab.RoleAssistant:
		return []trimtab.Part{trimtab.ToolCall{ID: decode.String(id), Name: decode.String(name), Input: decode.Input(input)}}
	case kind == "tool_result" && role == trimtab.RoleUser:
		return decode.Result(decode.String(of), string(failed) == "true", content)
	case kind == "image" || kind == "document":
		return []trimtab.Part{decode.Media(kind, author(role), v)}
	}
	return []trimtab.Part{decode.Opaque(kind, author(role), v)}
}

// author is who made what is not text. A picture may be a person's; it switches
// nothing, and nobody asks.
func author(role trimtab.Role) trimtab.Author {
	if role == trimtab.RoleAssistant {
		return trimtab.Model
	}
	return trimtab.Host
}
