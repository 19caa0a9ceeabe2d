package client

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab/llm"
)

// Listed is a model that a provider offers.
type Listed struct {
	Name   string
	Window int // tokens of context; 0 is not told
}

// Failed is the stream of a request that could not be written.
func Failed(err error) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) { yield(nil, err) }
}

// shortList is how long a list may take when it is only to help with an error.
const shortList = 2 * time.Second

// Nearest returns the names of a list, three at most, that are most like a name
// that does not exist.
func Nearest(ctx context.Context, name string, list func(context.Context) ([]Listed, error)) []string {
	ctx, cancel := context.WithTimeout(ctx, shortList)
	defer cancel()
	all, err := list(ctx)
	if err != nil {
		return nil // the error that it was to help with says enough
	}
	var names []string
	for _, l := range all {
		names = append(names, l.Name)
	}
	return Near(name, names)
}

// Near returns those of the names, three at most, that are most like one: the
// nearest first, and none that has little in common with it.
func Near(name string, names []string) []string {
	type candidate struct {
		name string
		far  int
	}
	var all []candidate
	word := strings.ToLower(clip(name))
	for _, n := range names {
		other := strings.ToLower(clip(n))
		far := distance(word, other)
		if strings.HasPrefix(other, word) && word != "" {
			far = 1 // cut short is near, however much is missing
		}
		if far <= max(3, len(word)/2) && far < max(2, len(word)) { // else they share no letter
			all = append(all, candidate{n, far})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
	var near []string
	for _, c := range all[:min(3, len(all))] {
		near = append(near, clean(c.name))
	}
	return near
}

func clip(s string) string { return s[:min(len(s), 80)] }

// distance counts the letters by which two words differ.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			before, row[j+1] = row[j+1], min(before+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
