package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/feed"
)

var _ feed.Source = (*Store)(nil)

// pollEvery is how often one who waits asks whether another connection has written: a
// number in memory that the processes share, so that it costs some microseconds.
const pollEvery = 100 * time.Millisecond

// Now is the cursor behind all changes so far.
func (s *Store) Now(ctx context.Context) (feed.Cursor, error) {
	seq, err := s.lastChange(ctx)
	if err != nil {
		return "", fmt.Errorf("look for changes: %w", s.explain(ctx, err))
	}
	return feed.Numbered(seq), nil
}

func (s *Store) lastChange(ctx context.Context) (seq uint64, err error) {
	return seq, s.read.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM changes`).Scan(&seq)
}

// place reads a cursor and refuses one that is ahead of the file.
func (s *Store) place(ctx context.Context, after feed.Cursor) (at, newest uint64, err error) {
	if at, err = after.Number(); err != nil {
		return 0, 0, err
	}
	if newest, err = s.lastChange(ctx); err != nil {
		return 0, 0, fmt.Errorf("look for changes: %w", s.explain(ctx, err))
	}
	if at > newest {
		return 0, 0, fmt.Errorf("%s: %w", after, feed.ErrCursor)
	}
	return at, newest, nil
}

// Changes returns what has changed after a cursor, the oldest change first.
func (s *Store) Changes(ctx context.Context, after feed.Cursor, limit int) (all []feed.Change, err error) {
	at, newest, err := s.place(ctx, after)
	if err != nil || at == newest {
		return nil, err
	}
	if limit <= 0 {
		limit = -1
	}
	rows, err := s.read.QueryContext(ctx, `SELECT kind, id, seq, version, removed FROM changes WHERE seq > $1 ORDER BY seq LIMIT $2`, at, limit)
	if err == nil {
		all, err = scanChanges(rows)
	}
	if err != nil {
		return nil, fmt.Errorf("look for changes: %w", s.explain(ctx, err))
	}
	return all, nil
}

func scanChanges(rows *sql.Rows) (all []feed.Change, err error) {
	defer rows.Close()
	for rows.Next() {
		var c feed.Change
		var seq uint64
		if err := rows.Scan(&c.Kind, &c.ID, &seq, &c.Version, &c.Removed); err != nil {
			return nil, err
		}
		c.Cursor = feed.Numbered(seq)
		all = append(all, c)
	}
	return all, rows.Err()
}

// Wait returns when there are changes after a cursor, or the context ends.
func (s *Store) Wait(ctx context.Context, after feed.Cursor) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for version := int64(-1); ; {
		now, err := s.dataVersion(ctx)
		if err == nil && now != version {
			version = now
			at, newest, err := s.place(ctx, after)
			if err != nil || at < newest {
				return err
			}
		}
		if err != nil {
			return fmt.Errorf("wait for changes: %w", s.explain(ctx, err))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// dataVersion changes when another connection has written. It is asked on a connection
// of its own, which never writes.
func (s *Store) dataVersion(ctx context.Context) (version int64, err error) {
	s.watchMu.Lock()
	if s.watch == nil {
		s.watch, err = pool(s.path, 1, "_busy_timeout=100", "_query_only=1", "_pragma=cache_size(-64)")
	}
	db := s.watch
	s.watchMu.Unlock()
	if err != nil {
		return 0, err
	}
	return version, db.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&version)
}

// Entries returns the journal of a session after a cursor, in order. It reads from the
// end, so that the length of the journal does not matter.
func (s *Store) Entries(ctx context.Context, session string, after feed.Cursor) iter.Seq2[trimtab.Entry, error] {
	return func(yield func(trimtab.Entry, error) bool) {
		at, err := after.Number()
		from := 0
		if err == nil {
			from, err = s.entriesAfter(ctx, session, at)
		}
		if err != nil {
			yield(trimtab.Entry{}, fmt.Errorf("session %s: %w", session, s.explain(ctx, err)))
			return
		}
		if from < 0 {
			return
		}
		for e, err := range s.Journal(ctx, session, from) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// entriesAfter is the number of the entry that those after a change follow; -1 where
// there are none.
func (s *Store) entriesAfter(ctx context.Context, session string, change uint64) (int, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT seq, change FROM journal WHERE session = $1 ORDER BY seq DESC`, session)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	from := -1
	for rows.Next() {
		var seq int
		var came uint64
		if err := rows.Scan(&seq, &came); err != nil {
			return 0, err
		}
		if came <= change {
			if from >= 0 {
				return seq, nil
			}
			return -1, nil
		}
		from = 0
	}
	return from, rows.Err()
}
