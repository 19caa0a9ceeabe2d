package list

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
)

const maxFields = 256

// Scan finds the messages of raw, see wire.Format.
func Scan(shape *Shape, raw []byte, into, known *wire.Body) error {
	m := machine{Scanner: jsonscan.Scanner{B: raw}, shape: shape, body: into}
	var end int
	if from, ok := resumable(shape, raw, known); ok {
		end = m.resume(from, known)
	} else {
		m.reset()
		end = m.cold()
	}
	if end >= 0 {
		if end = m.Space(end); end < len(raw) {
			end = m.Fail(end, "something behind the end")
		}
	}
	if end >= 0 && into.List.End == 0 {
		end = m.refuse("no member " + shape.List)
	}
	if end < 0 {
		m.reset()
		into.Raw, into.Format = nil, ""
		if m.bad != "" {
			return fmt.Errorf("%s: %w: %s", shape.Name, wire.ErrShape, m.bad)
		}
		return fmt.Errorf("%s: %w", shape.Name, m.Err())
	}
	m.finish()
	return nil
}

func (m *machine) reset() {
	b := m.body
	*b = wire.Body{Format: m.shape.Name, Raw: m.B, Items: b.Items[:0], Fields: b.Fields[:0]}
}

func (m *machine) cold() int {
	i := m.Space(0)
	if i >= len(m.B) || m.B[i] != '{' {
		return m.Fail(i, "no object")
	}
	i, more := m.Open(i)
	if !more {
		return i
	}
	return m.fields(i)
}

// fields scans the members from the name at i to the end of the outermost object.
func (m *machine) fields(i int) int {
	for more := true; more; {
		from, to, at := m.Name(i)
		if at < 0 {
			return -1
		}
		if !m.fresh(m.B[from:to]) {
			return m.refuse("a name that is given twice, or too many of them")
		}
		f := wire.Field{Name: wire.Span{Start: from, End: to}}
		end := m.field(m.name(from, to), at, &f)
		if end < 0 {
			return -1
		}
		f.Value = wire.Span{Start: at, End: end}
		m.body.Fields = append(m.body.Fields, f)
		if i, more = m.Next(end, '}'); i < 0 {
			return -1
		}
	}
	return i
}

// fresh reports whether no member has this name yet.
func (m *machine) fresh(name []byte) bool {
	b := m.body
	for _, f := range b.Fields {
		if same(b.Bytes(f.Name), name) {
			return false
		}
	}
	return len(b.Fields) < maxFields
}

func (m *machine) field(name []byte, i int, f *wire.Field) int {
	switch {
	case string(name) == m.shape.List:
		return m.list(i)
	case string(name) == "cache_control":
		if !m.null(i) {
			f.Marks = 1
		}
	case m.one(m.shape.System, name), m.one(m.shape.Tools, name):
		return m.marked(i, f)
	}
	return m.Skip(i, 1)
}

func (m *machine) one(of []string, name []byte) bool {
	for _, s := range of {
		if s == string(name) {
			return true
		}
	}
	return false
}

// marked scans an array of blocks or tools and counts the cache marks on them.
func (m *machine) marked(i int, f *wire.Field) int {
	if i >= len(m.B) || m.B[i] != '[' {
		return m.Skip(i, 1)
	}
	i, more := m.Open(i)
	for more && i >= 0 {
		if i < len(m.B) && m.B[i] == '{' {
			i = m.block(i, f)
		} else {
			i = m.Skip(i, 2)
		}
		if i >= 0 {
			i, more = m.Next(i, ']')
		}
	}
	return i
}

func (m *machine) block(i int, f *wire.Field) int {
	i, more := m.Open(i)
	for more && i >= 0 {
		from, to, at := m.Name(i)
		if at < 0 {
			return -1
		}
		if string(m.B[from:to]) == "cache_control" && !m.null(at) {
			f.Marks++
		}
		if i = m.Skip(at, 3); i >= 0 {
			i, more = m.Next(i, '}')
		}
	}
	return i
}

