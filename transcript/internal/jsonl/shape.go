package jsonl

import (
	"slices"

	"github.com/trimtab/trimtab/internal/scan"
)

// Span is where a value stands in a line: its first byte, and the one behind its
// last. The zero Span is none. Unlike a slice, it costs the collector nothing.
type Span [2]int32

// Of returns the value.
func (s Span) Of(b []byte) []byte { return b[s[0]:s[1]] }

// Walk takes down which values a cursor stepped over.
type Walk struct{ slots []slot }

// slot is a value that was stepped over as a whole.
type slot struct {
	from, to int
	fixed    bool
}

// Fix says that what becomes of the line depends on what the value that was
// stepped over last says, not only on where it stands.
func (w *Walk) Fix() {
	if n := len(w.slots); n > 0 {
		w.slots[n-1].fixed = true
	}
}

// Shapes knows how the lines before were written. A host writes most lines in one
// of a few ways: the same names in the same order, and many of the same values. A
// line like that is compared, not walked. It is of the same shape if all bytes
// between the values that change are the same, and each of those is a string where
// a string was, an object where an object was, and so on; so a walk would find the
// same things in it. T is what a walk finds beside spans. The zero value knows
// nothing yet.
type Shapes[T any] struct {
	known        []*shape
	found        []T // of each
	out          int // which is forgotten next
	first        []*step
	hits, misses int
}

const (
	maxShapes = 24
	maxSlots  = 256
	maxFixed  = 64 // a longer value is not expected to come again
)

// Match takes a line apart if it is written as one before it was. The spans are in
// the memory of at.
func (s *Shapes[T]) Match(b []byte, t *Twice, at []Span) (found T, spans []Span, ok bool) {
	m := match{b: b, twice: t, at: at}
	n := m.steps(s.first, 0)
	if n < 0 {
		s.misses++
		return found, at, false
	}
	s.hits++
	return s.found[n], m.at, true
}

// Hits is how many lines Match took apart.
func (s *Shapes[T]) Hits() int { return s.hits }

// Learn takes down how a line is written that was walked and is sound. Spans may
// begin and end only where values do.
func (s *Shapes[T]) Learn(b []byte, w *Walk, spans []Span, found T) {
	if n := len(w.slots); n == 0 || n > maxSlots || s.misses > 64+s.hits && s.misses%16 != 0 {
		return // lines that are all written differently are not worth it
	}
	if !slices.ContainsFunc(s.known, func(k *shape) bool { return k.like(b, w) }) {
		k := newShape(b, w, spans)
		switch {
		case k == nil:
			return
		case len(s.known) < maxShapes:
			s.known, s.found = append(s.known, k), append(s.found, found)
		default:
			s.known[s.out], s.found[s.out] = k, found
			s.out = (s.out + 1) % maxShapes
		}
	}
	s.first = nil
	for n, k := range s.known {
		s.first = grow(s.first, k.steps(n))
	}
}

// shape is one way of writing a line.
type shape struct {
	parts []part
	end   []byte // what stands behind the last value
	marks []mark // in the order of the line
	spans int
	made  []step // nil when it must be made anew
}

// part is a value and what stands before it.
type part struct {
	before, value []byte
	class         byte
	changes       bool // the value is not the same in all lines
}

// mark is an end of a span: so many bytes behind the value before a part.
type mark struct{ span, end, part, off int }

func newShape(b []byte, w *Walk, spans []Span) *shape {
	k := &shape{parts: make([]part, len(w.slots)), spans: len(spans), marks: make([]mark, 0, 2*len(spans))}
	for n, span := range spans {
		if span == (Span{}) {
			continue
		}
		for end, at := range span {
			m, ok := place(w.slots, int(at))
			if !ok {
				return nil
			}
			m.span, m.end = n, end
			k.marks = append(k.marks, m)
		}
	}
	slices.SortStableFunc(k.marks, func(a, b mark) int { return a.part - b.part })
	size, i := len(b), 0
	for n, at := range w.slots {
		k.parts[n] = part{class: classOf(b[at.from]), changes: !at.fixed && at.to-at.from > maxFixed}
		if k.parts[n].changes {
			size -= at.to - at.from
		}
	}
	text := make([]byte, 0, size) // what all parts are of
	keep := func(v []byte) []byte {
		text = append(text, v...)
		return text[len(text)-len(v):]
	}
	for n, at := range w.slots {
		p := &k.parts[n]
		if p.before = keep(b[i:at.from]); !p.changes {
			p.value = keep(b[at.from:at.to])
		}
		i = at.to
	}
	k.end = keep(b[i:])
	return k
}

// place finds the part that an end of a span stands before the value of.
func place(slots []slot, at int) (m mark, ok bool) {
	from := 0
	for n, s := range slots {
		if at <= s.from {
			return mark{part: n, off: at - from}, at >= from
		}
		from = s.to
	}
	return mark{part: len(slots), off: at - from}, at >= from
}

