package tool_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestListIsSortedAndSaysWhatItLeavesOut(t *testing.T) {
	f := open(t, files(t, "b.txt", "12345", "a/z.txt", "1", "a/deep/er/x", "1", ".git/config", "x", ".gitignore", "*.log\nout/\n", "x.log", "1", "out/bin", "1", "hollow/", "", "new\nline", "1"))
	want := strings.TrimPrefix(`
        11  .gitignore
       dir  a/
       dir  a/deep/
         1  a/z.txt
         5  b.txt
       dir  hollow/
         1  "new\nline"
4 files and 3 folders, 18 bytes
[1 folder at depth 2 not gone into; name one with path, or give a larger depth]
[2 entries not shown because of .gitignore or .ignore; all=true shows them]`, "\n")
	if diff := cmp.Diff(want, call(t, f.List(), `{}`)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, call(t, f.List(), ``)); diff != "" {
		t.Errorf("no input at all (-want +got):\n%s", diff)
	}
	got := call(t, f.List(), `{"all":true,"depth":5}`)
	wants(t, got, "x.log", "out/bin", "a/deep/er/x")
	if strings.Contains(got, ".git/") {
		t.Errorf("the repository's own folder is shown:\n%s", got)
	}
	if diff := cmp.Diff("the folder is empty", call(t, f.List(), `{"path":"hollow"}`)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	refused(t, f.List(), `{"depth":11}`)
}

func TestListStopsAtItsLimits(t *testing.T) {
	var pairs []string
	for i := range 1200 {
		pairs = append(pairs, fmt.Sprintf("%s%04d", strings.Repeat("n", 20), i), "")
	}
	got := call(t, open(t, files(t, pairs...)).List(), `{}`)
	wants(t, got, "at least 1000 files", "[more follows")
	pairs = nil
	for i := range 600 {
		pairs = append(pairs, fmt.Sprintf("%s%04d", strings.Repeat("n", 200), i), "")
	}
	got = call(t, open(t, files(t, pairs...)).List(), `{}`)
	wants(t, got[len(got)-200:], "at least ", "[more follows")
	if len(got) > 64<<10 {
		t.Errorf("the text has %d bytes", len(got))
	}
}
