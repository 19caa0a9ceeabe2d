package steertool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// kind is what an argument may be.
type kind string

// The kinds, by their names in JSON Schema.
const (
	text    kind = "string"
	whole   kind = "integer"
	yes     kind = "boolean"
	strList kind = "array" // of texts
)

// words is each kind for a person.
var words = map[kind]string{text: "a text", whole: "a whole number", yes: "true or false", strList: "a list of texts"}

// Arg is one argument of a tool. Its schema and the check of what arrives are
// made from the same declaration, so they cannot disagree.
type Arg struct {
	name     string
	as       string // what the command calls it, where that is another name
	kind     kind
	doc      string
	required bool
	min, max int      // of a whole number; max is also the longest text, or item of a list
	items    int      // of a list, at most
	enum     []string // of a text, or of the items of a list
}

// The most that an argument may be, where it says nothing smaller.
const (
	maxText  = 4000
	maxItems = 50
	maxItem  = 1000
	maxInput = 48 << 10 // of all arguments, as JSON: below what a command takes
)

// TextArg is an argument of at most max characters that may be left out, for those
// that a surface adds to every tool.
func TextArg(name string, max int, doc string) Arg {
	return Arg{name: name, kind: text, max: max, doc: doc}
}

// schema is the JSON Schema of a tool's arguments.
func schema(args []Arg) map[string]any {
	props, required := map[string]any{}, []string{}
	for _, a := range args {
		props[a.name] = a.schema()
		if a.required {
			required = append(required, a.name)
		}
	}
	out := map[string]any{"type": "object", "properties": props, "additionalProperties": false}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

func (a Arg) schema() map[string]any {
	out := map[string]any{"type": string(a.kind), "description": a.doc}
	switch a.kind {
	case text:
		a.bound(out)
		if a.required {
			out["minLength"] = 1
		}
	case whole:
		out["minimum"], out["maximum"] = a.min, a.max
	case strList:
		item := map[string]any{"type": string(text)}
		a.bound(item)
		out["items"], out["maxItems"] = item, a.items
		if a.required {
			out["minItems"] = 1
		}
	}
	return out
}

func (a Arg) bound(out map[string]any) {
	if len(a.enum) > 0 {
		out["enum"] = a.enum
		return
	}
	out["maxLength"] = a.max
}

// read checks what arrived against the declaration. An argument that is null
// counts as not given.
func read(args []Arg, raw json.RawMessage) (map[string]any, error) {
	in := map[string]json.RawMessage{}
	switch {
	case len(raw) > maxInput:
		return nil, fmt.Errorf("the arguments have %d bytes; give at most %d", len(raw), maxInput)
	case len(raw) > 0:
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, fmt.Errorf("the arguments are not a JSON object: %w", err)
		}
	}
	out := map[string]any{}
	for _, a := range args {
		value, given := in[a.name]
		delete(in, a.name)
		if !given || string(value) == "null" {
			if a.required {
				return nil, fmt.Errorf("%s is missing: %s", a.name, a.allowed())
			}
			continue
		}
		v, ok := a.value(value)
		if !ok {
			return nil, fmt.Errorf("%s: %s is not allowed; give %s", a.name, clip(string(value), 60), a.allowed())
		}
		out[cmp.Or(a.as, a.name)] = v
	}
	for name := range in {
		return nil, fmt.Errorf("there is no argument %q; give %s", clip(name, 60), names(args))
	}
	return out, nil
}

// value decodes one argument.
func (a Arg) value(raw json.RawMessage) (any, bool) {
	switch a.kind {
	case yes:
		var b bool
		err := json.Unmarshal(raw, &b)
		return b, err == nil
	case whole:
		var n float64
		if json.Unmarshal(raw, &n) != nil || n != math.Trunc(n) || n < float64(a.min) || n > float64(a.max) {
			return nil, false
		}
		return int(n), true
	case strList:
		var list []*string // so that a null among them is seen
		if json.Unmarshal(raw, &list) != nil || len(list) > a.items || a.required && len(list) == 0 {
			return nil, false
		}
		out := make([]string, 0, len(list))
		for _, s := range list {
			if s == nil || !a.fits(*s) {
				return nil, false
			}
			out = append(out, *s)
		}
		return out, true
	}
	var s string
	if json.Unmarshal(raw, &s) != nil || !a.fits(s) || a.required && s == "" {
		return nil, false
	}
	return s, true
}

func (a Arg) fits(s string) bool {
	if len(a.enum) > 0 {
		return slices.Contains(a.enum, s)
	}
	return utf8.RuneCountInString(s) <= a.max
}

// allowed says what an argument takes, for the model to mend its call.
func (a Arg) allowed() string {
	out := words[a.kind]
	one := strings.Join(a.enum, ", ")
	switch {
	case a.kind == whole:
		out += fmt.Sprintf(" from %d to %d", a.min, a.max)
	case a.kind == strList && one != "":
		out = fmt.Sprintf("a list of at most %d of %s", a.items, one)
	case a.kind == strList:
		out = fmt.Sprintf("a list of at most %d texts of at most %d characters", a.items, a.max)
	case a.kind == text && one != "":
		out = "one of " + one
	case a.kind == text:
		out += fmt.Sprintf(" of at most %d characters", a.max)
	}
	return out + " (" + a.doc + ")"
}

func names(args []Arg) string {
	var all []string
	for _, a := range args {
		all = append(all, a.name)
	}
	return "some of " + strings.Join(all, ", ")
}

// clip cuts a text to so many characters, and says so.
func clip(s string, most int) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
