package loop

import (
	"strings"

	"github.com/cespare/xxhash/v2"
)

const chantLines, chantMin = 8, 12

// chant returns a line or sentence that fills half of a reply by being said again
// and again, and how often it is said. Code is left out: it may repeat itself.
func chant(words string) (string, int) {
	if len(words) < chantLines*chantMin {
		return "", 0
	}
	head, _ := ends(words, 4*maxEnds)
	type counted struct {
		text string
		n    int
	}
	seen := map[uint64]*counted{}
	all, fence := 0, false
	var most *counted
	for line := range strings.FieldsFuncSeq(head, func(r rune) bool { return r == '\n' || r == '.' || r == '!' || r == '?' }) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fence = !fence
		}
		if fence || len(line) < chantMin || strings.HasPrefix(line, "|") {
			continue
		}
		all++
		h := xxhash.Sum64String(line)
		if seen[h] == nil {
			seen[h] = &counted{text: line}
		}
		c := seen[h]
		if c.n++; most == nil || c.n > most.n {
			most = c
		}
	}
	if most == nil || most.n < chantLines || 2*most.n < all {
		return "", 0
	}
	return most.text, most.n
}
