package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/agent/tool"
)

// in writes the input of a call.
func in(pairs ...any) string {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func holds(t *testing.T, dir, name, want string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	must(t, err)
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// asked returns what a person is asked before a call.
func asked(t *testing.T, tl tool.Tool, input string) tool.Ask {
	t.Helper()
	ask, need, err := tl.Question(t.Context(), json.RawMessage(input))
	must(t, err)
	if !need {
		t.Fatalf("%s %s asks nobody", tl.Name, input)
	}
	return ask
}

func unasked(ctx context.Context, t *testing.T, tl tool.Tool, input string) {
	t.Helper()
	ask, need, err := tl.Question(ctx, json.RawMessage(input))
	must(t, err)
	if need {
		t.Errorf("%s %s asks: %+v", tl.Name, input, ask)
	}
}

// left finds files that a write began and did not end.
func left(t *testing.T, dir string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if strings.Contains(filepath.Base(path), ".trimtab-") {
			t.Errorf("%s is left over", path)
		}
		return err
	}))
}

func TestWriteMakesANewFileAndItsFolders(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	input := in("path", "a/b/c.txt", "content", "one\ntwo\n")
	want := tool.Ask{Tool: "write", Title: "a/b/c.txt (new)", Detail: "--- /dev/null\n+++ b/a/b/c.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n", Rule: "write and edit: files of this project"}
	if diff := cmp.Diff(want, asked(t, f.Write(), input)); diff != "" {
		t.Errorf("ask (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(dir, "a")); err == nil {
		t.Error("asking made a folder")
	}
	wants(t, call(t, f.Write(), input), "a/b/c.txt is written", "2 lines, 8 bytes")
	holds(t, dir, "a/b/c.txt", "one\ntwo\n")
	call(t, f.Edit(), in("path", "a/b/c.txt", "old_text", "two", "new_text", "three")) // what it wrote it knows
	holds(t, dir, "a/b/c.txt", "one\nthree\n")
	left(t, dir)
}

func TestAFileThatWasNotReadIsNotChanged(t *testing.T) {
	dir := files(t, "a.txt", "mine\n")
	f := open(t, dir)
	for _, c := range []struct {
		tool  tool.Tool
		input string
	}{{f.Write(), in("path", "a.txt", "content", "x")}, {f.Edit(), in("path", "a.txt", "old_text", "mine", "new_text", "x")}} {
		unasked(t.Context(), t, c.tool, c.input) // nobody is bothered with what will not be done
		wants(t, refused(t, c.tool, c.input), "was not read in this session", "read it first")
		call(t, f.Search(), `{"pattern":"mine"}`) // to have found a line is not to have read the file
		refused(t, c.tool, c.input)
	}
	other := tool.WithSession(t.Context(), "other")
	if _, err := f.Read().Call(other, json.RawMessage(`{"path":"a.txt"}`)); err != nil {
		t.Fatal(err)
	}
	refused(t, f.Write(), in("path", "a.txt", "content", "x")) // another session read it
	holds(t, dir, "a.txt", "mine\n")
}

func TestAFileThatChangedSinceItWasReadIsNotChanged(t *testing.T) {
	dir := files(t, "a.txt", "mine\n")
	f := open(t, dir)
	call(t, f.Read(), `{"path":"a.txt"}`)
	must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("yours\nmine\n"), 0o644))
	write, edit := in("path", "a.txt", "content", "x"), in("path", "a.txt", "old_text", "mine", "new_text", "x")
	wants(t, refused(t, f.Write(), write), "has changed since it was read")
	wants(t, refused(t, f.Edit(), edit), "has changed since it was read")
	holds(t, dir, "a.txt", "yours\nmine\n")
	call(t, f.Read(), `{"path":"a.txt"}`)
	call(t, f.Edit(), edit)
	holds(t, dir, "a.txt", "yours\nx\n")
}

