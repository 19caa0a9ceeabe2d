package config

import (
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/trimtab/trimtab/internal/settingtag"
)

// envPrefix begins the environment name of every key.
const envPrefix = "TRIMTAB_"

// Key is one setting of a config struct.
type Key struct {
	Path     string           // such as todoReminder.initialTurns
	Field    settingtag.Field // as its tags declare it
	Type     reflect.Type     // of its value: bool, int, float64, string, []string, or a map by name of text or of structs
	Optional bool             // the struct holds a pointer, nil where nothing is set
	Env      []string         // its names in the environment, the strongest first; none inside an entry
	Guarded  bool             // a Guarded layer may not set it

	index []int
}

// Keys returns the keys of a config struct, in the order of its fields.
func Keys[T any]() []Key { return shapeOf(reflect.TypeFor[T]()).keys }

// Allowed says what values the key takes, in words for a person.
func (k Key) Allowed() string {
	switch {
	case k.Type.Kind() == reflect.Slice && len(k.Field.Enum) > 0:
		return "a list of " + strings.Join(k.Field.Enum, ", ")
	case k.Type.Kind() == reflect.Slice:
		return "a list of text"
	case k.ofEntries():
		return "an object of objects"
	case k.Type.Kind() == reflect.Map:
		return "an object of text"
	case k.NeedsText():
		return "text that is not empty"
	}
	return k.Field.Allowed(k.Type.Kind())
}

// NeedsText reports whether the key refuses the empty string. A package cannot
// tell an empty string from one that was never set, and would put its default
// there: better to say so than to take a value and not use it.
func (k Key) NeedsText() bool {
	return k.Type.Kind() == reflect.String && !k.Optional && k.Field.Default != "" && len(k.Field.Enum) == 0
}

// hidden reports whether the key's values are kept out of what people are shown.
func (k Key) hidden() bool { return k.Field.Tag.Get("hide") == "true" }

// quote is a value in a problem's words.
func (k Key) quote(text string) string {
	if k.hidden() && text != "" {
		return "the value"
	}
	return text
}

// section is a struct inside the config: keys and further sections by name.
type section struct {
	names   []string
	guarded bool
}

// shape is what a config struct declares.
type shape struct {
	keys     []Key
	at       map[string]int // the place of a path in keys
	sections map[string]section
	faults   []error
	inside   bool // it is an entry of a map
}

func shapeOf(t reflect.Type) *shape {
	s := &shape{at: map[string]int{}, sections: map[string]section{}}
	if t.Kind() != reflect.Struct {
		s.fault("", "%v is not a struct", t)
		return s
	}
	s.walk(t, "", nil, false)
	return s
}

// walk notes the fields of the section at path.
func (s *shape) walk(t reflect.Type, path string, index []int, guarded bool) {
	here := s.sections[path]
	here.guarded = guarded
	s.sections[path] = here
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clip(index), i)
		if f.Anonymous && f.Tag.Get("json") == "" && f.Type.Kind() == reflect.Struct {
			s.walk(f.Type, path, at, guarded)
			continue
		}
		field, ok := settingtag.FieldOf(f)
		if !ok || !f.IsExported() {
			continue
		}
		here := s.sections[path]
		if slices.Contains(here.names, field.Name) {
			s.fault(join(path, field.Name), "is declared twice")
			continue
		}
		here.names = append(here.names, field.Name)
		s.sections[path] = here
		if g := field.Tag.Get("guard"); g != "" && g != "user" {
			s.fault(join(path, field.Name), "has the guard %q; only user is known", g)
		}
		if h := field.Tag.Get("hide"); h != "" && h != "true" {
			s.fault(join(path, field.Name), "has hide %q; only true is known", h)
		}
		s.field(f, field, join(path, field.Name), at, guarded || field.Tag.Get("guard") == "user")
	}
}

func (s *shape) field(f reflect.StructField, field settingtag.Field, path string, index []int, guarded bool) {
	if f.Type.Kind() == reflect.Struct {
		s.walk(f.Type, path, index, guarded)
		return
	}
	k := Key{Path: path, Field: field, Type: f.Type, Guarded: guarded, index: index}
	if f.Type.Kind() == reflect.Pointer {
		k.Type, k.Optional = f.Type.Elem(), true
	}
	if !s.inside {
		k.Env = append(k.Env, envName(path))
	}
	for name := range strings.SplitSeq(field.Tag.Get("env"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			k.Env = append(k.Env, name)
		}
	}
	if s.inside && len(k.Env) > 0 {
		s.fault(path, "has the environment name %s; what is inside an entry has none", k.Env[0])
		k.Env = nil
	}
	if !k.supported() || s.inside && k.ofEntries() {
		s.fault(path, "%v is not a type of setting", f.Type)
		return
	}
	if k.ofEntries() {
		s.faults = append(s.faults, entryShape(k.Type.Elem(), join(path, "*")).faults...)
	}
	s.at[path] = len(s.keys)
	s.keys = append(s.keys, k)
}

func (k Key) supported() bool {
	switch k.Type.Kind() {
	case reflect.Bool, reflect.Int, reflect.Float64, reflect.String:
		return true
	case reflect.Slice:
		return !k.Optional && k.Type.Elem().Kind() == reflect.String
	case reflect.Map:
		of := k.Type.Elem().Kind()
		return !k.Optional && k.Type.Key().Kind() == reflect.String && (of == reflect.String || of == reflect.Struct)
	}
	return false
}

// find returns the key that a path names. For an entry of a map, as in
// upstreams.openai, entry is the part below the key.
func (s *shape) find(path string) (k Key, entry string, ok bool) {
	if i, ok := s.at[path]; ok {
		return s.keys[i], "", true
	}
	for i, c := range path {
		if at, ok := s.at[path[:i]]; c == '.' && ok && s.keys[at].Type.Kind() == reflect.Map && path[i+1:] != "" {
			return s.keys[at], path[i+1:], true
		}
	}
	return Key{}, "", false
}

// nearest guesses which path was meant by one that does not exist: a name of
// the same section, or the same name in another.
func (s *shape) nearest(path string) string {
	parent, name := "", path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		parent, name = path[:i], path[i+1:]
	}
	if here, ok := s.sections[parent]; ok {
		if near := Nearest(name, here.names); near != "" {
			return join(parent, near)
		}
	}
	paths := make([]string, len(s.keys))
	for i, k := range s.keys {
		paths[i] = k.Path
	}
	if near := Nearest(path, paths); near != "" {
		return near
	}
	found := ""
	for _, p := range paths {
		if strings.EqualFold(p[strings.LastIndexByte(p, '.')+1:], name) {
			if found != "" {
				return ""
			}
			found = p
		}
	}
	return found
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// envName is the name of a path in the environment: todoReminder.initialTurns
// is TRIMTAB_TODO_REMINDER_INITIAL_TURNS.
func envName(path string) string {
	var b strings.Builder
	b.WriteString(envPrefix)
	runes := []rune(path)
	for i, r := range runes {
		switch {
		case r == '.' || r == '-':
			b.WriteByte('_')
			continue
		case i > 0 && unicode.IsUpper(r):
			before := runes[i-1]
			begins := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if unicode.IsLower(before) || unicode.IsDigit(before) || unicode.IsUpper(before) && begins {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}
