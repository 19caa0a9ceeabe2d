package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// stringEnd returns the place behind the quote that closes a string, -1 where it
// does not end; i is behind the one that opens it.
func stringEnd(b []byte, i int) int {
	for from := i; ; i++ {
		if i = nextQuote(b, i); i < 0 {
			return -1
		}
		if !escaped(b[from:i]) {
			return i + 1
		}
	}
}

// nextQuote returns the place of the first quote from i on, -1 where there is
// none. Most are near, in names, in short words and in code, so the next bytes
// are looked at before a call that only pays off over a distance.
func nextQuote(b []byte, i int) int {
	for near := min(i+32, len(b)-7); i < near; i += 8 {
		if x := quotes(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)>>3
		}
	}
	if k := bytes.IndexByte(b[i:], '"'); k >= 0 {
		return i + k
	}
	return -1
}

// escaped reports whether what follows b in a string is escaped: b ends with an
// odd number of backslashes.
func escaped(b []byte) bool {
	n := len(b)
	for n > 0 && b[n-1] == '\\' {
		n--
	}
	return (len(b)-n)&1 == 1
}

// bracketEnd returns the place behind the bracket that closes the one at i, -1 where
// none does. It looks at nothing but brackets and quotes: which kind of bracket
// closes which is for others to say.
func bracketEnd(b []byte, i int) int {
	for depth := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			if i = stringEnd(b, i+1) - 1; i < 0 {
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

// quotes sets the top bit of the first byte that is a quote, and perhaps of later
// ones.
func quotes(b []byte) uint64 {
	x := binary.LittleEndian.Uint64(b) ^ ('"' * ones)
	return (x - ones) &^ x & (0x80 * ones)
}

const ones = 0x0101010101010101
