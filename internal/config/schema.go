package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

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
	add(root, "$schema", &jsonschema.Schema{Type: "string", Description: "where the schema of this file is"})
	if err := shape.describe(root, ""); err != nil {
		return nil, err
	}
	return indent(root)
}

// describe adds the shape's keys to the schema of its object, whose path ends
// with a dot.
func (s *shape) describe(root *jsonschema.Schema, path string) error {
	for _, k := range s.keys {
		place, names := root, strings.Split(strings.TrimPrefix(k.Path, path), ".")
		for _, name := range names[:len(names)-1] {
			if place.Properties[name] == nil {
				add(place, name, object())
			}
			place = place.Properties[name]
		}
		leaf, err := k.schema()
		if err != nil {
			return err
		}
		add(place, k.Field.Name, leaf)
	}
	return nil
}

// object is a section: nothing but its own names.
func object() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type:                 "object",
		Properties:           map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}

func add(to *jsonschema.Schema, name string, s *jsonschema.Schema) {
	to.Properties[name] = s
	to.PropertyOrder = append(to.PropertyOrder, name)
}

// schema is the schema of one key.
func (k Key) schema() (*jsonschema.Schema, error) {
	s := &jsonschema.Schema{Description: k.Field.Doc}
	if k.Guarded {
		s.Description = strings.TrimSpace(s.Description + " (only in your own config, never in a project's)")
	}
	var enum []any
	for _, word := range k.Field.Enum {
		enum = append(enum, word)
	}
	switch k.Type.Kind() {
	case reflect.Bool:
		s.Type = "boolean"
	case reflect.Int:
		s.Type = "integer"
		s.Minimum, s.Maximum = jsonschema.Ptr(float64(-MaxInt)), jsonschema.Ptr(float64(MaxInt))
	case reflect.Float64:
		s.Type = "number"
	case reflect.String:
		s.Type, s.Enum = "string", enum
		if k.NeedsText() {
			s.MinLength = jsonschema.Ptr(1)
		}
	case reflect.Slice:
		s.Type, s.Items = "array", &jsonschema.Schema{Type: "string", Enum: enum}
	case reflect.Map:
		s.Type, s.AdditionalProperties = "object", &jsonschema.Schema{Type: "string"}
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
func (k Key) entriesSchema(s *jsonschema.Schema) (*jsonschema.Schema, error) {
	s.AdditionalProperties, s.MaxProperties = object(), jsonschema.Ptr(MaxEntries)
	s.PropertyNames = &jsonschema.Schema{Pattern: fmt.Sprintf("^[A-Za-z0-9_-]{1,%d}$", MaxName)}
	path := join(k.Path, "*")
	return s, entryShape(k.Type.Elem(), path).describe(s.AdditionalProperties, path+".")
}

func bounds(s *jsonschema.Schema, k Key) error {
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

func indent(s *jsonschema.Schema) ([]byte, error) {
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
