package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/row"
)

// sqlTake is one statement, and SQLite has one writer at a time: nobody comes
// between the choice and the change.
const sqlTake = `UPDATE improvements SET state = 'running', worker = $1, until = $2, updated = $3, fence = fence + 1, version = version + 1
	WHERE id = (SELECT id FROM (
			SELECT * FROM (SELECT created, id FROM improvements AS i WHERE state = 'queued' AND ` + sqlFree + ` ORDER BY created, id LIMIT 1)
			UNION ALL
			SELECT * FROM (SELECT created, id FROM improvements AS i WHERE state = 'running' AND until <= $3 AND ` + sqlFree + ` ORDER BY created, id LIMIT 1)
		) ORDER BY created, id LIMIT 1)
	AND (SELECT count(*) FROM improvements WHERE state = 'running' AND until > $3) < $4
	RETURNING ` + row.ItemColumns

// sqlFree is true of an item whose project is below its own limit, or has none.
const sqlFree = `NOT EXISTS (SELECT 1 FROM json_each($5) AS most WHERE most.key = i.project
	AND most.value <= (SELECT count(*) FROM improvements AS r WHERE r.state = 'running' AND r.until > $3 AND r.project = i.project))`

// queue keeps improvements next to the sessions.
type queue struct{ *Store }

// Queue returns the store's queue of improvements. It ends with the store.
func (s *Store) Queue() improve.Queue {
	q := queue{s}
	return improve.Queue{Backlog: q, Leases: q, EffectLog: q, Switch: q, FileStore: q}
}

func (q queue) Add(ctx context.Context, it improve.Item) error {
	r, err := row.OfItem(it)
	if err != nil {
		return err
	}
	n, err := q.exec(ctx, row.SQLAddItem, r.Values()...)
	if err == nil && n == 0 {
		err = improve.ErrFiled
	}
	return q.about(ctx, "improvement "+r.ID, err)
}

func (q queue) Item(ctx context.Context, id string) (improve.Item, error) {
	r, err := q.find(ctx, id)
	if err != nil {
		return improve.Item{}, err
	}
	return r.Item()
}

func (q queue) find(ctx context.Context, id string) (r row.Item, err error) {
	if err := row.CheckItemID(id); err != nil {
		return r, err
	}
	err = q.read.QueryRowContext(ctx, row.SQLItem, id).Scan(r.Fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		err = improve.ErrNoItem
	}
	return r, q.about(ctx, "improvement "+id, err)
}

func (q queue) Items(ctx context.Context, states ...improve.State) (out []improve.Item, err error) {
	if err := row.CheckStates(states...); err != nil {
		return nil, err
	}
	text, args := row.SQLItems(states)
	rows, err := q.read.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, q.about(ctx, "list improvements", err)
	}
	defer rows.Close()
	for rows.Next() {
		var r row.Item
		if err := rows.Scan(r.Fields()...); err != nil {
			return nil, q.about(ctx, "list improvements", err)
		}
		out = append(out, r.Listed())
	}
	return out, q.about(ctx, "list improvements", rows.Err())
}

// Change calls change while nothing is locked, so that it may take its time and
// use the queue itself. It looks again if somebody was faster.
func (q queue) Change(ctx context.Context, id string, fence int64, change func(*improve.Item) error) (improve.Item, error) {
	for {
		was, err := q.find(ctx, id)
		if err != nil {
			return improve.Item{}, err
		}
		next, err := was.Change(fence, change)
		if err != nil {
			return improve.Item{}, err
		}
		now, ok, err := q.one(ctx, row.SQLSwapItem, next.State, next.Updated, next.Body, next.ID, was.Version)
		switch {
		case err != nil:
			return improve.Item{}, q.about(ctx, "improvement "+id, err)
		case ok:
			return now.Item()
		}
	}
}

func (q queue) Take(ctx context.Context, worker string, now, until time.Time, most improve.Limits) (improve.Item, bool, error) {
	if err := row.CheckWorker(worker); err != nil {
		return improve.Item{}, false, err
	}
	r, ok, err := q.one(ctx, sqlTake, worker, row.Stamp(until), row.Stamp(now), most.All, row.ProjectLimits(most, func(s string) string { return s }))
	if err != nil || !ok {
		return improve.Item{}, false, q.about(ctx, "take an improvement", err)
	}
	it, err := r.Item()
	if errors.Is(err, trimtab.ErrDamaged) {
		if _, err := q.exec(ctx, row.SQLSetAside, r.ID, r.Fence); err != nil {
			return improve.Item{}, false, q.about(ctx, "improvement "+r.ID, err)
		}
		return q.Take(ctx, worker, now, until, most)
	}
	return it, err == nil, err
}

func (q queue) Renew(ctx context.Context, id string, fence int64, until time.Time) error {
	if err := row.CheckItemID(id); err != nil {
		return err
	}
	n, err := q.exec(ctx, row.SQLRenew, row.Stamp(until), id, fence)
	if err == nil && n == 0 {
		if _, err := q.find(ctx, id); err != nil {
			return err
		}
		err = improve.ErrLost
	}
	return q.about(ctx, "improvement "+id, err)
}

func (q queue) Begin(ctx context.Context, key string, at time.Time) error {
	if err := row.CheckKey(key); err != nil {
		return err
	}
	_, err := q.exec(ctx, row.SQLBegin, key, row.Stamp(at))
	return q.about(ctx, "record what is about to be made", err)
}

func (q queue) Last(ctx context.Context, key string) (time.Time, error) {
	if err := row.CheckKey(key); err != nil {
		return time.Time{}, err
	}
	var at string
	err := q.read.QueryRowContext(ctx, row.SQLLast, key).Scan(&at)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, q.about(ctx, "look up what was about to be made", err)
	}
	return row.Time(at)
}

func (q queue) Halt(ctx context.Context, halt bool) error {
	value := 0
	if halt {
		value = 1
	}
	_, err := q.exec(ctx, row.SQLSwitch, row.HaltSwitch, value)
	return q.about(ctx, "set the kill switch", err)
}

func (q queue) Halted(ctx context.Context) (bool, error) {
	var value int
	err := q.read.QueryRowContext(ctx, row.SQLIsOn, row.HaltSwitch).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return value != 0, q.about(ctx, "read the kill switch", err)
}

// exec runs a statement that writes, and returns once it is on the disk.
func (q queue) exec(ctx context.Context, text string, args ...any) (n int64, err error) {
	err = q.inside(ctx, func(ctx context.Context, tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, text, args...)
		if err == nil {
			n, err = res.RowsAffected()
		}
		return err
	})
	return n, err
}

// one runs a statement that writes one row or none, and returns it once it is on
// the disk.
func (q queue) one(ctx context.Context, text string, args ...any) (r row.Item, ok bool, err error) {
	err = q.inside(ctx, func(ctx context.Context, tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, text, args...).Scan(r.Fields()...)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		ok = err == nil
		return err
	})
	return r, ok, err
}

// inside runs do in a transaction.
func (s *Store) inside(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	tx, err := s.begin(ctx)
	if err != nil {
		return err
	}
	// Once begun it is soon over, and must not be cut between the change and the
	// word that it was made.
	if err := do(context.WithoutCancel(ctx), tx); err != nil {
		_ = tx.Rollback() // what went wrong is worth more than how this went
		return err
	}
	return tx.Commit()
}

// about says what an error is of and what to do.
func (q queue) about(ctx context.Context, what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, q.explain(ctx, err))
}
