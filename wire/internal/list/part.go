package list

import (
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
)

// found is what the members of a part have told.
type found struct {
	sum, text uint64
	kind      []byte
	seen      uint32
	thought   bool
}

// part scans one part of content. The hash is 0 where it does not count.
func (m *machine) part(i, depth int) (end int, hash uint64) {
	if i >= len(m.B) || m.B[i] != '{' {
		m.facts.Holds |= wire.HoldsOther
		return m.Value(i, depth)
	}
	if depth >= jsonscan.MaxDepth {
		return m.Fail(i, "nesting too deep"), 0
	}
	var p found
	i, more := m.Open(i)
	for more {
		from, to, at := m.Name(i)
		if at < 0 {
			return -1, 0
		}
		name := m.B[from:to]
		act := m.act(m.shape.Part, name)
		if !m.once(&p.seen, act) {
			return -1, 0
		}
		end, h := m.detail(act, at, depth+1)
		if end < 0 {
			return -1, 0
		}
		switch {
		case m.null(at):
			p.seen &^= 1 << act
		case act == Kind:
			if m.B[at] == '"' {
				p.kind = m.name(at+1, end-1)
			}
		case act == Text:
			p.text = h
		case act == Thought:
			p.thought = m.B[at] == 't'
		}
		if h != 0 {
			p.sum += m.tie(act, name, h)
		}
		if i, more = m.Next(end, '}'); i < 0 {
			return -1, 0
		}
	}
	return i, m.count(m.class(p), p)
}

// detail scans the value of a part's member. The hash is 0 where it does not
// count.
func (m *machine) detail(act Act, i, depth int) (end int, hash uint64) {
	switch act {
	case Drop, Aside, Thought:
		return m.Skip(i, depth), 0
	case Mark:
		if !m.null(i) {
			m.facts.Marks++
		}
		return m.Skip(i, depth), 0
	case Content:
		return m.inner(i, depth)
	}
	if end, hash = m.Value(i, depth); m.null(i) {
		return end, 0
	}
	return end, hash
}

// class says what a part is: by its type, or by the members that it has.
func (m *machine) class(p found) Class {
	switch {
	case m.shape.Class != nil:
		return m.shape.Class(p.kind)
	case p.thought:
		return Thinking
	case p.seen&(1<<Call) != 0:
		return Calling
	case p.seen&(1<<Result) != 0:
		return Resulting
	case p.seen&(1<<Server) != 0:
		return Use
	case p.seen&(1<<Text) != 0:
		return Words
	}
	return Other
}

// count adds a part to the facts of its item and returns its hash.
func (m *machine) count(c Class, p found) uint64 {
	f := &m.facts
	switch c {
	case Words:
		f.Holds |= wire.HoldsText
		return jsonscan.Mix(seedWords, p.text)
	case Thinking:
		f.Holds |= wire.HoldsThought
		return 0
	case Calling:
		f.Holds |= wire.HoldsCall
		f.Calls++
	case Resulting:
		f.Holds |= wire.HoldsResult
		f.Results++
	case Use:
		f.Holds |= wire.HoldsServer
		f.Uses++
	case Return:
		f.Holds |= wire.HoldsServer
		f.Returns++
	default:
		f.Holds |= wire.HoldsOther
	}
	return jsonscan.ObjectHash(p.sum)
}
