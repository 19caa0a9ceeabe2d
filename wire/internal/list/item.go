package list

import (
	"bytes"

	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
)

const seedWords = 0x8EBC6AF09C88C6E3

// machine is one scan under way.
type machine struct {
	jsonscan.Scanner
	shape *Shape
	body  *wire.Body
	facts Facts  // of the item under way
	bad   string // what is wrong with JSON that is well-formed
}

// refuse notes that the body is not of the shape and returns -1.
func (m *machine) refuse(why string) int {
	if m.bad == "" {
		m.bad = why
	}
	return -1
}

// name returns a member's name, decoded.
func (m *machine) name(from, to int) []byte {
	name := m.B[from:to]
	for _, c := range name {
		if c == '\\' {
			return jsonscan.AppendText(nil, name)
		}
	}
	return name
}

// act looks up what a member means.
func (m *machine) act(of func([]byte) Act, name []byte) Act {
	act := of(name)
	if act == Keep && bytes.IndexByte(name, '\\') >= 0 {
		return of(jsonscan.AppendText(nil, name))
	}
	return act
}

// once refuses the second member of one meaning: servers differ in which counts.
func (m *machine) once(seen *uint32, act Act) bool {
	if act < Role {
		return true
	}
	bit := uint32(1) << act
	if *seen&bit != 0 {
		m.refuse("a name that is given twice")
		return false
	}
	*seen |= bit
	return true
}

func (m *machine) null(i int) bool { return i < len(m.B) && m.B[i] == 'n' }

// tie hashes a member: one that means something by what it means.
func (m *machine) tie(act Act, name []byte, value uint64) uint64 {
	if act == Keep {
		return jsonscan.MemberHash(name, value)
	}
	return jsonscan.Mix(uint64(act), value)
}

// item scans the element of the list at i and adds it to the body.
func (m *machine) item(i int) int {
	if i >= len(m.B) {
		return m.Fail(i, "an end too early")
	}
	if m.B[i] != '{' {
		return m.refuse("a message that is no object")
	}
	start := i
	m.facts = Facts{}
	var sum uint64
	var seen uint32
	i, more := m.Open(i)
	for more {
		from, to, at := m.Name(i)
		if at < 0 {
			return -1
		}
		name := m.B[from:to]
		act := m.act(m.shape.Member, name)
		if !m.once(&seen, act) {
			return -1
		}
		end, h := m.member(act, at)
		if end < 0 {
			return -1
		}
		if h != 0 {
			sum += m.tie(act, name, h)
		}
		if i, more = m.Next(end, '}'); i < 0 {
			return -1
		}
	}
	m.facts.Hash = jsonscan.ObjectHash(sum)
	return m.settle(wire.Span{Start: start, End: i})
}

func (m *machine) settle(at wire.Span) int {
	var last wire.Item
	if n := len(m.body.Items); n > 0 {
		last = m.body.Items[n-1]
	}
	it, ok := m.shape.Settle(m.facts, last)
	if !ok {
		return m.refuse("a message of an unknown role")
	}
	it.Span, it.Marks = at, last.Marks+m.facts.Marks
	m.body.Items = append(m.body.Items, it)
	return at.End
}

// member scans the value of an item's member. The hash is 0 where it does not
// count.
func (m *machine) member(act Act, i int) (end int, hash uint64) {
	switch act {
	case Drop:
		return m.Skip(i, 3), 0
	case Mark, Aside:
		return m.aside(act, i), 0
	case Content:
		return m.content(i, 3)
	case Output:
		return m.inner(i, 3)
	case Call:
		return m.calls(i)
	case Role, Kind:
		return m.word(act, i)
	}
	if end, hash = m.Value(i, 3); m.null(i) {
		return end, 0
	}
	if act == Ref {
		m.facts.HasRef = true
	}
	return end, hash
}

// word scans a role or a type. The type of plain messages says nothing, and may
// be left out.
func (m *machine) word(act Act, i int) (end int, hash uint64) {
	if i < len(m.B) && m.B[i] != '"' {
		return m.refuse("a role or type that is no string"), 0
	}
	if end = m.String(i); end < 0 {
		return -1, 0
	}
	word := m.name(i+1, end-1)
	if act == Role {
		m.facts.Role = word
		return end, m.Text(i, end)
	}
	m.facts.Kind = word
	if string(word) == "message" {
		return end, 0
	}
	return end, m.Text(i, end)
}

// aside scans what does not count but should be known.
func (m *machine) aside(act Act, i int) int {
	end := m.Skip(i, 3)
	switch {
	case end < 0 || m.null(i):
	case act == Mark:
		m.facts.Marks++
	case end-i > 2: // not "" or []
		m.facts.Holds |= wire.HoldsThought
	}
	return end
}

// calls scans one call, or an array of them.
func (m *machine) calls(i int) (end int, hash uint64) {
	if i >= len(m.B) || m.B[i] != '[' {
		if end, hash = m.Value(i, 3); end < 0 || m.null(i) {
			return end, 0
		}
		m.facts.Calls++
		m.facts.Holds |= wire.HoldsCall
		return end, hash
	}
	hash = jsonscan.ListHash
	i, more := m.Open(i)
	if !more {
		return i, 0 // none: as if left out
	}
	for more {
		var h uint64
		if i, h = m.Value(i, 4); i < 0 {
			return -1, 0
		}
		hash = jsonscan.Mix(hash, h)
		m.facts.Calls++
		if i, more = m.Next(i, ']'); i < 0 {
			return -1, 0
		}
	}
	m.facts.Holds |= wire.HoldsCall
	return i, hash
}

// content scans text or parts. One text is hashed like an array of one part.
func (m *machine) content(i, depth int) (end int, hash uint64) {
	if i >= len(m.B) {
		return m.Fail(i, "an end too early"), 0
	}
	switch m.B[i] {
	case '"':
		if end = m.String(i); end < 0 {
			return -1, 0
		}
		m.facts.Holds |= wire.HoldsText
		return end, jsonscan.Mix(jsonscan.ListHash, jsonscan.Mix(seedWords, m.Text(i, end)))
	case '[':
		if depth >= jsonscan.MaxDepth {
			return m.Fail(i, "nesting too deep"), 0
		}
	default:
		end, hash = m.Value(i, depth)
		if m.null(i) {
			return end, 0
		}
		m.facts.Holds |= wire.HoldsOther
		return end, hash
	}
	hash = jsonscan.ListHash
	i, more := m.Open(i)
	for more {
		var h uint64
		if i, h = m.part(i, depth+1); i < 0 {
			return -1, 0
		}
		if h != 0 {
			hash = jsonscan.Mix(hash, h)
		}
		if i, more = m.Next(i, ']'); i < 0 {
			return -1, 0
		}
	}
	return i, hash
}

// inner scans content inside a result. Of what it holds only the marks count.
func (m *machine) inner(i, depth int) (end int, hash uint64) {
	facts := m.facts
	end, hash = m.content(i, depth)
	facts.Marks = m.facts.Marks
	m.facts = facts
	return end, hash
}
