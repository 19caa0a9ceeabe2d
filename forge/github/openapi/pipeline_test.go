//go:build e2e && unix

package openapi_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/forgetest"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/github/openapi"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/steps/stepstest"
	"github.com/trimtab/trimtab/improve/worker"
	"github.com/trimtab/trimtab/store/sqlite"
)

// TestP1_TheThirteenStepsSpeakAsGitHubDescribes: one request becomes one issue, one
// branch and one pull request with its labels, reviews and replies, and nothing on
// the way is said that GitHub does not describe.
func TestP1_TheThirteenStepsSpeakAsGitHubDescribes(t *testing.T) {
	each(t, func(t *testing.T, words *openapi.Words) {
		h := forgetest.GitHub(t)
		seen, url := guard(t, words, h.URL)
		hub := open(t, h, url, h.Token("ada"), time.Minute)
		it := pipeline(t, h, hub)
		if it.State != improve.Done || len(it.Evidence) != 13 {
			t.Fatalf("%s with %d pieces of evidence: %s", it.State, len(it.Evidence), it.Why)
		}
		for i, e := range it.Evidence {
			if e.Number != i+1 || e.Error != "" || len(e.Facts) == 0 {
				t.Errorf("evidence %d: %+v", i+1, e)
			}
		}
		if issues, pulls, said := h.Count(); issues != 1 || pulls != 1 || said != 3 {
			t.Errorf("%d issues, %d pull requests, %d comments and reviews", issues, pulls, said)
		}
		pull, err := hub.Pull(t.Context(), 2)
		if err != nil || pull.Merge != forge.MergeClean || !slices.Contains(pull.Labels, "ready") || pull.State != forge.Open {
			t.Errorf("%+v, %v", pull, err)
		}
		for _, must := range []string{
			"POST /repos/{owner}/{repo}/issues 201", "POST /repos/{owner}/{repo}/pulls 201", "POST /repos/{owner}/{repo}/labels 201",
			"POST /repos/{owner}/{repo}/issues/{issue_number}/labels 200", "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews 200",
			"POST /repos/{owner}/{repo}/issues/{issue_number}/comments 201", "GET /repos/{owner}/{repo}/commits/{ref}/check-runs 200",
		} {
			if seen.Seen()[must] == 0 {
				t.Errorf("%s was not made; there were\n%s", must, strings.Join(seen.Names(), "\n"))
			}
		}
	})
}

// pipeline does one improvement, and returns what came of it.
func pipeline(t *testing.T, h *forgetest.Hub, hub forge.Forge) improve.Item {
	t.Helper()
	folder := t.TempDir()
	project := filepath.Join(folder, "project")
	program := stepstest.Program(os.Environ())
	store, err := sqlite.Open(t.Context(), filepath.Join(folder, "trimtab.db"), sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if err := stepstest.Project(t.Context(), program, project); err != nil {
		t.Fatal(err)
	}
	tree := program.In(project)
	head, err := tree.Commit(t.Context(), "HEAD")
	if err == nil {
		err = tree.Push(t.Context(), hub.Remote(), git.Update{Branch: "main", To: head})
	}
	if err != nil {
		t.Fatal(err)
	}
	it := stepstest.Item(project, 1)
	if err := store.Queue().Add(t.Context(), it); err != nil {
		t.Fatal(err)
	}
	f, err := worker.New(t.Context(), worker.Config{Folder: filepath.Join(folder, "data"), Poll: 0.02}, worker.Options{
		Queue: store.Queue(), Worker: func() string { return "one" },
		Env: func(context.Context, improve.Item) (*steps.Env, error) {
			opt := stepstest.Options(hub, store.Queue(), program, stepstest.NewAgent())
			opt.Now, opt.Wait = h.Clock.Now, h.Clock.Wait
			return steps.New(steps.Config{Folder: filepath.Join(folder, "work")}, opt)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Drain(t.Context()); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if it, err = store.Queue().Item(t.Context(), it.ID); err != nil {
		t.Fatal(err)
	}
	return it
}