// like reports whether a line has the names of this shape, and if it has, notes
// which of its values are others.
func (k *shape) like(b []byte, w *Walk) bool {
	if len(w.slots) != len(k.parts) {
		return false
	}
	i := 0
	for n, at := range w.slots {
		p := &k.parts[n]
		if string(b[i:at.from]) != string(p.before) || classOf(b[at.from]) != p.class {
			return false
		}
		if at.fixed && string(b[at.from:at.to]) != string(p.value) {
			return false
		}
		i = at.to
	}
	if string(b[i:]) != string(k.end) {
		return false
	}
	for n, at := range w.slots {
		if p := &k.parts[n]; !p.changes && string(b[at.from:at.to]) != string(p.value) {
			p.changes, p.value, k.made = true, nil, nil
		}
	}
	return true
}

// classOf says what a value is by its first byte.
func classOf(first byte) byte {
	switch first {
	case '"', '{', '[':
		return first
	}
	return '0'
}

// step is a value that changes, and all that stands between it and the one before
// that does. Lines that begin alike have their first steps together.
type step struct {
	before []byte
	class  byte // of the value; 0 is the end of the line
	marks  []stepMark
	next   []*step // what may come then, the likeliest first
	shape  int     // at the end of the line, and how many spans that has
	spans  int
}

// stepMark is an end of a span: so many bytes behind the beginning of a step.
type stepMark struct {
	span, end int16
	off       int32
}

// steps returns the steps of the nth shape.
func (k *shape) steps(n int) []step {
	if k.made == nil {
		k.made = k.make()
	}
	last := &k.made[len(k.made)-1]
	last.shape, last.spans = n, k.spans
	return k.made
}

func (k *shape) make() []step {
	count, size := 1, len(k.end)
	for _, p := range k.parts {
		size += len(p.before) + len(p.value)
		if p.changes {
			count++
		}
	}
	all, text, marks := make([]step, 1, count), make([]byte, 0, size), make([]stepMark, 0, len(k.marks))
	begin, next := 0, 0 // of the step in text, and the mark that comes next
	for n := range len(k.parts) + 1 {
		at := &all[len(all)-1]
		for ; next < len(k.marks) && k.marks[next].part == n; next++ {
			m := k.marks[next]
			marks = append(marks, stepMark{int16(m.span), int16(m.end), int32(len(text) - begin + m.off)})
			at.marks = marks[len(marks)-len(at.marks)-1:]
		}
		if n == len(k.parts) {
			at.before = append(text, k.end...)[begin:]
			break
		}
		p := k.parts[n]
		if text = append(append(text, p.before...), p.value...); p.changes {
			at.before, at.class = text[begin:], p.class
			begin = len(text)
			all = append(all, step{})
		}
	}
	return all
}

// grow adds the steps of a shape to those of others.
func grow(to []*step, steps []step) []*step {
	if len(steps) == 0 {
		return to
	}
	p := &steps[0]
	for _, q := range to {
		if q.class != 0 && q.class == p.class && string(q.before) == string(p.before) && slices.Equal(q.marks, p.marks) {
			q.next = grow(q.next, steps[1:])
			return to
		}
	}
	p.next = grow(nil, steps[1:])
	return append(to, p)
}

// match is one line that is compared.
type match struct {
	b     []byte
	twice *Twice
	at    []Span
}

// steps returns the shape of which the line has all steps from i on, -1 if there
// is none.
func (m *match) steps(list []*step, i int) int {
	for n, p := range list {
		end := i + len(p.before)
		if end > len(m.b) || string(m.b[i:end]) != string(p.before) {
			continue
		}
		found := -1
		if p.class == 0 {
			if end == len(m.b) {
				m.begin(p.spans)
				found = p.shape
			}
		} else if behind := m.value(end, p.class); behind > 0 {
			found = m.steps(p.next, behind)
		}
		if found < 0 {
			continue
		}
		for _, k := range p.marks {
			m.at[k.span][k.end&1] = int32(i) + k.off
		}
		if n > 0 {
			list[0], list[n] = list[n], list[0]
		}
		return found
	}
	return -1
}

func (m *match) begin(spans int) {
	if cap(m.at) < spans {
		m.at = make([]Span, spans, 2*spans)
	}
	m.at = m.at[:spans]
	clear(m.at)
}

// value returns the place behind the value at i, -1 if it is of another class or
// has no end.
func (m *match) value(i int, class byte) int {
	if i >= len(m.b) || classOf(m.b[i]) != class {
		return -1
	}
	if class == '"' {
		if end := scan.NearEnd(m.b, i+1); end > 0 {
			return end
		}
	}
	return valueEnd(m.b, i, m.b[i], m.twice)
}
