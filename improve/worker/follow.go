package worker

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
)

// pullState is the fact that tells how a pull request ended after the work was done.
const pullState = "pull"

// Followed reports whether the pull request of work that is done is still looked at.
func Followed(it improve.Item) bool {
	_, opened := evidence(it.Evidence, steps.PullRequest)
	e, ok := evidence(it.Evidence, steps.Mergeable)
	return it.State == improve.Done && opened && ok && e.Facts[pullState] == ""
}

// Reopen queues work that is done again, at its last step: people wrote something below its
// pull request, or a check has failed since.
func Reopen(ctx context.Context, q improve.Backlog, it improve.Item, why string, now time.Time) (improve.Item, error) {
	return followed(ctx, q, it, func(it *improve.Item, at int) {
		it.Evidence, it.Run = slices.Delete(slices.Clone(it.Evidence), at, at+1), ""
		it.State, it.Why, it.Updated = improve.Queued, why, now.UTC()
	})
}

// Unfollow remembers how a pull request ended: nobody need look at it any more.
func Unfollow(ctx context.Context, q improve.Backlog, it improve.Item, state string) (improve.Item, error) {
	return followed(ctx, q, it, func(it *improve.Item, at int) {
		it.Evidence = slices.Clone(it.Evidence)
		facts := maps.Clone(it.Evidence[at].Facts)
		if facts == nil {
			facts = map[string]string{}
		}
		facts[pullState] = state
		it.Evidence[at].Facts = facts
	})
}

// followed changes an item that is still done, and as it was looked at.
func followed(ctx context.Context, q improve.Backlog, was improve.Item, change func(it *improve.Item, at int)) (improve.Item, error) {
	return q.Change(ctx, was.ID, 0, func(it *improve.Item) error {
		at := slices.IndexFunc(it.Evidence, func(e improve.Evidence) bool { return e.Step == steps.Mergeable })
		if !Followed(*it) || at < 0 || !it.Updated.Equal(was.Updated) {
			return fmt.Errorf("%s is not as it was looked at", was.ID)
		}
		change(it, at)
		return nil
	})
}
