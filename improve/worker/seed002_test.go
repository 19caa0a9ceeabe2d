package worker_test

import (
	"testing"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/worker"
)

// TestSeed002_73_AProjectsOwnLimitHoldsForTheWorker: max_concurrent_workflows of a
// project counts, whatever the worker's own number is.
func TestSeed002_73_AProjectsOwnLimitHoldsForTheWorker(t *testing.T) {
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
	p := newPort(t, 2)
	p.cfg.Workers = 1
	p.limit = func(string) int { return 2 }
	both := make(chan struct{}, 2)
	meet := make(chan struct{})
	p.events = func(e worker.Event) {
		if e.Step == "clarify" && e.State == "began" {
			both <- struct{}{}
			if len(both) == 2 {
				close(meet)
			}
			select {
			case <-meet: // each waits for the other: with one at a time neither came on
			case <-t.Context().Done():
			}
		}
	}
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}
