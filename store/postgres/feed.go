package postgres

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/feed"
)

var _ feed.Source = (*Store)(nil)

// horizon is the oldest transaction that is still under way: of those before it all is
// seen that ever will be.
const (
	sqlHorizon = `SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint`
	sqlAhead   = `SELECT EXISTS (SELECT FROM changes WHERE at > $1::text::xid8 AND at < pg_snapshot_xmin(pg_current_snapshot())),
		pg_snapshot_xmin(pg_current_snapshot())::text::bigint`
	sqlChanges = `SELECT kind, id, at::text::bigint, version, removed FROM changes WHERE at > $1::text::xid8 AND at < pg_snapshot_xmin(pg_current_snapshot())
		AND ($2::bigint IS NULL OR at <= coalesce((SELECT at FROM changes WHERE at > $1::text::xid8 ORDER BY at OFFSET $2::bigint - 1 LIMIT 1), pg_snapshot_xmax(pg_current_snapshot())))
		ORDER BY at, kind, id`
	sqlEntriesAfter = `SELECT coalesce(max(seq), 0), (SELECT coalesce(max(seq), 0) FROM journal WHERE session = $1)
		FROM journal WHERE session = $1 AND (change IS NULL OR change <= $2::text::xid8)`

	// In a database that was restored from a dump the numbers are another server's.
	sqlForeign  = `SELECT EXISTS (SELECT FROM changes WHERE at > pg_snapshot_xmax(pg_current_snapshot()))`
	sqlRenumber = `WITH c AS (UPDATE changes SET at = pg_current_xact_id() WHERE at > pg_snapshot_xmax(pg_current_snapshot()))
		UPDATE journal SET change = NULL WHERE change > pg_snapshot_xmax(pg_current_snapshot())`
)

// renumber gives the changes of a database that another server has dumped numbers of this
// one: all of them are new to whoever watches.
func (s *Store) renumber(ctx context.Context) error {
	var there, foreign bool // tables of an older schema tell no changes
	err := s.pool.QueryRow(ctx, `SELECT to_regclass('changes') IS NOT NULL`).Scan(&there)
	if err == nil && there {
		err = s.pool.QueryRow(ctx, sqlForeign).Scan(&foreign)
	}
	if err == nil && foreign {
		_, err = s.pool.Exec(ctx, sqlRenumber)
	}
	return err
}

// Now is the cursor behind all changes so far, but for those under way.
func (s *Store) Now(ctx context.Context) (feed.Cursor, error) {
	var at int64
	err := s.read(ctx, func(ctx context.Context) error { return s.pool.QueryRow(ctx, sqlHorizon).Scan(&at) })
	if err != nil {
		return "", fmt.Errorf("look for changes: %w", s.explain(ctx, err))
	}
	return feed.Numbered(uint64(at - 1)), nil
}

// ahead reports whether there are changes after a cursor, and refuses one that is ahead
// of the server.
func (s *Store) ahead(ctx context.Context, after feed.Cursor) (some bool, err error) {
	at, err := after.Number()
	if err != nil {
		return false, err
	}
	var horizon int64
	err = s.read(ctx, func(ctx context.Context) error {
		return s.pool.QueryRow(ctx, sqlAhead, string(feed.Numbered(at))).Scan(&some, &horizon)
	})
	if err != nil {
		return false, fmt.Errorf("look for changes: %w", s.explain(ctx, err))
	}
	if at >= uint64(horizon) {
		return false, fmt.Errorf("%s: %w", after, feed.ErrCursor)
	}
	return some, nil
}

// Changes returns what has changed after a cursor, the oldest change first. Those of one
// transaction come together, whatever the limit is.
func (s *Store) Changes(ctx context.Context, after feed.Cursor, limit int) (all []feed.Change, err error) {
	if some, err := s.ahead(ctx, after); err != nil || !some {
		return nil, err
	}
	at, _ := after.Number() // ahead has read it
	most := any(nil)        // which is no limit
	if limit > 0 {
		most = limit
	}
	err = s.read(ctx, func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, sqlChanges, string(feed.Numbered(at)), most)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (c feed.Change, err error) {
			var at int64
			err = row.Scan(&c.Kind, &c.ID, &at, &c.Version, &c.Removed)
			c.Cursor = feed.Numbered(uint64(at))
			return c, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for changes: %w", s.explain(ctx, err))
	}
	return resumable(all, after), nil
}

// resumable gives the changes of one transaction, but for the last, the cursor before
// them: who stops between them hears of all of them again.
func resumable(all []feed.Change, before feed.Cursor) []feed.Change {
	for i := range all {
		if i+1 < len(all) && all[i].Cursor == all[i+1].Cursor {
			all[i].Cursor = before
		} else {
			before = all[i].Cursor
		}
	}
	return all
}

