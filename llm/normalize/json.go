package normalize

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/trimtab/trimtab/internal/jsonscan"
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
		trimmed = jsonscan.Readable(trimmed)
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
