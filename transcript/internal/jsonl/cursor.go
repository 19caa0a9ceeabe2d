package jsonl

import (
	"bytes"
	"fmt"

	"github.com/trimtab/trimtab/internal/scan"
)

// Cursor steps through the fields of an object or the items of an array. Next
// hands out each value; Field stops before it, so that a value can be gone into
// with Object or Array instead, and is walked only once.
type Cursor struct {
	Key   []byte // the field's name between its quotes, as written; nil in an array
	Value []byte // the value, as written; nil until it is taken

	b      []byte
	i      int
	from   int // where Value begins in b
	open   byte
	began  bool
	before bool // the value of Key is not yet stepped over
	ended  bool
	inner  bool // the end of b is not where the value ends
	err    error
	twice  *Twice
	seen   *Walk
}

// Twice knows the last long string of a line. Hosts write what a tool returned
// twice in a line, for the model and for the screen; what begins with the same
// bytes, its closing quote among them, ends there, too, and need not be walked. It
// holds a span of the line: the zero value is for the next one.
type Twice struct{ last []byte }

// longString is from which length on a comparison pays.
const longString = 128

// end returns the place behind the string that begins at i, -1 if it does not end.
func (t *Twice) end(b []byte, i int) int {
	if t == nil {
		return scan.StringEnd(b, i)
	}
	n := len(t.last)
	if n > 0 && i+n <= len(b) && string(b[i:i+longString]) == string(t.last[:longString]) && bytes.Equal(b[i:i+n], t.last) {
		return i + n
	}
	end := scan.StringEnd(b, i)
	if end-i > longString {
		t.last = b[i:end]
	}
	return end
}

// Object returns a cursor before the first field of b, which must be one object.
func Object(b []byte) Cursor { return Cursor{b: b, open: '{'} }

// Line is Object for a line of which t, which must be zero, gets to know the long
// strings.
func Line(b []byte, t *Twice) Cursor { return Cursor{b: b, open: '{', twice: t} }

// Walked is Line for a line that w takes down.
func Walked(b []byte, t *Twice, w *Walk) Cursor {
	w.slots, w.end = w.slots[:0], 0
	return Cursor{b: b, open: '{', twice: t, seen: w}
}

// Array returns a cursor before the first item of b, which must be one array.
func Array(b []byte) Cursor { return Cursor{b: b, open: '['} }

// At returns a cursor that stands before b, which must be one value, as if Field
// had stepped to it.
func At(b []byte) Cursor { return Cursor{b: b, began: true, before: true} }

// Err returns what is wrong with the value, once Next has returned false. Key
// then still names the field whose value is cut off, if it is that.
func (c *Cursor) Err() error { return c.err }

// Next steps to the next field or item, takes its value, and reports whether
// there is one.
func (c *Cursor) Next() bool {
	if !c.Field() {
		return false
	}
	c.Take()
	return c.err == nil
}

// Field steps to the next field or item without looking at its value.
func (c *Cursor) Field() bool {
	if c.before {
		c.Take()
	}
	if c.ended || c.err != nil {
		return false
	}
	// What hosts write has no blanks: a comma and a name.
	if b, i := c.b, c.i; c.began && c.open == '{' && i+1 < len(b) && b[i] == ',' && b[i+1] == '"' {
		if end := scan.StringEnd(b, i+1); end > 0 && end < len(b) && b[end] == ':' {
			c.Key, c.Value = b[i+2:end-1], nil
			c.i = end + 1
			c.before = true
			return true
		}
	}
	c.Key, c.Value = nil, nil
	more, err := c.step()
	if err != nil || !more {
		c.err, c.ended = err, true
		return false
	}
	c.before = true
	return true
}

// Peek returns the first byte of the value that Field stopped before, 0 if there
// is none.
func (c *Cursor) Peek() byte { return c.peek() }

// Take steps over the value that Field stopped before and returns it. It is nil
// where the value does not end, or was taken already.
func (c *Cursor) Take() []byte {
	if !c.before {
		return c.Value
	}
	c.before = false
	first := c.peek()
	end := c.end(first)
	if end < 0 {
		if c.err = c.bad("a value"); first == '"' || first == '{' || first == '[' {
			c.err = c.endless()
		}
		return nil
	}
	return c.pass(end)
}

// pass steps over the value that ends there.
func (c *Cursor) pass(end int) []byte {
	if c.seen != nil {
		c.seen.slots = append(c.seen.slots, slot{from: c.i, to: end})
	}
	c.Value = c.b[c.i:end]
	c.from, c.i = c.i, end
	return c.Value
}

// Fix is Walk.Fix for whoever takes the line down, if anyone does.
func (c *Cursor) Fix() {
	if c.seen != nil {
		c.seen.Fix()
	}
}

