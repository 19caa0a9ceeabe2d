package jsonscan

import (
	"errors"
	"fmt"
)

// ErrJSON is text that is not JSON, or nested deeper than MaxDepth.
var ErrJSON = errors.New("not JSON")

// MaxDepth is how deep values may be nested.
const MaxDepth = 512

// Scanner steps over values in B. Its methods return the place behind what they
// passed, or -1; Err then says what is wrong and where, and repeats nothing of B.
type Scanner struct {
	B []byte

	at  int
	why string
}

// Err is what stopped the scanner.
func (s *Scanner) Err() error {
	if s.why == "" {
		return nil
	}
	return fmt.Errorf("%w: %s at byte %d of %d", ErrJSON, s.why, s.at, len(s.B))
}

// Fail notes what is missing at i and returns -1.
func (s *Scanner) Fail(i int, why string) int {
	if s.why == "" {
		s.at, s.why = i, why
	}
	return -1
}

// Space steps over white space.
func (s *Scanner) Space(i int) int {
	b := s.B
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// String steps over the string whose quote is at i.
func (s *Scanner) String(i int) int {
	if i >= len(s.B) || s.B[i] != '"' {
		return s.Fail(i, "no string")
	}
	if i = stringEnd(s.B, i+1); i < 0 {
		return s.Fail(len(s.B), "a string that does not end")
	}
	return i
}

// Name steps over a member's name and colon, and the space around them. The name
// is B[from:to].
func (s *Scanner) Name(i int) (from, to, value int) {
	b := s.B
	if i >= len(b) || b[i] != '"' {
		return 0, 0, s.Fail(i, "no name")
	}
	end := stringEnd(b, i+1)
	if end < 0 {
		return 0, 0, s.Fail(len(b), "a name that does not end")
	}
	from, to = i+1, end-1
	if end < len(b) && b[end] != ':' {
		end = s.Space(end)
	}
	if end >= len(b) || b[end] != ':' {
		return 0, 0, s.Fail(end, "no colon")
	}
	end++
	if end < len(b) && b[end] <= ' ' {
		end = s.Space(end)
	}
	return from, to, end
}

// Open steps over the bracket at i and the space behind it. Where it closes at
// once, more is false and next is behind the closing bracket.
func (s *Scanner) Open(i int) (next int, more bool) {
	b := s.B
	shut := b[i] + 2 // ASCII: { and }, [ and ] are two apart
	i++
	if i < len(b) && b[i] <= ' ' {
		i = s.Space(i)
	}
	if i < len(b) && b[i] == shut {
		return i + 1, false
	}
	return i, true
}

// Next steps from the end of a value to the next one of the same bracket, or
// over the bracket that closes it.
func (s *Scanner) Next(i int, shut byte) (next int, more bool) {
	b := s.B
	if i < len(b) && b[i] <= ' ' {
		i = s.Space(i)
	}
	switch {
	case i >= len(b):
		return s.Fail(i, "an end too early"), false
	case b[i] == ',':
		i++
		if i < len(b) && b[i] <= ' ' {
			i = s.Space(i)
		}
		return i, true
	case b[i] == shut:
		return i + 1, false
	}
	return s.Fail(i, "no comma or closing bracket"), false
}

// scalar steps over a number, true, false or null.
func (s *Scanner) scalar(i int) int {
	b := s.B
	word := ""
	switch b[i] {
	case 't':
		word = "true"
	case 'f':
		word = "false"
	case 'n':
		word = "null"
	default:
		return s.number(i)
	}
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return s.Fail(i, "no value")
	}
	return i + len(word)
}

func (s *Scanner) number(i int) int {
	b := s.B
	if b[i] == '-' {
		i++
	}
	first := i
	if i = digits(b, i); i == first || b[first] == '0' && i > first+1 {
		return s.Fail(i, "no value")
	}
	if i < len(b) && b[i] == '.' {
		first = i + 1
		if i = digits(b, first); i == first {
			return s.Fail(i, "no digit")
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		first = i
		if i = digits(b, first); i == first {
			return s.Fail(i, "no digit")
		}
	}
	return i
}

func digits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}

// Skip steps over the value at i, which stands depth levels deep.
func (s *Scanner) Skip(i, depth int) int {
	b := s.B
	var objects [MaxDepth / 64]uint64 // a bit for each open bracket
	base := depth
	for {
		if i >= len(b) {
			return s.Fail(i, "an end too early")
		}
		switch c := b[i]; c {
		case '"':
			i = s.String(i)
		case '{', '[':
			if depth >= MaxDepth {
				return s.Fail(i, "nesting too deep")
			}
			objects[depth>>6] &^= 1 << (depth & 63)
			if c == '{' {
				objects[depth>>6] |= 1 << (depth & 63)
			}
			var more bool
			if i, more = s.Open(i); more {
				depth++
				if c == '{' {
					_, _, i = s.Name(i)
				}
				if i < 0 {
					return -1
				}
				continue
			}
		default:
			i = s.scalar(i)
		}
		for more := false; !more; {
			if i < 0 || depth == base {
				return i
			}
			object := objects[(depth-1)>>6]>>((depth-1)&63)&1 == 1
			shut := byte(']')
			if object {
				shut = '}'
			}
			if i, more = s.Next(i, shut); !more {
				depth--
			} else if object {
				_, _, i = s.Name(i)
			}
		}
		if i < 0 {
			return -1
		}
	}
}
