// Package fuzzy finds paths by a few of their letters, fast enough for a hundred
// thousand of them on every key. It reads no file; whoever has the paths hands them in.
//
//	index := fuzzy.New(paths)
//	best := index.Match("tuitalk", 50) // surface/tui/talk.go, …
package fuzzy

import (
	"cmp"
	"slices"
	"strings"
)

// Index is paths, made ready for matching.
type Index struct {
	paths []string
	low   []string // in lower case
	masks []uint64 // which letters occur: most paths are passed over by one comparison
	parts []part
}

// New makes an index of paths; those of folders end with a slash.
func New(paths []string) *Index {
	x := &Index{paths: paths, low: make([]string, len(paths)), masks: make([]uint64, len(paths)), parts: make([]part, len(paths))}
	for i, p := range paths {
		x.low[i] = strings.ToLower(p)
		x.masks[i] = mask(x.low[i])
		x.parts[i] = partsOf(x.low[i])
	}
	return x
}

// Len is the number of paths.
func (x *Index) Len() int { return len(x.paths) }

func mask(s string) (m uint64) {
	for i := range len(s) {
		m |= 1 << (s[i] & 63)
	}
	return m
}

type hit struct {
	at    int
	score int
}

// Match returns the paths that fit best, at most n of them. Every letter of the query
// occurs in a path that fits, in the same order; blanks are passed over.
func (x *Index) Match(query string, n int) []string {
	query = strings.ToLower(strings.ReplaceAll(query, " ", ""))
	want := mask(query)
	var hits []hit
	for i, low := range x.low {
		if x.masks[i]&want != want || len(low) < len(query) {
			continue
		}
		if s, ok := score(low, query, x.parts[i]); ok {
			hits = append(hits, hit{i, s})
		}
	}
	better := func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(len(x.low[a.at]), len(x.low[b.at])), cmp.Compare(x.low[a.at], x.low[b.at]))
	}
	if len(hits) > 4*n && n > 0 { // sorting all would cost more than finding them
		hits = top(hits, n, better)
	}
	slices.SortFunc(hits, better)
	out := make([]string, 0, min(n, len(hits)))
	for _, h := range hits[:min(n, len(hits))] {
		out = append(out, x.paths[h.at])
	}
	return out
}

// top keeps the n best.
func top(hits []hit, n int, better func(a, b hit) int) []hit {
	best := slices.Clone(hits[:n])
	slices.SortFunc(best, better)
	for _, h := range hits[n:] {
		if better(h, best[n-1]) >= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, h, better)
		copy(best[at+1:], best[at:n-1])
		best[at] = h
	}
	return best
}

// What a letter that fits is worth, by where it stands.
const (
	perLetter  = 1
	inRow      = 5 // right behind the letter before it
	atBoundary = 8 // begins a part of the path, or a word of a name
	inName     = 3 // in the last part
	wholeStart = 40
	wholeName  = 60
)

// score says how well a path fits: letters in a row and at the beginnings of words
// count most, and of the ways to place them the one nearest to the end is taken.
func score(path, query string, p part) (total int, ok bool) {
	if query == "" {
		return -p.depth, true
	}
	name, at := p.name, len(path)
	row := false
	for i := len(query) - 1; i >= 0; i-- {
		j := strings.LastIndexByte(path[:at], query[i])
		if j < 0 {
			return 0, false
		}
		total += perLetter
		if row && j == at-1 {
			total += inRow
		}
		if j == 0 || strings.IndexByte("/_-. ", path[j-1]) >= 0 {
			total += atBoundary
		}
		if j >= name {
			total += inName
		}
		at, row = j, true
	}
	return total + whole(path, query, p) - p.depth, true
}

// whole is what a query is worth that stands in a path as it is.
func whole(path, query string, p part) int {
	switch base := path[p.name:p.end]; {
	case path == query, base == query:
		return 2 * wholeName
	case strings.HasPrefix(base, query):
		return wholeName
	case strings.HasPrefix(path, query):
		return wholeStart
	case strings.Contains(base, query):
		return wholeStart / 2
	case strings.Contains(path, query):
		return wholeStart / 4
	}
	return 0
}

// part is where the last part of a path stands, and how many slashes it has.
type part struct{ name, end, depth int }

func partsOf(path string) part {
	bare := strings.TrimSuffix(path, "/")
	return part{strings.LastIndexByte(bare, '/') + 1, len(bare), strings.Count(path, "/")}
}
