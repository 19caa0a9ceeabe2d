package postgres

import (
	"strings"
	"unicode/utf8"
)

// PostgreSQL holds no text with a zero byte in it or with bytes that are not
// UTF-8, and what hosts and people give us may have both. Such bytes are written
// as two hex digits behind a mark, and so is the mark. All other text stays as it
// is, for those who look at the tables.
const mark = '\x1a'

const digits = "0123456789abcdef"

// text writes a string as the database has it.
func text(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 && strings.IndexByte(s, mark) < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == 0 || r == mark || r == utf8.RuneError && n == 1 {
			b.WriteByte(mark)
			b.WriteByte(digits[s[i]>>4])
			b.WriteByte(digits[s[i]&15])
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// plain reads what text writes. A mark that nobody wrote stays as it is.
func plain(s string) string {
	at := strings.IndexByte(s, mark)
	if at < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for ; at >= 0; at = strings.IndexByte(s, mark) {
		b.WriteString(s[:at])
		s = s[at:]
		if len(s) < 3 || strings.IndexByte(digits, s[1]) < 0 || strings.IndexByte(digits, s[2]) < 0 {
			b.WriteByte(mark)
			s = s[1:]
			continue
		}
		b.WriteByte(byte(strings.IndexByte(digits, s[1])<<4 | strings.IndexByte(digits, s[2])))
		s = s[3:]
	}
	b.WriteString(s)
	return b.String()
}
