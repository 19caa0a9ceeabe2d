package page

import "strings"

// How the lines of Markdown begin.

func isBlank(s string) bool { return strings.TrimLeft(s, " ") == "" }

func indentOf(s string) int { return runLength(s, ' ') }

// opening is the mark that begins a quote or an item.
type opening struct {
	sign   byte // - + * . or ); 0 is a quote
	number int
	indent int
	task   byte
	rest   string
}

// openBox reads the mark of a quote or an item. Within a paragraph only a list
// that begins at 1 and has text begins.
func openBox(s string, inPara bool) (opening, bool) {
	n := indentOf(s)
	if n > 3 || n == len(s) {
		return opening{}, false
	}
	t := s[n:]
	if t[0] == '>' {
		return opening{rest: strings.TrimPrefix(t[1:], " ")}, true
	}
	size, sign, number := marker(t)
	if size == 0 || isRule(t) {
		return opening{}, false
	}
	rest := t[size:]
	if inPara && (isBlank(rest) || number > 1) {
		return opening{}, false
	}
	gap := indentOf(rest)
	if gap > 4 || isBlank(rest) {
		gap = min(gap, 1)
	}
	o := opening{sign: sign, number: number, indent: n + size + max(gap, 1), rest: rest[gap:]}
	if r := o.rest; len(r) > 3 && r[0] == '[' && r[2] == ']' && r[3] == ' ' && strings.IndexByte(" xX", r[1]) >= 0 {
		o.task, o.rest = r[1]|0x20, r[4:]
	}
	return o, true
}

// marker reads the mark of an item and returns its size, sign and number.
func marker(t string) (size int, sign byte, number int) {
	if strings.IndexByte("-+*", t[0]) >= 0 {
		size, sign = 1, t[0]
	} else {
		n := 0
		for n < len(t) && n < 9 && t[n] >= '0' && t[n] <= '9' {
			number = number*10 + int(t[n]-'0')
			n++
		}
		if n == 0 || n == len(t) || t[n] != '.' && t[n] != ')' {
			return 0, 0, 0
		}
		size, sign = n+1, t[n]
	}
	if size < len(t) && t[size] != ' ' {
		return 0, 0, 0
	}
	return size, sign, number
}

// isRule reports a line of three or more stars, dashes or underscores.
func isRule(t string) bool {
	c, n := t[0], 0
	if c != '-' && c != '*' && c != '_' {
		return false
	}
	for i := range len(t) {
		switch t[i] {
		case c:
			n++
		case ' ':
		default:
			return false
		}
	}
	return n >= 3
}

// isUnderline reports a line that makes the one above it a heading.
func isUnderline(t string) bool {
	t = strings.TrimRight(t, " ")
	return len(t) >= 3 && (t[0] == '=' || t[0] == '-') && runLength(t, t[0]) == len(t)
}

func heading(t string) (level int, text string, ok bool) {
	n := runLength(t, '#')
	if n == 0 || n > 6 || n < len(t) && t[n] != ' ' {
		return 0, "", false
	}
	text = strings.Trim(t[n:], " ")
	if bare := strings.TrimRight(text, "#"); bare == "" || bare[len(bare)-1] == ' ' {
		text = strings.TrimRight(bare, " ")
	}
	return n, text, true
}

func openFence(t string) (fence, bool) {
	c := t[0]
	if c != '`' && c != '~' {
		return fence{}, false
	}
	n := runLength(t, c)
	info := strings.TrimSpace(t[n:])
	if n < 3 || c == '`' && strings.IndexByte(info, '`') >= 0 {
		return fence{}, false
	}
	return fence{char: c, size: n, info: info}, true
}
