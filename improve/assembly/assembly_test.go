package assembly

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/sqlite"
)

// newAssembly is one on a store in memory and a data folder of its own.
func newAssembly(t *testing.T, change func(*Options)) *Assembly {
	t.Helper()
	queue := memory.New().Queue()
	opt := Options{
		Data: t.TempDir(), Queue: func(context.Context) (improve.Queue, error) { return queue, nil },
		Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}, Redact: strings.Clone,
	}
	opt.Config.Agent, opt.Forge.Kind = "demo", "local"
	if change != nil {
		change(&opt)
	}
	a, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestNew_WhatIsMissingIsSaid(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("no error without a data folder")
	}
}

// TestPrivateFiles_AreAllThatHoldsWhatIsPrivate: a database or key that is put into
// the data folder must be on the list that sandboxes hide.
func TestPrivateFiles_AreAllThatHoldsWhatIsPrivate(t *testing.T) {
	a := newAssembly(t, nil)
	store, err := sqlite.Open(t.Context(), filepath.Join(a.opt.Data, "trimtab.db"), sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := a.MarkerKeys(t.Context()); err != nil {
		t.Fatal(err)
	}
	w, err := a.Worker(t.Context(), WorkerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	private, seen := sandbox.PrivateFiles(a.opt.Data), 0
	err = filepath.WalkDir(a.opt.Data, func(path string, d fs.DirEntry, err error) error {
		lock := strings.HasSuffix(d.Name(), ".lock") // holds nothing
		if err != nil || d.IsDir() || lock || !strings.Contains(d.Name(), ".db") && !strings.HasSuffix(d.Name(), ".key") {
			return err
		}
		seen++
		if !slices.Contains(private, path) {
			t.Errorf("agents could read %s", path)
		}
		return nil
	})
	if err != nil || seen < 2 {
		t.Errorf("%d files, %v", seen, err)
	}
}

func TestMarkerKey_IsMadeOnceAndKept(t *testing.T) {
	a := newAssembly(t, nil)
	var keys [8][]byte
	var wait sync.WaitGroup
	for i := range keys {
		wait.Go(func() {
			all, err := a.MarkerKeys(t.Context())
			if err != nil || len(all) != 1 {
				t.Errorf("%x, %v", all, err)
				return
			}
			keys[i] = all[0]
		})
	}
	wait.Wait()
	for _, key := range keys {
		if len(key) != 32 || !bytes.Equal(key, keys[0]) {
			t.Fatalf("keys %x", keys)
		}
	}
	file := filepath.Join(a.Folder(), "marker.key")
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if names, err := os.ReadDir(a.Folder()); err != nil || len(names) != 1 {
		t.Errorf("left over: %v, %v", names, err)
	}
	if err := os.WriteFile(file, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.MarkerKeys(t.Context()); err == nil || !strings.Contains(err.Error(), "5 bytes and not 32") {
		t.Errorf("a damaged key: %v", err) // a new one would not know again what was filed
	}
}

func TestGitFor_CommitsAsThePersonOrElseAsTrimtab(t *testing.T) {
	project := t.TempDir()
	author := func(more ...string) string {
		t.Helper()
		a := newAssembly(t, func(opt *Options) { opt.Environ = append(opt.Environ, more...) })
		if _, err := git.New(a.opt.Environ).In(project).Run(t.Context(), "init", "--quiet"); err != nil {
			t.Fatal(err)
		}
		if _, err := git.New(a.opt.Environ).In(project).Run(t.Context(), "config", "user.useConfigOnly", "true"); err != nil {
			t.Fatal(err)
		}
		out, err := a.gitFor(t.Context(), project).In(project).Run(t.Context(), "var", "GIT_AUTHOR_IDENT")
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if got := author(); !strings.HasPrefix(got, "trimtab <trimtab@localhost>") {
		t.Errorf("nobody is known: %q", got)
	}
	if got := author("GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org"); !strings.HasPrefix(got, "Ada <ada@example.org>") {
		t.Errorf("Ada is known: %q", got)
	}
}

// models are a person's models.
type models struct{ name, hint string }

func (m models) Default(context.Context) (string, string) { return m.name, m.hint }
func (m models) Means(name string) (string, string)       { return "means " + name, "KEY" }

func TestOwnModel_IsNeverTheDemoByItself(t *testing.T) {
	for _, c := range []struct {
		agent, model  string
		models        models
		fails         error
		name, meaning string
	}{
		{agent: "claude", models: models{name: "x"}},
		{agent: "own", models: models{name: "anthropic/x"}, name: "anthropic/x", meaning: "means anthropic/x"},
		{agent: "own", models: models{name: "demo", hint: "set a key"}},
		{agent: "own", model: "mine", models: models{name: "demo", hint: "set a key"}, name: "mine", meaning: "means mine"},
		{agent: "own", fails: errors.New("no keyring")},
	} {
		a := newAssembly(t, func(opt *Options) {
			opt.Config.Agent, opt.Config.Model = c.agent, c.model
			opt.Models = func() (Models, error) { return c.models, c.fails }
		})
		own, err := a.ownModel(t.Context(), a.opt.Config.Config)
		if own.Name != c.name || own.Means != c.meaning || !errors.Is(err, c.fails) {
			t.Errorf("%+v: %+v, %v", c, own, err)
		}
	}
}

func TestEnv_ShowsWhatWouldBeSent(t *testing.T) {
	a := newAssembly(t, nil)
	if err := a.CheckAgent(); err != nil {
		t.Fatal(err)
	}
	p := improve.Pattern{Type: improve.ErrorPatterns, Severity: improve.High, Count: 6, Fingerprint: "74fab9b2ddbe5d90", Suggestion: "read the file first"}
	project := t.TempDir()
	it := improve.NewItem("workflow_20261115_101500_k3x9", improve.Case{Pattern: p, Worthy: true, Project: project}, improve.Config{}, improve.Verdict{State: improve.Queued}, time.Now())
	env, err := a.Env(t.Context(), it)
	if err != nil {
		t.Fatal(err)
	}
	out, err := env.Preview(it)
	if err != nil || len(out) == 0 || out[0].Title == "" {
		t.Errorf("%+v, %v", out, err)
	}
	found, err := a.Forge(t.Context(), project)
	if err != nil || !strings.HasPrefix(found.Folder, filepath.Join(a.opt.Data, "forge")) {
		t.Errorf("%+v, %v", found, err)
	}
	bad := newAssembly(t, func(opt *Options) { opt.Config.Agent = "nobody" })
	if err := bad.CheckAgent(); err == nil {
		t.Error("no error for an agent that there is not")
	}
}

func TestSample_IsMadeOnce(t *testing.T) {
	a := newAssembly(t, func(opt *Options) { opt.Environ = os.Environ() })
	first, err := a.Sample(t.Context(), improve.Code)
	if err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(first.Project, "mark")
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := a.Sample(t.Context(), improve.Code)
	if err != nil || again != first {
		t.Errorf("%+v, then %+v, %v", first, again, err)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Error("it was made again:", err)
	}
}