// Entries returns the journal of a session after a cursor, in order.
func (s *Store) Entries(ctx context.Context, session string, after feed.Cursor) iter.Seq2[trimtab.Entry, error] {
	return func(yield func(trimtab.Entry, error) bool) {
		var from, last int
		at, err := after.Number()
		if err == nil {
			err = s.read(ctx, func(ctx context.Context) error {
				return s.pool.QueryRow(ctx, sqlEntriesAfter, session, string(feed.Numbered(at))).Scan(&from, &last)
			})
		}
		if err != nil {
			yield(trimtab.Entry{}, fmt.Errorf("session %s: %w", session, s.explain(ctx, err)))
			return
		}
		if from == last {
			return
		}
		for e, err := range s.Journal(ctx, session, from) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// channel is where those who write say so, all of a database in one.
const channel = "trimtab_changes"

// How long a process gathers changes before it says that there are some; how long one
// who waits goes without hearing before it looks by itself, for a process may have died
// before it said so, and a pooler may keep us from hearing; and the first of the looks
// while a transaction that is still under way holds back one that has ended.
const (
	gather    = 20 * time.Millisecond
	deaf      = 5 * time.Second
	firstLook = 10 * time.Millisecond
)

// bell tells others that something was written, and hears it of them.
type bell struct {
	mu      sync.Mutex
	ringing bool
	waiting int           // who wait
	rung    chan struct{} // closed when something was heard
	stop    context.CancelFunc
}

// changed says that something was written, soon and once for many. It is no part of the
// transaction: the server would let one of those end at a time.
func (s *Store) changed() {
	s.bell.mu.Lock()
	defer s.bell.mu.Unlock()
	if s.bell.ringing {
		return
	}
	s.bell.ringing = true
	time.AfterFunc(gather, func() {
		s.bell.mu.Lock()
		s.bell.ringing = false
		s.bell.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), s.limit)
		defer cancel()
		_, _ = s.pool.Exec(ctx, `SELECT pg_notify($1, '')`, channel) // who waits looks by itself, too
	})
}

// Wait returns when there are changes after a cursor, or the context ends.
func (s *Store) Wait(ctx context.Context, after feed.Cursor) error {
	defer s.hear()()
	for pause := deaf; ; {
		rung := s.nextRing()
		if some, err := s.ahead(ctx, after); err != nil || some {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-rung:
			pause = firstLook
		case <-timer.C:
			pause = min(2*pause, deaf)
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		timer.Stop()
	}
}

func (s *Store) nextRing() <-chan struct{} {
	s.bell.mu.Lock()
	defer s.bell.mu.Unlock()
	if s.bell.rung == nil {
		s.bell.rung = make(chan struct{})
	}
	return s.bell.rung
}

// hear listens on a connection of its own while anybody waits.
func (s *Store) hear() (done func()) {
	s.bell.mu.Lock()
	defer s.bell.mu.Unlock()
	if s.bell.waiting++; s.bell.waiting == 1 && s.bell.stop == nil {
		var ctx context.Context
		ctx, s.bell.stop = context.WithCancel(context.Background())
		go s.listen(ctx)
	}
	return func() {
		s.bell.mu.Lock()
		s.bell.waiting--
		s.bell.mu.Unlock()
	}
}

// listen hears what others say until nobody has waited for a while, or the store is closed.
func (s *Store) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := s.listenOnce(ctx)
		s.bell.mu.Lock()
		if err == nil || s.bell.waiting == 0 {
			s.bell.stop()
			s.bell.stop = nil
			s.bell.mu.Unlock()
			return
		}
		s.bell.mu.Unlock()
		select {
		case <-time.After(time.Second): // the server may be restarting
		case <-ctx.Done():
		}
	}
}

// listenOnce returns nil when nobody waits any more.
func (s *Store) listenOnce(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, `LISTEN `+channel); err != nil {
		return err
	}
	s.ring() // what was said before we listened
	for {
		waiting, cancel := context.WithTimeout(ctx, deaf)
		_, err := conn.WaitForNotification(waiting)
		quiet := waiting.Err() != nil
		cancel()
		s.bell.mu.Lock()
		waits := s.bell.waiting
		s.bell.mu.Unlock()
		switch {
		case waits == 0:
			return nil
		case err == nil:
			s.ring()
		case !quiet || ctx.Err() != nil:
			return err
		}
	}
}

// ring wakes those who wait.
func (s *Store) ring() {
	s.bell.mu.Lock()
	defer s.bell.mu.Unlock()
	if s.bell.rung != nil {
		close(s.bell.rung)
		s.bell.rung = nil
	}
}
