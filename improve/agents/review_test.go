package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAReviewIsReadAsFindings(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Finding
	}{
		{"a block", "Some words.\n\n```json\n[{\"file\":\"./a/b.go\",\"line\":12,\"severity\":\"High\",\"text\":\"x\"}]\n```\n", []Finding{{"a/b.go", 12, "high", "x"}}},
		{"nothing found", "```json\n[]\n```", []Finding{}},
		{"bare", `[{"file":"a","line":"3","text":"y"}]`, []Finding{{"a", 3, "medium", "y"}}},
		{"other words", "```\n{\"findings\":[{\"path\":\"a\",\"message\":\"z\",\"severity\":\"nit\"}]}\n```", []Finding{{"a", 0, "medium", "z"}}},
		{"one", "```json\n{\"text\":\"z\"}\n```", []Finding{{"", 0, "medium", "z"}}},
		{"the last list counts", "```json\n[{\"text\":\"old\"}]\n```\nno:\n```json\n[{\"text\":\"new\"}]\n```\n```go\nx\n```", []Finding{{"", 0, "medium", "new"}}},
		{"plain text", " It leaks. ", []Finding{{"", 0, "medium", "It leaks."}}},
		{"code that is no list", "```go\nfunc x() {}\n```", []Finding{{"", 0, "medium", "```go\nfunc x() {}\n```"}}},
		{"a path that leads away", `[{"file":"../../etc/passwd","line":1,"text":"x"},{"file":"/etc/passwd","text":"y"},{"file":"a\u0007","text":"z"}]`, []Finding{{"", 0, "medium", "x"}, {"", 0, "medium", "y"}, {"", 0, "medium", "z"}}},
		{"a line that cannot be", `[{"file":"a","line":-3,"text":"x"},{"file":"a","line":1e99,"text":"y"}]`, []Finding{{"a", 0, "medium", "x"}, {"a", 0, "medium", "y"}}},
		{"no text", `[{"file":"a","line":1}]`, []Finding{}},
		{"silence", " \n", nil},
	} {
		if d := cmp.Diff(c.want, ParseReview(c.text)); d != "" {
			t.Errorf("%s: want -, got +\n%s", c.name, d)
		}
	}
	many := "[" + strings.TrimSuffix(strings.Repeat(`{"text":"x"},`, 5000), ",") + "]"
	if got := len(ParseReview(many)); got != maxFindings {
		t.Errorf("%d findings", got)
	}
}

func FuzzReview(f *testing.F) {
	f.Add("```json\n[{\"file\":\"a\",\"line\":1,\"severity\":\"low\",\"text\":\"x\"}]\n```")
	f.Add(`{"findings":[{}]}`)
	f.Add("```\n```\n```")
	f.Fuzz(func(t *testing.T, text string) {
		for _, found := range ParseReview(text) {
			if found.Text == "" || found.Line < 0 || found.File != "" && !plainPath(found.File) || len(found.Text) > maxFinding+10 {
				t.Errorf("%+v", found)
			}
		}
	})
}

func TestALookTellsEveryChange(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	look := func() Tree {
		t.Helper()
		tree, err := Look(dir)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	put("a.txt", "a")
	put("b/c.txt", "c")
	put("b/.git/config", "x")
	put(".git", "gitdir: elsewhere")
	before := look()
	put("b/.git/config", "y")
	if changed := before.Changed(look()); len(changed) != 0 {
		t.Errorf("%v", changed)
	}
	put("a.txt", "b") // as long as before
	put(".git", "gitdir: somewhere")
	put("new/d.txt", "")
	if err := os.Remove(filepath.Join(dir, "b", "c.txt")); err != nil {
		t.Fatal(err)
	}
	want := []string{".git", "a.txt", "b/c.txt", "new", "new/d.txt"}
	if d := cmp.Diff(want, before.Changed(look())); d != "" {
		t.Error(d)
	}
	if err := os.Symlink("/", filepath.Join(dir, "loop")); err != nil {
		t.Skip(err)
	}
	if got := look()["loop"]; !strings.HasSuffix(got, " /") {
		t.Errorf("a symbolic link is %q", got)
	}
}
