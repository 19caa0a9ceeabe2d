package forgetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
)

// Work is a working tree whose commits are pushed to a forge.
type Work struct {
	t    testing.TB
	Tree git.Tree
	to   git.Remote
}

// NewWork returns a working tree with one commit, which the forge has as its
// branch main.
func NewWork(t testing.TB, f forge.Repository) *Work {
	t.Helper()
	w := &Work{t: t, Tree: Program(t).In(t.TempDir()), to: f.Remote()}
	w.run("init", "--quiet", "--initial-branch=main")
	first := w.Commit("rudder.txt", "straight\n")
	if now, err := w.Tree.Branch(t.Context(), w.to, "main"); err != nil {
		t.Fatal(err)
	} else if now == "" {
		w.Push("main", "", first)
	}
	return w
}

// Commit writes a file and commits it.
func (w *Work) Commit(name, text string) string {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.Tree.Folder, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.run("add", "--", name)
	w.run("commit", "--quiet", "--message=change "+name)
	return strings.TrimSpace(w.run("rev-parse", "HEAD"))
}

// At goes back to a commit, on no branch.
func (w *Work) At(commit string) {
	w.t.Helper()
	w.run("checkout", "--quiet", "--detach", commit)
}

// Push moves a branch of the forge.
func (w *Work) Push(branch, from, to string) {
	w.t.Helper()
	if err := w.Tree.Push(w.t.Context(), w.to, git.Update{Branch: branch, From: from, To: to}); err != nil {
		w.t.Fatal(err)
	}
}

// Branch pushes a new branch with a change of its own.
func (w *Work) Branch(name, text string) string {
	w.t.Helper()
	w.At("main")
	commit := w.Commit("rudder.txt", text)
	w.Push(name, "", commit)
	return commit
}

func (w *Work) run(command string, args ...string) string {
	w.t.Helper()
	out, err := w.Tree.Run(w.t.Context(), command, args...)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// seed makes an empty bare repository.
func seed(t testing.TB, tree git.Tree) {
	t.Helper()
	if err := os.MkdirAll(tree.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := tree.Init(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
}
