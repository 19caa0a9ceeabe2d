package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/row"
)

// Load returns the session as it was last committed.
func (s *Store) Load(ctx context.Context, id string) (trimtab.Session, error) {
	if err := trimtab.CheckID(id); err != nil {
		return trimtab.Session{}, err
	}
	var state []byte
	err := patiently(ctx, s.busy, func() error { return s.on.load.QueryRowContext(ctx, id).Scan(&state) })
	if errors.Is(err, sql.ErrNoRows) {
		return trimtab.Session{}, missing(id)
	}
	if err != nil {
		return trimtab.Session{}, fmt.Errorf("load session %s: %w", id, s.explain(ctx, err))
	}
	var out trimtab.Session
	if err := json.Unmarshal(state, &out); err != nil {
		return trimtab.Session{}, fmt.Errorf("load session %s from %s: %w: %w", id, s.path, trimtab.ErrDamaged, err)
	}
	return out, nil
}

// Version returns the version of the session, without reading it.
func (s *Store) Version(ctx context.Context, id string) (version int, err error) {
	if err := trimtab.CheckID(id); err != nil {
		return 0, err
	}
	err = s.on.version.QueryRowContext(ctx, id).Scan(&version)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, missing(id)
	}
	if err != nil {
		return 0, fmt.Errorf("version of session %s: %w", id, s.explain(ctx, err))
	}
	return version, nil
}

// Commit stores the change whole and returns the session's new version, once it
// is on the disk.
func (s *Store) Commit(ctx context.Context, c trimtab.Commit) (int, error) {
	id := c.Session.ID
	if err := trimtab.CheckID(id); err != nil {
		return 0, err
	}
	b, err := row.OfCommit(c)
	if err != nil {
		return 0, fmt.Errorf("commit session %s: %w", id, err)
	}
	tx, err := s.begin(ctx)
	if err != nil {
		return 0, fmt.Errorf("commit session %s: %w", id, s.explain(ctx, err))
	}
	// Once begun it is soon over. A context that may end would cost a goroutine for
	// every row.
	if err = s.put(context.WithoutCancel(ctx), tx, b); err == nil {
		err = tx.Commit()
	} else {
		// What went wrong is worth more than how the rollback went: SQLite has
		// often done it already.
		_ = tx.Rollback()
	}
	if err != nil {
		return 0, fmt.Errorf("commit session %s: %w", id, s.explain(ctx, err))
	}
	return b.Version, nil
}

// put writes a change within a transaction.
func (s *Store) put(ctx context.Context, tx *sql.Tx, b row.Commit) error {
	save, refused := s.on.update, trimtab.ErrConflict
	if b.New() {
		save, refused = s.on.insert, trimtab.ErrExists
	}
	res, err := tx.StmtContext(ctx, save).ExecContext(ctx, b.ID, b.Version, b.Host, b.Project, b.Model, b.Title, b.Parent, b.Step, b.Created, b.Updated, b.State, b.User, b.Repo)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil {
		return err
	} else if n == 0 {
		return whyNot(ctx, tx, b.ID, refused)
	}
	if len(b.Messages)+len(b.Entries) == 0 {
		return nil
	}
	var said, done, change int // the change is that of the session's row just now
	if err := tx.StmtContext(ctx, s.on.last).QueryRowContext(ctx, b.ID).Scan(&said, &done, &change); err != nil {
		return err
	}
	if len(b.Messages) > 0 && b.First <= said {
		return fmt.Errorf("message %d is stored already", b.First)
	}
	return s.appendLines(ctx, tx, b, done, change)
}

// appendLines adds the messages and the entries, whose numbers follow done.
func (s *Store) appendLines(ctx context.Context, tx *sql.Tx, b row.Commit, done, change int) error {
	if len(b.Messages) > 0 {
		st := tx.StmtContext(ctx, s.on.message)
		for i, m := range b.Messages {
			if _, err := st.ExecContext(ctx, b.ID, b.First+i, m.ID, m.Role, m.Origin, m.Body); err != nil {
				return err
			}
		}
	}
	if len(b.Entries) > 0 {
		st := tx.StmtContext(ctx, s.on.entry)
		for i, e := range b.Entries {
			if _, err := st.ExecContext(ctx, b.ID, done+i+1, e.At, e.Kind, e.Body, change); err != nil {
				return err
			}
		}
	}
	return nil
}

// whyNot tells a session that is gone from one that is otherwise.
func whyNot(ctx context.Context, tx *sql.Tx, id string, otherwise error) error {
	var n int
	if err := tx.QueryRowContext(ctx, sqlExists, id).Scan(&n); err != nil {
		return err
	}
	if n == 0 {
		return trimtab.ErrNotFound
	}
	return otherwise
}

// Remove deletes a session with all it said and did. Its words are overwritten
// in the file at once, or, if someone is reading, when the file is next tidied.
func (s *Store) Remove(ctx context.Context, id string) error {
	if err := trimtab.CheckID(id); err != nil {
		return err
	}
	tx, err := s.begin(ctx)
	if err == nil {
		var gone int64
		gone, err = remove(ctx, tx, id)
		if err == nil && gone == 0 {
			err = trimtab.ErrNotFound
		}
		if err == nil {
			err = tx.Commit()
		} else {
			_ = tx.Rollback()
		}
	}
	if err != nil {
		return fmt.Errorf("remove session %s: %w", id, s.explain(ctx, err))
	}
	_, _ = s.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return nil
}

// removedAtOnce is how many sessions a transaction of RemoveAll removes: others who write
// wait no longer than for that.
const removedAtOnce = 100

// RemoveAll deletes sessions with all they said and did, many in a transaction, and
// shrinks the file, unless someone is at work in it. It returns how many there were; one
// that is gone already is none.
func (s *Store) RemoveAll(ctx context.Context, ids []string) (removed int, err error) {
	for some := range slices.Chunk(ids, removedAtOnce) {
		tx, err := s.begin(ctx)
		gone := 0
		for _, id := range some {
			if err != nil {
				break
			}
			var n int64
			n, err = remove(ctx, tx, id)
			gone += int(n)
		}
		if err == nil {
			err = tx.Commit()
		} else if tx != nil {
			_ = tx.Rollback()
		}
		if err != nil {
			return removed, fmt.Errorf("remove %d sessions: %w", len(ids), s.explain(ctx, err))
		}
		removed += gone
	}
	if removed > 0 {
		_, _ = s.write.ExecContext(ctx, "VACUUM") // where it cannot shrink now, its free pages are used again
		_, _ = s.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return removed, nil
}

func remove(ctx context.Context, tx *sql.Tx, id string) (int64, error) {
	res, err := tx.ExecContext(ctx, sqlRemove, id)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func missing(id string) error { return fmt.Errorf("session %s: %w", id, trimtab.ErrNotFound) }
