package responses

import (
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/internal/decode"
)

// Message decodes one item.
func (Format) Message(b *wire.Body, i int) trimtab.Message {
	it := &b.Items[i]
	v := b.Bytes(it.Span)
	m := trimtab.Message{Role: it.Role}
	if b.Bare {
		var d markup.Divider
		m.Parts = decode.Divided(v, d.Divide)
		return m
	}
	kind := decode.String(jsonscan.Find(v, "type"))
	switch {
	case kind == "" || kind == "message":
		m.Parts = said(v, it.Role)
	case it.Role == trimtab.RoleTool:
		m.Parts = output(v)
	case it.Holds&wire.HoldsCall != 0:
		m.Parts = []trimtab.Part{asked(kind, v)}
	default:
		m.Parts = []trimtab.Part{decode.Media(kind, author(it.Role), v)}
		if kind == "reasoning" {
			m.Parts[0] = decode.Opaque(kind, trimtab.Model, v)
		}
	}
	return m
}

// said decodes a message.
func said(v []byte, role trimtab.Role) []trimtab.Part {
	content := jsonscan.Find(v, "content")
	if len(content) > 0 && content[0] == '"' {
		content = append(append([]byte(`[{"type":"text","text":`), content...), "}]"...)
	}
	by := provenance(jsonscan.Find(v, metadata))
	var d markup.Divider
	var parts []trimtab.Part
	n := 0
	for p := range jsonscan.Elements(content) {
		writer := author(role)
		if role == trimtab.RoleUser && (n >= len(by) || by[n]) {
			writer = trimtab.Person
		}
		n++
		kind := decode.String(jsonscan.Find(p, "type"))
		switch words := jsonscan.Find(p, "text"); {
		case kind == "refusal":
			parts = append(parts, decode.Text(jsonscan.Find(p, kind), writer))
		case words == nil || !strings.HasSuffix(kind, "text"):
			parts = append(parts, decode.Media(kind, author(role), p))
		case writer == trimtab.Person:
			parts = append(parts, decode.Divided(words, d.Divide)...)
		default:
			parts = append(parts, decode.Text(words, writer))
		}
	}
	return parts
}

// provenance reads for each part of a message whether a person wrote it, where
// the client says so.
func provenance(v []byte) []bool {
	var by []bool
	for p := range jsonscan.Elements(jsonscan.Find(v, "content_item_metadata")) {
		by = append(by, decode.String(jsonscan.Find(p, "provenance", "type")) == "user")
	}
	return by
}

// asked decodes a call. What its input is called depends on the tool.
func asked(kind string, v []byte) trimtab.ToolCall {
	call := trimtab.ToolCall{ID: id(v), Name: decode.String(jsonscan.Find(v, "name"))}
	if call.Name == "" {
		call.Name = strings.TrimSuffix(kind, "_call")
	}
	if s, ok := jsonscan.Unquote(jsonscan.Find(v, "arguments")); ok {
		call.Input = decode.Arguments(s)
		return call
	}
	for _, name := range []string{"input", "action", "operation", "actions", "arguments"} {
		if in := jsonscan.Find(v, name); !jsonscan.Null(in) {
			call.Input = decode.Input(in)
			return call
		}
	}
	call.Input = decode.Input(nil)
	return call
}

// id is what ties a call to its output.
func id(v []byte) string {
	for _, name := range []string{"call_id", "approval_request_id", "id"} {
		if s, ok := jsonscan.Unquote(jsonscan.Find(v, name)); ok {
			return s
		}
	}
	return ""
}

// output decodes a tool's output. The API has no word for a failed one but its
// status; a refused approval is one.
func output(v []byte) []trimtab.Part {
	failed := string(jsonscan.Find(v, "approve")) == "false"
	switch decode.String(jsonscan.Find(v, "status")) {
	case "failed", "incomplete":
		failed = true
	}
	return decode.Result(id(v), failed, jsonscan.Find(v, "output"))
}

func author(role trimtab.Role) trimtab.Author {
	if role == trimtab.RoleAssistant {
		return trimtab.Model
	}
	return trimtab.Host
}
