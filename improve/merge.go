package improve

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"time"
)

// Merged is one trouble over all sessions in which it was seen.
type Merged struct {
	Pattern
	Sessions int       `json:"sessions"`
	In       []string  `json:"session_ids"` // at most maxNamed of them
	First    time.Time `json:"first_seen"`
	Last     time.Time `json:"last_seen"`
}

const maxNamed = 20

// Merge puts the patterns of sessions together by their fingerprint and ranks
// them. The order of the results does not matter, and a session that was read
// twice, from its host's file and from our store, counts once. A sub-agent counts
// as part of the session that started it. An error that came once or twice in a
// session counts too: where it came in several, and often enough in all of them, it
// is a pattern of theirs.
//
// What was seen in several sessions stands before what was seen in one; then what
// names a cause before what is about a session as a whole; then the larger score,
// the more sessions, the more often. Severity and score are those of all
// occurrences together.
func Merge(results []Result) []Merged {
	rows, in, plain := map[string]*Merged{}, map[string]map[string]bool{}, map[string]bool{}
	checks := map[string]map[string]int{} // which command was named, and how often
	for _, r := range distinct(results) {
		for _, p := range r.Patterns {
			plain[p.Fingerprint] = true
		}
		for p := range r.all() {
			m := rows[p.Fingerprint]
			if m == nil {
				m = &Merged{Pattern: p, First: r.Timestamp, Last: r.Timestamp}
				m.Count, m.Samples = 0, nil
				m.Context = maps.Clone(p.Context)
				rows[p.Fingerprint], in[p.Fingerprint], checks[p.Fingerprint] = m, map[string]bool{}, map[string]int{}
			}
			if check := p.Context.Text(KeyCheck); check != "" {
				checks[p.Fingerprint][check]++
			}
			m.Count += p.Count
			if id := r.root(); !in[p.Fingerprint][id] {
				in[p.Fingerprint][id] = true
				m.Sessions++
				if len(m.In) < maxNamed {
					m.In = append(m.In, id)
				}
			}
			m.Samples = append(m.Samples, p.Samples...)
			if r.Timestamp.Before(m.First) {
				m.First = r.Timestamp
			}
			if r.Timestamp.After(m.Last) {
				m.Last = r.Timestamp
			}
		}
	}
	out := make([]Merged, 0, len(rows))
	for print, m := range rows {
		if !plain[print] && (m.Sessions < 2 || m.Count < leastErrors) {
			continue
		}
		m.Samples = spread(m.Samples)
		if check := mostNamed(checks[print]); check != "" {
			m.Context[KeyCheck] = check
		}
		m.finish()
		out = append(out, *m)
	}
	slices.SortFunc(out, rank)
	return mixed(out)
}

// mostNamed is what was named most often.
func mostNamed(named map[string]int) (most string) {
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if most == "" || named[name] > named[most] {
			most = name
		}
	}
	return most
}

// mixed lets the kinds of trouble take turns: a person who reads the first ten should see
// more than ten rules of one linter. Each further one of its kind stands as if it had
// sameKind points less.
func mixed(all []Merged) []Merged {
	before := map[string]int{}
	less := make(map[string]int, len(all))
	for _, m := range all {
		if m.Sessions > 1 && !m.General() {
			less[m.Fingerprint] = before[m.Type] * sameKind
			before[m.Type]++
		}
	}
	slices.SortStableFunc(all, func(a, b Merged) int {
		if c := cmp.Or(cmp.Compare(once(a), once(b)), cmp.Compare(general(a), general(b))); c != 0 {
			return c
		}
		return cmp.Compare(b.Score-less[b.Fingerprint], a.Score-less[a.Fingerprint])
	})
	return all
}

const sameKind = 15

// all are the patterns of a session, and what is none by itself.
func (r Result) all() iter.Seq[Pattern] {
	return func(yield func(Pattern) bool) {
		for _, list := range [][]Pattern{r.Patterns, r.Faint} {
			for _, p := range list {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// root is the session that a result counts for: sub-agents work in that of whoever
// started them.
func (r Result) root() string { return cmp.Or(r.Parent, r.SessionID) }

// rank says which of two troubles stands first.
func rank(a, b Merged) int {
	return cmp.Or(
		cmp.Compare(once(a), once(b)),
		cmp.Compare(general(a), general(b)),
		cmp.Compare(b.Score, a.Score),
		cmp.Compare(b.Sessions, a.Sessions),
		cmp.Compare(b.Count, a.Count),
		cmp.Compare(a.Fingerprint, b.Fingerprint))
}

func once(m Merged) int {
	if m.Sessions > 1 {
		return 0
	}
	return 1
}

func general(m Merged) int {
	if m.General() {
		return 1
	}
	return 0
}

// distinct are the results by session, in the order of their ids. Of two of the
// same session the one that saw more of it stays.
func distinct(results []Result) []Result {
	best := map[string]Result{}
	for _, r := range results {
		have, ok := best[r.SessionID]
		if !ok || fuller(r, have) > 0 {
			best[r.SessionID] = r
		}
	}
	out := make([]Result, 0, len(best))
	for _, id := range slices.Sorted(maps.Keys(best)) {
		out = append(out, best[id])
	}
	return out
}

func fuller(a, b Result) int {
	weigh := func(r Result) (n int) {
		for _, p := range r.Patterns {
			n += p.Count
		}
		return n
	}
	return cmp.Or(cmp.Compare(a.Metrics.TotalMessages, b.Metrics.TotalMessages), a.Timestamp.Compare(b.Timestamp), cmp.Compare(weigh(a), weigh(b)), cmp.Compare(len(a.Patterns), len(b.Patterns)), comparePrints(a, b))
}

func comparePrints(a, b Result) int {
	prints := func(r Result) (out []string) {
		for _, p := range r.Patterns {
			out = append(out, p.Fingerprint)
		}
		slices.Sort(out)
		return out
	}
	return slices.Compare(prints(a), prints(b))
}

// spread picks samples from as many sessions as it can.
func spread(all []Sample) []Sample {
	slices.SortStableFunc(all, func(a, b Sample) int { return cmp.Compare(a.Session, b.Session) })
	out, used := []Sample{}, map[string]int{}
	for turn := 0; turn < maxSamples && len(out) < maxSamples; turn++ {
		clear(used)
		for _, s := range all {
			if n := used[s.Session]; n == turn && len(out) < maxSamples {
				out = append(out, s)
			}
			used[s.Session]++
		}
	}
	return out
}