// list scans the message list at i.
func (m *machine) list(i int) int {
	b := m.body
	b.List.Start = i
	switch {
	case i >= len(m.B):
		return m.Fail(i, "an end too early")
	case m.B[i] == '"' && m.shape.Bare:
		end := m.String(i)
		if end < 0 {
			return -1
		}
		b.Bare, b.List.End = true, end
		b.Items = append(b.Items, wire.Item{Span: b.List, Hash: m.typed(i, end), Role: trimtab.RoleUser, Holds: wire.HoldsText})
		return end
	case m.B[i] != '[':
		return m.refuse(m.shape.List + " is no array")
	}
	i, more := m.Open(i)
	if !more {
		b.List.End = i
		return i
	}
	return m.items(i)
}

// typed is the hash of a message of a person's with the text at i.
func (m *machine) typed(i, end int) uint64 {
	text := jsonscan.Mix(jsonscan.ListHash, jsonscan.Mix(seedWords, m.Text(i, end)))
	return jsonscan.ObjectHash(m.tie(Role, nil, jsonscan.TextHash([]byte("user"))) + m.tie(Content, nil, text))
}

// items scans the elements from i to the end of the list.
func (m *machine) items(i int) int {
	for more := true; more; {
		if i = m.item(i); i < 0 {
			return -1
		}
		if i, more = m.Next(i, ']'); i < 0 {
			return -1
		}
	}
	m.body.List.End = i
	return i
}

// resumable returns how many items raw has in common with the body that is
// known, if scanning can begin behind them.
func resumable(shape *Shape, raw []byte, known *wire.Body) (items int, ok bool) {
	if known == nil || known.Format != shape.Name || known.Bare || len(known.Items) == 0 {
		return 0, false
	}
	p := jsonscan.CommonPrefix(raw, known.Raw)
	items, exact := slices.BinarySearchFunc(known.Items, p, func(it wire.Item, p int) int { return it.End - p })
	if exact {
		items++ // its closing bracket is the last byte that both have
	}
	return items, items > 0
}

// resume takes over the first items of the known body and scans from there.
func (m *machine) resume(n int, known *wire.Body) int {
	b, old := m.body, *known
	before := slices.IndexFunc(old.Fields, func(f wire.Field) bool { return f.Value == old.List })
	*b = wire.Body{Format: m.shape.Name, Raw: m.B, Items: b.Items[:0], Fields: b.Fields[:0]}
	b.Items = append(b.Items, old.Items[:n]...)
	tail := old.Fields[before+1:]
	if b == known {
		tail = slices.Clone(tail)
	}
	b.Fields = append(b.Fields, old.Fields[:before+1]...)
	b.List.Start = old.List.Start
	i, more := m.Next(b.Items[n-1].End, ']')
	switch {
	case i < 0:
		return -1
	case more:
		if i = m.items(i); i < 0 {
			return -1
		}
	default:
		b.List.End = i
	}
	b.Fields[before].Value = b.List
	if bytes.Equal(m.B[i:], old.Raw[old.List.End:]) {
		return m.shift(tail, i-old.List.End)
	}
	if i, more = m.Next(i, '}'); i < 0 || !more {
		return i
	}
	return m.fields(i)
}

// shift takes over the members behind a list that ends by so much later.
func (m *machine) shift(tail []wire.Field, by int) int {
	b := m.body
	for _, f := range tail {
		f.Name.Start += by
		f.Name.End += by
		f.Value.Start += by
		f.Value.End += by
		b.Fields = append(b.Fields, f)
	}
	return len(m.B)
}

// finish reads the few facts beside the list.
func (m *machine) finish() {
	b := m.body
	if n := len(b.Items); n > 0 {
		b.Marks = int(b.Items[n-1].Marks)
	}
	for _, f := range b.Fields {
		b.Marks += int(f.Marks)
		switch name := m.name(f.Name.Start, f.Name.End); {
		case m.one(m.shape.System, name):
			b.System = f.Value
		case m.one(m.shape.Tools, name):
			b.Tools = f.Value
		case string(name) == "stream":
			b.Stream = string(b.Bytes(f.Value)) == "true"
		}
	}
}

// same reports whether two names are one, however they are escaped.
func same(a, b []byte) bool {
	if bytes.IndexByte(a, '\\') >= 0 || bytes.IndexByte(b, '\\') >= 0 {
		return jsonscan.Word(a) == jsonscan.Word(b)
	}
	return bytes.Equal(a, b)
}
