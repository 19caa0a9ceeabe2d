package normalize

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// deepest is how far JSON from a model or a tool may be nested. No input of a
// tool comes near it; the APIs refuse more at some point that none of them tells.
const deepest = 100

// Object returns the input of a call as a JSON object, which some APIs insist
// upon. What is none becomes the member "input" of one. It has one form, whether it
// came from the model just now or from a store that has written it in its own way:
// a provider that is sent another form reads everything behind it anew.
func Object(raw json.RawMessage) json.RawMessage {
	trimmed := bytes.TrimSpace(raw)
	if json.Valid(trimmed) {
		trimmed = plain(trimmed)
	}
	switch {
	case len(trimmed) == 0 || string(trimmed) == "null":
		return json.RawMessage("{}")
	case !sound(trimmed):
		return wrap(string(trimmed))
	case trimmed[0] == '{':
		return trimmed
	case trimmed[0] == '"':
		var text string
		if json.Unmarshal(trimmed, &text) == nil {
			return wrap(text)
		}
	}
	return json.RawMessage(`{"input":` + string(trimmed) + `}`)
}

// plain is JSON without blanks between its values, and with the characters as
// they are that Go's own encoder escapes for the sake of HTML.
func plain(raw []byte) []byte {
	var b bytes.Buffer
	b.Grow(len(raw))
	if json.Compact(&b, raw) != nil {
		return raw
	}
	in := b.Bytes()
	if !bytes.Contains(in, []byte(`\u`)) {
		return in
	}
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); i++ {
		if in[i] != '\\' || i+1 >= len(in) {
			out = append(out, in[i])
			continue
		}
		if i+5 < len(in) && in[i+1] == 'u' {
			if r, ok := asItIs[strings.ToLower(string(in[i+2:i+6]))]; ok {
				out = append(out, r...)
				i += 5
				continue
			}
		}
		out = append(out, in[i], in[i+1])
		i++
	}
	return out
}

// asItIs are the escapes that are taken back.
var asItIs = map[string]string{"003c": "<", "003e": ">", "0026": "&", "2028": "\u2028", "2029": "\u2029"}

func wrap(text string) json.RawMessage {
	raw, err := Encode(map[string]string{"input": valid(text)})
	if err != nil { // a text always encodes
		return json.RawMessage("{}")
	}
	return raw
}

// Is reports whether raw is a sound JSON object.
func Is(raw json.RawMessage) bool {
	trimmed := bytes.TrimSpace(raw)
	return len(trimmed) > 0 && trimmed[0] == '{' && sound(trimmed)
}

// Schema returns the schema of a tool's input, or the one that takes any object.
func Schema(raw json.RawMessage) json.RawMessage {
	if Is(raw) {
		return raw
	}
	return json.RawMessage(`{"type":"object","properties":{}}`)
}

// sound reports whether raw is JSON in UTF-8 and not too deep.
func sound(raw []byte) bool {
	if !utf8.Valid(raw) || !json.Valid(raw) {
		return false
	}
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > deepest {
				return false
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return true
}

// Encode writes a value as JSON, with <, > and & as they are.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
