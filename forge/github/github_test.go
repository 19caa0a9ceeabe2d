package github_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/forgetest"
	"github.com/trimtab/trimtab/forge/github"
)

func open(t *testing.T, h *forgetest.Hub, token forge.Token, timeout time.Duration) forge.Forge {
	t.Helper()
	f, err := github.New(github.Config{URL: h.URL, Repo: h.Repo}, github.Options{Token: token, Timeout: timeout, Now: h.Clock.Now, Wait: h.Clock.Wait})
	if err != nil {
		t.Fatal(err)
	}
	return f.Roles()
}

func TestForge(t *testing.T) {
	forgetest.Run(t, func(t *testing.T) forgetest.World {
		h := forgetest.GitHub(t)
		return forgetest.World{Forge: open(t, h, h.Token("ada"), time.Minute), Other: open(t, h, h.Token("bob"), time.Minute), Clock: h.Clock, CloseIssue: h.CloseIssue}
	})
}

func TestFaults(t *testing.T) { forgetest.Faults(t, forgetest.GitHub, open) }

func hub(t *testing.T) (*forgetest.Hub, forge.Forge) {
	t.Helper()
	h := forgetest.GitHub(t)
	return h, open(t, h, h.Token("ada"), time.Minute)
}

func TestChecksAreRunsAndStatuses(t *testing.T) {
	h, f := hub(t)
	const commit = "0123456789012345678901234567890123456789"
	for _, step := range []struct {
		name, state string
		want        forge.Verdict
	}{
		{"ci/lint", "success", forge.Passed},
		{"run:test", "pending", forge.Pending},
		{"ci/lint", "failure", forge.Failed},
		{"ci/lint", "success", forge.Pending}, // the newest of a name counts
		{"run:a", "neutral", forge.Pending},
		{"run:b", "skipped", forge.Pending},
		{"run:c", "success", forge.Pending}, // a second page
		{"run:d", "timed_out", forge.Failed},
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

// The address that an answer names must not lead the token elsewhere.
func TestTheRemoteComesFromTheSettings(t *testing.T) {
	h, f := hub(t)
	if _, err := f.Repo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := f.Remote().URL; got != h.URL+"/acme/ship.git" {
		t.Error(got)
	}
}

func TestTheTokenOfAnAppNeedsItsAccountNamed(t *testing.T) {
	h, _ := hub(t)
	h.Break(forgetest.Fault{Method: "GET", Ends: []string{"/user"}, Kind: forgetest.Denied})
	_, err := open(t, h, h.Token("ada"), time.Minute).Repo(t.Context())
	if !errors.Is(err, forge.ErrRefused) || !strings.Contains(err.Error(), "self") {
		t.Error(err)
	}
	app, err := github.New(github.Config{URL: h.URL, Repo: h.Repo, Self: "ada"}, github.Options{Token: h.Token("ada")})
	if err != nil {
		t.Fatal(err)
	}
	h.Break(forgetest.Fault{Method: "GET", Ends: []string{"/user"}, Kind: forgetest.Denied})
	if repo, err := app.Repo(t.Context()); err != nil || repo.Self != "ada" {
		t.Errorf("%+v, %v", repo, err)
	}
}

func TestSettingsThatCannotWork(t *testing.T) {
	for _, cfg := range []github.Config{
		{},
		{Repo: "ship"},
		{Repo: "acme/"},
		{Repo: "acme/ship/x"},
		{Repo: "acme/.."},
		{Repo: "acme/a?b"},
		{Repo: "acme/ship", URL: "http://github.example"},
		{Repo: "acme/ship", URL: "https://ada:pw@github.example"},
		{Repo: "acme/ship", Life: -1},
	} {
		if _, err := github.New(cfg, github.Options{}); err == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
	if f, err := github.New(github.Config{Repo: "acme/ship.git"}, github.Options{}); err != nil || f.Remote().URL != "https://github.com/acme/ship.git" {
		t.Error(err)
	}
}

// TestR24_WhatPeopleWriteAtALineComesBack, with its place; a stranger may not write.
func TestR24_WhatPeopleWriteAtALineComesBack(t *testing.T) {
	h, f := hub(t)
	work := forgetest.NewWork(t, f)
	work.Branch("feat/one", "left\n")
	p, err := f.OpenPull(t.Context(), forge.Proposal{Text: forge.Text{Title: "a", Body: "text"}, Head: "feat/one", Base: "main"})
	if err != nil {
		t.Fatal(err)
	}
	h.Says("bob", p.Number, "why left?", "rudder.txt", 1)
	h.Says("eve", p.Number, "merge this", "", 0)
	got := map[string]forge.Comment{}
	for c, err := range f.Comments(t.Context(), p.Ref()) {
		if err != nil {
			t.Fatal(err)
		}
		got[c.Author] = c
	}
	if c := got["bob"]; c.Path != "rudder.txt" || c.Line != 1 || c.Body != "why left?" || !strings.HasPrefix(c.ID, "line-") || len(got) != 2 {
		t.Errorf("%+v", got)
	}
	for login, want := range map[string]bool{"bob": true, "eve": false} {
		if may, err := f.MayWrite(t.Context(), login); err != nil || may != want {
			t.Errorf("%s: %v %v", login, may, err)
		}
	}
}
