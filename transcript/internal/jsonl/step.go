package jsonl

import "slices"

// step is a value that changes, and all that stands between it and the one before
// that does. Lines that begin alike have their first steps together.
type step struct {
	before []byte
	class  byte // of the value; 0 is the end of the walk
	open   byte // at that end, the class of the value that follows; 0 is the end of the line
	marks  []stepMark
	next   []*step // what may come then, the likeliest first
	shape  int     // at the end of the walk, and how many spans that has
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
			at.before, at.open = append(text, k.end...)[begin:], k.open
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
	way   []passed
}

// passed is a step that the line has, and where.
type passed struct {
	step *step
	at   int32
}

// steps returns the shape of which the line has all steps from i on, -1 if there
// is none.
func (m *match) steps(list []*step, i int) int {
	way := len(m.way)
	for n, p := range list {
		if found := m.follow(p, i); found >= 0 {
			if n > 0 {
				list[0], list[n] = list[n], list[0]
			}
			return found
		}
		m.way = m.way[:way]
	}
	return -1
}

// follow is steps for one way to go on. Where there is no choice it does not
// branch: most lines are told apart by their first steps.
func (m *match) follow(p *step, i int) int {
	for {
		end := i + len(p.before)
		if end > len(m.b) || string(m.b[i:end]) != string(p.before) {
			return -1
		}
		m.way = append(m.way, passed{p, int32(i)})
		if p.class == 0 {
			if !m.ends(end, p.open) {
				return -1
			}
			m.mark(p.spans)
			return p.shape
		}
		if i = m.value(end, p.class); i < 0 {
			return -1
		}
		if len(p.next) != 1 {
			return m.steps(p.next, i)
		}
		p = p.next[0]
	}
}

// mark notes where the spans of all steps stand.
func (m *match) mark(spans int) {
	m.begin(spans)
	for _, w := range m.way {
		for _, k := range w.step.marks {
			m.at[k.span][k.end&1] = w.at + k.off
		}
	}
}

// ends reports whether the line ends at i, or goes on with a value of this class
// and ends as an object.
func (m *match) ends(i int, open byte) bool {
	if open == 0 {
		return i == len(m.b)
	}
	return i < len(m.b) && classOf(m.b[i]) == open && m.b[len(m.b)-1] == '}'
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
	return valueEnd(m.b, i, m.b[i], m.twice)
}
