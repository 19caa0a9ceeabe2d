package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Instance returns a small value that is valid under a JSON Schema: what a side
// call that asks for JSON gets. It knows what the clients use (types, Gemini's
// in capitals too, required properties, const, enum, anyOf, oneOf, allOf, local
// references, least lengths and sizes), and no patterns.
func Instance(schema []byte) (json.RawMessage, error) {
	v, err := parseValue(schema)
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	in := instancer{root: v, left: maxValues}
	out, err := in.value("", v, 0)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

const (
	maxValues     = 10_000 // in an instance
	maxNesting    = 50
	maxLeastChars = 10_000
)

type instancer struct {
	root any
	left int // values that may still be made
}

var errEndless = errors.New("make an instance: the schema asks for too much")

// value makes an instance for the property called name.
func (in *instancer) value(name string, schema any, depth int) (any, error) {
	s, ok := schema.(object)
	if in.left--; depth > maxNesting || in.left < 0 {
		return nil, errEndless
	}
	if !ok { // true: anything
		return "fake", nil
	}
	if ref := str(s, "$ref"); ref != "" {
		return in.value(name, in.resolve(ref), depth+1)
	}
	if v, ok := s["const"]; ok {
		return v, nil
	}
	if all := list(s, "enum"); len(all) > 0 {
		return all[0], nil
	}
	for _, key := range []string{"anyOf", "oneOf", "any_of", "one_of"} {
		if all := list(s, key); len(all) > 0 {
			return in.value(name, smallest(all), depth+1)
		}
	}
	if all := list(s, "allOf"); len(all) > 0 {
		return in.value(name, merge(s, all), depth+1)
	}
	switch typeOf(s) {
	case "object":
		return in.object(s, depth)
	case "array":
		return in.array(name, s, depth)
	case "integer", "number":
		return least(s), nil
	case "boolean":
		return false, nil
	case "null":
		return nil, nil
	}
	return in.string(name, s)
}

// typeOf reads the type, by its first name that is not null.
func typeOf(s object) string {
	kind := str(s, "type")
	for _, v := range list(s, "type") {
		if t, _ := v.(string); kind == "" || kind == "null" {
			kind = t
		}
	}
	switch kind = strings.ToLower(kind); {
	case kind != "":
		return kind
	case s["properties"] != nil:
		return "object"
	case s["items"] != nil:
		return "array"
	}
	return "string"
}

// smallest picks null where a schema allows it: it is always short.
func smallest(all []any) any {
	for _, v := range all {
		if o, ok := v.(object); ok && strings.EqualFold(str(o, "type"), "null") {
			return v
		}
	}
	return all[0]
}

// merge lays schemas that all hold over each other.
func merge(s object, all []any) object {
	out, properties, required := object{}, object{}, []any{}
	parts := objects(all)
	for _, part := range append(parts, s) {
		for k, v := range part {
			if k != "allOf" {
				out[k] = v
			}
		}
		for k, v := range obj(part, "properties") {
			properties[k] = v
		}
		required = append(required, list(part, "required")...)
	}
	if len(properties) > 0 {
		out["properties"] = properties
	}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// resolve follows a reference inside the schema; one that leads nowhere allows
// anything.
func (in *instancer) resolve(ref string) any {
	at := in.root
	for _, step := range strings.Split(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
		if step == "" {
			continue
		}
		o, ok := at.(object)
		if !ok {
			return true
		}
		at = o[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
	}
	if at == nil {
		return true
	}
	return at
}

func (in *instancer) object(s object, depth int) (any, error) {
	out := object{}
	for _, v := range list(s, "required") {
		key, ok := v.(string)
		if !ok {
			continue
		}
		var err error
		var property any = true
		if p, ok := obj(s, "properties")[key]; ok {
			property = p
		}
		if out[key], err = in.value(key, property, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (in *instancer) array(name string, s object, depth int) (any, error) {
	n, _ := whole(s["minItems"])
	out := []any{}
	for range n {
		v, err := in.value(name, s["items"], depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// least is the smallest whole number that the limits allow, from 1 on: clients
// that ask for a score from 1 to 100 say so in prose only.
func least(s object) int {
	n := 1
	if low, ok := whole(s["minimum"]); ok {
		n = max(n, low)
	}
	if low, ok := whole(s["exclusiveMinimum"]); ok {
		n = max(n, low+1)
	}
	if high, ok := whole(s["maximum"]); ok {
		n = min(n, high)
	}
	return n
}

func (in *instancer) string(name string, s object) (any, error) {
	out := "fake"
	switch {
	case strings.Contains(strings.ToLower(name), "title"):
		out = "Fake title"
	case str(s, "format") == "date-time":
		out = "2026-01-01T00:00:00Z"
	case str(s, "format") == "date":
		out = "2026-01-01"
	}
	if low, ok := whole(s["minLength"]); ok {
		if low > maxLeastChars {
			return nil, errEndless
		}
		out += strings.Repeat(".", max(0, low-len(out)))
	}
	if high, ok := whole(s["maxLength"]); ok && high >= 0 && high < len(out) {
		out = out[:high]
	}
	return out, nil
}

// has reports whether a schema of an object has the property, and what it is.
func property(schema []byte, names ...string) (name string, s object) {
	v, err := parseValue(schema)
	if err != nil {
		return "", nil
	}
	o, _ := v.(object)
	properties := obj(o, "properties")
	i := slices.IndexFunc(names, func(n string) bool { return properties[n] != nil })
	if i < 0 {
		return "", nil
	}
	return names[i], obj(properties, names[i])
}
