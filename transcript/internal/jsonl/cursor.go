package jsonl

import (
	"bytes"
	"fmt"
)

// Cursor steps through the fields of an object or the items of an array.
type Cursor struct {
	Key   []byte // the field's name between its quotes, as written; nil in an array
	Value []byte // the value, as written

	b     []byte
	i     int
	open  byte
	began bool
	ended bool
	err   error
}

// Object returns a cursor before the first field of b, which must be one object.
func Object(b []byte) Cursor { return Cursor{b: b, open: '{'} }

// Array returns a cursor before the first item of b, which must be one array.
func Array(b []byte) Cursor { return Cursor{b: b, open: '['} }

// Err returns what is wrong with the value, once Next has returned false. Key
// then still names the field whose value is cut off, if it is that.
func (c *Cursor) Err() error { return c.err }

// Next steps to the next field or item and reports whether there is one.
func (c *Cursor) Next() bool {
	if c.ended || c.err != nil {
		return false
	}
	c.Key, c.Value = nil, nil
	if more, err := c.step(); err != nil || !more {
		c.err, c.ended = err, true
		return false
	}
	return true
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
	if c.open == '{' {
		if c.peek() != '"' {
			return false, c.bad("a name")
		}
		end := quoteEnd(c.b, c.i)
		if end < 0 {
			return false, c.endless()
		}
		c.Key = c.b[c.i+1 : end-1]
		c.i = end
		if c.peek() != ':' {
			return false, c.bad("a colon")
		}
		c.i++
	}
	first := c.peek()
	end := valueEnd(c.b, c.i)
	switch {
	case end < 0 && (first == '"' || first == '{' || first == '['):
		return false, c.endless()
	case end < 0:
		return false, c.bad("a value")
	}
	c.Value = c.b[c.i:end]
	c.i = end
	return true, nil
}

// close steps over the closing bracket, behind which nothing may stand.
func (c *Cursor) close() error {
	c.i++
	if c.peek(); c.i < len(c.b) {
		return c.bad("the end")
	}
	return nil
}

// peek steps over white space and returns the byte behind it, 0 at the end.
func (c *Cursor) peek() byte {
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

// valueEnd returns where the value that begins at i ends, -1 if it does not.
func valueEnd(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return quoteEnd(b, i)
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

// quoteEnd returns the place behind the closing quote of the string at i.
func quoteEnd(b []byte, i int) int {
	first := i + 1
	for i = first; ; {
		k := bytes.IndexByte(b[i:], '"')
		if k < 0 {
			return -1
		}
		i += k
		slashes := 0
		for i-slashes > first && b[i-slashes-1] == '\\' {
			slashes++
		}
		i++
		if slashes%2 == 0 {
			return i
		}
	}
}

// bracketEnd returns the place behind the bracket that closes the one at i.
func bracketEnd(b []byte, i int) int {
	for depth := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			if i = quoteEnd(b, i) - 1; i < 0 {
				return -1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
