package tool_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func TestNothingOutsideTheFolderCanBeReached(t *testing.T) {
	parent := files(t, "secret.txt", "canary-1234", "project/inside.txt", "fine", "project/sub/x", "fine", "other/y.txt", "canary-1234")
	dir := filepath.Join(parent, "project")
	for link, to := range map[string]string{"up": "..", "abs": parent, "file": "../secret.txt", "sub/deep": "../../other", "chain": "up/secret.txt"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skipf("this system makes no symbolic links: %v", err)
		}
	}
	f := open(t, dir)
	for _, path := range []string{
		"../secret.txt", "..", "sub/../../secret.txt", "/etc/passwd", filepath.Join(parent, "secret.txt"), "file", "up/secret.txt", "abs/secret.txt",
		"chain", "sub/deep/y.txt", "inside.txt\x00", "./../project/../secret.txt", "up", "abs", "sub/deep",
	} {
		for _, tl := range f.Tools() {
			input := `{"path":` + strconv.Quote(path) + `}`
			if path == "inside.txt\x00" {
				input = `{"path":"inside.txt\u0000"}`
			}
			if tl.Name == "search" {
				input = strings.TrimSuffix(input, "}") + `,"pattern":"canary"}`
			}
			if msg := refused(t, tl, input); strings.Contains(msg, "1234") {
				t.Errorf("%s %s leaked: %s", tl.Name, path, msg)
			}
		}
	}
	if got := call(t, f.Search(), `{"pattern":"canary"}`); strings.Contains(got, "1234") {
		t.Errorf("search went outside:\n%s", got)
	}
	if got := call(t, f.List(), `{"depth":10}`); strings.Contains(got, "secret") || strings.Contains(got, "y.txt") {
		t.Errorf("list went outside:\n%s", got)
	}
}

func TestARefusalSaysWhatToDo(t *testing.T) {
	dir := files(t, "a.txt", "x", "sub/b.txt", "y")
	f := open(t, dir)
	wants(t, refused(t, f.Read(), `{"path":"../x"}`), "outside the project folder", "relative to it")
	wants(t, refused(t, f.Read(), `{"path":"none.txt"}`), `there is no "none.txt"`, "list")
	wants(t, refused(t, f.Read(), `{"path":"sub"}`), "is a folder", "list")
	wants(t, refused(t, f.List(), `{"path":"a.txt"}`), "is a file", "read")
	wants(t, refused(t, f.Read(), `{"file_path":"a.txt"}`), `unknown field "file_path"`)
	wants(t, refused(t, f.Search(), `{"pattern":"a("}`), "RE2", "backslash")
	if msg := refused(t, f.Read(), `{"path":"none.txt"}`); strings.Contains(msg, dir) {
		t.Errorf("the refusal tells where the folder lies: %s", msg)
	}
}

func TestLinksAndFullPathsInsideTheFolderWork(t *testing.T) {
	dir := files(t, "sub/a.txt", "hello")
	if err := os.Symlink("sub", filepath.Join(dir, "link")); err != nil {
		t.Skipf("this system makes no symbolic links: %v", err)
	}
	f := open(t, dir)
	for _, path := range []string{"sub/a.txt", "./sub/../sub/a.txt", "link/a.txt", filepath.Join(dir, "sub", "a.txt")} {
		if got := call(t, f.Read(), `{"path":`+strconv.Quote(path)+`}`); got != "hello" {
			t.Errorf("read %s = %q", path, got)
		}
	}
	wants(t, call(t, f.List(), `{}`), "link  link\n")
	wants(t, call(t, f.Search(), `{"pattern":"hello"}`), "1 match in 1 file; 1 file searched") // once: links are not followed
}

func TestUnreadableThingsAreNamedAndPassedBy(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("permissions do not hold this user back")
	}
	dir := files(t, "locked/x", "needle", "open/y", "needle")
	must(t, os.Chmod(filepath.Join(dir, "locked"), 0))
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "locked"), 0o755) })
	f := open(t, dir)
	wants(t, call(t, f.Search(), `{"pattern":"needle"}`), "open/y:1", "not readable", "locked")
}
