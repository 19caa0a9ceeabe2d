package read

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/trimtab/trimtab/improve"
)

// merge puts the causes of sessions together: those of one kind that are about the same
// subject, or say nearly the same. The order in which sessions were read does not matter.
func merge(all []improve.Cause) []improve.Cause {
	slices.SortStableFunc(all, func(a, b improve.Cause) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.In[0], b.In[0]))
	})
	var out []improve.Cause
	for _, c := range all {
		i := slices.IndexFunc(out, func(o improve.Cause) bool { return sameCause(o, c) })
		if i < 0 {
			out = append(out, c)
			continue
		}
		o := &out[i]
		for _, session := range c.In {
			if !slices.Contains(o.In, session) {
				o.In = append(o.In, session)
				o.Sessions++
			}
		}
		o.Claims = append(o.Claims, c.Claims...)
	}
	slices.SortStableFunc(out, func(a, b improve.Cause) int {
		return cmp.Or(cmp.Compare(b.Sessions, a.Sessions), cmp.Compare(len(b.Claims), len(a.Claims)), b.Last.Compare(a.Last), strings.Compare(a.Title, b.Title))
	})
	return out
}

// alike is the share of words in common from which two causes are one.
const alike = 0.5

func sameCause(a, b improve.Cause) bool {
	if a.Kind != b.Kind {
		return false
	}
	if s := improve.Fold(a.Subject); s != "" && s == improve.Fold(b.Subject) {
		return true
	}
	return common(wordsOf(a.Subject+" "+a.Title), wordsOf(b.Subject+" "+b.Title)) >= alike
}

func common(a, b map[string]bool) float64 {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}

// wordsOf are the words of a text that say something.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) > 2 && !slices.Contains(stopWords, w) {
			words[strings.TrimSuffix(w, "s")] = true
		}
	}
	return words
}

var stopWords = []string{"the", "and", "that", "was", "were", "for", "with", "without", "from", "its", "had", "has", "have", "not", "agent", "person", "session", "did", "does", "before", "after", "into", "when", "though", "although", "again"}

// addDropped adds counts of what was dropped.
func addDropped(sum, more map[string]int) {
	for _, k := range slices.Sorted(maps.Keys(more)) {
		sum[k] += more[k]
	}
}
