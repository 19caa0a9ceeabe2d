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

// How often old sessions are looked for, and how many are removed in one go: the store gives
// space back after each.
const (
	retainEvery = time.Hour
	retainBatch = 20_000
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
		if removed += n; err != nil || n == 0 || len(ids) < retainBatch {
			return removed, err
		}
	}
}

// Records is the files of a store that are kept by day.
type Records interface {
	RemoveFolders(ctx context.Context, from, to string) (int, error)
}

// PruneRecords removes the folders of the days before a time, of each prefix: the name of a
// folder is its prefix and the day. It says how many files there were.
func PruneRecords(ctx context.Context, st Records, before time.Time, prefixes ...string) (removed int, err error) {
	for _, prefix := range prefixes {
		n, err := st.RemoveFolders(ctx, prefix, prefix+before.UTC().Format(time.DateOnly))
		if removed += n; err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// Every does something now and every hour, until stop, which waits for it. It removes what
// is called so; several servers on one store may do it at once.
func Every(ctx context.Context, what string, log *slog.Logger, remove func(ctx context.Context) (int, error)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(retainEvery)
		defer tick.Stop()
		for {
			n, err := remove(ctx)
			if err != nil && ctx.Err() == nil {
				log.Warn("old "+what+" could not all be removed; tried again in an hour", "removed", n, "error", err)
			} else if n > 0 {
				log.Info("old "+what+" were removed", "count", n)
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
