package config

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// Entry is one key as `config show` lists it. Value and Default are JSON;
// passwords in URLs and the values of keys with hide:"true" are not shown.
type Entry struct {
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value"`
	Default json.RawMessage `json:"default"`
	Origin  Origin          `json:"origin"`
	Locked  *Origin         `json:"locked,omitempty"` // what keeps it as it is
	Doc     string          `json:"doc,omitempty"`
}

// Entries lists every key of a loaded config in the order of its fields. A map
// that holds something is listed entry by entry, and of an entry that is a
// struct, every key.
func Entries[T any](cfg T, r Report) []Entry {
	built, _ := Load[T](Sources{})
	return shapeOf(reflect.TypeFor[T]()).list(reflect.ValueOf(&cfg).Elem(), reflect.ValueOf(&built).Elem(), r)
}

// list lists the keys of a struct and of the same one with its defaults alone.
func (s *shape) list(now, before reflect.Value, r Report) []Entry {
	var all []Entry
	for _, k := range s.keys {
		v, d := now.FieldByIndex(k.index), before.FieldByIndex(k.index)
		if k.Type.Kind() == reflect.Map && v.Len() > 0 {
			all = append(all, k.entries(v, d, r)...)
			continue
		}
		all = append(all, Entry{k.Path, k.show(v), k.show(d), r.Origins[k.Path], r.lockedBy(k.Path), k.Field.Doc})
	}
	return all
}

func (k Key) entries(v, d reflect.Value, r Report) []Entry {
	var all []Entry
	names := v.MapKeys()
	slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, name := range names {
		if k.ofEntries() {
			fresh := (&loader{wrong: &wrong{}, locks: &locks{}}).begin(k, name.String())
			all = append(all, fresh.list(v.MapIndex(name), fresh.into, r)...)
			continue
		}
		path := join(k.Path, name.String())
		e := Entry{path, k.show(v.MapIndex(name)), encode(nil), r.Origins[path], r.lockedBy(path), k.Field.Doc}
		if was := d.MapIndex(name); was.IsValid() {
			e.Default = k.show(was)
		}
		all = append(all, e)
	}
	return all
}

func (r Report) lockedBy(path string) *Origin {
	if by, is := r.Locked(path); is {
		return &by
	}
	return nil
}

// defaultJSON is the key's default as JSON, or nil where it has none.
func (k Key) defaultJSON() json.RawMessage {
	if k.Field.Default == "" {
		return nil
	}
	v, ok := k.fromText(k.Field.Default)
	if !ok {
		return nil
	}
	return encode(v.Interface())
}

// show is a value in JSON without the passwords of URLs and what is hidden.
func (k Key) show(v reflect.Value) json.RawMessage {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if k.hidden() && v.Kind() != reflect.Map && v.Kind() != reflect.Pointer && !v.IsZero() {
		return encode("***")
	}
	switch v.Kind() {
	case reflect.String:
		return encode(hidePassword(v.String()))
	case reflect.Slice:
		if v.IsNil() {
			return encode([]string{})
		}
		items := make([]string, v.Len())
		for i := range items {
			items[i] = hidePassword(v.Index(i).String())
		}
		return encode(items)
	case reflect.Map:
		return encode(map[string]string{})
	}
	return encode(v.Interface())
}
