package config

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Layer is a settings file.
type Layer struct {
	Name    string // "managed", "user" or "project", for people
	File    string // its path, for people
	Data    []byte // JSON with comments; none is an empty layer
	Guarded bool   // someone else's file: it may not set keys with guard:"user"
	Managed bool   // of who runs the machine: it may lock keys, and later layers leave them alone
}

// Sources are all the places that settings come from, the weakest first.
type Sources struct {
	Layers []Layer
	Env    []string // as os.Environ gives it
	Ignore []string // names under TRIMTAB_ that are not settings
	Sets   []string // key=value, from the command line
}

// Load returns the config that the sources make together. It is always valid:
// what is not allowed is left out and reported.
func Load[T any](from Sources) (T, Report) {
	var cfg T
	l := &loader{
		shape:   shapeOf(reflect.TypeFor[T]()),
		into:    reflect.ValueOf(&cfg).Elem(),
		origins: map[string]Origin{},
		wrong:   &wrong{},
		locks:   &locks{},
	}
	l.fill()
	for _, layer := range from.Layers {
		l.file(layer)
	}
	l.environment(from.Env, from.Ignore)
	l.flags(from.Sets)
	return cfg, Report{Origins: l.origins, Problems: l.problems, locks: l.locks}
}

// loader is a config in the making, or an entry of one.
type loader struct {
	*shape
	*wrong
	locks   *locks
	into    reflect.Value
	origins map[string]Origin
}

// wrong is what was refused so far.
type wrong struct {
	problems []Problem
	listed   int // of the layer at hand
}

// fill puts every default in its place.
func (l *loader) fill() {
	for _, k := range l.keys {
		l.origins[k.Path] = Origin{Layer: BuiltIn}
		if k.Field.Default == "" || k.ofEntries() {
			continue
		}
		if v, ok := k.fromText(k.Field.Default); ok && k.takes(v) {
			l.set(k, v, Origin{Layer: BuiltIn})
		}
	}
}

// set puts an allowed value in its place. Maps grow entry by entry; everything
// else is replaced.
func (l *loader) set(k Key, v reflect.Value, from Origin) {
	if k.Type.Kind() != reflect.Map && !l.allowed(k.Path, from) {
		return
	}
	l.origins[k.Path] = from
	place := l.into.FieldByIndex(k.index)
	switch {
	case k.Type.Kind() == reflect.Map:
		if place.IsNil() {
			place.Set(reflect.MakeMap(k.Type))
		}
		for it := v.MapRange(); it.Next(); {
			if !l.allowed(join(k.Path, it.Key().String()), from) {
				continue
			}
			place.SetMapIndex(it.Key(), it.Value())
			l.origins[join(k.Path, it.Key().String())] = from
		}
	case k.Optional:
		p := reflect.New(k.Type)
		p.Elem().Set(v)
		place.Set(p)
	default:
		place.Set(v)
	}
}

// entry sets one entry of a map.
func (l *loader) entry(k Key, name, value string, from Origin) {
	m := reflect.MakeMap(k.Type)
	k.put(m, name, value)
	l.set(k, m, from)
}

