package loop

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCountsIsWhatTheWordsSay: one pass over a line finds what a search for each word
// finds.
func TestCountsIsWhatTheWordsSay(t *testing.T) {
	words := []string{"passed", "failed", "passing", "failing", "errors", "error(s)", "warnings", "Tests:", "tests", "failures", "%"}
	pieces := append([]string{"0", "9", "x", " ", "pass", "fail", "err", "Tests", "test", "error(", "warning", ":", "e", "p"}, words...)
	r := rand.New(rand.NewPCG(3, 4))
	yes := 0
	for range 20000 {
		line := ""
		for range r.IntN(5) {
			line += pieces[r.IntN(len(pieces))]
		}
		want := false
		for _, w := range words {
			want = want || strings.Contains(line, w) && strings.ContainsAny(line, "0123456789")
		}
		if want {
			yes++
		}
		if got := counts(line); got != want {
			t.Fatalf("%q: %v", line, got)
		}
	}
	if yes < 1000 {
		t.Errorf("only %d lines count something", yes)
	}
}
