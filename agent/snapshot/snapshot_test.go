package snapshot_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/trimtab/trimtab/agent/snapshot"
)

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestChat_2_WhatACommandChangedIsKnown: in a repository and outside of one, with ignored
// files left out, and without a trace in the project's own Git.
func TestChat_2_WhatACommandChangedIsKnown(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, repository := range []bool{false, true} {
		dir := t.TempDir()
		at := func(name string) string { return filepath.Join(dir, name) }
		put(t, at(".gitignore"), "build/\n")
		put(t, at("a.go"), "package a\r\n")
		put(t, at("deep/b with blank.go"), "package b\n")
		put(t, at("gone.go"), "package gone\n")
		put(t, at("build/out"), "x")
		if repository {
			if out, err := exec.Command("git", "-C", dir, "init", "--quiet").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			put(t, at(".git/config"), "[core]\n\tfsmonitor = touch "+at("ran")+"\n\trepositoryformatversion = 0\n")
		}
		base := filepath.Join(t.TempDir(), "shots")
		put(t, filepath.Join(base, "snapshot-old", "index"), "left by a process that was killed")
		if old := time.Now().Add(-100 * time.Hour); os.Chtimes(filepath.Join(base, "snapshot-old"), old, old) != nil {
			t.Fatal("no times")
		}
		shots := snapshot.New(dir, base)
		before, err := shots.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		put(t, at("a.go"), "package a // changed\r\n")
		put(t, at("new/c.go"), "package c\n")
		put(t, at("build/out"), "y")
		if err := os.Remove(at("gone.go")); err != nil {
			t.Fatal(err)
		}
		after, err := shots.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		changes, err := shots.Changes(t.Context(), before, after)
		got := ""
		for _, c := range changes {
			got += fmt.Sprintf("%s %q %q; ", c.Path, c.Before, c.After)
		}
		want := `a.go "package a\r\n" "package a // changed\r\n"; gone.go "package gone\n" ""; new/c.go "" "package c\n"; `
		if err != nil || got != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
		if _, err := os.Stat(at("ran")); err == nil {
			t.Error("a program of the project's settings ran")
		}
		if _, err := os.Stat(at(".git/index")); err == nil {
			t.Error("the project's own index was written")
		}
		if err := shots.Close(); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(base); len(left) > 0 {
			t.Errorf("%d snapshots are left", len(left))
		}
		if _, err := shots.Take(t.Context()); err == nil {
			t.Error("a snapshot after Close")
		}
	}
}
