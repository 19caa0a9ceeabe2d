package config

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// maxInt is the largest whole number that a key takes, either way of zero:
// beyond it JSON readers no longer agree on what a number is.
const maxInt = 1<<53 - 1

// fromNode reads a value from a file. Where it is of the wrong kind, blame is
// the part that is.
func (k Key) fromNode(n hujson.Value) (v reflect.Value, blame *hujson.Value) {
	if k.Type.Kind() != reflect.Slice {
		lit, ok := n.Value.(hujson.Literal)
		if ok && (lit.Kind() == '"') == (k.Type.Kind() == reflect.String) {
			if v, ok = k.scalar(lit.String()); ok {
				return v, nil
			}
		}
		return v, &n
	}
	list, ok := n.Value.(*hujson.Array)
	if !ok {
		return v, &n
	}
	v = reflect.MakeSlice(k.Type, len(list.Elements), len(list.Elements))
	for i, item := range list.Elements {
		if item.Value.Kind() != '"' {
			return v, &item
		}
		v.Index(i).SetString(item.Value.(hujson.Literal).String())
		if !k.listed(v.Index(i).String()) {
			return v, &item
		}
	}
	return v, nil
}

// scalar reads one value from its text. Numbers are written as in JSON, so that
// NaN, infinities and hexadecimal are none.
func (k Key) scalar(text string) (v reflect.Value, ok bool) {
	v = reflect.New(k.Type).Elem()
	switch k.Type.Kind() {
	case reflect.Bool:
		v.SetBool(text == "true")
		return v, text == "true" || text == "false"
	case reflect.Int:
		n, err := strconv.ParseInt(text, 10, strconv.IntSize)
		v.SetInt(n)
		return v, err == nil && isNumber(text) && n >= -maxInt && n <= maxInt
	case reflect.Float64:
		n, err := strconv.ParseFloat(text, 64)
		v.SetFloat(n)
		return v, err == nil && isNumber(text)
	case reflect.String:
		v.SetString(text)
		return v, utf8.ValidString(text)
	}
	return v, false
}

func isNumber(text string) bool {
	lit := hujson.Literal(text)
	return lit.Kind() == '0' && lit.IsValid()
}

// fromText reads a value from the environment, a flag or a default: lists and
// maps as a,b and a=x,b=y, or as JSON.
func (k Key) fromText(text string) (v reflect.Value, ok bool) {
	switch k.Type.Kind() {
	case reflect.String:
		return k.scalar(text)
	case reflect.Slice:
		return k.listFrom(text)
	case reflect.Map:
		return k.mapFrom(text)
	}
	return k.scalar(strings.TrimSpace(text))
}

func (k Key) listFrom(text string) (v reflect.Value, ok bool) {
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		n, err := parse([]byte(text))
		if err != nil {
			return v, false
		}
		v, blame := k.fromNode(n)
		return v, blame == nil
	}
	v = reflect.MakeSlice(k.Type, 0, 0)
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			v = reflect.Append(v, reflect.ValueOf(item).Convert(k.Type.Elem()))
		}
	}
	return v, utf8.ValidString(text)
}

func (k Key) mapFrom(text string) (v reflect.Value, ok bool) {
	v = reflect.MakeMap(k.Type)
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		n, err := parse([]byte(text))
		if err != nil {
			return v, false
		}
		for _, m := range n.Value.(*hujson.Object).Members {
			if m.Value.Value.Kind() != '"' {
				return v, false
			}
			k.put(v, m.Name.Value.(hujson.Literal).String(), m.Value.Value.(hujson.Literal).String())
		}
		return v, true
	}
	for pair := range strings.SplitSeq(text, ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		if !found || name == "" {
			return v, false
		}
		k.put(v, name, value)
	}
	return v, utf8.ValidString(text)
}

func (k Key) put(m reflect.Value, name, value string) {
	m.SetMapIndex(reflect.ValueOf(name).Convert(k.Type.Key()), reflect.ValueOf(value).Convert(k.Type.Elem()))
}

// takes reports whether the value is in the key's range.
func (k Key) takes(v reflect.Value) bool {
	switch {
	case k.Type.Kind() == reflect.Slice:
		for i := range v.Len() {
			if !k.listed(v.Index(i).String()) {
				return false
			}
		}
		return true
	case k.Type.Kind() == reflect.Map:
		return true
	case k.NeedsText() && v.Len() == 0:
		return false
	}
	return k.Field.Check(v) == nil
}

func (k Key) listed(item string) bool {
	return len(k.Field.Enum) == 0 || slices.Contains(k.Field.Enum, item)
}

// encode writes a value as JSON, for people: URLs keep their &.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimSpace(b.Bytes())
}
