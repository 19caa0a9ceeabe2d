package fuzzy_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/trimtab/trimtab/surface/tui/fuzzy"
)

// TestChat_A4_LettersOfAPathFindIt: those that the findings tried in vain, and the order.
func TestChat_A4_LettersOfAPathFindIt(t *testing.T) {
	paths := []string{
		"README.md", "bench/talk_test.go", "surface/", "surface/tui/", "surface/tui/talk.go", "surface/tui/talk_test.go", "surface/web/page.go",
		"wire/", "wire/wire.go", "docs/surface notes.md", "agent/tool/list.go", "Makefile",
	}
	x := fuzzy.New(paths)
	for query, want := range map[string]string{
		"surf": "surface/", "wire": "wire/", "tuitalk": "surface/tui/talk.go", "talk_te": "bench/talk_test.go", "make": "Makefile",
		"READ": "README.md", "surface notes": "docs/surface notes.md", "atl": "agent/tool/list.go", "talk.go": "surface/tui/talk.go",
	} {
		if got := x.Match(query, 5); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %q, want %q first", query, got, want)
		}
	}
	if got := x.Match("zzz", 5); len(got) != 0 {
		t.Errorf("%q", got)
	}
	if got := x.Match("", 3); !slices.Equal(got, []string{"Makefile", "README.md", "wire/"}) {
		t.Errorf("nothing written yet offers %q", got)
	}
}

// The best of many are those that sorting all would give.
func TestTheBestOfMany(t *testing.T) {
	x := fuzzy.New(many(5000))
	for _, q := range []string{"p", "pkg1", "file42", "go"} {
		all := x.Match(q, 5000)
		if few := x.Match(q, 20); !slices.Equal(few, all[:len(few)]) {
			t.Errorf("%q: %q, want %q", q, few, all[:20])
		}
	}
}

func many(n int) (paths []string) {
	for i := range n {
		paths = append(paths, fmt.Sprintf("services/team%02d/pkg%03d/internal/file%d_test.go", i%40, i%700, i))
	}
	return paths
}

// BenchmarkMatch is a key in a repository of 100,000 files; the goal is 50 ms.
func BenchmarkMatch(b *testing.B) {
	x := fuzzy.New(many(100_000))
	for _, q := range []string{"s", "file", "team7pkgfile9", "zzz"} {
		b.Run(q, func(b *testing.B) {
			for b.Loop() {
				x.Match(q, 50)
			}
		})
	}
}