// What nobody was asked about, because it could not be done, is not done either
// when it could be done a moment later.
func TestACallThatWasNotAskedForIsNotRun(t *testing.T) {
	dir := files(t, "a.txt", "mine\n")
	f := open(t, dir)
	call(t, f.Read(), `{"path":"a.txt"}`)
	must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("yours\n"), 0o644))
	input := in("path", "a.txt", "content", "x")
	unasked(t.Context(), t, f.Write(), input)
	must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("mine\n"), 0o644))
	wants(t, refused(t, f.Write(), input), "has changed since it was read")
	holds(t, dir, "a.txt", "mine\n")
}

// The file changes while the person looks at the question.
func TestAFileThatChangesWhileThePersonIsAskedIsNotChanged(t *testing.T) {
	dir := files(t, "a.txt", "mine\n")
	f := open(t, dir)
	call(t, f.Read(), `{"path":"a.txt"}`)
	edit, fresh := in("path", "a.txt", "old_text", "mine", "new_text", "x"), in("path", "new.txt", "content", "x")
	asked(t, f.Edit(), edit)
	asked(t, f.Write(), fresh)
	must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("mine, changed\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "new.txt"), []byte("somebody's\n"), 0o644))
	refused(t, f.Edit(), edit)
	refused(t, f.Write(), fresh)
	holds(t, dir, "a.txt", "mine, changed\n")
	holds(t, dir, "new.txt", "somebody's\n")
}

func TestEditReplacesExactlyOnePlace(t *testing.T) {
	dir := files(t, "a.go", "package a\n\nfunc A() int {\n\treturn 1\n}\n\nfunc B() int {\n\treturn 1\n}\n")
	f := open(t, dir)
	call(t, f.Read(), `{"path":"a.go"}`)
	wants(t, refused(t, f.Edit(), in("path", "a.go", "old_text", "return 1", "new_text", "return 2")), "occurs 2 times", "lines 4, 8", "replace_all")
	input := in("path", "a.go", "old_text", "func B() int {\n\treturn 1", "new_text", "func B() int {\n\treturn 2")
	wants(t, asked(t, f.Edit(), input).Detail, "--- a/a.go\n+++ b/a.go\n@@ -5,5 +5,5 @@\n }\n \n func B() int {\n-\treturn 1\n+\treturn 2\n }\n")
	wants(t, call(t, f.Edit(), input), "a.go is edited: 1 place (line 7)")
	wants(t, call(t, f.Edit(), in("path", "a.go", "old_text", "func", "new_text", "func ", "replace_all", true)), "2 places")
	holds(t, dir, "a.go", "package a\n\nfunc  A() int {\n\treturn 1\n}\n\nfunc  B() int {\n\treturn 2\n}\n")
}

func TestEditSaysWhatComesClosest(t *testing.T) {
	dir := files(t, "a.txt", "alpha\n\tbeta  gamma\ndelta\nOmega\n")
	f := open(t, dir)
	call(t, f.Read(), `{"path":"a.txt"}`)
	for old, want := range map[string]string{
		"alpha\n  beta gamma\n":   `line 2 differs in white space only: the file has "\tbeta  gamma", old_text has "  beta gamma"`,
		"alpha\n\tbeta  gamma\nx": `it begins at line 1, but line 3 is another: the file has "delta", old_text has "x"`,
		"OMEGA":                   "other upper and lower case",
		"nothing of it":           "not even its first line",
		"Omega\n\nmore":           "it begins at line 4",
		"\n\n\n":                  "not even its first line",
	} {
		wants(t, refused(t, f.Edit(), in("path", "a.txt", "old_text", old, "new_text", "x")), "does not occur", want)
	}
}

func TestLineEndsAndTheLastOneStay(t *testing.T) {
	for _, tt := range []struct{ name, before, old, new, want string }{
		{"crlf", "a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n"},
		{"crlf in one line", "a\r\nb\r\nc\r\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\r\n"},
		{"crlf from the line end on", "a\r\nb\r\n", "\nb", "\nx", "a\r\nx\r\n"},
		{"crlf up to the line end", "a\r\nb\r\n", "a\n", "x\n", "x\r\nb\r\n"},
		{"crlf taken away", "a\r\nb\r\nc\r\n", "b\n", "", "a\r\nc\r\n"},
		{"crlf meant as such", "a\r\nb\r\n", "a\r\nb\r\n", "a\nb\n", "a\nb\n"},
		{"mixed, here lf", "a\nb\nc\r\nd\r\ne\r\n", "a\nb", "x\ny", "x\ny\nc\r\nd\r\ne\r\n"},
		{"mixed, here crlf", "a\nb\nq\nc\r\nd\r\n", "c\nd", "x\ny", "a\nb\nq\nx\r\ny\r\n"},
		{"the last line end", "a\nb\n", "b\n", "c", "a\nc\n"},
		{"the last line end, crlf", "a\r\nb\r\n", "b\n", "c", "a\r\nc\r\n"},
		{"no last line end", "a\nb", "b", "c", "a\nc"},
		{"all of it", "a\n", "a\n", "", ""},
		{"byte order mark", "\uFEFFa\nb\n", "a", "x", "\uFEFFx\nb\n"},
		{"bytes that are no text", "a\xff\nb\n", "b", "x", "a\xff\nx\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := files(t, "f", tt.before)
			f := open(t, dir)
			call(t, f.Read(), `{"path":"f"}`)
			call(t, f.Edit(), in("path", "f", "old_text", tt.old, "new_text", tt.new))
			holds(t, dir, "f", tt.want)
		})
	}
	dir := files(t, "f", "\uFEFFa\r\nb\r\n")
	f := open(t, dir)
	call(t, f.Read(), `{"path":"f"}`)
	call(t, f.Write(), in("path", "f", "content", "x\ny\n")) // read shows neither the mark nor the \r
	holds(t, dir, "f", "\uFEFFx\r\ny\r\n")
}

func TestChangesKeepTheModeOfAFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this system has no such modes")
	}
	dir := files(t, "run.sh", "echo a\n", "locked", "x\n")
	must(t, os.Chmod(filepath.Join(dir, "run.sh"), 0o750))
	must(t, os.Chmod(filepath.Join(dir, "locked"), 0o444))
	f := open(t, dir)
	call(t, f.Read(), `{"path":"run.sh"}`)
	call(t, f.Edit(), in("path", "run.sh", "old_text", "a", "new_text", "b"))
	info, err := os.Stat(filepath.Join(dir, "run.sh"))
	must(t, err)
	if info.Mode().Perm() != 0o750 {
		t.Errorf("mode %v", info.Mode())
	}
	call(t, f.Read(), `{"path":"locked"}`)
	wants(t, refused(t, f.Write(), in("path", "locked", "content", "y")), "read-only")
}

func TestNothingOutsideTheFolderCanBeChanged(t *testing.T) {
	parent := files(t, "secret.txt", "safe\n", "other/", "", "project/in.txt", "in\n", "project/sub/", "", "project/.git/config", "[core]\n", "project/.trimtab/trimtab.json", "{}\n")
	dir := filepath.Join(parent, "project")
	for link, to := range map[string]string{
		"up": "..", "abs": parent, "file": "../secret.txt", "sub/deep": "../../other", "chain": "up/secret.txt", "dangling": "../made.txt", "git": ".git", "round": "round", "dir": "sub",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skipf("this system makes no symbolic links: %v", err)
		}
	}
	f := open(t, dir)
	for _, path := range []string{
		"../secret.txt", "..", ".", "sub", "sub/", "sub/../../secret.txt", "/etc/passwd", filepath.Join(parent, "secret.txt"), "file", "up/secret.txt", "abs/secret.txt", "up/made.txt",
		"chain", "sub/deep/y.txt", "in.txt\x00", "dangling", "round", "round/x", "up", "in.txt/x",
		".git/config", ".git/hooks/pre-commit", ".GIT/config", "sub/.git/config", "git/config", "git/hooks/pre-commit", ".git./config", ".g\u200cit/config", "GIT~1/config", ".git::$INDEX_ALLOCATION/config",
	} {
		for _, c := range []struct {
			tool  tool.Tool
			input string
		}{{f.Write(), in("path", path, "content", "evil\n")}, {f.Edit(), in("path", path, "old_text", "safe", "new_text", "evil")}} {
			unasked(t.Context(), t, c.tool, c.input)
			if msg := refused(t, c.tool, c.input); strings.Contains(msg, parent) && !strings.Contains(path, parent) {
				t.Errorf("%s tells where the folder lies: %s", path, msg)
			}
			if _, err := c.tool.Call(t.Context(), json.RawMessage(c.input)); err == nil { // and when asked for without a question
				t.Errorf("%s %q was done", c.tool.Name, path)
			}
		}
	}
	holds(t, parent, "secret.txt", "safe\n")
	holds(t, dir, ".git/config", "[core]\n")
	if _, err := os.Stat(filepath.Join(parent, "made.txt")); err == nil {
		t.Error("a link that leads nowhere led outside")
	}
	call(t, f.Write(), in("path", "dir/new.txt", "content", "x\n")) // a link inside is fine
	holds(t, dir, "sub/new.txt", "x\n")
	call(t, f.Edit(), in("path", "sub/new.txt", "old_text", "x", "new_text", "y")) // the same file by another name
	left(t, parent)
}

