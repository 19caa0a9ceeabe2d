package flame

import (
	"html"
	"strings"
	"unicode/utf8"
)

// clean drops what XML does not allow and what changes the direction of writing,
// so that a text cannot break or disguise what stands around it.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return r
		case r < ' ', r == 0x7f, r >= 0x80 && r < 0xa0, r == utf8.RuneError, r == 0xfffe, r == 0xffff:
			return -1
		case r == 0x200e, r == 0x200f, r == 0x061c, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// esc is a clean text for an element or an attribute.
func esc(s string) string { return html.EscapeString(clean(s)) }

func oneLine(s string) string { return strings.Join(strings.Fields(clean(cut(s, 1<<16))), " ") }

// cut shortens a text to so many letters, with a sign that something is missing.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n++; n == most {
			rest := s[i:]
			if _, size := utf8.DecodeRuneInString(rest); size == len(rest) {
				return s
			}
			return s[:i] + "…"
		}
	}
	return s
}

// columns is how wide a letter is in a font of even widths.
func columns(r rune) int {
	switch {
	case r >= 0x300 && r <= 0x36f, r >= 0x200b && r <= 0x200d, r >= 0xfe00 && r <= 0xfe0f:
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd,
		r == '⚠':
		return 2
	}
	return 1
}

// fit is as much of a text as so many columns hold, with a sign that something
// is missing. What would be a mere scrap is left out.
func fit(s string, limit int) string {
	width, end := 0, 0 // end: where the text may be cut so that the sign still fits
	for i, r := range s {
		if width < limit { // one column is left for the sign
			end = i
		}
		if width += columns(r); width > limit {
			if end = len(strings.TrimRight(s[:end], " ")); end < 4 {
				return ""
			}
			return s[:end] + "…"
		}
	}
	return s
}

// short is the label of a box with few columns: all of it, as much of the goal as
// tells something, else the id alone, with its sign if that fits.
func (f Frame) short(limit int) string {
	tag := strings.TrimSpace(f.Mark() + " " + clean(f.ID))
	if full := fit(f.label(), limit); wide(full) >= wide(tag)+4 || full == f.label() {
		return full
	}
	for _, s := range []string{tag, clean(f.ID), f.Mark()} {
		if wide(s) <= limit {
			return s
		}
	}
	return ""
}

func wide(s string) int {
	n := 0
	for _, r := range s {
		n += columns(r)
	}
	return n
}
