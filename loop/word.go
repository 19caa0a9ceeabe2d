package loop

import (
	"iter"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/trimtab/trimtab"
)

// Only the two ends of a long text are taken apart: the rest is known by its
// exact hash. Verdicts and errors stand at the ends.
const maxEnds = 4096

// ends returns the beginning and the end of a text, at most n bytes in all.
func ends(text string, n int) (head, tail string) {
	if len(text) <= n {
		return text, ""
	}
	head = trimtab.Clip(text, n/2)
	tail = text[len(text)-n/2:]
	for len(tail) > 0 && tail[0]&0xC0 == 0x80 {
		tail = tail[1:]
	}
	return head, tail
}

// word is a run of letters, digits and underscores, whatever its case: its hash,
// its length in runes, and where it begins and ends.
type word struct {
	hash       uint64
	n          int
	begin, end int
}

// inWord is true for the bytes of words in ASCII.
var inWord = func() (table [256]bool) {
	for c := range table {
		table[c] = wordly(byte(c))
	}
	return table
}()

// words yields the words of a text. It is the loop that every message goes
// through, so words in ASCII are hashed eight bytes at a time.
func words(text string) iter.Seq[word] {
	return func(yield func(word) bool) {
		for i := 0; i < len(text); {
			begin := i
			for i < len(text) && inWord[text[i]] {
				i++
			}
			w := word{n: i - begin, begin: begin, end: i}
			switch {
			case i < len(text) && text[i] >= utf8.RuneSelf:
				if w = other(text, begin); w.n == 0 {
					_, size := utf8.DecodeRuneInString(text[i:])
					i += size
					continue
				}
				i = w.end
			case w.n == 0:
				i++
				continue
			default:
				w.hash = hashASCII(text[begin:i])
			}
			if !yield(w) {
				return
			}
		}
	}
}

// hashASCII hashes a word of ASCII. The bit that it sets makes letters small and
// leaves digits alone.
func hashASCII(s string) uint64 {
	const small, prime = 0x2020202020202020, 0x9e3779b97f4a7c15
	h := uint64(len(s)) * prime
	for len(s) >= 8 {
		h = (bits.RotateLeft64(h, 29) ^ (load(s, 8) | small)) * prime
		s = s[8:]
	}
	if len(s) > 0 {
		h = (bits.RotateLeft64(h, 29) ^ (load(s, len(s)) | small)) * prime
	}
	return mix(h)
}

func load(s string, n int) (x uint64) {
	for i := range n {
		x |= uint64(s[i]) << (8 * i)
	}
	return x
}

// other is the word that begins at a place and is not all ASCII. It has no length
// if there is none.
func other(text string, begin int) word {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h, n, i := uint64(offset), 0, begin
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r != '_' && (r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)) {
			break
		}
		h = (h ^ uint64(unicode.ToLower(r))) * prime
		n++
		i += size
	}
	return word{mix(h), n, begin, i}
}

// digest is what is known of a result: what it is like, exactly what it says but
// for what changes by itself, and which hints it gives of how the call went.
type digest struct {
	sketch
	exact uint64
	marks mark
}

// digestOf takes a result apart, in one pass. What it is like are its runs of
// three words: order counts, so that a text that says something else with the same
// words is not like it.
func digestOf(text string) digest {
	var d digest
	var p pile
	head, tail := ends(text, maxEnds)
	if middle := text[len(head) : len(text)-len(tail)]; middle != "" {
		d.exact = xxhash.Sum64String(middle)
	}
	d.read(head, &p)
	d.read(tail, &p)
	d.sketch = p.sketch()
	return d
}

func (d *digest) read(text string, p *pile) {
	var a, b uint64
	n, skip, last, between := 0, 0, 0, uint64(0)
	for w := range words(text) {
		if w.begin < skip {
			last = w.end
			continue
		}
		between += gap(text[last:w.begin])
		last = w.end
		if text[w.begin]-'0' <= 9 {
			if long := volatile(text[w.begin:]); long > 0 {
				skip = w.begin + long
				continue
			}
		}
		if n++; n >= 3 {
			p.take(uint32(mix(a*31+b*7+w.hash) >> 32))
		}
		d.exact = d.exact*31 + w.hash
		d.marks |= markOf(w, text)
		a, b = b, w.hash
	}
	if n == 1 || n == 2 { // too short for a run
		p.take(uint32(mix(a*31+b*7) >> 32))
	}
	d.exact = mix(d.exact*31 + between + gap(text[last:]))
}

// gap sums up what stands between two words, but for space: a row of dots in which
// one is missing is another row.
func gap(s string) (sum uint64) {
	for i := 0; i < len(s); i++ {
		if c := uint64(s[i]); c > ' ' {
			sum += c * c
		}
	}
	return sum
}

// vocabulary sketches a text by its longer words, whatever their order: someone
// who says the same again puts it a little differently. It counts them too.
func vocabulary(text string) (sketch, int) {
	var p pile
	all := 0
	head, tail := ends(text, maxEnds)
	for _, part := range []string{head, tail} {
		for w := range words(part) {
			if w.n > 3 {
				p.take(uint32(w.hash >> 32))
				all++
			}
		}
	}
	return p.sketch(), all
}

// settled is a text without what changes by itself: times of day, dates,
// durations and addresses in memory.
func settled(text string) string {
	var out strings.Builder
	from := 0
	for i := 0; i < len(text); {
		if text[i]-'0' > 9 || i > 0 && wordly(text[i-1]) {
			i++
			continue
		}
		n := volatile(text[i:])
		if n == 0 {
			for i < len(text) && wordly(text[i]) {
				i++
			}
			continue
		}
		out.WriteString(text[from:i])
		out.WriteByte('~')
		i += n
		from = i
	}
	if from == 0 {
		return text
	}
	out.WriteString(text[from:])
	return out.String()
}

func wordly(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// volatile returns the length of a time, date, duration or address at the
// beginning of s, which begins with a digit.
func volatile(s string) int {
	if len(s) > 6 && s[0] == '0' && s[1] == 'x' {
		n := 2
		for n < len(s) && ('0' <= s[n] && s[n] <= '9' || 'a' <= s[n] && s[n] <= 'f') {
			n++
		}
		if n >= 8 {
			return n
		}
		return 0
	}
	n, groups, dots := 0, 1, 0
	var joint byte // what joins the groups of digits
	for n < len(s) && n < 40 {
		c := s[n]
		next := n+1 < len(s) && s[n+1]-'0' <= 9
		switch {
		case c-'0' <= 9:
		case (c == ':' || c == '-') && next && (joint == 0 || joint == c):
			joint = c
			groups++
		case c == '.' && next:
			dots++
		default:
			return n + passing(s[n:], n, groups, dots, joint)
		}
		n++
	}
	return n + passing(s[n:], n, groups, dots, joint)
}

// passing is the length of the unit behind n digits that are a time, a date or a
// duration, and -n if they are none.
func passing(rest string, n, groups, dots int, joint byte) int {
	switch {
	case joint == ':' && groups == 3 && n >= 5, joint == '-' && groups == 3 && n >= 8: // 12:30:05, 2026-11-15
		return 0
	case joint != 0 || dots > 1:
		return -n
	}
	for _, unit := range []string{"s", "ms", "µs", "us", "ns", "sec"} { // 1.24s, 940ms
		after, ok := strings.CutPrefix(rest, unit)
		if ok && (after == "" || !inWord[after[0]]) {
			return len(unit)
		}
	}
	return -n
}
