package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// node is a JSON Schema, as far as settings need one.
type node struct {
	ID          string          `json:"$id,omitempty"`
	Schema      string          `json:"$schema,omitempty"`
	Type        string          `json:"type,omitempty"`
	Properties  members         `json:"properties,omitzero"`
	Items       *node           `json:"items,omitempty"`
	Names       *node           `json:"propertyNames,omitempty"`
	Description string          `json:"description,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	Minimum     *float64        `json:"minimum,omitempty"`
	Maximum     *float64        `json:"maximum,omitempty"`
	MinLength   int             `json:"minLength,omitempty"`
	Pattern     string          `json:"pattern,omitempty"`
	MaxNames    int             `json:"maxProperties,omitempty"`
	Others      any             `json:"additionalProperties,omitempty"` // false, or the schema that the others have
}

// members are the properties of an object, in the order of the settings.
type members []member

type member struct {
	name string
	node *node
}

func (m members) find(name string) *node {
	for _, one := range m {
		if one.name == name {
			return one.node
		}
	}
	return nil
}

// MarshalJSON writes an object whose names stand in order.
func (m members) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, one := range m {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(one.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(one.node)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

const draft = "https://json-schema.org/draft/2020-12/schema"

// Schema returns the JSON Schema of a config struct under the given id, for
// editors that check a file while it is written. It agrees with Load: what Load
// takes without a problem is valid, and a value of the wrong kind, out of range
// or under an unknown name is not. Only what a schema cannot see differs, and
// Load reports it: keys given twice, and whole numbers written as 8.0 or 1e3.
//
// It fails where a field is of a kind that no setting has.
func Schema[T any](id string) ([]byte, error) {
	shape := shapeOf(reflect.TypeFor[T]())
	if err := errors.Join(shape.faults...); err != nil {
		return nil, fmt.Errorf("schema of %v: %w", reflect.TypeFor[T](), err)
	}
	root := object()
	root.ID, root.Schema = id, draft
	root.add("$schema", &node{Type: "string", Description: "where the schema of this file is"})
	root.add(lockedName, &node{Type: "array", Items: &node{Type: "string"}, Description: "keys and sections that later layers may not set, or *; only in the managed file of a machine"})
	if err := shape.describe(root, ""); err != nil {
		return nil, err
	}
	return indent(root)
}

// describe adds the shape's keys to the schema of its object, whose path ends
// with a dot.
func (s *shape) describe(root *node, path string) error {
	for _, k := range s.keys {
		place, names := root, strings.Split(strings.TrimPrefix(k.Path, path), ".")
		for _, name := range names[:len(names)-1] {
			if place.Properties.find(name) == nil {
				place.add(name, object())
			}
			place = place.Properties.find(name)
		}
		leaf, err := k.schema()
		if err != nil {
			return err
		}
		place.add(k.Field.Name, leaf)
	}
	return nil
}

// object is a section: nothing but its own names.
func object() *node { return &node{Type: "object", Others: false} }

func (n *node) add(name string, s *node) { n.Properties = append(n.Properties, member{name, s}) }

// schema is the schema of one key.
func (k Key) schema() (*node, error) {
	s := &node{Description: k.Field.Doc}
	if k.Guarded {
		s.Description = strings.TrimSpace(s.Description + " (only in your own config, never in a project's)")
	}
	least, most := -float64(maxInt), float64(maxInt)
	switch k.Type.Kind() {
	case reflect.Bool:
		s.Type = "boolean"
	case reflect.Int:
		s.Type = "integer"
		s.Minimum, s.Maximum = &least, &most
	case reflect.Float64:
		s.Type = "number"
	case reflect.String:
		s.Type, s.Enum = "string", k.Field.Enum
		if k.NeedsText() {
			s.MinLength = 1
		}
	case reflect.Slice:
		s.Type, s.Items = "array", &node{Type: "string", Enum: k.Field.Enum}
	case reflect.Map:
		s.Type, s.Others = "object", &node{Type: "string"}
		if k.ofEntries() {
			return k.entriesSchema(s)
		}
	}
	if err := bounds(s, k); err != nil {
		return nil, err
	}
	s.Default = k.defaultJSON()
	return s, nil
}

// entriesSchema is the schema of a map of structs.
func (k Key) entriesSchema(s *node) (*node, error) {
	each := object()
	s.Others, s.MaxNames = each, maxEntries
	s.Names = &node{Pattern: fmt.Sprintf("^[A-Za-z0-9_-]{1,%d}$", maxName)}
	path := join(k.Path, "*")
	return s, entryShape(k.Type.Elem(), path).describe(each, path+".")
}

func bounds(s *node, k Key) error {
	for _, b := range []struct {
		text string
		into **float64
	}{{k.Field.Min, &s.Minimum}, {k.Field.Max, &s.Maximum}} {
		if b.text == "" {
			continue
		}
		n, err := strconv.ParseFloat(b.text, 64)
		if err != nil {
			return fmt.Errorf("%s: limit %q: %w", k.Path, b.text, err)
		}
		*b.into = &n
	}
	return nil
}

func indent(s *node) ([]byte, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
