package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Redacted is the document with every text in it redacted: what was said, what tools
// were given and returned, the title, and what an import needs. A document with no
// secret in it stays as it is, byte for byte.
//
// A value is also looked at together with its name, since a password is often known
// by nothing else.
func (d Document) Redacted(redact func(string) string) (Document, error) { return Redact(d, redact) }

// Redact is what Redacted does, for anything that JSON writes and reads back.
func Redact[T any](v T, redact func(string) string) (clean T, err error) {
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return clean, fmt.Errorf("redact: %w", err)
	}
	if err := json.Unmarshal(redactJSON(raw.Bytes(), redact, 0), &clean); err != nil {
		return clean, fmt.Errorf("redact: %w", err)
	}
	return clean, nil
}

// nesting is how deep JSON inside of a JSON string is looked into: the input of a tool
// that is itself a file of settings, for instance.
const nesting = 3

// redactJSON rewrites the strings of a JSON text that hold a secret, and nothing else.
func redactJSON(raw []byte, redact func(string) string, depth int) []byte {
	var out bytes.Buffer
	name, last := "", 0
	for i := 0; i < len(raw); {
		if raw[i] != '"' {
			if raw[i] == '{' || raw[i] == '}' || raw[i] == '[' || raw[i] == ']' || raw[i] == ',' {
				name = ""
			}
			i++
			continue
		}
		end := stringEnd(raw, i)
		var text string
		if json.Unmarshal(raw[i:end], &text) != nil {
			i = end
			continue
		}
		if rest := bytes.TrimLeft(raw[end:], " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
			name, i = text, end
			continue
		}
		if clean := redactValue(name, text, redact, depth); clean != text {
			out.Write(raw[last:i])
			out.Write(quoteJSON(clean))
			last = end
		}
		name, i = "", end
	}
	out.Write(raw[last:])
	return out.Bytes()
}

// stringEnd is where the JSON string ends that begins at i.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

func quoteJSON(text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string can always be written
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func redactValue(name, text string, redact func(string) string, depth int) string {
	if trimmed := strings.TrimSpace(text); depth < nesting && (strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[")) && json.Valid([]byte(trimmed)) {
		text = string(redactJSON([]byte(text), redact, depth+1))
	}
	text = redact(text)
	if name == "" || strings.ContainsAny(text, "\"\n") || strings.ContainsAny(name, "\"\n") {
		return text
	}
	lead, tail := `"`+name+`": "`, `"`
	if with := redact(lead + text + tail); strings.HasPrefix(with, lead) && strings.HasSuffix(with, tail) {
		return with[len(lead) : len(with)-len(tail)]
	}
	return text
}
