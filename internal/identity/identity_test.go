package identity

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestX2_WhoAPersonIs(t *testing.T) {
	for _, c := range []struct {
		name      string
		opt       Options
		want      string
		wrong     bool
		generated bool
	}{
		{name: "a file of their own", opt: Options{}, want: ""},
		{name: "by the settings", opt: Options{Config: Config{Name: " ann "}}, want: "ann"},
		{name: "by the environment", opt: Options{Config: Config{Name: "ann"}, Environ: []string{"TRIMTAB_USER=bob", "TRIMTAB_USER=cy"}}, want: "cy"},
		{name: "an empty variable is none", opt: Options{Config: Config{Name: "ann"}, Environ: []string{"TRIMTAB_USER="}}, want: "ann"},
		{name: "everyone is no name", opt: Options{Config: Config{Name: "all"}}, wrong: true},
		{name: "nor is a line end", opt: Options{Environ: []string{"TRIMTAB_USER=a\nb"}}, wrong: true},
		{name: "nor is a book", opt: Options{Config: Config{Name: strings.Repeat("n", 300)}}, wrong: true},
		{name: "nor are bytes", opt: Options{Config: Config{Name: "a\xff"}}, wrong: true},
		{name: "on a server one is made", opt: Options{Shared: true, Data: filepath.Join(t.TempDir(), "new")}, generated: true},
	} {
		got, err := nameOf(c.opt)
		if (err != nil) != c.wrong || !c.generated && got != c.want || c.generated && !strings.Contains(got, "@") {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

func TestX2_ANameIsMadeOnce(t *testing.T) {
	data := t.TempDir()
	var names [8]string
	var wait sync.WaitGroup
	for i := range names {
		wait.Go(func() {
			var err error
			if names[i], err = nameOf(Options{Shared: true, Data: data}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for _, n := range names {
		if n == "" || n != names[0] {
			t.Fatalf("%q", names)
		}
	}
	if other, err := nameOf(Options{Shared: true, Data: t.TempDir()}); err != nil || other == names[0] {
		t.Errorf("another home is %q, %v", other, err)
	}
	if err := os.WriteFile(filepath.Join(data, "user"), []byte("\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := nameOf(Options{Shared: true, Data: data}); err == nil {
		t.Errorf("a damaged file is %q", got)
	}
}

func TestX2_WhatProjectAFolderHolds(t *testing.T) {
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := func(name, remote string, more ...string) string {
		dir := filepath.Join(root, name)
		git("init", "-q", dir)
		if remote != "" {
			git("-C", dir, "remote", "add", "origin", remote)
		}
		for i := 0; i+1 < len(more); i += 2 {
			git("-C", dir, "config", more[i], more[i+1])
		}
		return dir
	}
	below := filepath.Join(project("below", "git@github.com:Ann/X.git"), "a", "b")
	plain := filepath.Join(root, "plain")
	for _, dir := range []string{below, plain} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	bare := filepath.Join(root, "bare.git")
	if err := os.WriteFile(filepath.Join(root, "more"), []byte("[remote \"origin\"]\n\turl = https://github.com/ann/x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ folder, repo, onServer, remote string }{
		{project("https", "https://ann:secret@github.com/ann/x.git"), "github.com/ann/x", "github.com/ann/x", "https://github.com/ann/x.git"},
		{project("token", "https://secret@github.com/ann/x"), "github.com/ann/x", "github.com/ann/x", "https://github.com/ann/x"},
		{project("ssh", "ssh://git:secret@host.example:22/ann/x"), "host.example/ann/x", "host.example/ann/x", "ssh://git@host.example:22/ann/x"},
		{project("scp", "git@host.example:ann/x.git"), "host.example/ann/x", "host.example/ann/x", "git@host.example:ann/x.git"},
		{project("short", "gh:ann/x", "url.https://github.com/.insteadOf", "gh:"), "github.com/ann/x", "github.com/ann/x", "https://github.com/ann/x"},
		{below, "github.com/ann/x//a/b", "github.com/ann/x//a/b", ""},
		{project("folder", bare), "file://" + strings.TrimSuffix(bare, ".git"), "file://m" + strings.TrimSuffix(bare, ".git"), bare},
		{project("folder2", "file://"+bare), "file://" + strings.TrimSuffix(bare, ".git"), "file://m" + strings.TrimSuffix(bare, ".git"), bare},
		{project("none", ""), "", "file://m" + filepath.Join(root, "none"), ""},
		{plain, "", "file://m" + plain, ""},
		{project("include", "", "include.path", filepath.Join(root, "more")), "github.com/ann/x", "github.com/ann/x", "https://github.com/ann/x"},
		{filepath.Join(root, "gone"), "", "", ""},
		{"relative", "", "", ""},
	} {
		alone := NewFinder(os.Environ(), false)
		server := alone
		server.Machine = "m"
		if got := alone.Repository(c.folder); got != c.repo {
			t.Errorf("%s: %q, want %q", c.folder, got, c.repo)
		}
		if got := server.Repository(c.folder); got != c.onServer {
			t.Errorf("%s, on a server: %q, want %q", c.folder, got, c.onServer)
		}
		if _, got := alone.Origin(c.folder); got != c.remote || strings.Contains(got, "secret") {
			t.Errorf("%s: cloned from %q, want %q", c.folder, got, c.remote)
		}
	}
}