// Rest is what the cursor has not yet stepped over.
func (c *Cursor) Rest() []byte { return c.b[c.i:] }

// Span is where Value stands in the line.
func (c *Cursor) Span() Span { return Span{int32(c.from), int32(c.from + len(c.Value))} }

// Down returns a cursor into the value that Field stopped before, which must be
// an object if open is '{' and an array if it is '['. Once that cursor has come
// to its end, hand it back with Up.
func (c *Cursor) Down(open byte) Cursor {
	c.peek()
	return Cursor{b: c.b, i: c.i, open: open, inner: true, twice: c.twice, seen: c.seen}
}

// Up goes on behind the value that a cursor of Down has stepped through. It steps
// over the rest of it if that one stopped early, and takes on its error.
func (c *Cursor) Up(d *Cursor) {
	for d.Field() {
	}
	c.before = false
	if d.err != nil {
		c.err = d.err
		return
	}
	c.Value = c.b[c.i:d.i]
	c.from, c.i = c.i, d.i
}

func (c *Cursor) step() (more bool, err error) {
	if !c.began {
		c.began = true
		if c.peek() != c.open {
			return false, c.bad(kindName(c.open))
		}
		c.i++
		if c.peek() == c.open+2 { // ASCII: { and }, [ and ] are two apart
			return false, c.close()
		}
	} else {
		switch c.peek() {
		case ',':
			c.i++
		case c.open + 2:
			return false, c.close()
		default:
			return false, c.bad("a comma or the end")
		}
	}
	if c.open == '[' {
		return true, nil
	}
	if c.peek() != '"' {
		return false, c.bad("a name")
	}
	end := scan.StringEnd(c.b, c.i)
	if end < 0 {
		return false, c.endless()
	}
	c.Key = c.b[c.i+1 : end-1]
	c.i = end
	if c.peek() != ':' {
		return false, c.bad("a colon")
	}
	c.i++
	return true, nil
}

// close steps over the closing bracket, behind which nothing may stand.
func (c *Cursor) close() error {
	c.i++
	if c.inner {
		return nil
	}
	if c.peek(); c.i < len(c.b) {
		return c.bad("the end")
	}
	return nil
}

// peek steps over white space and returns the byte behind it, 0 at the end.
func (c *Cursor) peek() byte {
	if c.i < len(c.b) && c.b[c.i] > ' ' {
		return c.b[c.i]
	}
	return c.space()
}

func (c *Cursor) space() byte {
	for ; c.i < len(c.b); c.i++ {
		switch b := c.b[c.i]; b {
		case ' ', '\t', '\r', '\n':
		default:
			return b
		}
	}
	return 0
}

func (c *Cursor) bad(wanted string) error {
	if c.i >= len(c.b) {
		return fmt.Errorf("it breaks off where %s should be", wanted)
	}
	return fmt.Errorf("something else than %s at byte %d", wanted, c.i+1)
}

func (c *Cursor) endless() error { return fmt.Errorf("what begins at byte %d has no end", c.i+1) }

func kindName(open byte) string {
	if open == '{' {
		return "an object"
	}
	return "an array"
}

// end returns where the value at the cursor ends, -1 if it does not. First is its
// first byte.
func (c *Cursor) end(first byte) int {
	return valueEnd(c.b, c.i, first, c.twice)
}

// valueEnd returns the place behind the value that begins at i with this byte.
func valueEnd(b []byte, i int, first byte, t *Twice) int {
	switch first {
	case '"':
		return t.end(b, i)
	case '{', '[':
		return bracketEnd(b, i, t)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 't', 'f', 'n':
		for ; i < len(b); i++ {
			switch b[i] {
			case ',', '}', ']', ' ', '\t', '\r', '\n':
				return i
			}
		}
		return i
	}
	return -1
}

// bracketEnd returns the place behind the bracket that closes the one at i. Where a
// long string may come again, it goes from string to string.
func bracketEnd(b []byte, i int, t *Twice) int {
	if t == nil || len(t.last) == 0 {
		return scan.BracketEnd(b, i)
	}
	for depth := 0; i < len(b); i++ {
		switch c := b[i]; c | 0x20 { // ASCII: { and [, } and ] differ in one bit
		case '"':
			if c != '"' {
				continue
			}
			if i = t.end(b, i) - 1; i < 0 {
				return -1
			}
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// Find returns the value at a path of names in v, as written; nil where there is
// none. It stops at the first field of a name.
func Find(v []byte, path ...string) []byte {
	for _, want := range path {
		c := Object(v)
		found := false
		for !found && c.Field() {
			found = string(c.Key) == want
		}
		if !found {
			return nil
		}
		if v = c.Take(); v == nil {
			return nil
		}
	}
	return v
}
