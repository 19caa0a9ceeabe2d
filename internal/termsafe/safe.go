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
	for _, r := range s {
		switch {
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
