package loop

import (
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/trimtab/trimtab"
)

// Two families of loops in which every single call is different or succeeds: the same
// question in other words, and the same few steps once more.

const (
	maxQueries = 6   // look-ups that are compared
	sameQuery  = 0.5 // those above this similarity ask the same
	minQuery   = 3   // words that a question has
	recurs     = 3   // so many steps in a row make a recurrence
	maxSteps   = 40  // steps that are remembered
	maxUnheard = 8   // calls without a result that are remembered
)

// questions are the keys of an input under which an agent writes in its own words.
var questions = []string{"query", "q", "question", "search_query", "search_term", "prompt", "task", "objective", "instructions", "message"}

// rephrase compares a look-up or a delegation with those before it. Paths never count: who
// reads files that lie side by side does not ask twice.
func (r Progress) rephrase(mem ProgressMemory, c trimtab.ToolCall, reply int) (ProgressMemory, *Alarm) {
	asked := text(c.Input, 2000, questions...)
	if asked == "" {
		return mem, nil
	}
	shape, _ := vocabulary(asked)
	if len(shape.hash) < minQuery {
		return mem, nil
	}
	n := 1
	var replies []uint64
	mem.Queries.each(maxQueries-1, func(o *entry) bool {
		if o.tag != uint64(reply) && !slices.Contains(replies, o.tag) && shape.near(&o.sketch, sameQuery) {
			n++
			replies = append(replies, o.tag)
		}
		return true
	})
	mem.Queries = mem.Queries.add(entry{tag: uint64(reply), sketch: shape}, maxQueries)
	if n < mem.limit(recurs) {
		return mem, nil
	}
	return mem, &Alarm{Kind: Rephrase, Times: n, Cause: mix(xxhash.Sum64String(c.Name) + 2), Why: fmt.Sprintf("`%s` was asked nearly the same %d times in other words: %q", brief(c.Name, 40), n, brief(asked, 60))}
}

// recur looks whether the last steps are, one by one, those of a run of steps before them.
func (r Progress) recur(mem ProgressMemory, step uint64, name string) (ProgressMemory, *Alarm) {
	mem.Steps = append(slices.Clip(mem.Steps), step)
	mem.Steps = mem.Steps[max(0, len(mem.Steps)-maxSteps):]
	n := len(mem.Steps)
	if n < 2*recurs {
		return mem, nil
	}
	last := mem.Steps[n-recurs:]
	if last[0] == last[1] && last[1] == last[2] { // one call over and over is told otherwise
		return mem, nil
	}
	for i := n - 2*recurs; i >= 0; i-- {
		if slices.Equal(mem.Steps[i:i+recurs], last) {
			return mem, &Alarm{Kind: Cycle, Times: 2, Why: fmt.Sprintf("the last %d steps are the same, one by one, as %d before them, and nothing changed in between; the newest: `%s`", recurs, recurs, name)}
		}
	}
	return mem, nil
}

// unheard counts calls that are made again though they never got a result.
func (r Progress) unheard(mem ProgressMemory, key uint64, name string) (ProgressMemory, *Alarm) {
	if !slices.ContainsFunc(mem.Open, func(p pend) bool { return p.Key == key }) {
		return mem, nil
	}
	i := slices.IndexFunc(mem.Unheard, func(s streak) bool { return s.Key == key })
	mem.Unheard = slices.Clone(mem.Unheard)
	if i < 0 {
		mem.Unheard = append(mem.Unheard, streak{Key: key, Name: name})
		mem.Unheard = mem.Unheard[max(0, len(mem.Unheard)-maxUnheard):]
		i = len(mem.Unheard) - 1
	}
	mem.Unheard[i].N++
	if n := mem.Unheard[i].N; n >= mem.limit(r.cfg.Repeats) {
		return mem, &Alarm{Kind: SameCall, Times: n + 1, Why: fmt.Sprintf("`%s` was called %d times and no result came", name, n+1)}
	}
	return mem, nil
}
