package usercommand

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCommandsComeFromFiles(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	write(t, filepath.Join(home, "fix.md"), "---\ndescription: Mend a thing\nargument-hint: WHAT\n---\nMend $1 and say why: $ARGUMENTS\n")
	write(t, filepath.Join(project, "fix.md"), "something else")
	write(t, filepath.Join(project, "tidy.md"), "# Tidy up\n\nBe quick.\n")
	write(t, filepath.Join(project, "Bad Name.md"), "no")
	write(t, filepath.Join(project, "note.txt"), "no")
	write(t, filepath.Join(project, "big.md"), strings.Repeat("x", maxFile+1))
	if err := os.Symlink("/etc/passwd", filepath.Join(project, "leak.md")); err != nil {
		t.Log(err)
	}
	all := Find(home, project)
	if len(all) != 2 || all[0].Name != "fix" || all[0].Project || all[0].Short != "Mend a thing" || all[0].Usage != "WHAT" || !all[1].Project || all[1].Short != "Tidy up" {
		t.Fatalf("%+v", all)
	}
	c, args, ok := Match(all, "/fix the  parser")
	if !ok || c.Expand(args) != "Mend the and say why: the  parser" {
		t.Errorf("%v %q", ok, c.Expand(args))
	}
	if c, args, ok = Match(all, "/tidy"); !ok || c.Expand(args) != "# Tidy up\n\nBe quick." || c.Expand("now") != "# Tidy up\n\nBe quick.\n\nnow" {
		t.Errorf("%v %q", ok, c.Expand(args))
	}
	if _, _, ok := Match(all, "fix it"); ok {
		t.Error("a prompt is a command")
	}
	if a, b := Parse("x", "one"), Parse("x", "two"); a.Sum() == b.Sum() || a.Sum() != Parse("x", "one\n").Sum() {
		t.Error("a changed text is known as the old one")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("---\ndescription: a\n---\nb $1 $ARGUMENTS", "x y")
	f.Add("---\n---", "")
	f.Fuzz(func(t *testing.T, text, args string) {
		c := Parse("x", text)
		if strings.ContainsAny(c.Short, "\n\x1b") || len(c.Short) > maxShort || strings.Contains(c.Body, "\x1b") {
			t.Errorf("%+v", c)
		}
		if out := c.Expand(args); utf8.ValidString(text) && utf8.ValidString(args) && !utf8.ValidString(out) {
			t.Errorf("%q", out)
		}
	})
}
