package forge

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// cut is what stands where a text was too long.
const cut = "\n\n(The rest was cut off: the text was longer than the forge takes.)"

// clip returns at most n bytes of s, and no half character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// fitTitle makes a title one line of at most n characters.
func fitTitle(title string, n int) string {
	title = strings.Join(strings.Fields(title), " ")
	if n > 0 && utf8.RuneCountInString(title) > n {
		title = string([]rune(title)[:n-1]) + "…"
	}
	return title
}

// fitBody truncates a body so that a marker still fits.
func fitBody(body string, n int) string {
	body = Harmless(strings.ToValidUTF8(body, "\uFFFD"))
	limit := n - 512
	if n <= 0 || len(body) <= limit {
		return body
	}
	return clip(body, limit-len(cut)) + cut
}

// Flat returns a review as one text, for a forge that cannot put remarks at
// their lines.
func (r Review) Flat() string {
	var b strings.Builder
	b.WriteString(strings.TrimRight(r.Body, "\n"))
	for _, m := range r.Remarks {
		fmt.Fprintf(&b, "\n\n**`%s` line %d**\n\n%s", strings.ReplaceAll(m.Path, "`", "'"), m.Line, strings.TrimRight(m.Body, "\n"))
	}
	return b.String()
}
