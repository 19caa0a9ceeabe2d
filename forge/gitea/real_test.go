//go:build e2e && unix

package gitea_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/forgetest"
	"github.com/trimtab/trimtab/forge/gitea"
)

func realGitea(t *testing.T) forgetest.Real {
	t.Helper()
	return forgetest.RealGitea(t, filepath.Join("..", "..", "script", "gitea"))
}

// TestRealGitea runs the suite on a Gitea that is built from its own source.
func TestRealGitea(t *testing.T) {
	s := realGitea(t)
	var repos atomic.Int32
	forgetest.Run(t, func(t *testing.T) forgetest.World {
		name := fmt.Sprintf("ship%d", repos.Add(1))
		s.Found(t, "ada", name)
		s.Ask(t, "ada", http.MethodPut, "/repos/ada/"+name+"/collaborators/bob", map[string]any{"permission": "write"}, nil)
		closeIssue := func(t testing.TB, number int) {
			t.Helper()
			s.Ask(t, "ada", http.MethodPatch, fmt.Sprintf("/repos/ada/%s/issues/%d", name, number), map[string]any{"state": "closed"}, nil)
		}
		return forgetest.World{Forge: visit(t, s, "ada", name), Other: visit(t, s, "bob", name), CloseIssue: closeIssue}
	})
}

// TestRealGiteaChecks reads statuses that a real Gitea was told.
func TestRealGiteaChecks(t *testing.T) {
	s := realGitea(t)
	s.Found(t, "ada", "ship")
	f := visit(t, s, "ada", "ship")
	commit := forgetest.NewWork(t, f).Branch("feat/one", "left\n")
	for _, step := range []struct {
		name, state string
		want        forge.Verdict
	}{{"lint", "success", forge.Passed}, {"test", "pending", forge.Pending}, {"test", "failure", forge.Failed}, {"test", "success", forge.Passed}} {
		s.Ask(t, "ada", http.MethodPost, "/repos/ada/ship/statuses/"+commit, map[string]any{"context": step.name, "state": step.state}, nil)
		checks, err := f.Checks(t.Context(), commit)
		if err != nil {
			t.Fatal(err)
		}
		if got := checks.Verdict(); got != step.want {
			t.Errorf("after %s %s: %s", step.name, step.state, got)
		}
	}
}

// visit is a repository of ada's as an account sees it.
func visit(t *testing.T, s forgetest.Real, login, repo string) forge.Forge {
	t.Helper()
	f, err := gitea.New(gitea.Config{URL: s.URL, Repo: "ada/" + repo}, gitea.Options{Token: func(context.Context) (string, error) { return s.Tokens[login], nil }})
	if err != nil {
		t.Fatal(err)
	}
	return f.Roles()
}