func TestALinkStaysALink(t *testing.T) {
	dir := files(t, "real.txt", "a\n")
	if err := os.Symlink("real.txt", filepath.Join(dir, "link.txt")); err != nil {
		t.Skipf("this system makes no symbolic links: %v", err)
	}
	f := open(t, dir)
	call(t, f.Read(), `{"path":"link.txt"}`)
	call(t, f.Edit(), in("path", "link.txt", "old_text", "a", "new_text", "b"))
	holds(t, dir, "real.txt", "b\n")
	if to, err := os.Readlink(filepath.Join(dir, "link.txt")); err != nil || to != "real.txt" {
		t.Errorf("link.txt leads to %q, %v", to, err)
	}
}

func TestAlwaysCountsForTheSessionAndNotForOurOwnSettings(t *testing.T) {
	dir := files(t, "a.txt", "a\n")
	f := open(t, dir)
	one, two := tool.WithSession(t.Context(), "one"), tool.WithSession(t.Context(), "two")
	input := in("path", "new.txt", "content", "x")
	ask, need := f.Write().Ask(one, json.RawMessage(input))
	if !need {
		t.Fatal("nobody is asked")
	}
	_ = f.Write().Always(one, ask, tool.ForSession)
	unasked(one, t, f.Write(), input)
	unasked(one, t, f.Edit(), in("path", "a.txt", "old_text", "a", "new_text", "b"))
	if _, need := f.Write().Ask(two, json.RawMessage(input)); !need {
		t.Error("another session is not asked")
	}
	ask, need = f.Write().Ask(one, json.RawMessage(in("path", ".trimtab/trimtab.json", "content", "{}")))
	if !need || ask.Rule != "" {
		t.Errorf("settings of our own: asked %v, %+v", need, ask)
	}
}

func TestWhatIsNotTextIsNotWritten(t *testing.T) {
	dir := files(t, "bin", "\x7fELF\x00\x01", "big", strings.Repeat("x", 9<<20))
	f := open(t, dir)
	wants(t, refused(t, f.Write(), in("path", "x", "content", "a\x00b")), "binary")
	wants(t, refused(t, f.Edit(), in("path", "bin", "old_text", "ELF", "new_text", "x")), "not text")
	wants(t, refused(t, f.Write(), in("path", "big", "content", "x")), "over 8 MiB")
	wants(t, refused(t, f.Write(), `{"path":"x"}`), `"content" is missing`)
	wants(t, refused(t, f.Edit(), `{"path":"x","old_text":"a"}`), `"new_text" is missing`)
	call(t, f.Write(), in("path", "empty", "content", ""))
	holds(t, dir, "empty", "")
}
