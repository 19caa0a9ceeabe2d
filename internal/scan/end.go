package scan

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
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

// StringEnd returns the place behind the quote that closes the string whose
// opening quote is at i, -1 where it does not end.
func StringEnd(b []byte, i int) int { return stringEnd(b, i+1) }

// stringEnd returns the place behind the quote that closes a string; i is behind
// the one that opens it. Most quotes are near, in names and short words, so the next
// bytes are looked at before a call that only pays off over a distance.
func stringEnd(b []byte, i int) int {
	if end := ShortEnd(b, i); end > 0 {
		return end
	}
	return farEnd(b, i)
}

// FarEnd is StringEnd for a string of which ShortEnd or NearEnd did not find the end.
func FarEnd(b []byte, i int) int { return farEnd(b, i+1) }

func farEnd(b []byte, i int) int {
	if blocks {
		return blockEnd(b, i)
	}
	return quoteEnd(b, i)
}

// blockEnd is stringEnd by blocks, whatever is escaped in them. What is left of b
// behind them becomes one with NUL bytes.
func blockEnd(b []byte, i int) int {
	j := blockQuote(b[i:])
	if j >= 0 {
		return i + j + 1
	}
	if i += ^j; i >= len(b) {
		return -1
	}
	var last [64]byte
	copy(last[:], b[i:])
	if j = blockQuote(last[:]); j >= 0 {
		return i + j + 1
	}
	return -1
}

// quoteEnd is stringEnd from quote to quote, where there is no blockQuote. After a
// quote that is escaped, as in code, the next is mostly near.
func quoteEnd(b []byte, i int) int {
	for {
		j := i
		if i+32 <= len(b) {
			w := b[i : i+32 : i+32]
			if x := quotes(w); x != 0 {
				j += bits.TrailingZeros64(x) >> 3
				goto found
			}
			if x := quotes(w[8:]); x != 0 {
				j += 8 + bits.TrailingZeros64(x)>>3
				goto found
			}
			if x := quotes(w[16:]); x != 0 {
				j += 16 + bits.TrailingZeros64(x)>>3
				goto found
			}
			if x := quotes(w[24:]); x != 0 {
				j += 24 + bits.TrailingZeros64(x)>>3
				goto found
			}
			j += 32
		}
		if k := bytes.IndexByte(b[j:], '"'); k >= 0 {
			j += k
		} else {
			return -1
		}
	found:
		if b[j-1] != '\\' {
			return j + 1
		}
		if j-2 >= i && b[j-2] == '\\' && even(b[i:j]) {
			return j + 1
		}
		i = j + 1
	}
}

// ShortEnd is StringEnd for most short strings: i is behind the opening quote, and
// it returns 0 where the next quote is not near, or may be escaped.
func ShortEnd(b []byte, i int) int {
	if i+16 > len(b) {
		return 0
	}
	w := b[i : i+16 : i+16]
	x, n := quotes(w), 0
	if x == 0 {
		if x, n = quotes(w[8:]), 8; x == 0 {
			return 0
		}
	}
	k := n + bits.TrailingZeros64(x)>>3
	if b[i+k-1] == '\\' {
		return 0
	}
	return i + k + 1
}

// NearEnd is ShortEnd for strings as long as most ids are.
func NearEnd(b []byte, i int) int {
	if i+40 > len(b) {
		return ShortEnd(b, i)
	}
	w := b[i : i+40 : i+40]
	for n := 0; n < 40; n += 8 {
		if x := quotes(w[n:]); x != 0 {
			k := i + n + bits.TrailingZeros64(x)>>3
			if b[k-1] == '\\' {
				return 0
			}
			return k + 1
		}
	}
	return 0
}

// NameEnd returns where the quote stands that ends the name beginning at i, if it
// is short and a colon follows at once; 0 if not.
func NameEnd(b []byte, i int) int {
	end := ShortEnd(b, i)
	if end == 0 {
		end = stringEnd(b, i)
	}
	if end <= 0 || end >= len(b) || b[end] != ':' {
		return 0
	}
	return end - 1
}

// even reports whether b ends with an even number of backslashes.
func even(b []byte) bool {
	n := len(b)
	for n > 0 && b[n-1] == '\\' {
		n--
	}
	return (len(b)-n)&1 == 0
}

// quotes sets the top bit of the first byte that is a quote, and perhaps of later
// ones.
func quotes(b []byte) uint64 {
	x := binary.LittleEndian.Uint64(b) ^ ('"' * ones)
	return (x - ones) &^ x & (0x80 * ones)
}

const ones = 0x0101010101010101

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
