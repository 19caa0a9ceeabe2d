package check_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/check"
)

func checker(t *testing.T, keep string) *check.Checker {
	t.Helper()
	return check.New(check.Options{Confine: func(*exec.Cmd) error { return nil }, Limit: 20 * time.Second, Keep: keep})
}

// repository is a working tree with one committed file, written long ago.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	run(t, dir, "git", "init", "-q")
	write(t, dir, "a.go", "package a")
	write(t, dir, ".gitignore", "out/\n")
	run(t, dir, "git", "add", ".")
	run(t, dir, "git", "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "a")
	old := time.Now().Add(-48 * time.Hour)
	for _, f := range []string{"a.go", ".gitignore"} {
		if err := os.Chtimes(filepath.Join(dir, f), old, old); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func run(t *testing.T, dir string, line ...string) {
	t.Helper()
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", line, err, out)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func names(files []trimtab.Written) (out []string) {
	for _, f := range files {
		out = append(out, f.File)
	}
	slices.Sort(out)
	return out
}

// J11: whatever wrote a file, the working tree shows it; what is ignored is nothing.
func TestJ11_TheTreeShowsWhatWasWritten(t *testing.T) {
	dir := repository(t)
	c := checker(t, "")
	if got := c.Look(t.Context(), dir); len(got) != 0 {
		t.Fatalf("nothing was written, and it shows %v", got)
	}
	before := c.Tree(t.Context(), dir)
	write(t, dir, "gen/b.go", "package gen")
	write(t, dir, "a.go", "package b")
	write(t, dir, "out/c.go", "package out")
	if got := names(c.Look(t.Context(), dir)); !slices.Equal(got, []string{"a.go", "gen/b.go"}) {
		t.Errorf("shows %v", got)
	}
	if after := c.Tree(t.Context(), dir); after == "" || after == before {
		t.Errorf("another tree has the hash %q, as before", after)
	}
	if err := os.Remove(filepath.Join(dir, "a.go")); err != nil {
		t.Fatal(err)
	}
	if got := names(c.Look(t.Context(), dir)); !slices.Contains(got, "a.go") {
		t.Errorf("a file that was taken away is not among %v", got)
	}
	if got := c.Look(t.Context(), t.TempDir()); got != nil {
		t.Errorf("no repository shows %v", got)
	}
}

// J11: a repository may name programs; none of them runs because somebody looks.
func TestJ11_AHostileRepositoryRunsNothing(t *testing.T) {
	dir := repository(t)
	mark := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "evil.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntouch "+mark+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"core.fsmonitor", "diff.external", "core.pager", "filter.x.clean", "filter.x.smudge", "filter.x.process", "core.editor", "core.sshCommand", "core.askPass"} {
		run(t, dir, "git", "config", key, script)
	}
	run(t, dir, "git", "config", "core.hooksPath", filepath.Dir(script))
	write(t, dir, ".gitattributes", "* filter=x diff=x\n")
	write(t, dir, "a.go", "package hostile")
	if got := checker(t, "").Look(t.Context(), dir); len(got) == 0 {
		t.Error("nothing is shown")
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program of the repository ran")
	}
}

// J9: a receipt holds command, exit code, tree and the end of the output; on the same tree the
// command does not run again.
func TestJ9_AReceiptIsKeptForAStateOfTheTree(t *testing.T) {
	dir, keep, count := repository(t), t.TempDir(), filepath.Join(t.TempDir(), "count")
	command := "echo x >> " + count + "; echo '--- FAIL: TestA 1'; exit 3"
	c := checker(t, keep)
	r := c.Check(t.Context(), dir, command)
	if r.Exit != 3 || r.Tree == "" || r.Lapsed != "" || !strings.Contains(r.Output, "FAIL: TestA") || r.Since.IsZero() {
		t.Fatalf("%+v", r)
	}
	again := checker(t, keep).Check(t.Context(), dir, command)
	if runs, _ := os.ReadFile(count); len(runs) != 2 || again.Exit != 3 || again.Tree != r.Tree {
		t.Errorf("it ran %d times; %+v", len(runs)/2, again)
	}
	write(t, dir, "a.go", "package other")
	other := checker(t, keep).Check(t.Context(), dir, command)
	if runs, _ := os.ReadFile(count); len(runs) != 4 || other.Tree == r.Tree || !other.Since.Equal(r.Since) {
		t.Errorf("it ran %d times; fails since %s, first seen %s", len(runs)/2, other.Since, r.Since)
	}
}

// J9: a check that takes an hour, is not there or writes without end blocks nothing.
func TestJ9_ACheckThatDoesNotEnd(t *testing.T) {
	dir := repository(t)
	c := check.New(check.Options{Confine: func(*exec.Cmd) error { return nil }, Limit: 300 * time.Millisecond})
	if r := c.Check(t.Context(), dir, "sleep 3600 & sleep 3600"); r.Lapsed == "" || r.Exit == 0 {
		t.Errorf("an hour: %+v", r)
	}
	if r := checker(t, "").Check(t.Context(), dir, "no-such-program-at-all"); r.Lapsed == "" {
		t.Errorf("not there: %+v", r)
	}
	if r := c.Check(t.Context(), dir, "yes"); r.Lapsed == "" || len(r.Output) > 32<<10 {
		t.Errorf("without end: %d bytes, %q", len(r.Output), r.Lapsed)
	}
	refused := check.New(check.Options{Confine: func(*exec.Cmd) error { return context.Canceled }, Limit: time.Second})
	if r := refused.Check(t.Context(), dir, "true"); r.Lapsed == "" || r.Exit == 0 {
		t.Errorf("no sandbox: %+v", r)
	}
}
