package gemini

import (
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/internal/decode"
)

// Message decodes one content.
func (Format) Message(b *wire.Body, i int) trimtab.Message {
	it := &b.Items[i]
	m := trimtab.Message{Role: it.Role}
	d := markup.Divider{Results: it.Holds&wire.HoldsResult != 0}
	for v := range jsonscan.Elements(jsonscan.Find(b.Bytes(it.Span), "parts")) {
		m.Parts = append(m.Parts, parts(v, it.Role, &d)...)
	}
	return m
}

// piece is a part as its members tell it.
type piece struct {
	text, call, response, sign []byte
	other                      string // the name of the first member that is none of these
	thought                    bool
}

func read(v []byte) piece {
	var p piece
	for name, value := range jsonscan.Members(v) {
		if jsonscan.Null(value) {
			continue
		}
		switch string(name) {
		case "text":
			p.text = value
		case "thought":
			p.thought = string(value) == "true"
		case "functionCall", "function_call":
			p.call = value
		case "functionResponse", "function_response":
			p.response = value
		case "thoughtSignature", "thought_signature":
			p.sign = value
		default:
			if p.other == "" {
				p.other = string(name)
			}
		}
	}
	return p
}

func parts(v []byte, role trimtab.Role, d *markup.Divider) []trimtab.Part {
	switch p := read(v); {
	case p.thought:
		return []trimtab.Part{decode.Opaque("thought", author(role), v)}
	case p.call != nil && role == trimtab.RoleAssistant:
		return []trimtab.Part{asked(p.call)}
	case p.response != nil && role == trimtab.RoleUser:
		return []trimtab.Part{answered(p.response)}
	case p.call != nil:
		return []trimtab.Part{decode.Opaque("functionCall", author(role), v)}
	case p.response != nil:
		return []trimtab.Part{decode.Opaque("functionResponse", author(role), v)}
	case p.other == "" && role == trimtab.RoleUser && p.text != nil:
		return decode.Divided(p.text, d.Divide)
	case p.other == "" && p.text != nil:
		return []trimtab.Part{decode.Text(p.text, author(role))}
	default:
		return []trimtab.Part{decode.Media(p.other, author(role), v)}
	}
}

// asked decodes a call. Without an id its name ties it to the response.
func asked(v []byte) trimtab.ToolCall {
	call := trimtab.ToolCall{ID: decode.String(jsonscan.Find(v, "id")), Name: decode.String(jsonscan.Find(v, "name")), Input: decode.Input(jsonscan.Find(v, "args"))}
	if call.ID == "" {
		call.ID = call.Name
	}
	return call
}

// answered decodes a response: {"output": …} where the tool worked and
// {"error": …} where it failed, by the API's own custom.
func answered(v []byte) trimtab.ToolResult {
	r := trimtab.ToolResult{ID: decode.String(jsonscan.Find(v, "id"))}
	if r.ID == "" {
		r.ID = decode.String(jsonscan.Find(v, "name"))
	}
	response := jsonscan.Find(v, "response")
	for name, value := range jsonscan.Members(response) {
		switch text, ok := jsonscan.Unquote(value); string(name) {
		case "error":
			r.Failed = !jsonscan.Null(value)
			fallthrough
		case "output", "result", "content":
			if ok && r.Text == "" {
				r.Text = text
			}
		}
	}
	if r.Text == "" {
		r.Text = strings.ToValidUTF8(string(response), "\ufffd")
	}
	return r
}

func author(role trimtab.Role) trimtab.Author {
	if role == trimtab.RoleAssistant {
		return trimtab.Model
	}
	return trimtab.Host
}
