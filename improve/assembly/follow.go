package assembly

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/worker"
)

// The limits of following up.
const (
	followFor  = 30 * 24 * time.Hour // after that a pull request is its people's alone
	maxFollows = 50                  // of one pass
)

// FollowUp looks at the open pull requests of work that is done, and queues again those
// below which people wrote something, or whose checks have failed since: their last step is
// done once more. It makes nothing at a forge. One that cannot be looked at is told and
// passed over.
func (a *Assembly) FollowUp(ctx context.Context, log *slog.Logger) error {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	q, err := a.opt.Queue(ctx)
	if err != nil {
		return err
	}
	items, err := q.Items(ctx, improve.Done)
	if err != nil {
		return err
	}
	looked, away := 0, map[string]bool{}
	for _, it := range items {
		if !worker.Followed(it) || a.opt.Now().Sub(it.Updated) > followFor || looked == maxFollows || away[it.Project] {
			continue
		}
		looked++
		if err := a.follow(ctx, q, it); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			away[it.Project] = true // its forge may be: the others would wait for it, too
			log.Warn("improve: look at the pull request", "item", it.ID, "error", err)
		}
	}
	return nil
}

func (a *Assembly) follow(ctx context.Context, q improve.Queue, it improve.Item) error {
	env, err := a.Env(ctx, it)
	if err != nil {
		return err
	}
	job, err := env.Job(it, nil, nil)
	if err != nil {
		return err
	}
	why, ended, err := job.Attention(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("look at its pull request: %w", err)
	case ended != "":
		_, err = worker.Unfollow(ctx, q, it, string(ended))
	case why != "":
		_, err = worker.Reopen(ctx, q, it, why, a.opt.Now())
	}
	return err
}
