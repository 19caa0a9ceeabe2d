package tool_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestSearchFindsLinesInOrder(t *testing.T) {
	f := open(t, files(t, "b.go", "x\nfunc Two() {}\r\n", "a/c.go", "func One() {}\n// func\n", "a/d.md", "func\n", "bin", "func\x00", ".git/x", "func", ".gitignore", "/skip\n", "skip/e.go", "func Skip() {}"))
	for _, tt := range []struct{ input, want string }{
		{`{"pattern":"^func"}`, "a/c.go:1: func One() {}\na/d.md:1: func\nb.go:2: func Two() {}\n3 matches in 3 files; 4 files searched"},
		{`{"pattern":"func$"}`, "a/c.go:2: // func\na/d.md:1: func\n2 matches in 2 files; 4 files searched"},
		{`{"pattern":"FUNC one","ignore_case":true}`, "a/c.go:1: func One() {}\n1 match in 1 file; 4 files searched"},
		{`{"pattern":"func","glob":"*.md"}`, "a/d.md:1: func\n1 match in 1 file; 1 file searched"},
		{`{"pattern":"func","glob":"a/*.go"}`, "a/c.go:1: func One() {}\na/c.go:2: // func\n2 matches in 1 file; 1 file searched"},
		{`{"pattern":"func","path":"b.go"}`, "b.go:2: func Two() {}\n1 match in 1 file; 1 file searched"},
		{`{"pattern":"func","path":"skip"}`, "skip/e.go:1: func Skip() {}\n1 match in 1 file; 1 file searched"},
		{`{"pattern":"nowhere"}`, "no match; 4 files searched"},
	} {
		if diff := cmp.Diff(tt.want, call(t, f.Search(), tt.input)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.input, diff)
		}
	}
	refused(t, f.Search(), `{"pattern":"(?=x)"}`)
	refused(t, f.Search(), `{"pattern":"x","glob":"!a"}`)
	refused(t, f.Search(), `{"pattern":"x","path":"nowhere"}`)
}

func TestSearchStopsAtItsLimits(t *testing.T) {
	many := strings.Repeat("hit\n", 80)
	pairs := []string{"a-huge", strings.Repeat("hit\n", 1<<20+1)}
	for i := range 20 {
		pairs = append(pairs, fmt.Sprintf("f%02d", i), many)
	}
	f := open(t, files(t, pairs...))
	wants(t, call(t, f.Search(), `{"pattern":"hit","path":"f00"}`), "50 matches in 1 file", "only the first 50 matches shown of f00")
	got := call(t, f.Search(), `{"pattern":"hit"}`)
	wants(t, got, "500 matches in 10 files", "[stopped after 500 matches", "over 4 MiB: a-huge")
	f = open(t, files(t, "wide", strings.Repeat("é", 400)+"needle"+strings.Repeat("é", 40000)+"\n"+strings.Repeat("\xff", 900)))
	got = call(t, f.Search(), `{"pattern":"needle|\\x{FFFD}"}`)
	if len(got) > 2000 || !utf8.ValidString(got) {
		t.Errorf("%d bytes, valid UTF-8: %v", len(got), utf8.ValidString(got))
	}
	wants(t, got, "…", "needle")
	var lines strings.Builder
	for range 50 {
		lines.WriteString("hit" + strings.Repeat("y", 230) + "\n")
	}
	pairs = nil
	for i := range 12 {
		pairs = append(pairs, fmt.Sprintf("f%02d", i), lines.String())
	}
	got = call(t, open(t, files(t, pairs...)).Search(), `{"pattern":"hit"}`)
	if len(got) > 64<<10 {
		t.Errorf("the text has %d bytes", len(got))
	}
	wants(t, got[len(got)-300:], " matches in 5 files; 5 files searched", "[stopped after ")
}

func TestSearchShowsTheLinesAround(t *testing.T) {
	f := open(t, files(t, "a.txt", "one\ntwo\nHIT\nfour\nHIT\nsix\nseven\neight\nHIT", "b.txt", "none"))
	want := "a.txt-2- two\na.txt:3: HIT\na.txt-4- four\na.txt:5: HIT\na.txt-6- six\na.txt-8- eight\na.txt:9: HIT\n3 matches in 1 file; 2 files searched"
	if got := call(t, f.Search(), `{"pattern":"HIT","context":1}`); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	wants(t, refused(t, f.Search(), `{"pattern":"HIT","context":11}`), `"context" goes from 0 to 10`)
}

func TestAGlobMayHaveChoices(t *testing.T) {
	f := open(t, files(t, "a.ts", "x", "b.tsx", "x", "c.js", "x", "docs/d.md", "x", "docs/e/f.txt", "x"))
	for glob, want := range map[string]string{
		"*.{ts,tsx}":                     "2 matches in 2 files",
		"docs/**/*.{md,txt}":             "2 matches in 2 files",
		"{a,b}.{ts,tsx}":                 "2 matches in 2 files",
		"*.{ts":                          "no match",
		strings.Repeat("{a,b}", 50):      "no match",
		strings.Repeat("{a,b}", 5) + "c": "no match",
	} {
		wants(t, call(t, f.Search(), in("pattern", "x", "glob", glob)), want)
	}
}
