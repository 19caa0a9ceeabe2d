package tool

import (
	"fmt"
	"strings"
	"testing"

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

// apply plays the lines of a diff: what is kept and taken must be the old text,
// what is kept and put the new one.
func FuzzCompare(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nx\nc\n")
	f.Add("", "a")
	f.Add("a\na\nb\n", "b\na\na")
	f.Fuzz(func(t *testing.T, before, after string) {
		var old, new strings.Builder
		for _, o := range compare(splitLines(before), splitLines(after)) {
			if o.sign != '+' {
				old.WriteString(o.line)
			}
			if o.sign != '-' {
				new.WriteString(o.line)
			}
		}
		if old.String() != before || new.String() != after {
			t.Errorf("%q to %q became %q to %q", before, after, old.String(), new.String())
		}
		diff("f", []byte(before), []byte(after), false)
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
