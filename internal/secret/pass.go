package secret

import (
	"fmt"
	"unicode/utf8"
)

// rule looks at the place where one of its words stands.
type rule struct {
	kind    string
	words   []string
	general bool // says less than another rule that finds the same
	find    func(p *pass, start, end int) (from, to int, ok bool)
}

// book is all rules behind one filter.
type book struct {
	rules  []rule
	words  []entry // in the order of the filter's words
	filter *filter
	loose  set
}

// entry is a word of the filter.
type entry struct {
	length int
	rule   int
	// phase is where the word stands in a group of base64, or one of these.
	phase int
}

// hit is a finding that may still be joined with another.
type hit struct {
	Finding
	general bool
}

// pass is one text under way.
type pass struct {
	text  string
	rules *book
	depth int
	found []hit

	// What was read before and need not be read again: without these a text made
	// for the purpose could make the scan read the same window many times over.
	noDot   int    // no web token begins before this
	decoded [4]int // base64 was looked into up to here, by phase
	escaped int    // and what is escaped for a URL

	longFrom, longTo int // the last long value
	nest, nestTo     int // names seen in the last value, and its end
}

// newBook gathers the rules and makes their filter. The rules are part of the
// program: one that cannot be read is a bug, and a test makes every book.
func newBook(private bool) *book {
	b := &book{loose: newSet("A-Za-z0-9_-")}
	for _, t := range tokens() {
		r, err := t.rule()
		if err != nil {
			b.rules = append(b.rules, broken(err))
			continue
		}
		b.rules = append(b.rules, r)
	}
	b.rules = append(b.rules, contexts()...)
	if private {
		b.rules = append(b.rules, persons()...)
	}
	var words []string
	for i, r := range b.rules {
		for _, w := range r.words {
			words = append(words, w)
			b.words = append(b.words, entry{length: len(w), rule: i, phase: plain})
		}
	}
	for _, w := range escapes() {
		words = append(words, w)
		b.words = append(b.words, entry{length: len(w), phase: percent})
	}
	for _, w := range wrapped() {
		for _, f := range base64Forms(w) {
			words = append(words, f.text)
			b.words = append(b.words, entry{length: len(f.text), phase: f.phase})
		}
	}
	b.filter, _ = newFilter(words) // some thousand states of the 65,536 there may be
	return b
}

const (
	plain   = -1 // the word of a rule
	percent = -2 // the escape of a URL
)

// broken is the rule in the place of one that cannot be read. It finds itself
// nowhere; TestTheRulesCanBeRead looks for it.
func broken(err error) rule { return rule{kind: fmt.Sprintf("broken: %v", err)} }

func (p *pass) run() {
	covered := 0 // up to here an exact rule has found what there is
	p.rules.filter.each(p.text, func(end int, words []int32) {
		limit := covered
		for _, w := range words {
			e := &p.rules.words[w]
			start := end - e.length
			switch {
			case e.phase == percent:
				p.unescape(start)
				continue
			case e.phase != plain:
				p.unwrap(start, e.phase)
				continue
			case start < limit:
				continue
			}
			r := &p.rules.rules[e.rule]
			from, to, ok := r.find(p, start, end)
			if !ok || from >= to {
				continue
			}
			for to < len(p.text) && !utf8.RuneStart(p.text[to]) {
				to++
			}
			p.found = append(p.found, hit{Finding{r.kind, from, to}, r.general})
			if !r.general && from <= start {
				covered = max(covered, to)
			}
		}
	})
}
