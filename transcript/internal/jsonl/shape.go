package jsonl

import "slices"

// Span is where a value stands in a line: its first byte, and the one behind its
// last. The zero Span is none. Unlike a slice, it costs the collector nothing.
type Span [2]int32

// Of returns the value.
func (s Span) Of(b []byte) []byte { return b[s[0]:s[1]] }

// Walk takes down which values a cursor stepped over.
type Walk struct {
	slots []slot
	end   int // where the walk stopped, 0 for the end of the line
}

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

// Stop says that the line is not walked further than to the value before which the
// cursor stands. What follows may then be anything that ends the object.
func (w *Walk) Stop(c *Cursor) { w.end = c.i }

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
	way          []passed // the memory of the steps that a line has
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
	m := match{b: b, twice: t, at: at, way: s.way[:0]}
	n := m.steps(s.first, 0)
	s.way = m.way
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
	open  byte   // the class of the value before which the walk stopped, 0 if it did not
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
	k.end, k.open = keep(w.rest(b, i)), w.open(b)
	return k
}

// rest is what was walked of a line from i on.
func (w *Walk) rest(b []byte, i int) []byte {
	if w.end > 0 {
		return b[i:w.end]
	}
	return b[i:]
}

// open is the class of the value before which the walk stopped, 0 if it did not.
func (w *Walk) open(b []byte) byte {
	if w.end > 0 {
		return classOf(b[w.end])
	}
	return 0
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
	if string(w.rest(b, i)) != string(k.end) || w.open(b) != k.open {
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
