package frame

import (
	"strings"

	"github.com/trimtab/trimtab"
)

// oneLine is a text with its white space folded.
func oneLine(s string) string {
	if len(s) > 4*maxSummary {
		s = trimtab.Clip(s, 4*maxSummary)
	}
	return strings.Join(strings.Fields(s), " ")
}

// short cuts at a word boundary, with a sign that something is missing. The
// result has at most n bytes; below 4 nothing is left.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const sign = "…"
	if n < len(sign)+1 {
		return ""
	}
	cut := trimtab.Clip(s, n-len(sign))
	if i := strings.LastIndexAny(cut, " \n\t"); i > 0 && s[len(cut)] != ' ' && s[len(cut)] != '\n' {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " \n\t") + sign
}

// tokens tells bytes in tokens, rounded up.
func tokens(bytes int) int { return (bytes + 3) / 4 }

// keywords is K of the specification: the lower-case words of letters a to z
// and digits that are longer than two and no function words.
func keywords(text string) map[string]bool {
	out := map[string]bool{}
	text = strings.ToLower(trimtab.Clip(text, maxSummary))
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		if len(w) > 2 && !functionWords[w] {
			out[w] = true
		}
	}
	return out
}

// functionWords carry no meaning of their own.
var functionWords = func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(`the and for are but not you your all any can had has have her his how its our out was were who will with
		this that these those from they them their then than there here into onto over under about after again also been being before
		between both does did doing down each few him just more most nor now off once only other own same she should some such too very
		what when where which while why would could may might must shall upon via yet per let lets`) {
		out[w] = true
	}
	return out
}()

// shared counts the keywords of a that b has.
func shared(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}
