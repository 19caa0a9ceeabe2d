package main

import (
	"fmt"
	"io"
	"math"
)

// The goals: how many points the share that is read from the cache may differ,
// and what a steer may cost beside writing its own tokens once.
const (
	shareGoal = 0.5
	steerGoal = 1.05
)

// table is what came of sessions at one provider.
type table struct {
	provider
	lines []tableLine
}

type tableLine struct {
	name string
	by   []result // of each lineup, the one without steering first
}

func (t *table) add(s session, ways []lineup, system int) {
	l := tableLine{name: s.name}
	for _, w := range ways {
		l.by = append(l.by, play(w, s, t.provider, system))
	}
	t.lines = append(t.lines, l)
}

// sum is all lines as one.
func (t *table) sum() tableLine {
	all := tableLine{name: "all"}
	for _, l := range t.lines {
		if all.by == nil {
			all.by = make([]result, len(l.by))
		}
		for i, r := range l.by {
			o := &all.by[i]
			o.bill = o.plus(r.bill)
			o.requests, o.steps, o.notes, o.added, o.lost = o.requests+r.requests, o.steps+r.steps, o.notes+r.notes, o.added+r.added, o.lost+r.lost
		}
	}
	return all
}

// moved is by how many points of a hundred steering changed the share that is
// read from the cache.
func (l tableLine) moved(i int) float64 { return 100 * (l.by[i].share() - l.by[0].share()) }

// more is what steering costs, as a share of the session without it.
func (t *table) more(l tableLine, i int) float64 {
	plain := l.by[0].cost(t.prices)
	if plain == 0 {
		return 0
	}
	return (l.by[i].cost(t.prices) - plain) / plain
}

// steer is what putting a note there and taking it away costs on average, beside
// writing its tokens once. Reading it again with later requests is left out, as
// in the formula (w−r)·d + w·m.
func (t *table) steer(l tableLine, i int) float64 {
	r := l.by[i]
	if r.added == 0 {
		return 0
	}
	extra := r.cost(t.prices) - l.by[0].cost(t.prices) - t.prices.Read*float64(r.oursRead)/tokenBytes
	return extra / (t.prices.Write * float64(r.added) / tokenBytes)
}

// rewritten is how many tokens of the client's own were not read from the cache
// though they would have been without steering.
func (l tableLine) rewritten(i int) int {
	own := func(b bill) int { return b.write - b.oursWrite + b.plain - b.oursPlain }
	return (own(l.by[i].bill) - own(l.by[0].bill)) / tokenBytes
}

func (t *table) print(w io.Writer) {
	if len(t.lines) == 0 {
		return
	}
	fmt.Fprintf(w, "Cache by %s: written ×%.2f, read ×%.2f, kept %v", t.name, t.prices.Write, t.prices.Read, t.life)
	if t.block == 0 && t.lookback > 0 {
		fmt.Fprintf(w, ", looked for up to %d blocks back", t.lookback)
	}
	if t.block == 0 && t.own {
		fmt.Fprint(w, ", a note at the end has a mark of its own")
	}
	fmt.Fprint(w, "\n\n| session | requests | input, M tokens | read | strict: read | notes | cost | a steer | cache: read | notes | cost | a steer |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, l := range append(t.lines, t.sum()) {
		fmt.Fprintf(w, "| %s | %d | %.2f | %.2f %% |", l.name, l.by[0].requests, float64(l.by[0].total())/tokenBytes/1e6, 100*l.by[0].share())
		for i := range l.by[1:] {
			i++
			fmt.Fprintf(w, " %+.2f | %d | %+.2f %% | %.2f× |", l.moved(i), l.by[i].notes, 100*t.more(l, i), t.steer(l, i))
		}
		fmt.Fprintln(w)
	}
	all := t.sum()
	for i, name := range []string{"", "strict", "cache"} {
		if i > 0 && i < len(all.by) {
			fmt.Fprintf(w, "\n%s: share read within %.1f points: %s (%+.2f); a steer ≤ %.2f× of writing it once: %s (%.2f×); %d tokens of cached prefix given up, %d by the engine's own account.", name,
				shareGoal, verdict(math.Abs(all.moved(i)) <= shareGoal), all.moved(i), steerGoal, verdict(t.steer(all, i) <= steerGoal), t.steer(all, i), all.rewritten(i), all.by[i].lost)
		}
	}
	fmt.Fprint(w, "\n\n")
}

func verdict(ok bool) string {
	if ok {
		return "met"
	}
	return "missed"
}
