package worker_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/worker"
)

// TestSeed002_73_AProjectsOwnLimitHoldsForTheWorker: max_concurrent_workflows of a
// project counts, whatever the worker's own number is.
func TestSeed002_73_AProjectsOwnLimitHoldsForTheWorker(t *testing.T) {
	t.Parallel()
	p := newPort(t, 3)
	p.cfg.Workers = 3
	p.limit = func(project string) int {
		if project != p.project() {
			t.Errorf("asked for %s", project)
		}
		return 1
	}
	most := 0
	p.events = func(e worker.Event) { // one at a time: nothing else changes most
		running, err := p.queue.Items(t.Context(), improve.Running)
		if err != nil {
			t.Error(err)
		}
		most = max(most, len(running))
	}
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	done, err := p.queue.Items(t.Context(), improve.Done)
	if err != nil || len(done) != 3 || most != 1 {
		t.Errorf("%d done, %d at a time, %v", len(done), most, err)
	}
}

// A project may allow more than the person's own number, up to its own.
func TestSeed002_73_AProjectMayAllowMoreThanThePersonsOwnNumber(t *testing.T) {
	t.Parallel()
	p := newPort(t, 2)
	p.cfg.Workers = 1
	p.limit = func(string) int { return 2 }
	var here sync.WaitGroup // each waits for the other: one at a time, neither came on
	here.Add(2)
	p.steps = steps.Numbered([]steps.Step{{Name: steps.Clarify, Do: func(context.Context, *steps.Job) (improve.Evidence, error) {
		here.Done()
		here.Wait()
		return improve.Evidence{}, nil
	}}})
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestSeed002_38_AllThirteenInTheOrderOfTheProject: with the issue first where the project's
// own workflow has it so, also when the work is interrupted and goes on.
func TestSeed002_38_AllThirteenInTheOrderOfTheProject(t *testing.T) {
	t.Parallel()
	p := newPort(t, 1)
	p.guide = "1. Create an issue\n2. Clarify requirements\n"
	ctx, cancel := context.WithCancel(t.Context())
	p.events = func(e worker.Event) {
		if e.Step == steps.Clarify && e.State == "done" {
			cancel()
		}
	}
	if err := p.drain(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	p.events = nil
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	items, err := p.queue.Items(t.Context(), improve.Done)
	if err != nil || len(items) != 1 || len(items[0].Evidence) != 13 {
		t.Fatalf("%+v, %v", items, err)
	}
	for i, e := range items[0].Evidence {
		want := steps.Steps()[i].Name
		switch i {
		case 0:
			want = steps.Issue
		case 1:
			want = steps.Clarify
		}
		if e.Step != want || e.Number != i+1 {
			t.Errorf("%d: %s is number %d, want %s", i+1, e.Step, e.Number, want)
		}
	}
}

// TestSeed002_01_FromAReflectionToAPullRequest: what a session showed becomes an issue, a
// branch and a pull request, with nobody asked; the numbers are told (002-45).
func TestSeed002_01_FromAReflectionToAPullRequest(t *testing.T) {
	t.Parallel()
	p := newPort(t, 0)
	session := improve.Result{SessionID: "test_session", Patterns: []improve.Pattern{{
		Type: improve.ErrorPatterns, Severity: improve.High, Count: 6, Suggestion: "Let the rudder turn.", Context: improve.Context{"tool": "bash"}, Fingerprint: "9f86d081",
	}}}
	cfg := improve.Config{Enabled: true, Approval: "never"}
	c, ok := improve.CaseOf(session, p.project())
	v := improve.Decide(cfg, c, improve.Situation{Now: start, Forge: improve.NotFiled})
	if !ok || !v.Fire || v.State != improve.Queued {
		t.Fatalf("%v, %s", ok, v.No())
	}
	if err := p.queue.Add(t.Context(), improve.NewItem(improve.NewID(start, 1), c, cfg, v, start)); err != nil {
		t.Fatal(err)
	}
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	items, err := p.queue.Items(t.Context())
	if err != nil || len(items) != 1 || items[0].State != improve.Done || len(items[0].Evidence) != 13 {
		t.Fatalf("%+v, %v", items, err)
	}
	facts := func(step improve.StepName, key string) string {
		for _, e := range items[0].Evidence {
			if e.Step == step {
				return e.Facts[key]
			}
		}
		return ""
	}
	if facts(steps.Issue, "number") != "1" || facts(steps.Branch, "branch") != "feat/issue-1-improve-error-patterns-handling" || facts(steps.PullRequest, "number") != "1" { // 002-51
		t.Errorf("%+v", items[0].Evidence)
	}
}

var start = time.Date(2026, 11, 15, 10, 15, 0, 0, time.UTC)
