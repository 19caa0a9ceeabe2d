package gitea_test

import (
	"testing"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/forgetest"
	"github.com/trimtab/trimtab/forge/gitea"
)

func open(t *testing.T, h *forgetest.Hub, token forge.Token, timeout time.Duration) forge.Forge {
	t.Helper()
	f, err := gitea.New(gitea.Config{URL: h.URL, Repo: h.Repo}, gitea.Options{Token: token, Timeout: timeout, Now: h.Clock.Now, Wait: h.Clock.Wait})
	if err != nil {
		t.Fatal(err)
	}
	return f.Roles()
}

func TestForge(t *testing.T) {
	forgetest.Run(t, func(t *testing.T) forgetest.World {
		h := forgetest.Gitea(t)
		return forgetest.World{Forge: open(t, h, h.Token("ada"), time.Minute), Other: open(t, h, h.Token("bob"), time.Minute), Clock: h.Clock, CloseIssue: h.CloseIssue}
	})
}

func TestFaults(t *testing.T) { forgetest.Faults(t, forgetest.Gitea, open) }

func TestChecksAreTheStatusesOfACommit(t *testing.T) {
	h := forgetest.Gitea(t)
	f := open(t, h, h.Token("ada"), time.Minute)
	const commit = "0123456789012345678901234567890123456789"
	for _, step := range []struct {
		name, state string
		want        forge.Verdict
	}{
		{"lint", "success", forge.Passed}, {"a", "success", forge.Passed}, {"b", "success", forge.Passed}, {"c", "success", forge.Passed}, // a second page
		{"test", "pending", forge.Pending}, {"test", "error", forge.Failed}, {"test", "success", forge.Passed},
	} {
		h.SetStatus(commit, step.name, step.state)
		checks, err := f.Checks(t.Context(), commit)
		if err != nil {
			t.Fatal(err)
		}
		if got := checks.Verdict(); got != step.want {
			t.Errorf("after %s %s: %s (%v)", step.name, step.state, got, checks)
		}
	}
}

func TestSettingsThatCannotWork(t *testing.T) {
	for _, cfg := range []gitea.Config{{}, {Repo: "ship"}, {Repo: "acme/"}, {Repo: "acme/ship/x"}, {Repo: "acme/.."}, {Repo: "acme/ship", URL: "http://gitea.example"}} {
		if _, err := gitea.New(cfg, gitea.Options{}); err == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
}
