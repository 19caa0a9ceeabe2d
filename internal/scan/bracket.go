package scan

// BracketEnd returns the place behind the bracket that closes the one at i, -1 where
// none does. It looks at nothing but brackets and quotes: which kind of bracket
// closes which is for others to say.
func BracketEnd(b []byte, i int) int {
	if !blocks {
		return bracketEnd(b, i)
	}
	var s brackets
	from, k := i, blockBracket(b[i:], &s)
	if k == -1 {
		i += (len(b) - i) &^ 63
		var last [64]byte
		copy(last[:], b[i:])
		k = blockBracket(last[:], &s)
	}
	switch k {
	case -1:
		return -1
	case -2:
		return bracketEnd(b, from)
	}
	return i + k + 1
}

// brackets is where a search by blocks stands: how many are open; 1 if the next byte
// is escaped; -1 if it is inside a string.
type brackets [3]int

// bracketEnd is BracketEnd byte by byte, but for strings.
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
