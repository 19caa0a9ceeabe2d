package steps_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve/steps"
)

// An agent that leads git to a repository of its own could have git run commands.
func TestAnAgentThatMovesGitElsewhereIsNotFollowed(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(folder string) error{
		"another file": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, ".git"), []byte("gitdir: /tmp/elsewhere\n"), 0o600)
		},
		"a folder": func(folder string) error {
			if err := os.Remove(filepath.Join(folder, ".git")); err != nil {
				return err
			}
			return os.Mkdir(filepath.Join(folder, ".git"), 0o700)
		},
	} {
		d := newDock(t)
		d.agent.Behaviors["implement"] = func(folder string) (string, error) { return "done", spoil(folder) }
		_, at, err := d.run()
		if err == nil || at.Number != 5 || !strings.Contains(err.Error(), "where git finds its repository") {
			t.Errorf("%s: stopped at %d: %v", name, at.Number, err)
		}
	}
}

// The commits of an agent count like any other change: one commit of ours is
// pushed, and what the agent wrote into its own is not.
func TestWhatAnAgentCommitsIsOnlyAChange(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	behave := d.agent.Behaviors["implement"]
	d.agent.Behaviors["implement"] = func(folder string) (string, error) {
		words, err := behave(folder)
		for _, args := range [][]string{{"add", "--all"}, {"commit", "--quiet", "--message=mine"}} {
			if err == nil {
				_, err = d.git.In(folder).Run(t.Context(), args[0], args[1:]...)
			}
		}
		return words, err
	}
	it, at, err := d.run()
	if err != nil {
		t.Fatalf("stopped at %s: %v", at.Name, err)
	}
	out, err := d.git.In(d.forge.Remote().URL).Run(t.Context(), "log", "--format=%s", "main..feat/issue-1-improve-error-patterns-handling")
	if err != nil {
		t.Fatal(err)
	}
	d.equal("commits", strings.Split(strings.TrimSpace(out), "\n"), []string{"Resolve what the review found", "Improve error patterns handling"})
	if len(it.Evidence) != 13 {
		t.Errorf("%d pieces of evidence", len(it.Evidence))
	}
}

// The person's own working tree is never touched.
func TestThePersonsOwnFilesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	mine := filepath.Join(d.project.Folder, "rudder", "rudder.txt")
	if err := os.WriteFile(mine, []byte("my own work\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := d.project.Run(t.Context(), "status", "--porcelain", "--branch")
	if err != nil {
		t.Fatal(err)
	}
	if _, at, err := d.run(); err != nil {
		t.Fatalf("stopped at %s: %v", at.Name, err)
	}
	after, err := d.project.Run(t.Context(), "status", "--porcelain", "--branch")
	if err != nil {
		t.Fatal(err)
	}
	d.equal("status", after, before)
	if raw, err := os.ReadFile(mine); err != nil || string(raw) != "my own work\n" {
		t.Errorf("%q, %v", raw, err)
	}
}

func TestAnItemCannotLeadOutOfItsFolder(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	for _, id := range []string{"", "..", "../x", "a/b", "/etc", "a b"} {
		d.item.ID = id
		if _, err := d.env().Job(d.item, nil, nil); err == nil {
			t.Errorf("%q was taken", id)
		}
	}
}

func TestMissingToolsAreNamed(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	for name, spoil := range map[string]func(*steps.Options, *steps.Config){
		"redact": func(o *steps.Options, _ *steps.Config) { o.Redact = nil },
		"agent":  func(o *steps.Options, _ *steps.Config) { o.Agent = nil },
		"folder": func(_ *steps.Options, c *steps.Config) { c.Folder = "" },
		"lines":  func(_ *steps.Options, c *steps.Config) { c.Lines = -1 },
	} {
		opt, cfg := d.opt, d.cfg
		spoil(&opt, &cfg)
		if _, err := steps.New(cfg, opt); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
