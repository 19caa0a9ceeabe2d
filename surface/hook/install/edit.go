package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// splice is a change of a text: what stands from one place to another gives way.
type splice struct {
	from, to int
	text     string
}

func apply(text []byte, all []splice) []byte {
	slices.SortStableFunc(all, func(a, b splice) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, s := range all {
		if s.from < at { // inside what is gone already
			continue
		}
		out = append(append(out, text[at:s.from]...), s.text...)
		at = s.to
	}
	return append(out, text[at:]...)
}

// add puts a hook for each event into settings.
func add(text []byte, how host.Install, events []spool.Event, command func(event string) string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	for _, e := range events {
		next, err := addOne(text, e.Name, group(how, e, command(e.Name)))
		if err != nil {
			return nil, err
		}
		text = next
	}
	return text, nil
}

// handler and matched are a hook as hosts write it.
type handler struct {
	Name    string `json:"name,omitempty"`
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

type matched struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []handler `json:"hooks"`
}

func group(how host.Install, e spool.Event, command string) matched {
	h := handler{Type: "command", Command: command, Timeout: patience * 1000}
	if how.Seconds {
		h.Timeout = patience
	}
	if how.Named {
		h.Name = "trimtab"
	}
	m := matched{Hooks: []handler{h}}
	if how.Matcher && (e.Kind == spool.Using || e.Kind == spool.Used) {
		m.Matcher = "*"
	}
	return m
}

func addOne(text []byte, event string, g matched) ([]byte, error) {
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	unit := indent(text, root)
	top := root.Value.(*hujson.Object)
	hooks := member(top, "hooks")
	if hooks == nil {
		return apply(text, append1(text, root, unit, 1, "hooks", map[string][]matched{event: {g}})), nil
	}
	inner, ok := hooks.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("\"hooks\" is not an object; fix the file first")
	}
	list := member(inner, event)
	if list == nil {
		return apply(text, append1(text, *hooks, unit, 2, event, []matched{g})), nil
	}
	if _, ok := list.Value.(*hujson.Array); !ok {
		return nil, fmt.Errorf("\"hooks\".%q is not a list; fix the file first", event)
	}
	return apply(text, append1(text, *list, unit, 3, "", g)), nil
}

// parse reads settings: an object, perhaps with comments.
func parse(text []byte) (hujson.Value, error) {
	if bytes.HasPrefix(text, byteOrderMark) { // blank, so that every place in the text stays where it is
		text = append(bytes.Repeat([]byte(" "), len(byteOrderMark)), text[len(byteOrderMark):]...)
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return root, fmt.Errorf("not JSON, so it is left alone: %w", err)
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return root, fmt.Errorf("no JSON object, so it is left alone")
	}
	return root, nil
}

// member returns the last value of a name, which is the one that counts.
func member(o *hujson.Object, name string) *hujson.Value {
	var found *hujson.Value
	for i := range o.Members {
		if lit, ok := o.Members[i].Name.Value.(hujson.Literal); ok && lit.String() == name {
			found = &o.Members[i].Value
		}
	}
	return found
}

// indent is the white space of one level; "" where all is on one line.
func indent(text []byte, root hujson.Value) string {
	o := root.Value.(*hujson.Object)
	if len(o.Members) == 0 {
		return "  "
	}
	before := string(o.Members[0].Name.BeforeExtra)
	i := strings.LastIndexByte(before, '\n')
	if i < 0 {
		if bytes.IndexByte(bytes.TrimSpace(text), '\n') < 0 {
			return ""
		}
		return "  "
	}
	if unit := before[i+1:]; strings.Trim(unit, " \t") == "" && unit != "" {
		return unit
	}
	return "  "
}

// append1 adds a member to an object, or an element to a list, behind the last.
func append1(text []byte, to hujson.Value, unit string, depth int, name string, v any) []splice {
	var last *hujson.Value
	switch c := to.Value.(type) {
	case *hujson.Object:
		if n := len(c.Members); n > 0 {
			last = &c.Members[n-1].Value
		}
	case *hujson.Array:
		if n := len(c.Elements); n > 0 {
			last = &c.Elements[n-1]
		}
	}
	var all []splice
	if last != nil && last.AfterExtra == nil { // no comma behind it yet
		all = append(all, splice{last.EndOffset, last.EndOffset, ","})
	}
	shut := to.EndOffset - 1
	at := shut
	for at > to.StartOffset+1 && strings.IndexByte(" \t\r\n", text[at-1]) >= 0 {
		at--
	}
	body := written(v, unit, depth)
	if name != "" {
		body = quote(name) + ":" + space(unit) + body
	}
	if unit == "" {
		return append(all, splice{at, at, body})
	}
	eol := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		eol = "\r\n"
	}
	body = strings.ReplaceAll("\n"+strings.Repeat(unit, depth)+body, "\n", eol)
	if bytes.IndexByte(text[at:shut], '\n') < 0 { // the closing bracket had no line of its own
		return append(all, splice{at, shut, body + eol + strings.Repeat(unit, depth-1)})
	}
	return append(all, splice{at, at, body})
}

func space(unit string) string {
	if unit == "" {
		return ""
	}
	return " "
}

// written is a value as text, in the file's own manner.
func written(v any, unit string, depth int) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if unit != "" {
		e.SetIndent(strings.Repeat(unit, depth), unit)
	}
	if err := e.Encode(v); err != nil { // strings and numbers only
		return "null"
	}
	return strings.TrimSpace(b.String())
}

func quote(s string) string {
	b, _ := json.Marshal(s) // a string always has a JSON form
	return string(b)
}
