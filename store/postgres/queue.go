package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/row"
)

const (
	sqlAddItem = `INSERT INTO improvements (` + row.ItemColumns + `, filing) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING`

	// Those who take come one after the other: two that looked at the same time
	// would choose the same item, and both find the limit kept. The lock is held
	// by the server alone, for the length of one journey, so that nobody can be
	// stopped while holding it.
	sqlTurn = `SELECT pg_advisory_xact_lock($1)`
	sqlTake = `UPDATE improvements SET state = 'running', worker = $1, until = $2, updated = $3, fence = fence + 1, version = version + 1
		WHERE id = (SELECT id FROM improvements AS i WHERE (state = 'queued' OR state = 'running' AND until <= $3)
			AND (SELECT count(*) FROM improvements WHERE state = 'running' AND until > $3) < $4
			AND NOT EXISTS (SELECT 1 FROM jsonb_each_text($5::jsonb) AS most WHERE most.key = i.project
				AND most.value::int <= (SELECT count(*) FROM improvements AS r WHERE r.state = 'running' AND r.until > $3 AND r.project = i.project))
			ORDER BY created, id LIMIT 1 FOR UPDATE)
		RETURNING ` + row.ItemColumns

	taking int64 = migrating + 1 // the number of that lock
)

// queue keeps improvements next to the sessions.
type queue struct{ store *Store }

// Queue returns the store's queue of improvements. It ends with the store.
func (s *Store) Queue() improve.Queue {
	q := queue{s}
	return improve.Queue{Backlog: q, Leases: q, EffectLog: q, Switch: q, FileStore: q}
}

// stored is a row as the database has it, and back.
func stored(r row.Item, with func(string) string) row.Item {
	for _, s := range []*string{&r.Project, &r.Fingerprint, &r.Worker, &r.Body} {
		*s = with(*s)
	}
	return r
}

// filing is what there may be one item of.
func filing(r row.Item) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s", len(r.Project), r.Project, r.Fingerprint))
	return sum[:]
}

func (q queue) Add(ctx context.Context, it improve.Item) error {
	r, err := row.OfItem(it)
	if err != nil {
		return err
	}
	args := append(stored(r, text).Values(), filing(r))
	err = q.store.write(ctx, func(ctx context.Context, conn *pgxpool.Conn, unclear bool) error {
		tag, err := conn.Exec(ctx, sqlAddItem, args...)
		if err != nil || tag.RowsAffected() == 1 {
			return err
		}
		if unclear { // it may have been our own first try
			if there, _, err := one(conn.QueryRow(ctx, row.SQLItem, r.ID)); err != nil || there == r {
				return err
			}
		}
		return improve.ErrFiled
	})
	return q.about(ctx, "improvement "+r.ID, err)
}

// one scans an item, if there is one.
func one(found pgx.Row) (r row.Item, ok bool, err error) {
	err = found.Scan(r.Fields()...)
	if none(err) {
		return row.Item{}, false, nil
	}
	return stored(r, plain), err == nil, err
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
	ok := false
	err = q.store.read(ctx, func(ctx context.Context) (err error) {
		r, ok, err = one(q.store.pool.QueryRow(ctx, row.SQLItem, id))
		return err
	})
	if err == nil && !ok {
		err = improve.ErrNoItem
	}
	return r, q.about(ctx, "improvement "+id, err)
}

func (q queue) Items(ctx context.Context, states ...improve.State) (out []improve.Item, err error) {
	if err := row.CheckStates(states...); err != nil {
		return nil, err
	}
	err = q.store.read(ctx, func(ctx context.Context) (err error) {
		out, err = q.items(ctx, states)
		return err
	})
	return out, q.about(ctx, "list improvements", err)
}

func (q queue) items(ctx context.Context, states []improve.State) (out []improve.Item, err error) {
	sql, args := row.SQLItems(states)
	rows, err := q.store.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		r, _, err := one(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, r.Listed())
	}
	return out, rows.Err()
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
		now, ok, err := q.swap(ctx, next, was.Version)
		if err != nil {
			return improve.Item{}, q.about(ctx, "improvement "+id, err)
		}
		if ok {
			return now.Item()
		}
	}
}

// swap puts a row in the place of the one of a version.
func (q queue) swap(ctx context.Context, next row.Item, version int64) (now row.Item, ok bool, err error) {
	err = q.store.write(ctx, func(ctx context.Context, conn *pgxpool.Conn, unclear bool) (err error) {
		now, ok, err = one(conn.QueryRow(ctx, row.SQLSwapItem, next.State, next.Updated, text(next.Body), next.ID, version))
		if err == nil && !ok && unclear { // it may have been done by our own first try
			now, ok, err = one(conn.QueryRow(ctx, row.SQLItem, next.ID))
			ok = ok && now.Version == next.Version && now.Body == next.Body && now.Fence == next.Fence
		}
		return err
	})
	return now, ok, err
}

// Take is not tried again when the connection breaks: the item may have been
// taken, and is given to somebody else when its lease ends.
func (q queue) Take(ctx context.Context, worker string, now, until time.Time, most improve.Limits) (improve.Item, bool, error) {
	if err := row.CheckWorker(worker); err != nil {
		return improve.Item{}, false, err
	}
	var r row.Item
	ok := false
	err := q.store.once(ctx, func(ctx context.Context, conn *pgxpool.Conn, _ bool) (err error) {
		batch := &pgx.Batch{} // one journey and one transaction
		batch.Queue(sqlTurn, taking)
		batch.Queue(sqlTake, text(worker), row.Stamp(until), row.Stamp(now), most.All, row.ProjectLimits(most, text))
		answers := conn.SendBatch(ctx, batch)
		if _, err = answers.Exec(); err == nil {
			r, ok, err = one(answers.QueryRow())
		}
		if end := answers.Close(); err == nil {
			err = end
		}
		return err
	}, false)
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

// Clock is the server's: those of the machines may differ, and whose was fast would take
// away what another one is at.
func (q queue) Clock(ctx context.Context) (now time.Time, err error) {
	err = q.store.read(ctx, func(ctx context.Context) error {
		return q.store.pool.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now)
	})
	return now, q.about(ctx, "ask for the time", err)
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
	_, err := q.exec(ctx, row.SQLBegin, text(key), row.Stamp(at))
	return q.about(ctx, "record what is about to be made", err)
}

func (q queue) Last(ctx context.Context, key string) (time.Time, error) {
	if err := row.CheckKey(key); err != nil {
		return time.Time{}, err
	}
	var at string
	err := q.store.read(ctx, func(ctx context.Context) error { return q.store.pool.QueryRow(ctx, row.SQLLast, text(key)).Scan(&at) })
	if err != nil && !none(err) {
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
	err := q.store.read(ctx, func(ctx context.Context) error {
		return q.store.pool.QueryRow(ctx, row.SQLIsOn, row.HaltSwitch).Scan(&value)
	})
	if none(err) {
		err = nil
	}
	return value != 0, q.about(ctx, "read the kill switch", err)
}

// exec runs a statement that does no harm when it is run twice.
func (q queue) exec(ctx context.Context, sql string, args ...any) (n int64, err error) {
	err = q.store.write(ctx, func(ctx context.Context, conn *pgxpool.Conn, _ bool) error {
		tag, err := conn.Exec(ctx, sql, args...)
		n = tag.RowsAffected()
		return err
	})
	return n, err
}

// about says what an error is of and what to do.
func (q queue) about(ctx context.Context, what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, q.store.explain(ctx, err))
}
