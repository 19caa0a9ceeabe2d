package secret

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// What a terminal colours or an editor hides may stand in the middle of a secret: the
// output of grep marks what it found, and a page may break a token with a character
// that has no width. A text with such characters is looked at without them, too.

// bare is a text without them, and where its pieces stood.
type bare struct {
	text   string
	pieces []piece
}

// piece is a part of the text that was kept: where it stands now and stood before.
type piece struct{ now, was int }

// strip returns nil where there is nothing to take out, which is nearly always.
func strip(text string) *bare {
	var b strings.Builder
	out := &bare{}
	kept := 0 // the beginning of what is kept and not copied yet
	flush := func(to int) {
		if to > kept {
			out.pieces = append(out.pieces, piece{b.Len(), kept})
			b.WriteString(text[kept:to])
		}
	}
	for i := 0; i < len(text); {
		n := hiddenAt(text, i)
		if n == 0 {
			i++
			continue
		}
		flush(i)
		i += n
		kept = i
	}
	if kept == 0 {
		return nil
	}
	flush(len(text))
	out.text = b.String()
	return out
}

// origin is where the byte at i stood.
func (b *bare) origin(i int) int {
	n := sort.Search(len(b.pieces), func(k int) bool { return b.pieces[k].now > i }) - 1
	return b.pieces[n].was + i - b.pieces[n].now
}

// The part of a text around what is hidden that is looked at again: no token is longer,
// and what stands near the edge of the part was seen before.
const (
	around = 4 << 10
	edges  = 512
)

// hiddenParts are the parts of a text in which something is hidden. A text without any,
// which is nearly all, costs one look at each byte.
func hiddenParts(text string) (out [][2]int) {
	if !mayHide(text) {
		return nil
	}
	for i := 0; i < len(text); {
		if !hides[text[i]] || text[i] == '\\' && (i+1 == len(text) || strings.IndexByte("uxe0", text[i+1]) < 0) {
			i++
			continue
		}
		n := hiddenAt(text, i)
		if n == 0 {
			i++
			continue
		}
		from, to := max(0, i-around), min(len(text), i+n+around)
		if last := len(out) - 1; last >= 0 && from <= out[last][1] {
			out[last][1] = to
		} else {
			out = append(out, [2]int{from, to})
		}
		i += n
	}
	return out
}

// hides are the bytes with which something hidden begins.
var hides = [256]bool{0x1b: true, '\\': true, 0xc2: true, 0xcd: true, 0xe1: true, 0xe2: true, 0xef: true}

// mayHide reports quickly whether a text may hold anything hidden.
func mayHide(text string) bool {
	if strings.IndexByte(text, 0x1b) >= 0 || strings.Contains(text, `\u`) || strings.Contains(text, `\x1`) || strings.Contains(text, `\03`) || strings.Contains(text, `\e[`) {
		return true
	}
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if (text[i]|text[i+1]|text[i+2]|text[i+3]|text[i+4]|text[i+5]|text[i+6]|text[i+7])&0x80 != 0 {
			return true
		}
	}
	for ; i < len(text); i++ {
		if text[i]&0x80 != 0 {
			return true
		}
	}
	return false
}

// escapeWords are the ways to write the character that begins a terminal's command.
var escapeWords = []string{"\x1b", `\u001b`, `\u001B`, `\x1b`, `\x1B`, `\033`, `\e`}

// hiddenAt returns the length of what is taken out at i, 0 for none.
func hiddenAt(text string, i int) int {
	switch c := text[i]; {
	case c == 0x1b || c == '\\':
		for _, w := range escapeWords {
			if rest, ok := strings.CutPrefix(text[i:], w); ok {
				if n := command(rest); n > 0 {
					return len(w) + n
				}
			}
		}
		if c == 0x1b {
			return 1
		}
		// A hidden character as JSON writes it.
		if i+6 <= len(text) && text[i+1] == 'u' {
			high, ok1 := hexPair(text[i+2], text[i+3])
			low, ok2 := hexPair(text[i+4], text[i+5])
			if ok1 && ok2 && hiddenRune(rune(high)<<8|rune(low)) {
				return 6
			}
		}
	case c >= 0xc2:
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == 0x9b {
			return n + max(0, command("["+text[i+n:min(len(text), i+n+longest)])-1)
		}
		if hiddenRune(r) {
			return n
		}
	}
	return 0
}

// hiddenRune is a character without width or look of its own.
func hiddenRune(r rune) bool {
	return r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f || r == 0xfeff || r == 0xad || r == 0x180e || r == 0x34f || r >= 0xfe00 && r <= 0xfe0f
}

// longest is how long a terminal's command may be that is passed over.
const longest = 64

// command returns the length of a colour or another command of a terminal, behind its
// escape.
func command(rest string) int {
	if rest == "" || rest[0] != '[' {
		return 0
	}
	for i := 1; i < len(rest) && i < longest; i++ {
		switch c := rest[i]; {
		case c >= 0x40 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x3f:
			return 0
		}
	}
	return 0
}

// findHidden adds to the findings of a text those that show when what is hidden is
// taken out.
func (s *Scanner) findHidden(text string, out []Finding) []Finding {
	parts := hiddenParts(text)
	if len(parts) == 0 {
		return out
	}
	var more []Finding
	for _, part := range parts {
		for _, f := range s.findBare(text[part[0]:part[1]]) {
			f.Start, f.End = f.Start+part[0], f.End+part[0]
			if (part[0] == 0 || f.Start >= part[0]+edges) && (part[1] == len(text) || f.End <= part[1]-edges) {
				more = append(more, f)
			}
		}
	}
	if len(more) == 0 {
		return out
	}
	return joined(append(out, more...))
}

// findBare looks at a part of a text. Taking one secret out may bare another, as
// everywhere, so it looks again, at the text with marks and at that without what is
// hidden, until nothing more is found.
func (s *Scanner) findBare(text string) []Finding {
	out := s.findPlain(text)
	for range rounds {
		marked, back := redacted(text, out)
		b := strip(marked)
		if b == nil {
			return out
		}
		n := len(out)
		for _, f := range s.findPlain(b.text) {
			from, to := b.origin(f.Start), b.origin(f.End-1)+1
			if from, to = back.origin(from), back.origin(to-1)+1; from < to {
				out = append(out, Finding{f.Kind, from, to})
			}
		}
		if len(out) == n {
			return out
		}
		out = joined(out)
		marked, back = redacted(text, out)
		for _, f := range s.findPlain(marked) { // what a mark has bared
			if from, to := back.origin(f.Start), back.origin(f.End-1)+1; from < to {
				out = append(out, Finding{f.Kind, from, to})
			}
		}
		out = joined(out)
	}
	return out
}

// redacted is a text with marks for findings, and where its pieces stood.
func redacted(text string, found []Finding) (string, *bare) {
	var b strings.Builder
	back := &bare{}
	last := 0
	keep := func(to int) {
		back.pieces = append(back.pieces, piece{b.Len(), last})
		b.WriteString(text[last:to])
	}
	for _, f := range found {
		keep(f.Start)
		back.pieces = append(back.pieces, piece{b.Len(), f.Start})
		b.WriteString(mark + f.Kind + "]")
		last = f.End
	}
	keep(len(text))
	return b.String(), back
}

// joined sorts findings and makes one of those that overlap.
func joined(found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int { return a.Start - b.Start })
	out := found[:0]
	for _, f := range found {
		if n := len(out) - 1; n >= 0 && f.Start < out[n].End {
			out[n].End = max(out[n].End, f.End)
			continue
		}
		out = append(out, f)
	}
	return out
}
