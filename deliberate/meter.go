package deliberate

import (
	"slices"
	"strings"
	"unicode"
)

// Meters tell agreement from fatigue. They judge nobody: they say what happened.
type Meters struct {
	Changes    []Change   `json:"changes"` // of sides, in order
	Votes      int        `json:"votes"`   // sides taken, but for those of the proposers
	Bare       int        `json:"bare"`    // of them, agreements without a reason
	Vocabulary Vocabulary `json:"vocabulary"`
}

// Change is somebody who changed sides on a proposal.
type Change struct {
	Who      string `json:"who"`
	Proposal int    `json:"proposal"`
	For      bool   `json:"for"` // the side taken now
	Seq      int    `json:"seq"`
	After    string `json:"after,omitempty"` // the last to take that side before
	Majority bool   `json:"majority"`        // it was the side of the majority
	Reason   bool   `json:"reason"`          // a reason was given
}

// fewWords is the shortest text that counts as a reason.
const fewWords = 6

func reasoned(s Stand) bool { return len(strings.Fields(s.Reason)) >= fewWords }

func (m *Meters) vote(s Stand) {
	m.Votes++
	if s.For && !reasoned(s) {
		m.Bare++
	}
}

func (m *Meters) change(p *Proposal, old, s Stand) {
	c := Change{Who: s.Who, Proposal: p.N, For: s.For, Seq: s.Seq, Reason: reasoned(s)}
	with, newest := 0, 0
	for _, o := range p.Stands {
		if o.Who == old.Who || o.For != s.For {
			continue
		}
		with++
		if o.Seq >= newest {
			newest, c.After = o.Seq, o.Who
		}
	}
	c.Majority = 2*with > len(p.Stands)-1
	m.Changes = append(m.Changes, c)
}

// Conformity is the share of the changes of sides that went to the majority, and
// whether there were any.
func (m Meters) Conformity() (share float64, ok bool) {
	n := 0
	for _, c := range m.Changes {
		if c.Majority {
			n++
		}
	}
	if len(m.Changes) == 0 {
		return 0, false
	}
	return float64(n) / float64(len(m.Changes)), true
}

// Vocabulary says how alike the speakers sound.
type Vocabulary struct {
	Fresh   float64 `json:"fresh"`   // share of the words in the newest window that were never said before it
	First   float64 `json:"first"`   // how alike two speakers were in the first full window: 0 to 1
	Overlap float64 `json:"overlap"` // how alike two speakers are now: 0 to 1
}

// Collapsed reports whether the speakers have come to say the same in the same
// words.
func (v Vocabulary) Collapsed() bool {
	return v.Overlap >= 0.5 && v.Fresh < 0.15 && v.Overlap > 1.5*v.First
}

// vocabularyWindow is how many messages a window of words has.
const vocabularyWindow = 15

// vocabulary keeps the words of the newest messages. Its cost follows the newest
// message and the window, never the length of the debate.
type vocabulary struct {
	seen   map[string]int // words, and the message that said them first
	window []spoken
	n      int
	first  float64
}

type spoken struct {
	by    string
	n     int
	words []string
}

func (v *vocabulary) take(by, text string) {
	if v.seen == nil {
		v.seen = map[string]int{}
	}
	v.n++
	words := contentWords(text)
	for _, w := range words {
		if _, ok := v.seen[w]; !ok && len(v.seen) < 100_000 {
			v.seen[w] = v.n
		}
	}
	v.window = append(v.window, spoken{by, v.n, words})
	if len(v.window) > vocabularyWindow {
		v.window = slices.Delete(v.window, 0, 1)
	}
}

func (v *vocabulary) measure() Vocabulary {
	begin := v.n - len(v.window) + 1
	all, fresh := map[string]bool{}, 0
	by := map[string]map[string]bool{}
	var order []string
	for _, s := range v.window {
		if by[s.by] == nil {
			by[s.by] = map[string]bool{}
			order = append(order, s.by)
		}
		for _, w := range s.words {
			by[s.by][w] = true
			if !all[w] {
				all[w] = true
				if v.seen[w] >= begin {
					fresh++
				}
			}
		}
	}
	out := Vocabulary{First: v.first, Overlap: overlap(order, by)}
	if len(all) > 0 {
		out.Fresh = float64(fresh) / float64(len(all))
	}
	if v.n == vocabularyWindow {
		v.first = out.Overlap
	}
	if v.n <= vocabularyWindow {
		out.First = out.Overlap
	}
	return out
}

// overlap is the mean likeness of two speakers: the words of both among those of
// either.
func overlap(order []string, by map[string]map[string]bool) float64 {
	sum, pairs := 0.0, 0
	for i, a := range order {
		for _, b := range order[i+1:] {
			both := 0
			for w := range by[a] {
				if by[b][w] {
					both++
				}
			}
			pairs++
			if either := len(by[a]) + len(by[b]) - both; either > 0 {
				sum += float64(both) / float64(either)
			}
		}
	}
	if pairs == 0 {
		return 0
	}
	return sum / float64(pairs)
}

// contentWords are the words of a text that carry meaning, near enough: more than
// four letters, each once, at most 400.
func contentWords(text string) []string {
	var out []string
	seen := map[string]bool{}
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) <= 4 || len(out) >= 400 {
			continue
		}
		if w = strings.ToLower(w); !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}
