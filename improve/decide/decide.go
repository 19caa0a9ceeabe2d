// Package decide is what people decide about requests for improvement: they approve or
// reject them, say something about them, stop them or have them tried again. It changes the
// queue and does no work: see improve/worker.
//
//	it, err := decide.Do(ctx, queue, id, decide.Act{Name: "approve", By: "ann", Seen: shown, At: now})
package decide

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/trimtab/trimtab/improve"
)

// Approve lets an item be worked on that waits for a person, and records who they are. Of
// two who approve at once one wins, and the other is told who.
func Approve(ctx context.Context, q improve.Backlog, id, by string, now time.Time) (improve.Item, error) {
	return change(ctx, q, id, now, func(it *improve.Item) error {
		if it.State != improve.Awaiting {
			who := ""
			if a := it.Approved; a != nil {
				who = fmt.Sprintf("; it was approved by %s at %s", cmp.Or(a.By, "somebody"), a.At.Format("2006-01-02 15:04 UTC"))
			}
			return fmt.Errorf("%s is %s, not awaiting approval%s", id, it.State, who)
		}
		it.State, it.Why, it.Approved = improve.Queued, "approved", &improve.Approval{By: by, At: now.UTC()}
		return nil
	})
}

// Reject ends an item that waits for a person. It is not asked for again.
func Reject(ctx context.Context, q improve.Backlog, id, why string, now time.Time) (improve.Item, error) {
	return change(ctx, q, id, now, func(it *improve.Item) error {
		if it.State != improve.Awaiting && it.State != improve.Queued {
			return fmt.Errorf("%s is %s; only what has not begun can be rejected", id, it.State)
		}
		it.State, it.Why = improve.Rejected, why
		return nil
	})
}

// Cancel stops an item. One that is at work is cancelled by its worker, which
// clears up first.
func Cancel(ctx context.Context, q improve.Backlog, id string, now time.Time) (improve.Item, error) {
	return change(ctx, q, id, now, func(it *improve.Item) error {
		switch {
		case it.State.Ended():
			return fmt.Errorf("%s is %s already", id, it.State)
		case it.State == improve.Running, len(it.Evidence) > 0: // there is something to clear up
			it.Cancel = true
		default:
			it.State, it.Why = improve.Cancelled, "cancelled before it began"
		}
		return nil
	})
}

// Retry begins a new attempt: with the same issue, and where the work only waits
// for a person, at the step where it stopped. Work that failed was cleared up, so
// it begins again at the branch.
func Retry(ctx context.Context, q improve.Backlog, id string, now time.Time) (improve.Item, error) {
	return change(ctx, q, id, now, func(it *improve.Item) error {
		kept := len(it.Evidence)
		switch it.State {
		case improve.Failed, improve.Cancelled:
			if i := slices.IndexFunc(it.Evidence, func(e improve.Evidence) bool { return e.Step == improve.StepBranch }); i >= 0 {
				kept = i // evidence is in the order of the steps
			}
		case improve.Manual:
		case improve.Awaiting, improve.Queued, improve.Running, improve.Done, improve.Rejected:
			return fmt.Errorf("%s is %s; only what failed, was cancelled or waits for a person can be tried again", id, it.State)
		}
		// The numbers are those of the list that the item was worked on with: they tell
		// whether one is missing also where the list has changed since.
		for i, e := range it.Evidence { // all that comes after a step that is not done must be done again
			if e.Number != i+1 || e.Ended.IsZero() || e.Error != "" {
				kept = min(kept, i)
			}
		}
		it.Evidence, it.Run = slices.Clone(it.Evidence[:kept]), ""
		it.State, it.Why, it.Cancel = improve.Queued, "", false
		it.Attempt = max(it.Attempt, 1) + 1
		return nil
	})
}

func change(ctx context.Context, q improve.Backlog, id string, now time.Time, to func(*improve.Item) error) (improve.Item, error) {
	return q.Change(ctx, id, 0, func(it *improve.Item) error {
		it.Updated = now.UTC()
		return to(it)
	})
}