// environment takes the values of the variables that have a key. Those of a
// key's further names come first, so that its own name has the last word.
func (l *loader) environment(env, ignore []string) {
	l.listed = 0
	values := map[string]string{}
	for _, pair := range env {
		if name, value, ok := strings.Cut(pair, "="); ok && value != "" {
			values[name] = value
		}
	}
	known := slices.Clone(ignore)
	for _, k := range l.keys {
		known = append(known, k.Env...)
		for _, name := range slices.Backward(k.Env) {
			if text, ok := values[name]; ok {
				l.text(k, "", text, Origin{Layer: Environment, Name: name})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if strings.HasPrefix(name, envPrefix) && !slices.Contains(known, name) {
			l.unknown(Problem{Origin: Origin{Layer: Environment, Name: shown(name)}}, "setting", func() string { return Nearest(name, known) })
		}
	}
	l.more(Origin{Layer: Environment})
}

// flags takes key=value pairs, the last one of a key winning.
func (l *loader) flags(sets []string) {
	l.listed = 0
	for _, pair := range sets {
		from := Origin{Layer: Flags, Name: "--set"}
		path, text, ok := strings.Cut(pair, "=")
		if !ok {
			l.problem(Problem{Origin: from, Key: shown(path), Text: "it has no value; give key=value"})
			continue
		}
		l.assign(path, text, from)
	}
	l.more(Origin{Layer: Flags})
}

// Environ returns key=value pairs as variables, for our programs that another program
// starts. Only whole keys have a variable: an entry of a map is left out.
func Environ[T any](sets []string) []string {
	var all []string
	keys := Keys[T]()
	for _, pair := range sets {
		path, text, _ := strings.Cut(pair, "=")
		if i := slices.IndexFunc(keys, func(k Key) bool { return k.Path == path }); i >= 0 && len(keys[i].Env) > 0 {
			all = append(all, keys[i].Env[0]+"="+text)
		}
	}
	return all
}

// assign sets what a path names from text.
func (l *loader) assign(path, text string, from Origin) {
	if here, isSection := l.sections[path]; isSection && path != "" {
		l.problem(Problem{Origin: from, Key: path, Text: "it is a section; set one of its keys: " + strings.Join(here.names, ", ")})
		return
	}
	k, entry, ok := l.find(path)
	if !ok {
		l.unknown(Problem{Origin: from, Key: shown(path)}, "key", func() string { return l.nearest(path) })
		return
	}
	l.text(k, entry, text, from)
}

// text sets a key, or an entry of its map, from text that need not be JSON.
func (l *loader) text(k Key, entry, text string, from Origin) {
	if k.ofEntries() {
		l.entriesFrom(k, entry, text, from)
		return
	}
	if entry != "" {
		if !utf8.ValidString(entry) || !utf8.ValidString(text) {
			l.refuse(k, Problem{Origin: from, Key: join(k.Path, shown(entry)), Value: k.quote(shown(text)), Allowed: "text"})
			return
		}
		l.entry(k, entry, text, from)
		return
	}
	v, ok := k.fromText(text)
	if !ok || !k.takes(v) {
		l.refuse(k, Problem{Origin: from, Value: k.quote(shown(text))})
		return
	}
	l.set(k, v, from)
}

// refuse reports a value that the key does not take.
func (l *loader) refuse(k Key, p Problem) {
	if p.Key == "" {
		p.Key = k.Path
	}
	if p.Allowed == "" {
		p.Allowed = k.Allowed()
	}
	what := p.Value
	if what == "" {
		what = "empty text"
	}
	p.Text = fmt.Sprintf("%s is not allowed; give %s", what, p.Allowed)
	l.problem(p)
}

// unknown reports a name that means nothing here. The guess at what was meant
// is made only where it will be read.
func (l *loader) unknown(p Problem, what string, nearest func() string) {
	p.Text = "there is no such " + what
	if k, ok := l.renamed(cmp.Or(p.Key, p.Origin.Name)); ok {
		p.Nearest, p.Text = k.Path, "it is no longer a "+what+"; "+k.Path+" has taken its place: give "+k.Allowed()
		l.problem(p)
		return
	}
	if l.listed < maxProblems {
		if p.Nearest = nearest(); p.Nearest != "" {
			p.Text += "; did you mean " + p.Nearest + "?"
		}
	}
	l.problem(p)
}

func (w *wrong) problem(p Problem) {
	if w.listed++; w.listed <= maxProblems {
		w.problems = append(w.problems, p)
	}
}

// more says how many problems of the layer are not listed.
func (w *wrong) more(from Origin) {
	if n := w.listed - maxProblems; n > 0 {
		w.problems = append(w.problems, Problem{Origin: from, Text: fmt.Sprintf("%d more problems are not listed", n)})
	}
}
