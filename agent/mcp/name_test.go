package mcp

import (
	"regexp"
	"testing"
)

func TestNamesThatHadToBeChangedStayApart(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"a.b", "a_b", "a/b", "a b", "ab", "", "漢", "字", "a.b ", "A_b"} {
		made := nameOf("s", name)
		if other, twice := seen[made]; twice {
			t.Errorf("%q and %q are both %s", name, other, made)
		}
		seen[made] = name
	}
	if got := nameOf("files", "read_file"); got != "mcp__files__read_file" {
		t.Errorf("got %s", got)
	}
}

func FuzzName(f *testing.F) {
	f.Add("read_file")
	f.Add("odd name.with/漢")
	taken := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	f.Fuzz(func(t *testing.T, name string) {
		if got := nameOf("server", name); !taken.MatchString(got) {
			t.Errorf("%q became %q, which no provider takes", name, got)
		}
	})
}
