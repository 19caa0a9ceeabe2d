package tool

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/google/go-cmp/cmp"
)

func TestADiffShowsWhatChanges(t *testing.T) {
	numbers := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d\n", i+1)
		}
		return b.String()
	}
	far := strings.Replace(strings.Replace(numbers(30), "\n5\n", "\nfive\n", 1), "\n25\n", "\n", 1)
	near := strings.Replace(strings.Replace(numbers(30), "\n5\n", "\nfive\n", 1), "\n12\n", "\ntwelve\n", 1)
	for _, tt := range []struct{ name, before, after, want string }{
		{"far apart", numbers(30), far, "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n@@ -22,7 +22,6 @@\n 22\n 23\n 24\n-25\n 26\n 27\n 28\n"},
		{"close together", numbers(30), near, "@@ -2,14 +2,14 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n 10\n 11\n-12\n+twelve\n 13\n 14\n 15\n"},
		{"no line end", "a\nb", "a\nc", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"},
		{"emptied", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"put first", "b\n", "a\nb\n", "@@ -1 +1,2 @@\n+a\n b\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := diff("f", []byte(tt.before), []byte(tt.after), false)
			if d := cmp.Diff("--- a/f\n+++ b/f\n"+tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
	long := diff("f", nil, []byte(strings.Repeat("a line of text\n", 1<<16)), true)
	if len(long) > maxDetail+100 || !strings.Contains(long, "[cut: ") {
		t.Errorf("%d bytes, cut: %v", len(long), strings.Contains(long, "[cut: "))
	}
}

// Seeded bug: udiff.Lines alone, which shows 541 of these lines as changed.
func TestADiffShowsManyScatteredChangesOneByOne(t *testing.T) {
	var before, after strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&before, "line %d\n", i)
		if i%10 == 0 {
			fmt.Fprintf(&after, "changed %d\n", i)
		} else {
			fmt.Fprintf(&after, "line %d\n", i)
		}
	}
	text := diff("f", []byte(before.String()), []byte(after.String()), false)
	if n := strings.Count(text, "\n+") - 1; n != 100 { // but for the header
		t.Errorf("100 lines were changed, %d are shown", n)
	}
}

// The edits of a diff must turn the old text into the new one.
func FuzzLineEdits(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nx\nc\n")
	f.Add("", "a")
	f.Add("a\na\nb\n", "b\na\na")
	f.Fuzz(func(t *testing.T, before, after string) {
		got, err := udiff.Apply(before, lineEdits(before, after))
		if err != nil || got != after {
			t.Errorf("%q to %q became %q, %v", before, after, got, err)
		}
		if _, err := udiff.ToUnified("a", "b", before, lineEdits(before, after), contextLines); err != nil {
			t.Errorf("%q to %q: %v", before, after, err)
		}
	})
}

// What is outside the places that an edit names stays, byte for byte, and what is
// in them is old, but for the kind of its line ends.
func FuzzEdit(f *testing.F) {
	f.Add("a\r\nb\r\n", "a\nb", "x\ny")
	f.Add("aaa", "aa", "b")
	f.Add("\r\n\r\n", "\n", "")
	f.Fuzz(func(t *testing.T, text, old, new string) {
		if old == "" {
			return
		}
		at := 0
		for _, s := range occurrences([]byte(text), old) {
			if s.from < at || s.to < s.from || s.to > len(text) {
				t.Fatalf("span %v after %d in %d bytes", s, at, len(text))
			}
			if got := text[s.from:s.to]; got != old && strings.ReplaceAll(got, "\r\n", "\n") != old {
				t.Errorf("%q is taken for %q", got, old)
			}
			at = s.to
		}
		replace([]byte(text), occurrences([]byte(text), old), new, false)
		nearMiss(text, old)
	})
}
