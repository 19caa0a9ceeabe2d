package page

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/trimtab/trimtab/internal/termsafe"
)

const tabStop = 4

// next returns the bytes and cells of the first character of s as a person sees
// it, marks and joined emoji included. Terminals disagree on joined ones: some
// draw them as one, some draw every part. The larger width is taken, so that a
// line fits on both.
func next(s string) (size, width int) {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1, 1
	}
	if len(s) > maxBytes { // one can go on for ever
		n := maxBytes
		for n > maxBytes-utf8.UTFMax && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	g := displaywidth.StringGraphemes(s)
	if !g.Next() {
		return len(s), 0
	}
	parts := 0
	for _, r := range g.Value() {
		parts += runeCells(r)
	}
	if max(parts, g.Width()) > maxCells {
		r, n := utf8.DecodeRuneInString(s)
		return n, runeCells(r)
	}
	return len(g.Value()), max(g.Width(), parts)
}

// maxCells and maxBytes are the widest and the longest character that is kept
// together on a line.
const maxCells, maxBytes = 8, 64

func runeCells(r rune) int {
	switch {
	case r >= 0x1F1E6 && r <= 0x1F1FF: // half a flag
		return 1
	case r == 0xAD: // a soft hyphen: some draw it
		return 1
	}
	return displaywidth.Rune(r)
}

// cells is the width of s.
func cells(s string) int {
	w := 0
	for len(s) > 0 {
		n, c := next(s)
		s, w = s[n:], w+c
	}
	return w
}

// clip shortens a line to a width and marks the cut.
func clip(s string, width int, mark string) string {
	if len(s) <= width || width <= 0 { // no character has more cells than bytes
		return s[:min(len(s), max(width, 0))]
	}
	limit, w, keep := width-cells(mark), 0, 0
	if limit < 0 {
		limit, mark = width, ""
	}
	for i := 0; i < len(s); {
		n, c := next(s[i:])
		if w+c > width {
			return s[:keep] + mark
		}
		i, w = i+n, w+c
		if w <= limit {
			keep = i
		}
	}
	return s
}

// clean makes text harmless and replaces its tabs.
func clean(s string) string { return untab(termsafe.Text(s)) }

func untab(s string) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	var b strings.Builder
	col := 0
	for len(s) > 0 {
		switch s[0] {
		case '\t':
			n := tabStop - col%tabStop
			b.WriteString("    "[:n])
			s, col = s[1:], col+n
		case '\n':
			b.WriteByte('\n')
			s, col = s[1:], 0
		default:
			n, w := next(s)
			b.WriteString(s[:n])
			s, col = s[n:], col+w
		}
	}
	return b.String()
}

// maxLine is how much text is drawn as one: a longer line is drawn in parts.
const maxLine = 4096

// cutLine takes the first line off src: its text, its size with the line break,
// and whether it was cut for its length. ok is false where the line is not whole
// yet. What it returns depends only on the beginning of src, so that it is the
// same however the text arrives.
func cutLine(src string) (line string, size int, cut, ok bool) {
	head := src[:min(len(src), maxLine+1)]
	if i := strings.IndexByte(head, '\n'); i >= 0 {
		return strings.TrimSuffix(src[:i], "\r"), i + 1, false, true
	}
	if len(src) <= maxLine {
		return "", 0, false, false
	}
	n := maxLine
	if i := strings.LastIndexByte(src[maxLine-512:maxLine], ' '); i >= 0 {
		n = maxLine - 512 + i + 1
	} else {
		for i := 0; i < utf8.UTFMax-1 && !utf8.RuneStart(src[n]); i++ {
			n--
		}
	}
	return src[:n], n, true, true
}

// settled returns the part of an unfinished line that further text cannot change:
// half a character or a carriage return at its end waits.
func settled(s string) string {
	for i := 1; i < utf8.UTFMax && i <= len(s); i++ {
		if c := s[len(s)-i]; utf8.RuneStart(c) {
			if !utf8.FullRuneInString(s[len(s)-i:]) {
				s = s[:len(s)-i]
			}
			break
		}
	}
	return strings.TrimSuffix(s, "\r")
}
