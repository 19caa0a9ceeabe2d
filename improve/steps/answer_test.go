package steps_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/forgetest"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/github"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
)

// ciOnHub moves a dock to a strict fake of GitHub on which each commit of the branch gets
// the next of the verdicts.
func ciOnHub(t *testing.T, d *dock, verdicts ...string) {
	t.Helper()
	h := forgetest.GitHub(t)
	f, err := github.New(github.Config{URL: h.URL, Repo: h.Repo}, github.Options{Token: h.Token("ada"), Timeout: time.Minute, Now: h.Clock.Now, Wait: h.Clock.Wait})
	if err != nil {
		t.Fatal(err)
	}
	base, err := d.project.Commit(t.Context(), "HEAD")
	if err == nil {
		err = d.project.Push(t.Context(), f.Remote(), git.Update{Branch: "main", To: base})
	}
	if err != nil {
		t.Fatal(err)
	}
	h.SetStatus(base, "run:build", "success")
	d.hub, d.forge = h, f.Roles()
	d.opt.Forge, d.opt.Now = d.forge, h.Clock.Now
	seen := map[string]bool{}
	d.opt.Wait = func(ctx context.Context, pause time.Duration) error {
		head, err := d.project.Branch(ctx, f.Remote(), "feat/issue-1-improve-error-patterns-handling")
		if err == nil && head != "" && !seen[head] {
			name, verdict, renamed := strings.Cut(verdicts[min(len(seen), len(verdicts)-1)], "=")
			if !renamed {
				name, verdict = "run:build", name
			}
			h.SetStatus(head, name, verdict)
			seen[head] = true
		}
		return errors.Join(err, h.Clock.Wait(ctx, pause))
	}
}

// TestR24_ARedCheckOfTheForgeIsAnsweredWithAChange: it is named, the agent is told, what it
// makes of it is checked as any change and pushed, and the forge is asked again.
func TestR24_ARedCheckOfTheForgeIsAnsweredWithAChange(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	ciOnHub(t, d, "failure", "success")
	writes("check", "rudder/rudder.txt", "left 10 degrees\n")(d)
	it, at, err := d.run()
	if err != nil {
		t.Fatalf("stopped at %s: %v", at.Name, err)
	}
	last := it.Evidence[12].Facts
	if last["checks"] != "passed" || last["answered"] != "once a red check" || last["commit"] == it.Evidence[11].Facts["commit"] {
		t.Errorf("%v", last)
	}
	told := ""
	for _, job := range d.agent.Asked {
		if job.Step == "check" {
			told = job.Prompt
		}
	}
	if !strings.Contains(told, "The forge's check build failed.") {
		t.Errorf("the agent is not told which: %s", told)
	}
	out, err := d.project.Run(t.Context(), "log", "--format=%s", "-1", last["commit"])
	if err != nil || !strings.Contains(out, "Answer what the checks of the forge found: build") {
		t.Errorf("%s %v", out, err)
	}
}

// TestR24_WhatStaysRedIsAPersons: after two changes, with the checks named, and nothing is
// taken back.
func TestR24_WhatStaysRedIsAPersons(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	ciOnHub(t, d, "failure")
	n := 0
	d.agent.Behaviors["check"] = func(folder string) (string, error) {
		n++
		writes("again", "rudder/rudder.txt", "left "+strings.Repeat("x", n)+"\n")(d)
		return d.agent.Behaviors["again"](folder)
	}
	it, at, err := d.run()
	if at.Name != steps.Mergeable || !errors.Is(err, steps.ErrManual) || !strings.Contains(err.Error(), "still fail on") || !strings.Contains(err.Error(), ": build; the pull request and its branch are left") || n != 2 {
		t.Fatalf("%d times, stopped at %s: %v", n, at.Name, err)
	}
	d.settles(it, at, err, improve.Manual)
	for p, err := range d.forge.PullsFrom(t.Context(), "feat/issue-1-improve-error-patterns-handling") {
		if err != nil || p.State != forge.Open {
			t.Errorf("%+v %v", p, err)
		}
	}
}

// TestX3_AnAnswerThatAnotherMachinePushedIsFound: it was gone before it could leave word, so
// ours knows neither the commit nor that the check was answered. It goes on from there, and
// does not wait for a commit that is no more.
func TestX3_AnAnswerThatAnotherMachinePushedIsFound(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	ciOnHub(t, d, "failure", "success")
	writes("check", "rudder/rudder.txt", "left 10 degrees\n")(d)
	it, at, err := d.run()
	if err != nil {
		t.Fatalf("stopped at %s: %v", at.Name, err)
	}
	pushed := it.Evidence[12].Facts["commit"]
	papers, err := filepath.Glob(filepath.Join(d.cfg.Folder, it.ID, it.ID+".*.json"))
	if err != nil {
		t.Fatal(err)
	}
	gone := 0
	for _, name := range papers {
		if strings.HasSuffix(name, ".head.json") || strings.Contains(name, ".forge-check-") {
			gone++
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if gone < 2 {
		t.Fatalf("no word of it to lose in %v", papers)
	}
	asked := d.asked("check")
	d.item = it
	e, err := d.again()
	if err != nil || e.Facts["commit"] != pushed || e.Facts["answered"] != "once a red check" || d.asked("check") != asked {
		t.Errorf("asked %d times more, %v %v", d.asked("check")-asked, e.Facts, err)
	}
}
