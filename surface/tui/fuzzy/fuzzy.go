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
}

// New makes an index of paths; those of folders end with a slash.
func New(paths []string) *Index {
	x := &Index{paths: paths, low: make([]string, len(paths)), masks: make([]uint64, len(paths))}
	for i, p := range paths {
		x.low[i] = strings.ToLower(p)
		x.masks[i] = mask(x.low[i])
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
		if s, ok := score(low, query); ok {
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
func score(path, query string) (total int, ok bool) {
	if query == "" {
		return -strings.Count(path, "/"), true
	}
	name := strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/') + 1
	switch base := strings.TrimSuffix(path[name:], "/"); {
	case path == query, base == query:
		total += 2 * wholeName
	case strings.HasPrefix(base, query):
		total += wholeName
	case strings.HasPrefix(path, query):
		total += wholeStart
	case strings.Contains(base, query):
		total += wholeStart / 2
	case strings.Contains(path, query):
		total += wholeStart / 4
	}
	at := len(path)
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
	return total - strings.Count(path, "/"), true
}
