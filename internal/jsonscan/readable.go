package jsonscan

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Readable is JSON without blanks between its values, and with the characters as
// they are that Go's own encoder escapes for the sake of HTML. What is no JSON stays as it is.
func Readable(raw []byte) []byte {
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
