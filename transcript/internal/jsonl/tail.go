package jsonl

import "bytes"

// Tail steps backward through the last fields of an object, as long as their
// values are strings, numbers and words that can be told from behind. It ends at
// any other: then nothing is known of the fields before. It says nothing about
// whether the object is sound.
//
// From behind, a quote is the end or the beginning of a string in turn, unless a
// backslash stands before it. There it ends, too.
type Tail struct {
	Key, Value []byte

	b []byte // what is not yet stepped over
}

// Last returns a Tail behind the last field of b, which should be one object.
func Last(b []byte) Tail {
	if len(b) == 0 || b[len(b)-1] != '}' {
		return Tail{}
	}
	return Tail{b: b[:len(b)-1]}
}

// Next steps to the field before and reports whether it could be told.
func (t *Tail) Next() bool {
	t.Value = t.word()
	if t.Value == nil || !t.byte(':') {
		return false
	}
	if t.Key = t.quoted(); t.Key == nil {
		return false
	}
	t.Key = t.Key[1 : len(t.Key)-1]
	t.space()
	if len(t.b) == 0 || t.b[len(t.b)-1] != ',' {
		return false // the first field, which Object finds as fast
	}
	t.b = t.b[:len(t.b)-1]
	return true
}

// word steps over a value.
func (t *Tail) word() []byte {
	t.space()
	n := len(t.b)
	if n > 0 && t.b[n-1] == '"' {
		return t.quoted()
	}
	i := n
	for i > 0 && (t.b[i-1] >= '0' && t.b[i-1] <= '9' || t.b[i-1] >= 'a' && t.b[i-1] <= 'z' || t.b[i-1] == '-' || t.b[i-1] == '.' || t.b[i-1] == '+' || t.b[i-1] == 'E') {
		i--
	}
	if i == n {
		return nil
	}
	v := t.b[i:]
	t.b = t.b[:i]
	return v
}

// quoted steps over a string.
func (t *Tail) quoted() []byte {
	t.space()
	n := len(t.b)
	if n < 2 || t.b[n-1] != '"' || t.b[n-2] == '\\' {
		return nil
	}
	i := bytes.LastIndexByte(t.b[:n-1], '"')
	if i < 1 || t.b[i-1] == '\\' {
		return nil
	}
	v := t.b[i:]
	t.b = t.b[:i]
	return v
}

func (t *Tail) byte(c byte) bool {
	t.space()
	if len(t.b) == 0 || t.b[len(t.b)-1] != c {
		return false
	}
	t.b = t.b[:len(t.b)-1]
	return true
}

func (t *Tail) space() {
	for len(t.b) > 0 && t.b[len(t.b)-1] == ' ' {
		t.b = t.b[:len(t.b)-1]
	}
}
