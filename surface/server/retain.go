package server

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"github.com/trimtab/trimtab"
)

// Prunable is the part of a store that old sessions are removed from, many at once.
type Prunable interface {
	List(ctx context.Context, q trimtab.Query) iter.Seq2[trimtab.Info, error]
	RemoveAll(ctx context.Context, ids []string) (int, error)
}

// How often old sessions are looked for, and how many are removed at once: a transaction
// that removes all would hold up those who write.
const (
	retainEvery = time.Hour
	retainBatch = 200
)

// Prune removes sessions that have not changed since a time, and says how many.
func Prune(ctx context.Context, st Prunable, before time.Time) (removed int, err error) {
	for {
		var ids []string
		for info, err := range st.List(ctx, trimtab.Query{Before: before, Limit: retainBatch}) {
			if err != nil {
				return removed, err
			}
			ids = append(ids, info.ID)
		}
		if len(ids) == 0 {
			return removed, nil
		}
		n, err := st.RemoveAll(ctx, ids)
		if removed += n; err != nil || n == 0 {
			return removed, err
		}
	}
}

// Retain removes sessions that have not changed for so long, now and every hour. Stop ends
// that and waits. Several servers on one store may do it at once.
func Retain(ctx context.Context, st Prunable, keep time.Duration, clock func() time.Time, log *slog.Logger) (stop func()) {
	if keep <= 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(retainEvery)
		defer tick.Stop()
		for {
			n, err := Prune(ctx, st, clock().Add(-keep))
			if err != nil && ctx.Err() == nil {
				log.Warn("old sessions could not all be removed; tried again in an hour", "removed", n, "error", err)
			} else if n > 0 {
				log.Info("old sessions were removed", "count", n)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}
