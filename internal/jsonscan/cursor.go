package jsonscan

import "fmt"

// Cursor steps through the fields of an object or the items of an array. Next
// hands out each value; Field stops before it, so that a value can be gone into
// with Down instead, and is walked only once.
type Cursor struct {
	Key   []byte // the field's name between its quotes, as written; nil in an array
	Value []byte // the value, as written; nil until it is taken

	b      []byte
	i      int
	open   byte
	began  bool
	before bool // the value of Key is not yet stepped over
	ended  bool
	inner  bool // the end of b is not where the value ends
	err    error
}

// Object returns a cursor before the first field of b, which must be one object.
func Object(b []byte) Cursor { return Cursor{b: b, open: '{'} }

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
	c.Key, c.Value = nil, nil
	more, err := c.step()
	if err != nil || !more {
		c.err, c.ended = err, true
		return false
	}
	c.before = true
	return true
}

// Peek steps over white space and returns the byte behind it, 0 at the end: once
// Field has stopped, the first byte of the value.
func (c *Cursor) Peek() byte {
	for ; c.i < len(c.b); c.i++ {
		switch b := c.b[c.i]; b {
		case ' ', '\t', '\r', '\n':
		default:
			return b
		}
	}
	return 0
}

// Take steps over the value that Field stopped before and returns it. It is nil
// where the value does not end, or was taken already.
func (c *Cursor) Take() []byte {
	if !c.before {
		return c.Value
	}
	c.before = false
	first := c.Peek()
	end := valueEnd(c.b, c.i, first)
	if end < 0 {
		if c.err = c.bad("a value"); first == '"' || first == '{' || first == '[' {
			c.err = c.endless()
		}
		return nil
	}
	c.Value, c.i = c.b[c.i:end], end
	return c.Value
}

// Down returns a cursor into the value that Field stopped before, which must be
// an object if open is '{' and an array if it is '['. Once that cursor has come
// to its end, hand it back with Up.
func (c *Cursor) Down(open byte) Cursor {
	c.Peek()
	return Cursor{b: c.b, i: c.i, open: open, inner: true}
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
	c.Value, c.i = c.b[c.i:d.i], d.i
}

func (c *Cursor) step() (more bool, err error) {
	if !c.began {
		c.began = true
		if c.Peek() != c.open {
			return false, c.bad(kindName(c.open))
		}
		c.i++
		if c.Peek() == c.open+2 { // ASCII: { and }, [ and ] are two apart
			return false, c.close()
		}
	} else {
		switch c.Peek() {
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
	if c.Peek() != '"' {
		return false, c.bad("a name")
	}
	end := stringEnd(c.b, c.i+1)
	if end < 0 {
		return false, c.endless()
	}
	c.Key = c.b[c.i+1 : end-1]
	c.i = end
	if c.Peek() != ':' {
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
	if c.Peek(); c.i < len(c.b) {
		return c.bad("the end")
	}
	return nil
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

// valueEnd returns the place behind the value that begins at i with this byte, -1
// if it does not end. What is in it is not checked.
func valueEnd(b []byte, i int, first byte) int {
	switch first {
	case '"':
		return stringEnd(b, i+1)
	case '{', '[':
		return bracketEnd(b, i)
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

// FindFirst is Find for objects that name a member once: it stops at the first of
// a name, and what stands behind it is not looked at.
func FindFirst(v []byte, path ...string) []byte {
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
