package record_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/record"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

const id = "workflow_20261115_101500_k3x9"

var now = time.Date(2026, 11, 15, 10, 15, 0, 123456789, time.UTC)

// place is a recorder for one item in a project.
type place struct {
	*record.Recorder
	t               *testing.T
	folder, project string
	it              improve.Item
	trusted         bool
	failed          []error
}

func newPlace(t *testing.T, trusted bool) *place {
	p := &place{t: t, folder: filepath.Join(t.TempDir(), "improve"), project: t.TempDir(), trusted: trusted}
	pattern := improve.Pattern{
		Type: improve.RepeatedTool, Severity: improve.High, Count: 5, Suggestion: "write a script", Context: improve.Context{"tool": "bash"},
		Samples: []improve.Sample{{Session: "s1", Message: "m1", Excerpt: "ls -l"}}, Fingerprint: "f",
	}
	c := improve.Case{Pattern: pattern, Worthy: true, Project: p.project, Sessions: []string{"test_session"}, Metrics: &improve.Metrics{TotalMessages: 50}}
	p.it = improve.NewItem(id, c, improve.Config{}, improve.Verdict{State: improve.Queued}, now)
	p.Recorder = record.New(record.Options{
		Folder: p.folder, Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[REDACTED]") },
		Item:    func(context.Context, string) (improve.Item, error) { return p.it, nil },
		Project: func(string) (improve.ProjectSettings, error) { return improve.ProjectSettings{HasFile: p.trusted}, nil },
		Failed:  func(err error) { p.failed = append(p.failed, err) }, Now: func() time.Time { return now },
	})
	return p
}

func (p *place) read(name string) string {
	p.t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.project, filepath.FromSlash(name)))
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return string(raw)
}

// end has the item end, as a worker tells it.
func (p *place) end(state improve.State, why string) {
	p.it.State, p.it.Why = state, why
	p.Event(p.t.Context(), improve.Event{Item: id, State: string(state), Text: why, At: now})
}

var form = lazyregexp.Pattern(`^\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\] (INFO|WARNING|ERROR): \S.*$`)

// TestSeed002_46_EachWorkflowHasAWorkflowLog, in our own folder always, and in the
// project's where its file is trusted; 002-47: its lines are [timestamp] LEVEL: message.
func TestSeed002_46_EachWorkflowHasAWorkflowLog(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		p := newPlace(t, trusted)
		p.Changed(p.it)
		for _, e := range []improve.Event{
			{Number: 1, Step: "clarify", State: "began"},
			{Number: 1, Step: "clarify", State: "says", Text: "two\nlines, hunter2"},
			{Number: 1, Step: "clarify", State: "done"},
			{Number: 2, Step: "issue", State: "failed", Text: "no forge"},
		} {
			e.Item, e.At = id, now
			p.Event(t.Context(), e)
		}
		p.end(improve.Failed, "no forge")
		p.end(improve.Done, "")
		raw, err := os.ReadFile(filepath.Join(p.folder, id, "workflow.log"))
		if err != nil {
			t.Fatal(err)
		}
		log := string(raw)
		for line := range strings.Lines(log) {
			if !form().MatchString(strings.TrimSuffix(line, "\n")) {
				t.Errorf("not in the form: %q", line)
			}
		}
		for _, want := range []string{"[2026-11-15T10:15:00.123456Z] INFO: Workflow is queued", "INFO: step 1 (clarify): two lines, [REDACTED]", "ERROR: Workflow failed at step 2: no forge", "INFO: Workflow completed successfully"} { // 002-48
			if !strings.Contains(log, want) {
				t.Errorf("no %q in\n%s", want, log)
			}
		}
		same := ""
		if trusted {
			same = log
		}
		if got := p.read(improve.LogFolder + "/" + id + "/workflow.log"); got != same {
			t.Errorf("trusted %v: in the project\n%s", trusted, got)
		}
		if len(p.failed) > 0 {
			t.Error(p.failed)
		}
	}
}

