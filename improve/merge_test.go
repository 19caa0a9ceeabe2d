package improve_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/trimtab/trimtab/improve"
)

// failing is a session in which one error comes up so many times.
func failing(id, text string, times int) *tape {
	r := record(id).person("go")
	for i := range times {
		r.bash(fmt.Sprintf("make %s%d", id, i), text, true)
	}
	return r
}

func TestR4_WhatRecursAcrossSessionsOutranksWhatHappenedOnce(t *testing.T) {
	a := failing("a", "/x/a.go:1: undefined: grind", 3).reflect(t, nil)
	b := failing("b", "/y/b.go:77: undefined: grind", 3).reflect(t, nil)
	c := failing("c", "connection refused by 10.0.0.1", 9).person("it doesn't work").person("still failing").reflect(t, nil)
	merged := improve.Merge([]improve.Result{c, a, b})
	first := merged[0]
	if first.Type != improve.ErrorPatterns || first.Context["signature"] != "<path>: undefined: grind" {
		t.Fatalf("first is %+v", first)
	}
	if first.Count != 6 || first.Sessions != 2 || first.Severity != improve.High || cmp.Diff([]string{"a", "b"}, first.In) != "" {
		t.Errorf("got %+v", first)
	}
	if first.Samples[0].Session == first.Samples[1].Session {
		t.Errorf("the samples are of one session: %+v", first.Samples)
	}
	if merged[1].Type != improve.Frustration { // then by score
		t.Errorf("second is %+v", merged[1])
	}
}

// TestR4_AnErrorThatComesOnceASessionIsAPatternOfMany: what goes wrong today and again
// tomorrow is what is looked for, however seldom it does in a session.
func TestR4_AnErrorThatComesOnceASessionIsAPatternOfMany(t *testing.T) {
	for name, c := range map[string]struct {
		times           []int // in each session
		count, sessions int
	}{
		"once in each of three":     {[]int{1, 1, 1}, 3, 3},
		"often in one, once in two": {[]int{4, 1, 1, 0}, 6, 3},
		"twice in all":              {[]int{1, 1, 0}, 0, 0},
		"twice in one":              {[]int{2, 0}, 0, 0},
		"one and two":               {[]int{1, 2}, 3, 2},
	} {
		var results []improve.Result
		for i, n := range c.times {
			r := failing(fmt.Sprint("s", i), fmt.Sprintf("/x/%d.go:1: undefined: grind", i), n).reflect(t, nil)
			if n < 3 && len(r.Patterns) > 0 {
				t.Errorf("%s: in one session: %+v", name, r.Patterns)
			}
			results = append(results, r)
		}
		var got improve.Merged
		for _, m := range improve.Merge(results) {
			if m.Type == improve.ErrorPatterns {
				got = m
			}
		}
		if got.Count != c.count || got.Sessions != c.sessions {
			t.Errorf("%s: %d times in %d sessions", name, got.Count, got.Sessions)
		}
	}
}

func TestR4_ASessionThatWasReadTwiceCountsOnce(t *testing.T) {
	r := failing("a", "undefined: grind", 4)
	whole := r.reflect(t, nil)
	r.messages = r.messages[:len(r.messages)-2]
	part := r.reflect(t, nil)
	for _, in := range [][]improve.Result{{whole, part}, {part, whole}, {whole, whole, part}} {
		if m := improve.Merge(in); m[0].Sessions != 1 || m[0].Count != 4 {
			t.Errorf("got %+v", m[0])
		}
	}
}

func TestR4_ASubAgentCountsWithTheSessionThatStartedIt(t *testing.T) {
	main, agent, other := failing("a", "undefined: grind", 3).reflect(t, nil), failing("a:x", "undefined: grind", 4).reflect(t, nil), failing("b", "no rule", 3).reflect(t, nil)
	agent.Parent = "a"
	for _, in := range [][]improve.Result{{main, agent, other}, {other, agent, main}} {
		m := improve.Merge(in)[0]
		if m.Count != 7 || m.Sessions != 1 || cmp.Diff([]string{"a"}, m.In) != "" {
			t.Errorf("got %+v", m)
		}
		if got := improve.ImpactOf(print(m.Fingerprint), start, in).After; got != (improve.Period{All: 2, Sessions: 2, With: 1, Count: 7}) {
			t.Errorf("got %+v", got)
		}
	}
}

func TestR4_TheOrderOfSessionsDoesNotChangeTheMerge(t *testing.T) {
	errs := []string{"undefined: grind", "connection refused", "permission denied", "no rule to make target"}
	rapid.Check(t, func(t *rapid.T) {
		var results []improve.Result
		for i := range rapid.IntRange(0, 8).Draw(t, "sessions") {
			r := record(fmt.Sprint("s", i)).person("go")
			for range rapid.IntRange(0, 12).Draw(t, "calls") {
				e := rapid.SampledFrom(errs).Draw(t, "error")
				r.bash("make "+e, e, rapid.Bool().Draw(t, "failed"))
			}
			f, err := improve.NewReflector(improve.Options{Session: r.id})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range r.messages {
				f.See(m)
			}
			result, _ := f.Result(start.Add(time.Duration(i) * time.Hour))
			results = append(results, result)
		}
		want := improve.Merge(results)
		if diff := cmp.Diff(want, improve.Merge(rapid.Permutation(results).Draw(t, "order"))); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		occurrences, seen := 0, map[string]bool{}
		for i, m := range want {
			occurrences += m.Count
			if seen[m.Fingerprint] || i > 0 && want[i-1].Sessions == 1 && m.Sessions > 1 {
				t.Fatalf("%d: %+v", i, m)
			}
			seen[m.Fingerprint] = true
		}
		for _, r := range results {
			for _, p := range r.Patterns {
				occurrences -= p.Count
			}
			for _, p := range r.Faint {
				if seen[p.Fingerprint] {
					occurrences -= p.Count
				}
			}
		}
		if occurrences != 0 {
			t.Fatalf("merging lost or made %d occurrences", occurrences)
		}
	})
}

// print judges by a fingerprint, and that every session had the occasion.
type print string

func (p print) Judge(r improve.Result) (bool, int) {
	n := 0
	for _, list := range [][]improve.Pattern{r.Patterns, r.Faint} {
		for _, found := range list {
			if found.Fingerprint == string(p) {
				n += found.Count
			}
		}
	}
	return true, n
}

func TestImpactComparesBeforeAndAfter(t *testing.T) {
	at := start.Add(24 * time.Hour)
	var results []improve.Result
	for i, n := range []int{4, 0, 3, 0, 1} {
		r := failing(fmt.Sprint("s", i), "undefined: grind", n).reflect(t, nil)
		r.Timestamp = start.Add(time.Duration(i) * 12 * time.Hour)
		results = append(results, r)
	}
	got := improve.ImpactOf(print(results[0].Patterns[0].Fingerprint), at, results)
	want := improve.Impact{At: at, Before: improve.Period{All: 3, Sessions: 3, With: 2, Count: 7}, After: improve.Period{All: 2, Sessions: 2, With: 1, Count: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Before.Share() < 0.66 || got.After.Share() != 0.5 || (improve.Period{}).Share() != 0 {
		t.Errorf("shares %v and %v", got.Before.Share(), got.After.Share())
	}
}
