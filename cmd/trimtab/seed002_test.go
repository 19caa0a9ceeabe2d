package main

import (
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
)

// putFile writes a file and the folders above it.
func putFile(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// sampleOf makes the sample project of the demo agent, with a trusted file of its own.
func sampleOf(t *testing.T, a *app, config string) (project string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	a.environ = append(a.environ, "PATH="+os.Getenv("PATH"))
	cfg, err := a.config()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Improve.Agent, cfg.Forge.Kind, cfg.Tools.Sandbox.Mode = "demo", "local", "none" // a sandbox starts this very program
	t.Cleanup(func() { _ = a.close() })
	work, err := a.assembly()
	if err != nil {
		t.Fatal(err)
	}
	at, err := work.Sample(t.Context(), improve.Code)
	if err != nil {
		t.Fatal(err)
	}
	putFile(t, filepath.Join(at.Project, filepath.FromSlash(improve.ProjectFile)), config)
	if err := a.trust(at.Project, true); err != nil {
		t.Fatal(err)
	}
	return at.Project
}

// TestSeed002_75_AProjectsFileHoldsForTheWorker: with auto_create_issues false in a
// trusted automation_config.json, improve run opens no issue; with
// auto_create_branches false it makes no branch.
func TestSeed002_75_AProjectsFileHoldsForTheWorker(t *testing.T) {
	for key, want := range map[string]string{"auto_create_issues": "step 2, issue", "auto_create_branches": "step 3, branch"} {
		a, said := aside(t)
		project := sampleOf(t, a, `{"github_integration": {"`+key+`": false, "require_manual_merge": false}}`)
		_ = a.improveRun(t.Context(), false, false, improve.Code) // it ends without a pull request, which is an error
		q, err := a.queue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		items, err := q.Items(t.Context())
		if err != nil || len(items) != 1 || items[0].State != improve.Manual || !strings.Contains(items[0].Why, key+" is false") || !strings.Contains(items[0].Why, want) {
			t.Errorf("%s: %+v, %v", key, items, err)
		}
		// The files of .claude/runtime tell the same to other tools.
		glob := func(want int, pattern ...string) {
			t.Helper()
			names, err := filepath.Glob(filepath.Join(append([]string{project, ".claude", "runtime"}, pattern...)...))
			if err != nil || len(names) != want {
				t.Errorf("%s: %q, want %d, %v", key, names, want, err)
			}
		}
		glob(0, "improvement_queue", "*.json")
		glob(1, "improvement_queue", "failed", "workflow_*.json")
		glob(1, "manual_review", "reflection_*.json")
		glob(1, "logs", "workflow_*", "workflow.log")
		if err := a.takeSpool(t.Context()); err != nil {
			t.Error(err)
		}
		// 002-77: that a person merges all the same is told.
		if n := strings.Count(said.String(), "trimtab never merges"); n == 0 {
			t.Errorf("%s: nobody is told that nothing is merged: %s", key, said)
		}
	}
}

// TestSeed002_77_ManualMergeFalseIsTold, in the person's own settings and in a project's
// file.
func TestSeed002_77_ManualMergeFalseIsTold(t *testing.T) {
	a, said := aside(t)
	project := t.TempDir()
	t.Chdir(project)
	putFile(t, filepath.Join(project, ".git", "HEAD"), "ref: refs/heads/main\n")
	validate := func(file, want string, fails bool) {
		t.Helper()
		said.Reset()
		var out strings.Builder
		a.out, a.settings = &out, nil
		err := a.configValidate(file)
		if (err != nil) != fails || !strings.Contains(said.String()+out.String(), want) {
			t.Errorf("%v: %s%s, want %q", err, said, &out, want)
		}
	}
	file := filepath.Join(project, filepath.FromSlash(improve.ProjectFile))
	validate("", "all settings are in order", false)
	if strings.Contains(said.String(), "never merges") {
		t.Errorf("it is told without a reason: %s", said)
	}
	putFile(t, file, `{"github_integration": {"require_manual_merge": false}}`)
	validate("", "has no effect", false)
	if err := a.trust(project, true); err != nil {
		t.Fatal(err)
	}
	validate("", "trimtab never merges", false)
	guide := filepath.Join(project, filepath.FromSlash(improve.WorkflowFile)) // 002-34
	putFile(t, guide, "## Step 1: Open pull request\n## Step 2: Run tests\n")
	validate("", improve.WorkflowFile+" has no effect", false)
	if err := a.trust(project, true); err != nil {
		t.Fatal(err)
	}
	validate("", `"Open pull request" stays behind "Run tests"`, false)
	validate(file, "trimtab never merges", false)
	putFile(t, file, `{"github_integration": {"auto_create_ponies": true}}`)
	validate(file, "auto_create_ponies: there is no such key", true)
	if err := errors.Join(os.Remove(file), os.WriteFile(a.getenv("TRIMTAB_CONFIG"), []byte(`{"automation": {"github_integration": {"require_manual_merge": false}}}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	validate("", "trimtab never merges", false)
}

// TestSeed002_62_ServeWorksOnWhatIsQueued: with approval never, and with nothing else done
// by a person, what is queued is worked on in the background of trimtab serve.
func TestSeed002_62_ServeWorksOnWhatIsQueued(t *testing.T) {
	for _, c := range []struct {
		approval, worker string
		works            bool
	}{{"never", "auto", true}, {"always", "auto", false}, {"never", "never", false}, {"always", "always", true}} {
		a, said := aside(t)
		sampleOf(t, a, `{"github_integration": {"auto_create_issues": false}}`) // it ends soon, and without a forge
		cfg, err := a.config()
		if err != nil {
			t.Fatal(err)
		}
		cfg.Automation.Approval, cfg.Automation.Worker = c.approval, c.worker
		q, err := a.queue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.sample(t.Context(), improve.Code); err != nil { // files the request, approved
			t.Fatal(err)
		}
		log := &lockedBuffer{}
		stop, err := a.serveQueue(t.Context(), slog.New(slog.NewTextHandler(log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		for c.works && !strings.Contains(log.String(), "failed or pending") { // 002-63: its end is told
			select {
			case <-t.Context().Done():
				t.Fatalf("%+v: %s%s", c, log, said)
			case <-time.After(20 * time.Millisecond):
			}
		}
		stop() // and waits
		items, err := q.Items(t.Context())
		if err != nil || len(items) != 1 {
			t.Fatalf("%+v, %v", items, err)
		}
		want := improve.Queued
		if c.works {
			want = improve.Manual
		}
		if items[0].State != want {
			t.Errorf("%+v: %s, want %s: %s", c, items[0].State, want, log)
		}
	}
}

// lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Reset()
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
