package config

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// reader takes one file into the config, or a text in the form of one.
type reader struct {
	*loader
	lines          // none where the text has no lines to count
	from    Origin // without the line
	guarded bool
	managed bool
}

// file takes a layer. One that cannot be read as a whole changes nothing.
func (l *loader) file(layer Layer) {
	l.listed = 0
	data := bytes.TrimPrefix(layer.Data, []byte("\ufeff"))
	if len(bytes.TrimSpace(data)) == 0 {
		return
	}
	root, err := parse(data)
	r := reader{loader: l, from: Origin{Layer: layer.Name, File: layer.File}, guarded: layer.Guarded, managed: layer.Managed}
	if len(data) <= maxFile {
		r.lines = linesOf(data)
	}
	var bad *fault
	if errors.As(err, &bad) {
		p := Problem{Origin: r.from}
		if bad.offset >= 0 {
			p = r.at(bad.offset)
		}
		p.Text = bad.text + "; nothing in this file takes effect"
		l.problem(p)
		return
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		p := r.at(root.StartOffset)
		p.Text = "the file holds " + written(root) + "; give an object; nothing in this file takes effect"
		l.problem(p)
		return
	}
	r.section("", object)
	for _, m := range object.Members {
		if r.managed && m.Name.Value.(hujson.Literal).String() == lockedName {
			l.locks.list = append(l.locks.list, r.locked(m.Value)...)
		}
	}
	l.more(r.from)
}

// at begins a problem at a place in the file.
func (r reader) at(offset int) Problem {
	p := Problem{Origin: r.origin(offset)}
	// Counting characters reads the line from its start, which a file of one
	// long line would make slow if it were done for what nobody sees.
	if r.listed < maxProblems && p.Line > 0 {
		p.Column = r.column(offset)
	}
	return p
}

func (r reader) origin(offset int) Origin {
	at := r.from
	if len(r.starts) > 0 {
		at.Line = r.line(offset)
	}
	return at
}

func (r reader) section(path string, object *hujson.Object) {
	for _, m := range r.members(path, object) {
		name := m.Name.Value.(hujson.Literal).String()
		key := join(path, name)
		if path == "" && name == "$schema" {
			if m.Value.Value.Kind() != '"' {
				r.refuseNode(Key{Path: "$schema"}, "text", m.Value)
			}
			continue
		}
		if path == "" && name == lockedName && !r.inside {
			if !r.managed {
				p := r.at(m.Name.StartOffset)
				p.Key, p.Text = lockedName, "only the managed file of a machine locks settings; this has no effect"
				r.problem(p)
			}
			continue
		}
		i, isKey := r.shape.at[key]
		here, isSection := r.sections[key]
		if !slices.Contains(r.sections[path].names, name) || !isKey && !isSection {
			r.stray(path, name, m.Name.StartOffset)
			continue
		}
		if r.guarded && (isSection && here.guarded || isKey && r.keys[i].Guarded) {
			p := r.at(m.Name.StartOffset)
			p.Key, p.Text = key, "a project may not set this; set it in your own config"
			r.problem(p)
			continue
		}
		if isSection {
			r.subsection(key, m.Value)
			continue
		}
		r.key(r.keys[i], m)
	}
}

// stray reports a name that the section does not have.
func (r reader) stray(path, name string, offset int) {
	p := r.at(offset)
	p.Key = join(path, shown(name))
	if _, _, known := r.find(join(path, name)); known && strings.Contains(name, ".") {
		p.Nearest = p.Key
		nested := `{"` + strings.ReplaceAll(name, ".", `": {"`) + `": …}` + strings.Repeat("}", strings.Count(name, "."))
		p.Text = "a dot does not lead into a section here; nest the names: " + shown(nested)
		r.problem(p)
		return
	}
	r.unknown(p, "key", func() string { return r.nearest(join(path, name)) })
}

func (r reader) subsection(path string, v hujson.Value) {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		r.refuseNode(Key{Path: path}, "an object", v)
		return
	}
	r.section(path, object)
}

func (r reader) key(k Key, m hujson.ObjectMember) {
	switch {
	case k.ofEntries():
		r.entries(k, m.Value)
		return
	case k.Type.Kind() == reflect.Map:
		r.mapping(k, m.Value)
		return
	}
	v, blame := k.fromNode(m.Value)
	if blame == nil && !k.takes(v) {
		blame = &m.Value
	}
	if blame != nil {
		r.refuseNode(k, k.Allowed(), *blame)
		return
	}
	r.set(k, v, r.origin(m.Name.StartOffset))
}

// mapping takes the entries of a map, each on its own.
func (r reader) mapping(k Key, v hujson.Value) {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		r.refuseNode(k, k.Allowed(), v)
		return
	}
	for _, m := range r.members(k.Path, object) {
		name := m.Name.Value.(hujson.Literal).String()
		if m.Value.Value.Kind() != '"' {
			r.refuseNode(Key{Path: join(k.Path, shown(name)), Field: k.Field}, "text", m.Value)
			continue
		}
		r.entry(k, name, m.Value.Value.(hujson.Literal).String(), r.origin(m.Name.StartOffset))
	}
}

// members returns the members of an object without those that a later one of
// the same name replaces, and reports these.
func (r reader) members(path string, object *hujson.Object) []hujson.ObjectMember {
	last := make(map[string]int, len(object.Members))
	for i, m := range object.Members {
		name := m.Name.Value.(hujson.Literal).String()
		if _, twice := last[name]; twice {
			p := r.at(m.Name.StartOffset)
			p.Key, p.Text = join(path, shown(name)), "it is given more than once; the last one counts"
			r.problem(p)
		}
		last[name] = i
	}
	if len(last) == len(object.Members) {
		return object.Members
	}
	var kept []hujson.ObjectMember
	for i, m := range object.Members {
		if last[m.Name.Value.(hujson.Literal).String()] == i {
			kept = append(kept, m)
		}
	}
	return kept
}

func (r reader) refuseNode(k Key, allowed string, v hujson.Value) {
	p := r.at(v.StartOffset)
	p.Allowed, p.Value = allowed, k.quote(written(v))
	r.refuse(k, p)
}

// written is a value as the file has it.
func written(v hujson.Value) string {
	switch v := v.Value.(type) {
	case *hujson.Object:
		return "an object"
	case *hujson.Array:
		return "a list"
	case hujson.Literal:
		return shown(string(v))
	}
	return ""
}
