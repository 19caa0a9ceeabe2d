package registry

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/forge/git"
)

// project makes a repository whose remote origin is this address.
func project(t *testing.T, remote string) Options {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q", dir}, {"-C", dir, "config", "remote.origin.url", remote}} {
		if remote == "" && args[0] == "-C" {
			continue
		}
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return Options{Git: git.New(os.Environ()), Project: dir, Local: t.TempDir()}
}

func TestR13_TheRemoteTellsTheForge(t *testing.T) {
	for _, c := range []struct{ remote, kind, url, repo string }{
		{"https://github.com/ada/ship.git", "github", "https://github.com", "ada/ship"},
		{"git@github.com:ada/ship.git", "github", "https://github.com", "ada/ship"},
		{"ssh://git@github.com:22/ada/ship", "github", "https://github.com", "ada/ship"},
		{"https://user:secret@gitlab.com/a/b/c.git", "gitlab", "https://gitlab.com", "a/b/c"},
		{"https://codeberg.org/ada/ship", "gitea", "https://codeberg.org", "ada/ship"},
		{"https://github.com.evil.example/ada/ship", "local", "", ""},
		{"https://evil.example/github.com/ship", "local", "", ""},
		{"/srv/git/ship.git", "local", "", ""},
		{`C:\git\ship`, "local", "", ""},
		{"file:///github.com/a/b", "local", "", ""},
		{"https://github.com/ada", "local", "", ""},
		{"https://github.com/ada/../x", "local", "", ""},
		{"", "local", "", ""},
	} {
		f, err := Find(t.Context(), Config{Kind: "auto"}, project(t, c.remote))
		if err != nil || f.Kind != c.kind || f.URL != c.url || f.Repo != c.repo || f.Why == "" {
			t.Errorf("%s: %+v, %v; want %s %s %s", c.remote, f, err, c.kind, c.url, c.repo)
		}
		if strings.Contains(f.String()+f.Why, "secret") {
			t.Errorf("%s: the password shows: %s", c.remote, f)
		}
	}
}

func TestTheSettingsNameTheForge(t *testing.T) {
	opt := project(t, "https://git.example.org/ada/ship")
	f, err := Find(t.Context(), Config{Kind: "gitea", URL: "https://git.example.org/"}, opt)
	if err != nil || f.URL != "https://git.example.org" || f.Repo != "ada/ship" {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := Find(t.Context(), Config{Kind: "github"}, opt); err == nil || !strings.Contains(err.Error(), "forge.repo") {
		t.Errorf("a repository of another server was taken: %v", err)
	}
	if f, err = Find(t.Context(), Config{Kind: "github", Repo: "a/b"}, opt); err != nil || f.Repo != "a/b" {
		t.Errorf("%+v, %v", f, err)
	}
	if f, err = Find(t.Context(), Config{Kind: "local"}, opt); err != nil || f.Folder != opt.Local {
		t.Errorf("%+v, %v", f, err)
	}
	opened, err := f.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.Close(); err != nil {
		t.Error(err)
	}
}

// TestATokenIsForItsOwnServer: one for github.com must not reach a server that
// settings or a remote name.
func TestATokenIsForItsOwnServer(t *testing.T) {
	env := []string{"GH_TOKEN=public", "GITHUB_TOKEN=public2"}
	var asked []string
	opt := Options{Environ: env, Tool: func(_ context.Context, name string, args ...string) (string, error) {
		asked = append([]string{name}, args...)
		return "", errors.New("not logged in")
	}}
	here := Found{Kind: "github", URL: "https://github.com", opt: opt}
	if got, err := here.token(t.Context()); got != "public" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	there := Found{Kind: "github", URL: "https://ghe.example.org", opt: opt}
	if got, err := there.token(t.Context()); got != "" || err == nil || !strings.Contains(err.Error(), "ghe.example.org") {
		t.Errorf("%q, %v", got, err)
	}
	if want := []string{"gh", "auth", "token", "--hostname", "ghe.example.org"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
	there.opt.Tool = func(context.Context, string, ...string) (string, error) { return "from the tool\n", nil }
	if got, err := there.token(t.Context()); err == nil {
		t.Errorf("words were taken for a token: %q", got)
	}
	there.opt.Tool = func(context.Context, string, ...string) (string, error) { return "tok\n", nil }
	if got, err := there.token(t.Context()); got != "tok" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
