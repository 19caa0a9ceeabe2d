// Package termsafe makes text from models, tools and files harmless to print on a
// terminal: what a terminal would obey, or would use to deceive the eye, is
// written out instead. It never drops anything silently and never colours.
//
//	fmt.Println(safe.Text(reply)) // keeps line breaks and tabs
//	fmt.Println(safe.Line(title)) // one line
package termsafe

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s with control characters, escape sequences, direction marks and
// invisible tags written out. Line breaks and tabs stay.
func Text(s string) string { return clean(s, true) }

// Line does the same for one line: breaks and tabs become spaces.
func Line(s string) string { return clean(s, false) }

func clean(s string, breaks bool) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if strings.IndexFunc(s, func(r rune) bool { return Risky(r) || !breaks && (r == '\n' || r == '\t') }) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	tags := 0 // bytes of a flag's tags that are still to come
	var before rune
	for i, r := range s {
		if n := flagTags(s[i:]); n > 0 {
			tags = i + n
		}
		shaping := r == zwnj && joins(before)
		before = r
		switch {
		case shaping, i < tags:
			b.WriteRune(r)
		case (r == '\n' || r == '\t') && breaks:
			b.WriteRune(r)
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case r < 0x20:
			b.WriteRune('␀' + r) // the picture of the control character
		case r == 0x7F:
			b.WriteRune('␡')
		case Risky(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// zwnj is the zero width non-joiner. Persian and many Indic languages cannot be written
// without it: between their letters it shapes, elsewhere it only hides.
const zwnj = 0x200C

// joins reports whether a letter belongs to a script whose letters join.
func joins(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gujarati,
		unicode.Gurmukhi, unicode.Kannada, unicode.Malayalam, unicode.Oriya, unicode.Sinhala, unicode.Tamil, unicode.Telugu, unicode.Khmer)
}

// flagTags is the length of a flag that begins s and is spelled in tags, such as that of
// Scotland: a black flag, at most six letters, and the tag that ends them. Tags that are
// no flag could hide a text from the eye.
func flagTags(s string) int {
	const flag, most = 0x1F3F4, 6
	if !strings.HasPrefix(s, "\U0001F3F4") {
		return 0
	}
	letters := 0
	for i, r := range s {
		switch {
		case r == flag && i == 0:
		case r == 0xE007F && letters > 0:
			return i + utf8.RuneLen(r)
		case (r >= 0xE0030 && r <= 0xE0039 || r >= 0xE0061 && r <= 0xE007A) && letters < most:
			letters++
		default:
			return 0
		}
	}
	return 0
}

// Risky reports what a terminal obeys or hides.
func Risky(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, r >= 0x7F && r <= 0x9F: // C0, DEL, C1
		return true
	case r == 0x061C, r >= 0x200B && r <= 0x200F && r != 0x200D, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F: // zero width, direction
		return true
	case r == 0xFEFF, r >= 0xFFF9 && r <= 0xFFFB: // byte order mark, interlinear
		return true
	case r >= 0xE0000 && r <= 0xE007F: // tags
		return true
	}
	return false
}

// FirstLine is the first line of a text, harmless to a terminal, and at most so many
// characters of it; a sign says that there is more.
func FirstLine(text string, most int) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	line = Line(line)
	if r := []rune(line); len(r) > most {
		line, more = string(r[:most]), true
	}
	if more {
		line += " …"
	}
	return line
}
