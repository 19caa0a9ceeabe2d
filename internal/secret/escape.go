package secret

// at reads the character at i as its writer meant it: \n, \", \/, \u003d and %3D
// are one character each, however often they were escaped. The width is that of
// the written form.
func at(text string, i int) (c byte, width int) {
	c = text[i]
	switch c {
	case '\\':
		j := i + 1
		for j < len(text) && j < i+8 && text[j] == '\\' {
			j++
		}
		if j >= len(text) {
			return c, 1
		}
		switch text[j] {
		case 'n', 'r', 't', 'f', 'b':
			return ' ', j + 1 - i
		case '"', '\'', '/', '`':
			return text[j], j + 1 - i
		case 'u':
			if j+4 < len(text) && text[j+1] == '0' && text[j+2] == '0' {
				if v, ok := hexPair(text[j+3], text[j+4]); ok {
					return v, j + 5 - i
				}
			}
		}
		return c, 1
	case '%':
		if i+2 < len(text) {
			if v, ok := hexPair(text[i+1], text[i+2]); ok && v < 0x80 {
				return v, 3
			}
		}
	}
	return c, 1
}

func hexPair(a, b byte) (byte, bool) {
	x, ok1 := hexDigit(a)
	y, ok2 := hexDigit(b)
	return x<<4 | y, ok1 && ok2
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// opens reports whether a word may begin at i: what stands before it is no
// letter or digit of the same word. The last letter of \n, \u003d and %3D
// belongs to the escape.
func opens(text string, i int) bool {
	if i == 0 || !alnum(text[i-1]) && text[i-1] != '_' {
		return true
	}
	for _, back := range []int{2, 3, 6} {
		if j := i - back; j >= 0 && (text[j] == '\\' || text[j] == '%') {
			if _, width := at(text, j); width == back {
				return true
			}
		}
	}
	return false
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