// TestSeed002_31_AQueuedRequestIsAFileOfTheProject: the form is the seed's, and the file
// goes when the work is done (002-36) or is set aside when it fails (002-37).
func TestSeed002_31_AQueuedRequestIsAFileOfTheProject(t *testing.T) {
	p := newPlace(t, true)
	name := improve.SpoolFolder + "/" + id + ".json"
	p.it.State = improve.Awaiting
	p.Changed(p.it)
	if p.read(name) != "" {
		t.Error("other tools see what nobody approved")
	}
	p.it.State = improve.Queued
	p.Changed(p.it)
	var got map[string]any
	if err := json.Unmarshal([]byte(p.read(name)), &got); err != nil {
		t.Fatal(err)
	}
	keys := []string{"issue_title", "issue_description", "priority", "improvement_type", "source_pattern", "context", "estimated_complexity", "max_components", "max_lines_of_code", "requires_security_review"}
	pattern, _ := got["source_pattern"].(map[string]any)
	inner := []string{"type", "severity", "count", "suggestion", "context", "samples"}
	for object, want := range map[*map[string]any][]string{&got: keys, &pattern: inner} {
		if len(*object) != len(want) {
			t.Errorf("keys: %v, want %v", *object, want)
		}
		for _, k := range want {
			if _, ok := (*object)[k]; !ok {
				t.Errorf("no %s in %v", k, *object)
			}
		}
	}
	// 002-83: what the seed's own test asks of the file; 002-06: samples are texts.
	description, _ := got["issue_description"].(string)
	samples, _ := pattern["samples"].([]any)
	if got["improvement_type"] != "tooling" || got["priority"] != "high" || !strings.Contains(description, "repeated_tool_use") || len(samples) != 1 || samples[0] != "ls -l" {
		t.Errorf("%v", got)
	}
	if _, err := improve.ParseRequest([]byte(p.read(name))); err != nil {
		t.Errorf("we cannot read our own form: %v", err)
	}
	p.end(improve.Failed, "no")
	if p.read(name) != "" || p.read(improve.SpoolFolder+"/failed/"+id+".json") == "" {
		t.Error("what failed is not set aside")
	}
	for _, end := range []improve.State{improve.Done, improve.Cancelled, improve.Rejected} {
		p.it.State = improve.Queued
		p.Changed(p.it)
		if p.read(name) == "" {
			t.Fatal("it is not in the queue again")
		}
		p.end(end, "")
		if p.read(name) != "" {
			t.Errorf("%s: it is still in the queue", end)
		}
	}
	if len(p.failed) > 0 {
		t.Error(p.failed)
	}
}

// TestSeed002_80_WhatWaitsForAPersonIsInManualReview as reflection_{time}.json, two of one
// second beside each other (002-79).
func TestSeed002_80_WhatWaitsForAPersonIsInManualReview(t *testing.T) {
	p := newPlace(t, true)
	p.Changed(p.it)
	for range 2 {
		p.end(improve.Manual, "the forge did not answer")
	}
	names, err := filepath.Glob(filepath.Join(p.project, filepath.FromSlash(improve.ReviewFolder), "reflection_20261115_101500*.json"))
	if err != nil || len(names) != 2 {
		t.Fatalf("%q, %v", names, err)
	}
	var got improve.Result
	raw, err := os.ReadFile(names[0])
	if err == nil {
		err = json.Unmarshal([]byte(strings.ReplaceAll(string(raw), `"ls -l"`, `{"excerpt": "ls -l"}`)), &got)
	}
	if err != nil || got.SessionID != "test_session" || len(got.Patterns) != 1 || got.Patterns[0].Count != 5 || got.Metrics.TotalMessages != 50 || len(got.Suggestions) != 1 || got.Timestamp != now {
		t.Errorf("%+v, %v", got, err)
	}
	if !strings.Contains(string(raw), "the forge did not answer") || len(p.failed) > 0 {
		t.Errorf("%s\n%v", raw, p.failed)
	}
	untrusted := newPlace(t, false)
	untrusted.end(improve.Manual, "no")
	if _, err := os.Stat(filepath.Join(untrusted.project, ".claude")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a project that is not trusted is written to: %v", err)
	}
}

// A link of the project leads nothing of ours out of it, and what cannot be written is
// told.
func TestNothingIsWrittenOutOfTheProject(t *testing.T) {
	p := newPlace(t, true)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(p.project, ".claude")); err != nil {
		t.Skip("this system makes no links for us:", err)
	}
	p.Changed(p.it)
	p.end(improve.Manual, "no")
	left, err := os.ReadDir(outside)
	if err != nil || len(left) > 0 || len(p.failed) == 0 {
		t.Errorf("%v, %v, told %v", left, err, p.failed)
	}
}
