package config

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// The limits of a map of structs.
const (
	maxEntries = 256 // in one map
	maxName    = 64  // characters in the name of one
)

// ofEntries reports whether the key holds structs by name, each with keys of
// its own.
func (k Key) ofEntries() bool {
	return k.Type.Kind() == reflect.Map && k.Type.Elem().Kind() == reflect.Struct
}

// entryShape is what an entry at path declares. Its keys have whole paths, but
// no names in the environment, which knows no names that people choose.
func entryShape(t reflect.Type, path string) *shape {
	s := &shape{at: map[string]int{}, sections: map[string]section{}, inside: true}
	s.walk(t, path, nil, false)
	return s
}

// begin returns an entry of a map with nothing but its defaults. It is no part
// of the map until keep puts it there.
func (l *loader) begin(k Key, name string) *loader {
	e := &loader{
		shape:   entryShape(k.Type.Elem(), join(k.Path, name)),
		into:    reflect.New(k.Type.Elem()).Elem(),
		origins: map[string]Origin{},
		wrong:   l.wrong,
		locks:   l.locks,
	}
	e.fill()
	return e
}

// keep puts an entry into its map, in the place of one that has its name.
func (l *loader) keep(k Key, name string, e *loader, from Origin) {
	path := join(k.Path, name)
	if !l.allowed(path, from) {
		return
	}
	place := l.into.FieldByIndex(k.index)
	if place.IsNil() {
		place.Set(reflect.MakeMap(k.Type))
	}
	if l.standing(k, name).IsValid() {
		maps.DeleteFunc(l.origins, func(at string, _ Origin) bool { return strings.HasPrefix(at, path+".") })
	}
	place.SetMapIndex(nameValue(k, name), e.into)
	maps.Copy(l.origins, e.origins)
	l.origins[k.Path], l.origins[path] = from, from
}

// standing is the entry that has the name by now, or the zero Value.
func (l *loader) standing(k Key, name string) reflect.Value {
	return l.into.FieldByIndex(k.index).MapIndex(nameValue(k, name))
}

func nameValue(k Key, name string) reflect.Value {
	return reflect.ValueOf(name).Convert(k.Type.Key())
}

// unfit says why the map takes no entry of that name, or "".
func (l *loader) unfit(k Key, name string) string {
	switch {
	case !plain(name) || len(name) > maxName:
		return fmt.Sprintf("invalid entry name; give up to %d letters, digits, _ and -", maxName)
	case l.into.FieldByIndex(k.index).Len() >= maxEntries && !l.standing(k, name).IsValid():
		return fmt.Sprintf("there are %d already, and no more are taken", maxEntries)
	}
	return ""
}

// entries takes the entries of a map of structs, each on its own.
func (r reader) entries(k Key, v hujson.Value) {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		r.refuseNode(k, k.Allowed(), v)
		return
	}
	for _, m := range r.members(k.Path, object) {
		r.named(k, m.Name.Value.(hujson.Literal).String(), m.Name.StartOffset, m.Value)
	}
}

// named takes one entry. It replaces one of an earlier layer as a whole, so that
// no entry is a mixture that nobody wrote; but where something in it is refused,
// the earlier one stays, which was whole.
func (r reader) named(k Key, name string, offset int, v hujson.Value) {
	path := join(k.Path, shown(name))
	if why := r.unfit(k, name); why != "" {
		p := r.at(offset)
		p.Key, p.Text = path, why
		r.problem(p)
		return
	}
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		r.refuseNode(Key{Path: path}, "an object", v)
		return
	}
	before, was := r.listed, r.standing(k, name)
	inside := r
	inside.loader = r.begin(k, name)
	if r.guarded && was.IsValid() {
		inside.preserve(was, r.origins)
	}
	inside.section(path, object)
	if was.IsValid() && r.listed > before {
		p := r.at(offset)
		p.Key, p.Text = path, fmt.Sprintf("the one of %s stays, because of what is wrong in this one", r.origins[path])
		r.problem(p)
		return
	}
	r.keep(k, name, inside.loader, r.origin(offset))
}

// preserve takes over the guarded keys of an entry: who may not set them may not
// clear them either.
func (l *loader) preserve(was reflect.Value, origins map[string]Origin) {
	for _, k := range l.keys {
		if k.Guarded {
			l.into.FieldByIndex(k.index).Set(was.FieldByIndex(k.index))
			l.origins[k.Path] = origins[k.Path]
		}
	}
}

// entriesFrom sets a map of structs from text: all of it or one entry from JSON,
// or one key of an entry, which leaves the entry's other keys alone.
func (l *loader) entriesFrom(k Key, entry, text string, from Origin) {
	name, rest, deeper := strings.Cut(entry, ".")
	if deeper {
		l.assignIn(k, name, join(join(k.Path, name), rest), text, from)
		return
	}
	r := reader{loader: l, from: from}
	n, err := parse([]byte(text))
	switch {
	case err != nil: // in words that do not quote it: there may be secrets in it
		p := Problem{Origin: from, Key: k.Path, Allowed: k.Allowed()}
		if entry != "" {
			p.Key, p.Allowed = join(k.Path, shown(entry)), "an object"
		}
		p.Text = "it is not JSON; give " + p.Allowed + " as in a settings file"
		l.problem(p)
	case entry == "":
		r.entries(k, n)
	default:
		r.named(k, name, 0, n)
	}
}

func (l *loader) assignIn(k Key, name, path, text string, from Origin) {
	if why := l.unfit(k, name); why != "" {
		l.problem(Problem{Origin: from, Key: join(k.Path, shown(name)), Text: why})
		return
	}
	e, before := l.begin(k, name), l.listed
	if was := l.standing(k, name); was.IsValid() {
		e.into.Set(was)
		for at, o := range l.origins {
			if strings.HasPrefix(at, join(k.Path, name)+".") {
				e.origins[at] = o
			}
		}
	}
	if e.assign(path, text, from); l.listed == before {
		l.keep(k, name, e, from)
	}
}
