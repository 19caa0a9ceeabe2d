package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/trimtab/trimtab/replay/cache"
)

// The goals: how many points the share that is read from the cache may differ,
// and what a steer may cost beside writing its own tokens once.
const (
	shareGoal = 0.5
	steerGoal = 1.05
)

// table is what came of sessions at one provider.
type table struct {
	cache.Provider
	ways  []lineup
	lines []tableLine
}

type tableLine struct {
	name string
	by   []cache.Result // of each lineup, the one without steering first
}

func (t *table) add(s session, ways []lineup, system int) {
	l := tableLine{name: s.name}
	t.ways = ways
	for _, w := range ways {
		l.by = append(l.by, play(w, s, t.Provider, system))
	}
	t.lines = append(t.lines, l)
}

// sum is all lines as one.
func (t *table) sum() tableLine {
	all := tableLine{name: "all"}
	for _, l := range t.lines {
		if all.by == nil {
			all.by = make([]cache.Result, len(l.by))
		}
		for i, r := range l.by {
			o := &all.by[i]
			o.Bill = o.Plus(r.Bill)
			o.Requests, o.Steps, o.Notes, o.Added, o.Lost = o.Requests+r.Requests, o.Steps+r.Steps, o.Notes+r.Notes, o.Added+r.Added, o.Lost+r.Lost
		}
	}
	return all
}

// moved is by how many points of a hundred steering changed the share that is
// read from the cache.
func (l tableLine) moved(i int) float64 { return 100 * (l.by[i].Share() - l.by[0].Share()) }

// more is what steering costs, as a share of the session without it.
func (t *table) more(l tableLine, i int) float64 {
	plain := l.by[0].Cost(t.Prices)
	if plain == 0 {
		return 0
	}
	return (l.by[i].Cost(t.Prices) - plain) / plain
}

// steer is what putting a note there and taking it away costs on average, beside
// writing its tokens once. Reading it again with later requests is left out, as
// in the formula (w−r)·d + w·m.
func (t *table) steer(l tableLine, i int) float64 {
	r := l.by[i]
	if r.Added == 0 {
		return 0
	}
	extra := r.Cost(t.Prices) - l.by[0].Cost(t.Prices) - t.Prices.Read*float64(r.OursRead)/cache.TokenBytes
	return extra / (t.Prices.Write * float64(r.Added) / cache.TokenBytes)
}

// rewritten is how many tokens of the client's own were not read from the cache
// though they would have been without steering.
func (l tableLine) rewritten(i int) int {
	own := func(b cache.Bill) int { return b.Write - b.OursWrite + b.Plain - b.OursPlain }
	return (own(l.by[i].Bill) - own(l.by[0].Bill)) / cache.TokenBytes
}

func (t *table) print(w io.Writer) {
	if len(t.lines) == 0 {
		return
	}
	fmt.Fprintf(w, "Cache by %s: written ×%.2f, read ×%.2f, kept %v", t.Name, t.Prices.Write, t.Prices.Read, t.Life)
	if t.Block == 0 && t.Lookback > 0 {
		fmt.Fprintf(w, ", looked for up to %d blocks back", t.Lookback)
	}
	if t.Block == 0 && t.Own {
		fmt.Fprint(w, ", a note at the end has a mark of its own")
	}
	if t.Block == 0 && t.Whole {
		fmt.Fprint(w, ", the request marked as a whole")
	}
	fmt.Fprint(w, "\n\n| session | requests | input, M tokens | read |")
	for _, way := range t.ways[1:] {
		fmt.Fprintf(w, " %s: read | notes | cost | a steer |", way.name)
	}
	fmt.Fprintln(w, "\n"+strings.Repeat("|---", 4*len(t.ways))+"|")
	for _, l := range append(t.lines, t.sum()) {
		fmt.Fprintf(w, "| %s | %d | %.2f | %.2f %% |", l.name, l.by[0].Requests, float64(l.by[0].Total())/cache.TokenBytes/1e6, 100*l.by[0].Share())
		for i := range l.by[1:] {
			i++
			fmt.Fprintf(w, " %+.2f | %d | %+.2f %% | %.2f× |", l.moved(i), l.by[i].Notes, 100*t.more(l, i), t.steer(l, i))
		}
		fmt.Fprintln(w)
	}
	all := t.sum()
	for i, way := range t.ways[1:] {
		i++
		fmt.Fprintf(w, "\n%s: share read within %.1f points: %s (%+.2f); a steer ≤ %.2f× of writing it once: %s (%.2f×); %d tokens of cached prefix given up", way.name,
			shareGoal, verdict(math.Abs(all.moved(i)) <= shareGoal), all.moved(i), steerGoal, verdict(t.steer(all, i) <= steerGoal), t.steer(all, i), all.rewritten(i))
		if way.travel == cache.Placed { // the engine knows of no other way
			fmt.Fprintf(w, ", %d by the engine's own account", all.by[i].Lost)
		}
		fmt.Fprint(w, ".")
	}
	fmt.Fprint(w, "\n\n")
}

func verdict(ok bool) string {
	if ok {
		return "met"
	}
	return "missed"
}
