package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Check finds mistakes in the declaration of a config struct: a kind that no
// setting has, a default outside its own range, two keys of one name, a zero
// that would be lost. It is for the test of whoever declares the struct; Load
// takes it for granted.
func Check[T any]() error {
	s := shapeOf(reflect.TypeFor[T]())
	s.check()
	return errors.Join(s.faults...)
}

func (s *shape) check() {
	owner := map[string]string{}
	for _, k := range s.keys {
		s.checkKey(k)
		for _, name := range k.Env {
			if other, taken := owner[name]; taken {
				s.fault(k.Path, "has the environment name %s, as has %s", name, other)
			}
			owner[name] = k.Path
		}
		if k.ofEntries() {
			each := entryShape(k.Type.Elem(), join(k.Path, "*"))
			each.faults = nil // shapeOf has them already
			each.check()
			s.faults = append(s.faults, each.faults...)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(s.sections)) {
		here := s.sections[path]
		if len(here.names) == 0 {
			s.fault(path, "is a section without a key")
		}
		for _, name := range here.names {
			if !plain(name) {
				s.fault(join(path, name), "is not a name of letters, digits, _ and -")
			}
		}
	}
}

func (s *shape) fault(path, format string, args ...any) {
	s.faults = append(s.faults, errors.New(strings.TrimSpace(path+" "+fmt.Sprintf(format, args...))))
}

func (s *shape) checkKey(k Key) {
	kind, f := k.Type.Kind(), k.Field
	number := kind == reflect.Int || kind == reflect.Float64
	if len(f.Enum) > 0 && kind != reflect.String && kind != reflect.Slice {
		s.fault(k.Path, "has an enum, which only text and lists take")
	}
	for _, limit := range []string{f.Min, f.Max} {
		if limit == "" {
			continue
		}
		if _, ok := k.scalar(limit); !ok || !number {
			s.fault(k.Path, "has the limit %q, which is invalid for type %v", limit, kind)
			return
		}
	}
	zero := reflect.Zero(k.Type)
	if f.Default == "" {
		if !k.Optional && scalarKind(kind) && f.Check(zero) != nil {
			s.fault(k.Path, "needs a default: its zero value is not allowed")
		}
		return
	}
	if k.ofEntries() {
		s.fault(k.Path, "has a default, which a map of structs does not take")
		return
	}
	v, ok := k.fromText(f.Default)
	if !ok || !k.takes(v) {
		s.fault(k.Path, "has the default %q; it takes %s", f.Default, k.Allowed())
		return
	}
	if !k.Optional && (number || kind == reflect.Bool) && !v.IsZero() && f.Check(zero) == nil {
		s.fault(k.Path, "allows %v, which its package would take for unset and replace by %s; make it a pointer", zero, f.Default)
	}
}

func scalarKind(kind reflect.Kind) bool {
	return kind != reflect.Slice && kind != reflect.Map
}

func plain(name string) bool {
	for _, r := range name {
		if r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return name != ""
}
