package improve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/trimtab/trimtab"
)

// Context is what is known of a pattern or a request besides its fields. Values keep the
// types that they have in JSON: texts, numbers (as json.Number), true and false, null,
// lists and objects.
type Context map[string]any

// UnmarshalJSON reads an object. Numbers keep all their digits.
func (c *Context) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil {
		return err
	}
	*c = object
	return nil
}

// Text is a value as text: that of a text itself, else its JSON; "" where there is none.
func (c Context) Text(key string) string {
	v, ok := c[key]
	if !ok {
		return ""
	}
	return textOf(v)
}

func textOf(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// The limits of one value that another tool left.
const (
	maxDepth   = 5
	maxEntries = 50
	maxJSON    = 4 << 10
)

// limitValue is a value within the limits: texts are shortened, lists and objects cut. What
// is still too large, or nested too deep, is left as the beginning of its text.
func limitValue(v any) any {
	if out := cutDown(v, maxDepth); len(textOf(out)) <= maxJSON {
		return out
	}
	return shorten(textOf(v), maxValue)
}

func cutDown(v any, depth int) any {
	switch v := v.(type) {
	case string:
		return shorten(v, maxValue)
	case []any:
		if depth == 0 {
			return shorten(textOf(v), maxValue)
		}
		out := []any{}
		for _, each := range v[:min(len(v), maxEntries)] {
			out = append(out, cutDown(each, depth-1))
		}
		return out
	case map[string]any:
		if depth == 0 {
			return shorten(textOf(v), maxValue)
		}
		out := map[string]any{}
		keys := slices.Sorted(maps.Keys(v))
		for _, k := range keys[:min(len(keys), maxEntries)] {
			out[trimtab.Clip(k, 60)] = cutDown(v[k], depth-1)
		}
		return out
	case json.Number:
		if len(v) > 40 {
			return shorten(string(v), 40)
		}
	}
	return v
}
