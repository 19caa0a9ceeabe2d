package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
)

// TestWorkWhoseWorkerIsGoneIsNotSaidToBeAtWork: nothing happens to it until somebody
// begins, so a person must be told.
func TestWorkWhoseWorkerIsGoneIsNotSaidToBeAtWork(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	it := improve.Item{ID: "workflow_20261115_101500_k3x9", State: improve.Running, Until: now.Add(time.Second), Evidence: []improve.Evidence{
		{Number: 1, Step: "clarify", Began: now.Add(-time.Hour), Ended: now.Add(-time.Hour)}, {Number: 2, Step: "issue", Began: now.Add(-time.Hour)},
	}}
	for _, c := range []struct {
		until    time.Time
		has, not []string
	}{
		{now.Add(time.Second), []string{"running 2/13", "at work"}, []string{"abandoned", "improve run"}},
		{now, []string{"abandoned 2/13", "no sign of life since", "trimtab improve run goes on at the same step", " 2 issue             left"}, []string{"at work", "running"}},
	} {
		var out, said bytes.Buffer
		a := newApp()
		a.out, a.err, a.clock = &out, &said, func() time.Time { return now }
		a.environ = []string{"TRIMTAB_DATA=" + t.TempDir(), "HOME=" + t.TempDir()}
		it.Until = c.until
		a.printItem(it, "papers")
		for _, want := range c.has {
			if !strings.Contains(out.String(), want) {
				t.Errorf("it does not say %q:\n%s", want, &out)
			}
		}
		for _, no := range c.not {
			if strings.Contains(out.String(), no) {
				t.Errorf("it says %q:\n%s", no, &out)
			}
		}
	}
}

func TestTheListTellsOfWorkersThatAreGone(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	var out, said bytes.Buffer
	a := newApp()
	a.out, a.err, a.clock = &out, &said, func() time.Time { return now }
	a.environ = []string{"TRIMTAB_DATA=" + t.TempDir(), "HOME=" + t.TempDir()}
	t.Cleanup(func() { _ = a.close() })
	q, err := a.queue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Add(t.Context(), improve.Item{ID: "workflow_20261115_101500_k3x9", Fingerprint: "f", Project: "/p", State: improve.Queued, Created: now, Updated: now}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := q.Take(t.Context(), "one", now.Add(-time.Hour), now.Add(-time.Minute), 1); err != nil {
		t.Fatal(err)
	}
	if err := a.improveList(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "  abandoned  ") || !strings.Contains(said.String(), "1 worker is gone; trimtab improve run goes on at the same step") {
		t.Errorf("%s\n%s", &out, &said)
	}
}
