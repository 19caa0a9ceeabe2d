package secret

import (
	"slices"
	"strings"
	"sync"
)

// Finding is one secret: what kind, and where it stands in the text. It never
// holds the secret.
type Finding struct {
	Kind  string `json:"kind"`
	Start int    `json:"start"` // bytes from the beginning
	End   int    `json:"end"`
}

// Options are what a Scanner knows beyond the rules.
type Options struct {
	// Known are exact values to take out, whatever they look like, also where
	// they are escaped for JSON or a URL, or stand in base64 or hexadecimal. One
	// of fewer than four bytes is left out: it would be found in every text.
	Known []string
	// Private takes out what names a person too: e-mail addresses (kind email), the
	// user's name in the path of a home folder (kind home), numbers of payment cards
	// (kind card), and names and addresses of hosts in inner networks (kind host).
	Private bool
}

// Scanner finds secrets. It holds no state between texts and is safe to share.
type Scanner struct {
	rules *book
	known *known
}

// standard are the rules without and with those for private data, made when they
// are first used: a program that redacts nothing pays nothing.
var (
	standard = sync.OnceValue(func() *book { return newBook(false) })
	personal = sync.OnceValue(func() *book { return newBook(true) })
)

// New returns a scanner.
func New(o Options) *Scanner {
	s := &Scanner{rules: standard(), known: newKnown(o.Known)}
	if o.Private {
		s.rules = personal()
	}
	return s
}

// Find returns the secrets of a text, in order, without overlap.
func Find(text string) []Finding { return New(Options{}).Find(text) }

// Redactor returns New's Redact for callers that need no findings.
func Redactor(o Options) func(string) string {
	s := New(o)
	return func(text string) string {
		text, _ = s.Redact(text)
		return text
	}
}

// Redact returns the text with each secret replaced by [REDACTED:<kind>], and
// where they stood in the text as given.
func (s *Scanner) Redact(text string) (string, []Finding) {
	found := s.Find(text)
	if len(found) == 0 {
		return text, nil
	}
	var b strings.Builder
	last := 0
	for _, f := range found {
		b.WriteString(text[last:f.Start])
		b.WriteString(mark + f.Kind + "]")
		last = f.End
	}
	b.WriteString(text[last:])
	return b.String(), found
}

// mark begins what stands in the place of a secret. Between two of them a text
// is looked at by itself.
const mark = "[REDACTED:"

// Find returns the secrets of a text, in order, without overlap.
func (s *Scanner) Find(text string) []Finding {
	return s.findHidden(text, s.findPlain(text))
}

// findPlain looks at a text as it stands.
func (s *Scanner) findPlain(text string) []Finding {
	var out []Finding
	for i := 0; i < len(text); {
		from, to := nextMark(text, i)
		out = s.between(text, i, from, out, 0)
		i = to
	}
	return out
}

// nextMark returns the place of the next mark at or after i; the end of the text
// where there is none.
func nextMark(text string, i int) (from, to int) {
	for i < len(text) {
		n := strings.Index(text[i:], mark)
		if n < 0 {
			break
		}
		from = i + n
		to = from + len(mark)
		for to < len(text) && to < from+60 && (alnum(text[to]) || text[to] == '-') {
			to++
		}
		if to < len(text) && text[to] == ']' && to > from+len(mark) {
			return from, to + 1
		}
		i = from + 1
	}
	return len(text), len(text)
}

const (
	// rounds is how often what is left beside a finding is looked at again.
	// Taking one secret out may bare another, whose neighbour hid it; a third
	// round has not been seen to find anything.
	rounds = 8
	// beside is how far from a finding that may be: no rule reads further.
	beside = 32 << 10
)

// between finds the secrets of text[from:to], as if nothing stood around it,
// until what is left over has none: that is what makes redacting idempotent.
func (s *Scanner) between(text string, from, to int, out []Finding, round int) []Finding {
	found := moved(s.once(text[from:to]), from)
	if round == rounds {
		return append(out, found...)
	}
	last := from
	for i, f := range found {
		out = s.again(text, last, f.Start, i > 0, true, out, round+1)
		out = append(out, f)
		last = f.End
	}
	if len(found) == 0 {
		return out
	}
	return s.again(text, last, to, true, false, out, round+1)
}

// again looks at what is left between two findings: at all of it, or where it is
// long, at the part beside each. Far from both nothing has changed.
func (s *Scanner) again(text string, from, to int, left, right bool, out []Finding, round int) []Finding {
	if to-from <= 4*beside {
		return s.between(text, from, to, out, round)
	}
	if left {
		for _, f := range s.between(text, from, from+2*beside, nil, round) {
			if f.Start < from+beside {
				out = append(out, f)
			}
		}
	}
	if right {
		for _, f := range s.between(text, to-2*beside, to, nil, round) {
			if f.Start >= to-beside {
				out = append(out, f)
			}
		}
	}
	return out
}

func moved(found []Finding, by int) []Finding {
	for i := range found {
		found[i].Start += by
		found[i].End += by
	}
	return found
}

// once goes over a text once.
func (s *Scanner) once(text string) []Finding {
	p := &pass{text: text, rules: s.rules}
	p.run()
	found := s.known.find(text, p.found)
	return merge(found)
}

// merge sorts findings and joins those that overlap. The exact kind wins over
// the general one.
func merge(found []hit) []Finding {
	slices.SortStableFunc(found, func(a, b hit) int { return a.Start - b.Start })
	var out []hit
	for _, h := range found {
		if n := len(out) - 1; n >= 0 && h.Start < out[n].End {
			if out[n].general && !h.general {
				out[n].Kind, out[n].general = h.Kind, false
			}
			out[n].End = max(out[n].End, h.End)
			continue
		}
		out = append(out, h)
	}
	all := make([]Finding, 0, len(out))
	for _, h := range out {
		all = append(all, h.Finding)
	}
	return all
}
