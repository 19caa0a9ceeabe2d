package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
)

// Load returns the session as it was last committed.
func (s *Store) Load(ctx context.Context, id string) (trimtab.Session, error) {
	if err := trimtab.CheckID(id); err != nil {
		return trimtab.Session{}, err
	}
	var state []byte
	err := s.on.load.QueryRowContext(ctx, id).Scan(&state)
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
	created := c.Session.Version == 0
	c.Session.Version++
	b, err := encode(c)
	if err != nil {
		return 0, fmt.Errorf("commit session %s: %w", id, err)
	}
	tx, err := s.begin(ctx)
	if err != nil {
		return 0, fmt.Errorf("commit session %s: %w", id, s.explain(ctx, err))
	}
	// Once begun it is soon over. A context that may end would cost a goroutine for
	// every row.
	if err = s.put(context.WithoutCancel(ctx), tx, b, created); err == nil {
		err = tx.Commit()
	} else {
		// What went wrong is worth more than how the rollback went: SQLite has
		// often done it already.
		_ = tx.Rollback()
	}
	if err != nil {
		return 0, fmt.Errorf("commit session %s: %w", id, s.explain(ctx, err))
	}
	return c.Session.Version, nil
}

// batch is a commit as rows.
type batch struct {
	id       string
	session  []any
	first    int // number of the first message
	messages [][]any
	entries  [][]any
}

func encode(c trimtab.Commit) (batch, error) {
	s := c.Session
	b := batch{id: s.ID, first: s.Seq - len(c.Messages) + 1}
	if b.first < 1 {
		return b, fmt.Errorf("%d messages, but the session counts %d", len(c.Messages), s.Seq)
	}
	state, err := s.MarshalJSON()
	if err != nil {
		return b, err
	}
	b.session = []any{s.ID, s.Version, s.Host, s.Project, s.Model, s.Title, s.Parent, s.Step, stamp(s.Created), stamp(s.Updated), string(state)}
	for i, m := range c.Messages {
		body, err := m.MarshalJSON()
		if err != nil {
			return b, err
		}
		b.messages = append(b.messages, []any{s.ID, b.first + i, m.ID, string(m.Role), m.From, string(body)})
	}
	for i, e := range c.Entries {
		e.Seq = 0 // the row has it
		body, err := e.MarshalJSON()
		if err != nil {
			return b, fmt.Errorf("entry %d: %w", i+1, err)
		}
		b.entries = append(b.entries, []any{s.ID, 0, stamp(e.At), kind(e.Event), string(body)})
	}
	return b, nil
}

// kind is the name of an event: said, calling, …
func kind(ev trimtab.Event) string {
	name := fmt.Sprintf("%T", ev)
	return strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
}

// put writes a batch within a transaction.
func (s *Store) put(ctx context.Context, tx *sql.Tx, b batch, created bool) error {
	save, refused := s.on.update, trimtab.ErrConflict
	if created {
		save, refused = s.on.insert, trimtab.ErrExists
	}
	res, err := tx.StmtContext(ctx, save).ExecContext(ctx, b.session...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil {
		return err
	} else if n == 0 {
		return whyNot(ctx, tx, b.id, refused)
	}
	if len(b.messages)+len(b.entries) == 0 {
		return nil
	}
	var said, done int
	if err := tx.StmtContext(ctx, s.on.last).QueryRowContext(ctx, b.id).Scan(&said, &done); err != nil {
		return err
	}
	if len(b.messages) > 0 && b.first <= said {
		return fmt.Errorf("message %d is stored already", b.first)
	}
	for i := range b.entries {
		b.entries[i][1] = done + i + 1
	}
	if err := insert(ctx, tx, s.on.message, b.messages); err != nil {
		return err
	}
	return insert(ctx, tx, s.on.entry, b.entries)
}

func insert(ctx context.Context, tx *sql.Tx, st *sql.Stmt, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	st = tx.StmtContext(ctx, st)
	for _, row := range rows {
		if _, err := st.ExecContext(ctx, row...); err != nil {
			return err
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

func remove(ctx context.Context, tx *sql.Tx, id string) (int64, error) {
	res, err := tx.ExecContext(ctx, sqlRemove, id)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func missing(id string) error { return fmt.Errorf("session %s: %w", id, trimtab.ErrNotFound) }
