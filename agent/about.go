package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// maxAbout is how much of what a call is about is told, in bytes.
const maxAbout = 160

// About is what a call is about, in one line for a person: the value that says most, else
// all of them with their names. It is not made harmless for a terminal.
func About(call trimtab.ToolCall) string {
	var in map[string]any
	if json.Unmarshal(call.Input, &in) != nil {
		return inLine(string(call.Input))
	}
	for _, key := range []string{"command", "path", "pattern", "url", "title", "id"} {
		if s, ok := in[key].(string); ok && s != "" {
			return inLine(s)
		}
	}
	var out []string
	for _, key := range slices.Sorted(maps.Keys(in)) {
		switch v := in[key].(type) {
		case string:
			out = append(out, key+"="+trimtab.Clip(v, maxAbout))
		case []any:
			out = append(out, fmt.Sprintf("%s (%d)", key, len(v)))
		case map[string]any:
			out = append(out, key+" {…}")
		default:
			out = append(out, fmt.Sprintf("%s=%v", key, v))
		}
	}
	return inLine(strings.Join(out, " "))
}

// inLine is a text in one line, cut where it is longer, which is told.
func inLine(text string) string {
	text = strings.Join(strings.Fields(trimtab.Clip(text, 4*maxAbout)), " ")
	if short := trimtab.Clip(text, maxAbout); len(short) < len(text) {
		return short + " …"
	}
	return text
}
