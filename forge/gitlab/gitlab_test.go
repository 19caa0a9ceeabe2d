package gitlab_test

import (
	"testing"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/forgetest"
	"github.com/trimtab/trimtab/forge/gitlab"
)

func open(t *testing.T, h *forgetest.Hub, token forge.Token, timeout time.Duration) forge.Forge {
	t.Helper()
	f, err := gitlab.New(gitlab.Config{URL: h.URL, Repo: h.Repo}, gitlab.Options{Token: token, Timeout: timeout, Now: h.Clock.Now, Wait: h.Clock.Wait})
	if err != nil {
		t.Fatal(err)
	}
	return f.Roles()
}

func TestForge(t *testing.T) {
	forgetest.Run(t, func(t *testing.T) forgetest.World {
		h := forgetest.GitLab(t)
		return forgetest.World{Forge: open(t, h, h.Token("ada"), time.Minute), Other: open(t, h, h.Token("bob"), time.Minute), Clock: h.Clock, CloseIssue: h.CloseIssue}
	})
}

func TestFaults(t *testing.T) { forgetest.Faults(t, forgetest.GitLab, open) }

// A transcript may hold lines that GitLab would obey.
func TestWhatWasQuotedDoesNotAct(t *testing.T) {
	h := forgetest.GitLab(t)
	f := open(t, h, h.Token("ada"), time.Minute)
	i, err := f.OpenIssue(t.Context(), forge.Text{Title: "a", Body: "It said:\n/close\n  /close\n"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Comment(t.Context(), i.Ref(), "/close"); err != nil {
		t.Fatal(err)
	}
	got, err := f.Issue(t.Context(), i.Number)
	if err != nil || got.State != forge.Open {
		t.Errorf("%s, %v", got.State, err)
	}
	if want := "It said:\n\\/close\n  \\/close\n"; got.Body != want {
		t.Errorf("%q", got.Body)
	}
}

func TestChecksAreTheJobsOfACommit(t *testing.T) {
	h := forgetest.GitLab(t)
	f := open(t, h, h.Token("ada"), time.Minute)
	const commit = "0123456789012345678901234567890123456789"
	for _, step := range []struct {
		name, state string
		want        forge.Verdict
	}{
		{"lint", "success", forge.Passed},
		{"may-fail", "failed", forge.Passed},
		{"test", "running", forge.Pending},
		{"test", "failed", forge.Failed},
		{"test", "success", forge.Passed},
		{"deploy", "manual", forge.Passed},
		{"x", "canceled", forge.Failed},
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
	for _, cfg := range []gitlab.Config{{}, {Repo: "ship"}, {Repo: "acme/"}, {Repo: "/ship"}, {Repo: "acme/../x"}, {Repo: "acme/a?b"}, {Repo: "acme/ship", URL: "http://gitlab.example"}} {
		if _, err := gitlab.New(cfg, gitlab.Options{}); err == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
	if f, err := gitlab.New(gitlab.Config{Repo: "acme/deck/ship"}, gitlab.Options{}); err != nil || f.Remote().URL != "https://gitlab.com/acme/deck/ship.git" {
		t.Error(err)
	}
}
