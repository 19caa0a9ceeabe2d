//go:build e2e && unix

package openapi_test

import (
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/forgetest"
	"github.com/trimtab/trimtab/forge/github"
	"github.com/trimtab/trimtab/forge/github/openapi"
)

// published reads what GitHub publishes: for github.com, and for the newest
// server that a company runs itself. That takes seconds, so it is done once.
var published = sync.OnceValues(func() (map[string]*openapi.Words, error) {
	out, err := exec.Command("sh", filepath.Join("..", "..", "..", "script", "openapi")).Output()
	if err != nil {
		return nil, err
	}
	all := map[string]*openapi.Words{}
	for _, name := range []string{"api.github.com", "ghes-3.19"} {
		words, err := openapi.Read(filepath.Join(strings.TrimSpace(string(out)), name+".json"), "/api/v3")
		if err != nil {
			return nil, err
		}
		all[name] = words
	}
	return all, nil
})

// each runs a test for each description.
func each(t *testing.T, test func(t *testing.T, words *openapi.Words)) {
	t.Helper()
	all, err := published()
	if err != nil {
		t.Fatalf("script/openapi: %v", err)
	}
	for name, words := range all {
		t.Run(name, func(t *testing.T) { test(t, words) })
	}
}

// guard puts a guard before a server, and fails the test for each mistake, once.
func guard(t *testing.T, words *openapi.Words, server string) (*openapi.Guard, string) {
	t.Helper()
	var told sync.Map
	g, err := openapi.NewGuard(words, server, func(mistake string) {
		if _, before := told.LoadOrStore(mistake, true); !before {
			t.Error(mistake)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(g)
	t.Cleanup(s.Close)
	return g, s.URL
}

// TestForge: every request that the suite of all forges makes is one that GitHub
// describes, and so is every answer of the fake that the suite runs on elsewhere.
func TestForge(t *testing.T) {
	each(t, func(t *testing.T, words *openapi.Words) {
		forgetest.Run(t, func(t *testing.T) forgetest.World {
			h := forgetest.GitHub(t)
			_, url := guard(t, words, h.URL)
			return forgetest.World{Forge: open(t, h, url, h.Token("ada"), time.Minute), Other: open(t, h, url, h.Token("bob"), time.Minute), Clock: h.Clock, CloseIssue: h.CloseIssue}
		})
	})
}

// TestFaults: the same where answers are lost, cut, late or about limits.
func TestFaults(t *testing.T) {
	each(t, func(t *testing.T, words *openapi.Words) {
		forgetest.Faults(t, forgetest.GitHub, func(t *testing.T, h *forgetest.Hub, token forge.Token, timeout time.Duration) forge.Forge {
			url := h.URL
			if url != "http://127.0.0.1:1" { // that one tests what happens where there is nobody
				_, url = guard(t, words, h.URL)
			}
			return open(t, h, url, token, timeout)
		})
	})
}

func open(t *testing.T, h *forgetest.Hub, url string, token forge.Token, timeout time.Duration) forge.Forge {
	t.Helper()
	f, err := github.New(github.Config{URL: url, Repo: h.Repo}, github.Options{Token: token, Timeout: timeout, Now: h.Clock.Now, Wait: h.Clock.Wait})
	if err != nil {
		t.Fatal(err)
	}
	return f.Roles()
}

func TestChecks(t *testing.T) {
	each(t, func(t *testing.T, words *openapi.Words) {
		h := forgetest.GitHub(t)
		_, url := guard(t, words, h.URL)
		f := open(t, h, url, h.Token("ada"), time.Minute)
		const commit = "0123456789012345678901234567890123456789"
		for _, s := range [][2]string{{"ci/lint", "success"}, {"ci/slow", "pending"}, {"ci/test", "failure"}, {"run:a", "pending"}, {"run:b", "neutral"}, {"run:c", "skipped"}, {"run:d", "timed_out"}} {
			h.SetStatus(commit, s[0], s[1])
		}
		checks, err := f.Checks(t.Context(), commit)
		if err != nil || len(checks) != 7 || checks.Verdict() != forge.Failed {
			t.Errorf("%v, %v", checks, err)
		}
	})
}
