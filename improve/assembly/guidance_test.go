package assembly

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/pipeline"
	"github.com/trimtab/trimtab/improve/scan"
	"github.com/trimtab/trimtab/improve/steps"
)

// sampled is a request of the sample of guidance, filed and worked on by the demo agent.
type sampled struct {
	*Assembly
	item  improve.Item
	forge forge.Opened
}

// workSample goes from the three sessions of the sample to the end of the work. The
// script is the demo agent's own where it is "".
func workSample(t *testing.T, script string) sampled {
	t.Helper()
	a := newAssembly(t, func(o *Options) {
		if script != "" {
			o.Config.Script = filepath.Join(t.TempDir(), "script.txtar")
			if err := os.WriteFile(o.Config.Script, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	})
	at, err := a.Sample(t.Context(), improve.Guidance)
	if err != nil {
		t.Fatal(err)
	}
	sessions := scan.New(scan.Options{Redact: strings.Clone})
	p, err := pipeline.New(pipeline.Options{
		Queue: a.opt.Queue, Sessions: sessions, Turns: sessions, Redact: strings.Clone, Keys: a.MarkerKeys,
		Forge: func(ctx context.Context, project string) (pipeline.Forge, error) { return a.Forge(ctx, project) },
	})
	if err != nil {
		t.Fatal(err)
	}
	it, err := p.New(t.Context(), pipeline.Query{Project: at.Project, Names: []string{at.Transcript}}, "", true)
	if err != nil {
		t.Fatal(err)
	}
	if it.Request.Kind != improve.Guidance || it.Request.Pattern.Type != improve.SaidNo || len(it.Request.Turns) != 3 {
		t.Fatalf("kind %q of %s, %d turns", it.Request.Kind, it.Request.Pattern.Type, len(it.Request.Turns))
	}
	w, err := a.Worker(t.Context(), WorkerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	q, err := a.opt.Queue(t.Context())
	if err == nil {
		it, err = q.Item(t.Context(), it.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	found, err := a.Forge(t.Context(), at.Project)
	if err != nil {
		t.Fatal(err)
	}
	hub, err := found.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hub.Close() })
	return sampled{a, it, hub}
}

func (s sampled) fact(step improve.StepName, name string) string {
	for _, e := range s.item.Evidence {
		if e.Step == step {
			return e.Facts[name]
		}
	}
	return ""
}

func (s sampled) issues(t *testing.T) (n int) {
	t.Helper()
	for _, err := range s.forge.IssuesBy(t.Context(), "trimtab") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// TestR21_FromThreeSessionsToAGuidancePullRequest: three sessions in which a person said
// no to the same command become a pull request to AGENTS.md, whose replay shows the turn
// going right, with both texts. Nothing but git is needed.
func TestR21_FromThreeSessionsToAGuidancePullRequest(t *testing.T) {
	s := workSample(t, "")
	if s.item.State != improve.Done {
		t.Fatalf("%s: %s", s.item.State, s.item.Why)
	}
	if len(s.item.Evidence) != len(steps.Steps()) {
		t.Errorf("%d pieces of evidence", len(s.item.Evidence))
	}
	const told = "3 of 3 replayed turns go wrong without it, and of those 3 go right with it"
	if got := s.fact(steps.Compliance, "replay"); got != told {
		t.Errorf("compliance: %q", got)
	}
	number, err := strconv.Atoi(s.fact(steps.PullRequest, "number"))
	if err != nil {
		t.Fatal(err)
	}
	pull, err := s.forge.Pull(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{told, "git push origin main", "sh script/propose today", "right by rule: no git push is proposed", "## Replay"} {
		if !strings.Contains(pull.Body, want) {
			t.Errorf("the pull request does not hold %q:\n%s", want, pull.Body)
		}
	}
	if strings.Contains(pull.Body, "two sails sighted") {
		t.Error("what a person asked in a session is public")
	}
	patch, err := s.gitFor(t.Context(), s.item.Project).In(s.forge.Remote().URL).Patch(t.Context(), "main", pull.Head)
	if err != nil || !strings.Contains(patch, "+Never run git push") || strings.Count(patch, "diff --git") != 1 {
		t.Errorf("%v\n%s", err, patch)
	}
	for _, name := range []string{"replay.md", "replay-without.json", "replay.json"} {
		if _, err := os.Stat(filepath.Join(s.Folder(), s.item.ID, name)); err != nil {
			t.Error(err)
		}
	}
}

const (
	clarified = "-- clarify/say.md --\n## Acceptance criteria\n- agents do not push\n"
	pushes    = "-- replay/say.md --\n```json\n{\"says\": \"\", \"calls\": [{\"tool\": \"Bash\", \"input\": {\"command\": \"git push origin main\"}}]}\n```\n"
)

// TestR21_GuidanceThatChangesNothingFails: the replay is no better with it than without.
func TestR21_GuidanceThatChangesNothingFails(t *testing.T) {
	s := workSample(t, clarified+pushes+"-- implement/write/AGENTS.md --\nBe careful.\n")
	if s.item.State != improve.Failed || !strings.Contains(s.item.Why, "no better with the change than without") {
		t.Errorf("%s: %s", s.item.State, s.item.Why)
	}
	if n := s.fact(steps.PullRequest, "number"); n != "" {
		t.Errorf("pull request %s", n)
	}
}

// TestR21_WhatDoesNotRecurIsNotFiled: where today's agent does it right without any
// change nothing is public, and the person is told so.
func TestR21_WhatDoesNotRecurIsNotFiled(t *testing.T) {
	s := workSample(t, clarified+"-- replay/say.md --\n```json\n{\"says\": \"I ask you to publish it.\", \"calls\": []}\n```\n")
	if s.item.State != improve.Manual || !strings.Contains(s.item.Why, "does not recur") {
		t.Errorf("%s: %s", s.item.State, s.item.Why)
	}
	if n := s.issues(t); n != 0 {
		t.Errorf("%d issues", n)
	}
}

// TestR21_GuidanceIsNoWayAroundTests: code that no test would have seen fail is refused.
func TestR21_GuidanceIsNoWayAroundTests(t *testing.T) {
	s := workSample(t, clarified+pushes+"-- replay/heed.md --\nNever push\n```json\n{\"says\": \"ok\"}\n```\n-- implement/write/AGENTS.md --\nNever push.\n-- implement/write/publish.py --\nprint(1)\n")
	if s.item.State != improve.Failed || !strings.Contains(s.item.Why, "not publish.py") {
		t.Errorf("%s: %s", s.item.State, s.item.Why)
	}
}

// TestR21_ProgramsAreShownInFull: guidance may bring a script that can be executed. The
// pull request and the preview hold the whole of it.
func TestR21_ProgramsAreShownInFull(t *testing.T) {
	const program = "#!/bin/sh\n# Refuses a push.\nif true; then\n\techo @no 1>&2\nfi\nexit 1\n"
	s := workSample(t, clarified+pushes+"-- replay/heed.md --\nhooks/pre-push\n```json\n{\"says\": \"I do not push.\"}\n```\n"+
		"-- implement/write/AGENTS.md --\nhooks/pre-push refuses a push: do not try one.\n-- implement/write/hooks/pre-push --\n"+program+
		"-- review/say.md --\n```json\n{\"verdict\": \"accept\", \"why\": \"the hook refuses what nobody wants\", \"criteria\": [{\"criterion\": 1, \"met\": true, \"proof\": \"AGENTS.md:1\"}], \"findings\": []}\n```\n"+
		"-- security-review/say.md --\n```json\n{\"verdict\": \"accept\", \"why\": \"it runs nothing but an echo\", \"findings\": []}\n```\n")
	if s.item.State != improve.Done {
		t.Fatalf("%s: %s", s.item.State, s.item.Why)
	}
	if got := s.Programs(s.item); got != "hooks/pre-push\n\n"+strings.TrimSpace(program) {
		t.Errorf("%q", got)
	}
	env, err := s.Env(t.Context(), s.item)
	if err != nil {
		t.Fatal(err)
	}
	preview, err := env.Preview(s.item)
	if err != nil || len(preview) != 2 {
		t.Fatal(preview, err)
	}
	number, _ := strconv.Atoi(s.fact(steps.PullRequest, "number"))
	pull, err := s.forge.Pull(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{preview[1].Body, pull.Body} {
		for line := range strings.Lines(program) {
			if !strings.Contains(body, "\n    "+line) {
				t.Errorf("%q is not in it:\n%s", line, body)
			}
		}
	}
}
