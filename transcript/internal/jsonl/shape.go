package jsonl

import (
	"bytes"

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
	known        []*shape[T]
	last         *shape[T]
	out          int // which is forgotten next
	hits, misses int
}

const (
	maxShapes = 24
	maxSlots  = 256
	maxFixed  = 64 // a longer value is not expected to come again
)

// shape is one way of writing a line.
type shape[T any] struct {
	parts []part
	end   []byte // what stands behind the last value
	marks []mark
	spans int
	found T
	steps []step    // made of the parts
	next  *shape[T] // that of the line which followed the last time
}

// part is a value and what stands before it.
type part struct {
	before, value []byte
	class         byte
	fixed         bool
	changes       bool // the value is not the same in all lines
}

// mark is an end of a span: so many bytes behind the value before a part.
type mark struct{ span, end, part, off int }

// step is a value that changes, and all that stands between it and the one before
// that does.
type step struct {
	before []byte
	class  byte // of the value; 0 is the end of the line
	marks  []stepMark
}

type stepMark struct {
	span, end int16
	off       int32
}

// Match takes a line apart if it is written as one before it was. The spans are in
// the memory of at.
func (s *Shapes[T]) Match(b []byte, t *Twice, at []Span) (found T, spans []Span, ok bool) {
	var guess *shape[T]
	if s.last != nil {
		guess = s.last.next
	}
	if guess != nil {
		if spans, ok = guess.match(b, t, at); ok {
			s.hits++
			s.last = guess
			return guess.found, spans, true
		}
	}
	for _, k := range s.known {
		if k == guess {
			continue
		}
		if spans, ok = k.match(b, t, at); ok {
			s.hits++
			s.follow(k)
			return k.found, spans, true
		}
	}
	s.misses++
	return found, at, false
}

// Hits is how many lines Match took apart.
func (s *Shapes[T]) Hits() int { return s.hits }

// follow notes the shape of the line that is read.
func (s *Shapes[T]) follow(k *shape[T]) {
	if s.last != nil {
		s.last.next = k
	}
	s.last = k
}

func (k *shape[T]) match(b []byte, t *Twice, at []Span) ([]Span, bool) {
	if cap(at) < k.spans {
		at = make([]Span, k.spans, 2*k.spans)
	}
	at = at[:k.spans]
	clear(at)
	i := 0
	for n := range k.steps {
		p := &k.steps[n]
		end := i + len(p.before)
		if end > len(b) || string(b[i:end]) != string(p.before) {
			return at, false
		}
		for _, m := range p.marks {
			at[m.span][m.end&1] = int32(i) + m.off
		}
		if p.class == 0 {
			return at, end == len(b)
		}
		if end == len(b) || classOf(b[end]) != p.class {
			return at, false
		}
		i = 0
		if p.class == '"' {
			i = scan.NearEnd(b, end+1)
		}
		if i == 0 {
			i = valueEnd(b, end, b[end], t)
		}
		if i < 0 {
			return at, false
		}
	}
	return at, false
}

// classOf says what a value is by its first byte.
func classOf(first byte) byte {
	switch first {
	case '"', '{', '[':
		return first
	}
	return '0'
}

// Learn takes down how a line is written that was walked and is sound. Spans may
// begin and end only where values do.
func (s *Shapes[T]) Learn(b []byte, w *Walk, spans []Span, found T) {
	if n := len(w.slots); n == 0 || n > maxSlots || s.misses > 64+s.hits && s.misses%16 != 0 {
		return // lines that are all written differently are not worth it
	}
	for _, k := range s.known {
		if k.like(b, w) {
			k.compile()
			s.follow(k)
			return
		}
	}
	k := newShape(b, w, spans, found)
	if k == nil {
		return
	}
	if len(s.known) < maxShapes {
		s.known = append(s.known, k)
	} else {
		s.known[s.out] = k
		s.out = (s.out + 1) % maxShapes
	}
	s.follow(k)
}

// like reports whether a line has the names of this shape, and if it has, notes
// which of its values are others.
func (k *shape[T]) like(b []byte, w *Walk) bool {
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
			p.changes, p.value = true, nil
		}
	}
	return true
}

func newShape[T any](b []byte, w *Walk, spans []Span, found T) *shape[T] {
	k := &shape[T]{parts: make([]part, len(w.slots)), spans: len(spans), found: found}
	i := 0
	for n, at := range w.slots {
		p := &k.parts[n]
		*p = part{before: bytes.Clone(b[i:at.from]), class: classOf(b[at.from]), fixed: at.fixed}
		if p.changes = !at.fixed && at.to-at.from > maxFixed; !p.changes {
			p.value = bytes.Clone(b[at.from:at.to])
		}
		i = at.to
	}
	k.end = bytes.Clone(b[i:])
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
	k.compile()
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

// compile makes the steps of the parts.
func (k *shape[T]) compile() {
	k.steps = nil
	var p step
	begin := make([]int, len(k.parts)+1) // where the parts begin in their steps
	in := make([]int, len(k.parts)+1)
	for n, from := range k.parts {
		begin[n], in[n] = len(p.before), len(k.steps)
		p.before = append(append(p.before, from.before...), from.value...)
		if from.changes {
			p.class = from.class
			k.steps = append(k.steps, p)
			p = step{}
		}
	}
	begin[len(k.parts)], in[len(k.parts)] = len(p.before), len(k.steps)
	p.before = append(p.before, k.end...)
	k.steps = append(k.steps, p)
	for _, m := range k.marks {
		to := &k.steps[in[m.part]]
		to.marks = append(to.marks, stepMark{int16(m.span), int16(m.end), int32(begin[m.part] + m.off)})
	}
}
