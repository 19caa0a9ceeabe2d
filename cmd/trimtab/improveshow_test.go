package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
)

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
	if _, _, err := q.Take(t.Context(), "one", now.Add(-time.Hour), now.Add(-time.Minute), improve.Limits{All: 1}); err != nil {
		t.Fatal(err)
	}
	if err := a.improveList(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "  abandoned  ") || !strings.Contains(said.String(), "1 worker is gone; trimtab improve run goes on at the same step") {
		t.Errorf("%s\n%s", &out, &said)
	}
}
