package git_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/forge/git"
)

func program(t *testing.T, more ...string) git.Program {
	t.Helper()
	return git.New(append([]string{
		"PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=a@example.com",
	}, more...))
}

func run(t *testing.T, tree git.Tree, command string, args ...string) string {
	t.Helper()
	out, err := tree.Run(t.Context(), command, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

// ship is a working tree with one commit, and a bare repository to push to.
func ship(t *testing.T, p git.Program) (git.Tree, git.Remote) {
	t.Helper()
	bare := p.In(t.TempDir())
	if err := bare.Init(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	tree := p.In(t.TempDir())
	run(t, tree, "init", "--quiet", "--initial-branch=main")
	commit(t, tree, "one")
	return tree, git.Remote{URL: bare.Folder}
}

func commit(t *testing.T, tree git.Tree, text string) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(tree.Folder, "a.txt"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, tree, "add", "--", "a.txt")
	run(t, tree, "commit", "--quiet", "--message=x")
	return run(t, tree, "rev-parse", "HEAD")
}

// What a foreign repository sets up to run must not run.
func TestAForeignTreeRunsNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the traps are shell scripts")
	}
	p := program(t)
	tree, remote := ship(t, p)
	sprung := filepath.Join(t.TempDir(), "sprung")
	trap := filepath.Join(t.TempDir(), "trap")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\ntouch '"+sprung+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"pre-commit", "commit-msg", "post-commit", "pre-push", "post-checkout", "reference-transaction", "post-index-change"} {
		if err := os.Symlink(trap, filepath.Join(tree.Folder, ".git", "hooks", hook)); err != nil {
			t.Fatal(err)
		}
	}
	for _, setting := range []string{"core.fsmonitor", "diff.external", "core.pager", "core.askPass", "core.editor"} {
		run(t, tree, "config", setting, trap)
	}
	first := run(t, tree, "rev-parse", "HEAD")
	second := commit(t, tree, "two")
	if err := tree.Push(t.Context(), remote, git.Update{Branch: "main", To: second}); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Patch(t.Context(), first, second); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tree")
	if err := tree.AddWorktree(t.Context(), path, "feat/one", first); err != nil {
		t.Fatal(err)
	}
	run(t, tree, "status")
	if err := tree.RemoveWorktree(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(sprung); err == nil {
		t.Error("a trap of the repository was sprung")
	}
}

func TestOnlyWhatGitNeedsIsPassedOn(t *testing.T) {
	p := program(t, "GH_TOKEN=canary", "GITHUB_TOKEN=canary", "GIT_DIR=/nowhere", "GIT_SSH_COMMAND=canary", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=alias.x", "GIT_CONFIG_VALUE_0=!env", "ANTHROPIC_API_KEY=canary")
	tree, _ := ship(t, p)
	out := run(t, tree, "-c", "alias.show-env=!env", "show-env")
	if strings.Contains(out, "canary") || strings.Contains(out, "GIT_DIR=/nowhere") || !strings.Contains(out, "GIT_TERMINAL_PROMPT=0") {
		t.Error(out)
	}
}

func TestNamesAreNeverFlags(t *testing.T) {
	tree, remote := ship(t, program(t))
	head := run(t, tree, "rev-parse", "HEAD")
	for _, branch := range []string{"", "-d", "--mirror", "a b", "a..b", "@{-1}", "@", "refs/../x", "a:b", "a^", "a\n"} {
		if err := tree.Push(t.Context(), remote, git.Update{Branch: branch, To: head}); err == nil {
			t.Errorf("branch %q was pushed", branch)
		}
		if _, err := tree.Branch(t.Context(), remote, branch); err == nil {
			t.Errorf("branch %q was looked for", branch)
		}
	}
	for _, to := range []string{"HEAD", "main", "--all", "+" + head, strings.Repeat("g", 40)} {
		if err := tree.Push(t.Context(), remote, git.Update{Branch: "feat/one", To: to}); err == nil {
			t.Errorf("commit %q was pushed", to)
		}
	}
	for _, address := range []string{"", "relative", "--upload-pack=x", "ext::sh -c id", "ssh://host/x", "https://ada:secret@host/x", "file:///x"} {
		if _, err := tree.Branch(t.Context(), git.Remote{URL: address}, "main"); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("address %q: %v", address, err)
		}
	}
}

func TestABranchIsMovedOnlyFromWhereItWasSeen(t *testing.T) {
	tree, remote := ship(t, program(t))
	one := run(t, tree, "rev-parse", "HEAD")
	two := commit(t, tree, "two")
	push := func(u git.Update) error { return tree.Push(t.Context(), remote, u) }
	if err := push(git.Update{Branch: "b", To: two}); err != nil {
		t.Fatal(err)
	}
	for name, u := range map[string]git.Update{
		"as new":    {Branch: "b", To: one},
		"backwards": {Branch: "b", From: two, To: one},
		"unseen":    {Branch: "b", From: one, To: commit(t, tree, "three")},
	} {
		if err := push(u); !errors.Is(err, git.ErrMoved) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if now, err := tree.Branch(t.Context(), remote, "b"); err != nil || now != two {
		t.Errorf("it is at %s: %v", now, err)
	}
}

func TestErrorsSayWhatGitSaid(t *testing.T) {
	tree, _ := ship(t, program(t))
	_, err := tree.Run(t.Context(), "cat-file", "-p", "nothing\x1b[31m")
	e, ok := errors.AsType[*git.Error](err)
	if !ok || e.Exit != 128 || !strings.Contains(err.Error(), "git cat-file") || strings.ContainsRune(err.Error(), 0x1b) {
		t.Errorf("%v", err)
	}
	if _, err := tree.Commit(t.Context(), "nothing"); !errors.Is(err, git.ErrNoCommit) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tree.Run(ctx, "status"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
