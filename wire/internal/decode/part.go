package decode

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
)

// maxMedia is how much of an image, a document or a sound is kept as Raw. Larger
// ones are known by their kind only: they are the client's to send again, and
// their bytes say nothing of what they cost the model.
const maxMedia = 16 << 10

// String decodes a string; what is none is "".
func String(v []byte) string {
	text, _ := jsonscan.Unquote(v)
	return text
}

// Text decodes a string into a span of text.
func Text(v []byte, by trimtab.Author) trimtab.Text {
	t := trimtab.Text{Text: String(v), By: by}
	if !utf8.Valid(v) {
		t.Raw = slices.Clone(v)
	}
	return t
}

// Divided decodes a string into spans by author, as divide finds them.
func Divided(v []byte, divide func(string) []trimtab.Part) []trimtab.Part {
	parts := divide(String(v))
	if t, ok := first(parts); ok && !utf8.Valid(v) {
		t.Raw = slices.Clone(v)
		parts[0] = t
	}
	return parts
}

func first(parts []trimtab.Part) (trimtab.Text, bool) {
	if len(parts) == 0 {
		return trimtab.Text{}, false
	}
	t, ok := parts[0].(trimtab.Text)
	return t, ok
}

// Raw copies a value that is sound JSON; others are nil.
func Raw(v []byte) json.RawMessage {
	if !jsonscan.Strict(v) {
		return nil
	}
	return slices.Clone(v)
}

// Input is the input of a call as JSON: a value as it is, and none as {}.
func Input(v []byte) json.RawMessage {
	if jsonscan.Null(v) {
		return json.RawMessage("{}")
	}
	if raw := Raw(v); raw != nil {
		return raw
	}
	return jsonscan.AppendQuote(nil, strings.ToValidUTF8(string(v), "\ufffd"))
}

// Arguments is the input of a call that is written as JSON in a string. What is
// no JSON stays a string: a patch, a program, or what was cut off.
func Arguments(text string) json.RawMessage {
	if strings.TrimSpace(text) == "" {
		return json.RawMessage("{}")
	}
	if jsonscan.Strict([]byte(text)) && utf8.ValidString(text) {
		return json.RawMessage(text)
	}
	return jsonscan.AppendQuote(nil, text)
}

// Opaque keeps a value unread.
func Opaque(kind string, by trimtab.Author, v []byte) trimtab.Opaque {
	return trimtab.Opaque{Kind: kind, By: by, Raw: Raw(v)}
}

// Media keeps a value unread, and only its kind where it is large.
func Media(kind string, by trimtab.Author, v []byte) trimtab.Opaque {
	if len(v) > maxMedia {
		return trimtab.Opaque{Kind: kind, By: by}
	}
	return Opaque(kind, by, v)
}

// Result makes the parts of a tool's result: its texts, and then what is none.
// content is a text or an array of parts of which texts have a member "text".
func Result(id string, failed bool, content []byte) []trimtab.Part {
	r := trimtab.ToolResult{ID: id, Failed: failed}
	if text, ok := jsonscan.Unquote(content); ok {
		r.Text = text
		return []trimtab.Part{r}
	}
	var texts []string
	out := []trimtab.Part{nil}
	for v := range jsonscan.Elements(content) {
		if text, ok := jsonscan.Unquote(jsonscan.Find(v, "text")); ok {
			texts = append(texts, text)
			continue
		}
		out = append(out, Media(String(jsonscan.Find(v, "type")), trimtab.Tool, v))
	}
	r.Text = strings.Join(texts, "\n")
	if len(content) > 0 && content[0] == '{' {
		r.Text = strings.ToValidUTF8(string(content), "\ufffd")
	}
	out[0] = r
	return out
}
