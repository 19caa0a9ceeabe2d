package local_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/forgetest"
	"github.com/trimtab/trimtab/forge/local"
)

// fileLog is a forge.Log that survives its process.
type fileLog struct{ folder string }

func (l fileLog) name(key string) string {
	return filepath.Join(l.folder, strings.NewReplacer(" ", "_", ":", "_", "/", "_").Replace(key))
}

func (l fileLog) Begin(_ context.Context, key string, at time.Time) error {
	return os.WriteFile(l.name(key), []byte(at.Format(time.RFC3339Nano)), 0o600)
}

func (l fileLog) Last(_ context.Context, key string) (time.Time, error) {
	raw, err := os.ReadFile(l.name(key))
	if errors.Is(err, fs.ErrNotExist) || len(raw) == 0 {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339Nano, string(raw))
}

// deadly is a forge whose process is killed before or after it does something.
type deadly struct {
	*local.Forge
	when string
}

func (d deadly) roles() forge.Forge {
	return forge.Forge{Repository: d, Issues: d, Pulls: d, Talk: d}
}

func (d deadly) OpenIssue(ctx context.Context, t forge.Text) (forge.Issue, error) {
	die(d.when == "before")
	i, err := d.Forge.OpenIssue(ctx, t)
	die(d.when == "after")
	return i, err
}

func (d deadly) OpenPull(ctx context.Context, p forge.Proposal) (forge.Pull, error) {
	die(d.when == "before")
	got, err := d.Forge.OpenPull(ctx, p)
	die(d.when == "after")
	return got, err
}

func (d deadly) Comment(ctx context.Context, on forge.Ref, body string) (forge.Comment, error) {
	die(d.when == "before")
	c, err := d.Forge.Comment(ctx, on, body)
	die(d.when == "after")
	return c, err
}

// die ends the process as kill -9 does: nothing is cleared up.
func die(now bool) {
	if now {
		p, err := os.FindProcess(os.Getpid())
		if err == nil {
			_ = p.Kill()
		}
		select {}
	}
}

// TestMain is the process that is killed where the variables say so.
func TestMain(m *testing.M) {
	if folder := os.Getenv("LOCAL_TEST_FOLDER"); folder != "" {
		if err := errand(folder, os.Getenv("LOCAL_TEST_WHEN"), os.Getenv("LOCAL_TEST_WHAT"), os.Getenv("LOCAL_TEST_ID")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func errand(folder, when, what, id string) error {
	ctx := context.Background()
	opt := local.Options{}
	if n, ok := map[string]int{"at the first file": 1, "at the second file": 2}[when]; ok {
		opt.Name = func() string {
			n--
			die(n == 0)
			return "half" + id
		}
	}
	f, err := local.New(ctx, local.Config{Folder: folder}, opt)
	if err != nil {
		return err
	}
	once, err := forge.NewIdempotent(deadly{f, when}.roles(), forge.Options{Keys: forgetest.Keys(), Log: fileLog{filepath.Join(folder, "log")}})
	if err != nil {
		return err
	}
	text := forge.Text{Title: "a", Body: "text"}
	switch what {
	case "issue":
		_, err = once.Issue(ctx, id, text, []string{"automated"})
	case "pull":
		_, err = once.Pull(ctx, id, forge.Proposal{Text: text, Head: "feat/" + id, Base: "main"}, []string{"automated"})
	case "comment":
		_, err = once.Comment(ctx, id, forge.Ref{Kind: forge.IssueKind, Number: 1}, "text")
	}
	return err
}

func TestP1_KilledAtAnyMomentOneThingIsLeft(t *testing.T) {
	folder := t.TempDir()
	f := open(t, folder, "trimtab")
	if err := os.Mkdir(filepath.Join(folder, "log"), 0o700); err != nil {
		t.Fatal(err)
	}
	work := forgetest.NewWork(t, f)
	run := func(when, what, id string) error {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "LOCAL_TEST_FOLDER="+folder, "LOCAL_TEST_WHEN="+when, "LOCAL_TEST_WHAT="+what, "LOCAL_TEST_ID="+id, "GORACE=atexit_sleep_ms=0")
		return cmd.Run()
	}
	moments := []string{"before", "at the first file", "at the second file", "after"}
	for i, when := range moments {
		for _, what := range []string{"issue", "pull", "comment"} {
			id := fmt.Sprint(what, i)
			if what == "pull" {
				work.Branch("feat/"+id, id)
			}
			// A comment is one file, so that its second one is never begun.
			if err := run(when, what, id); err == nil && !(what == "comment" && when == "at the second file") {
				t.Errorf("%s was not killed %s", what, when)
			}
			for range 2 {
				if err := run("", what, id); err != nil {
					t.Fatalf("%s after being killed %s: %v", what, when, err)
				}
			}
		}
	}
	counts := map[string]int{}
	for issue, err := range f.IssuesBy(t.Context(), "trimtab") {
		counts["issues"]++
		if err != nil || len(issue.Labels) != 1 {
			t.Errorf("labels %v, %v", issue.Labels, err)
		}
	}
	for i := range moments {
		for _, err := range f.PullsFrom(t.Context(), fmt.Sprint("feat/pull", i)) {
			counts["pull requests"]++
			if err != nil {
				t.Error(err)
			}
		}
	}
	for _, err := range f.Comments(t.Context(), forge.Ref{Kind: forge.IssueKind, Number: 1}) {
		counts["comments"]++
		if err != nil {
			t.Error(err)
		}
	}
	if d := cmp.Diff(map[string]int{"issues": 4, "pull requests": 4, "comments": 4}, counts); d != "" {
		t.Error(d)
	}
}
