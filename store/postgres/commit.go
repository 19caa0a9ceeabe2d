package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/row"
)

// A commit is one statement: the session first, and its lines if that was done.
const (
	sqlInsert = `WITH s AS (
			INSERT INTO sessions (id, version, host, project, model, title, parent, step, created, updated, state, owner, repo)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $20, $21) ON CONFLICT (id) DO NOTHING RETURNING id
		)` + sqlLines
	// A session that was removed and begun again under its id is another one,
	// even if it has come to the same version: created tells them apart.
	sqlUpdate = `WITH s AS (
			UPDATE sessions SET version = $2, host = $3, project = $4, model = $5, title = $6, parent = $7, step = $8, updated = $10, state = $11, owner = $20, repo = $21
			WHERE id = $1 AND version = $2 - 1 AND created = $9
			AND (cardinality($13::text[]) = 0 OR NOT EXISTS (SELECT FROM messages WHERE session = $1 AND seq >= $12::bigint))
			RETURNING id
		)` + sqlLines
	sqlLines = `, m AS (
			INSERT INTO messages (session, seq, id, role, origin, body)
			SELECT s.id, $12::bigint + n - 1, i, r, o, b FROM s, unnest($13::text[], $14::text[], $15::text[], $16::text[]) WITH ORDINALITY AS l (i, r, o, b, n)
		), j AS (
			INSERT INTO journal (session, seq, at, kind, body)
			SELECT s.id, (SELECT coalesce(max(seq), 0) FROM journal WHERE session = $1) + n, a, k, b
			FROM s, unnest($17::text[], $18::text[], $19::text[]) WITH ORDINALITY AS l (a, k, b, n)
		) SELECT count(*) FROM s`

	sqlLoad      = `SELECT state FROM sessions WHERE id = $1`
	sqlVersion   = `SELECT version FROM sessions WHERE id = $1`
	sqlRemove    = `DELETE FROM sessions WHERE id = $1`
	sqlRemoveAll = `DELETE FROM sessions WHERE id = ANY($1)`
	sqlWhyNot    = `SELECT version, created, state, (SELECT coalesce(max(seq), 0) FROM messages WHERE session = $1) FROM sessions WHERE id = $1`
)

// Load returns the session as it was last committed.
func (s *Store) Load(ctx context.Context, id string) (trimtab.Session, error) {
	if err := trimtab.CheckID(id); err != nil {
		return trimtab.Session{}, err
	}
	var state string
	err := s.read(ctx, func(ctx context.Context) error { return s.pool.QueryRow(ctx, sqlLoad, id).Scan(&state) })
	if none(err) {
		return trimtab.Session{}, missing(id)
	}
	if err != nil {
		return trimtab.Session{}, fmt.Errorf("load session %s: %w", id, s.explain(ctx, err))
	}
	var out trimtab.Session
	if err := json.Unmarshal([]byte(plain(state)), &out); err != nil {
		return trimtab.Session{}, fmt.Errorf("load session %s from %s: %w: %w", id, s.name, trimtab.ErrDamaged, err)
	}
	return out, nil
}

// Version returns the version of the session, without reading it.
func (s *Store) Version(ctx context.Context, id string) (version int, err error) {
	if err := trimtab.CheckID(id); err != nil {
		return 0, err
	}
	err = s.read(ctx, func(ctx context.Context) error { return s.pool.QueryRow(ctx, sqlVersion, id).Scan(&version) })
	if none(err) {
		return 0, missing(id)
	}
	if err != nil {
		return 0, fmt.Errorf("version of session %s: %w", id, s.explain(ctx, err))
	}
	return version, nil
}

// Commit stores the change whole and returns the session's new version, once it
// is on the server's disk.
func (s *Store) Commit(ctx context.Context, c trimtab.Commit) (int, error) {
	id := c.Session.ID
	if err := trimtab.CheckID(id); err != nil {
		return 0, err
	}
	b, err := row.OfCommit(c)
	if err != nil {
		return 0, fmt.Errorf("commit session %s: %w", id, err)
	}
	args := values(b)
	err = s.write(ctx, func(ctx context.Context, conn *pgxpool.Conn, unclear bool) error {
		return put(ctx, conn, b, args, unclear)
	})
	if err != nil {
		return 0, fmt.Errorf("commit session %s: %w", id, s.explain(ctx, err))
	}
	return b.Version, nil
}

// values are the arguments of a commit's statement.
func values(b row.Commit) []any {
	ids, roles, origins, bodies := make([]string, 0, len(b.Messages)), make([]string, 0, len(b.Messages)), make([]string, 0, len(b.Messages)), make([]string, 0, len(b.Messages))
	for _, m := range b.Messages {
		ids, roles, origins, bodies = append(ids, text(m.ID)), append(roles, text(m.Role)), append(origins, text(m.Origin)), append(bodies, text(m.Body))
	}
	ats, kinds, entries := make([]string, 0, len(b.Entries)), make([]string, 0, len(b.Entries)), make([]string, 0, len(b.Entries))
	for _, e := range b.Entries {
		ats, kinds, entries = append(ats, e.At), append(kinds, e.Kind), append(entries, text(e.Body))
	}
	return []any{
		b.ID, b.Version, text(b.Host), text(b.Project), text(b.Model), text(b.Title), text(b.Parent), b.Step, b.Created, b.Updated, text(b.State),
		b.First, ids, roles, origins, bodies, ats, kinds, entries, text(b.User), text(b.Repo),
	}
}

func put(ctx context.Context, conn *pgxpool.Conn, b row.Commit, args []any, unclear bool) error {
	sql := sqlUpdate
	if b.New() {
		sql = sqlInsert
	}
	var n int
	err := conn.QueryRow(ctx, sql, args...).Scan(&n)
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg) && (pg.Code == "23505" || pg.Code == "23503"): // somebody appended to it, or removed it
		return trimtab.ErrConflict
	case err != nil || n == 1:
		return err
	}
	return whyNot(ctx, conn, b, unclear)
}

// whyNot finds out why a commit changed nothing. After an unclear first try it may
// be that it was done then.
func whyNot(ctx context.Context, conn *pgxpool.Conn, b row.Commit, unclear bool) error {
	var version, said int
	var created, state string
	err := conn.QueryRow(ctx, sqlWhyNot, b.ID).Scan(&version, &created, &state, &said)
	switch {
	case none(err) && !b.New():
		return trimtab.ErrNotFound
	case none(err): // it was there a moment ago
		return trimtab.ErrConflict
	case err != nil:
		return err
	case unclear && version == b.Version && created == b.Created && state == text(b.State):
		return nil
	case b.New():
		return trimtab.ErrExists
	case version == b.Version-1 && created == b.Created && len(b.Messages) > 0 && b.First <= said:
		return fmt.Errorf("message %d is stored already", b.First)
	}
	return trimtab.ErrConflict
}

// Remove deletes a session with all it said and did. When its words are gone from
// the server's disk is up to the server's vacuum and its backups.
func (s *Store) Remove(ctx context.Context, id string) error {
	if err := trimtab.CheckID(id); err != nil {
		return err
	}
	err := s.write(ctx, func(ctx context.Context, conn *pgxpool.Conn, unclear bool) error {
		tag, err := conn.Exec(ctx, sqlRemove, id)
		if err == nil && tag.RowsAffected() == 0 && !unclear {
			err = trimtab.ErrNotFound
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("remove session %s: %w", id, s.explain(ctx, err))
	}
	return nil
}

// removedAtOnce is how many sessions a statement of RemoveAll removes: others who write to
// them wait no longer than for that.
const removedAtOnce = 500

// RemoveAll deletes sessions with all they said and did, many in a statement, and has the
// server use their space again. It returns how many there were; one that is gone already is
// none.
func (s *Store) RemoveAll(ctx context.Context, ids []string) (removed int, err error) {
	for some := range slices.Chunk(ids, removedAtOnce) {
		keys := make([]string, len(some))
		for i, id := range some {
			keys[i] = text(id)
		}
		err := s.write(ctx, func(ctx context.Context, conn *pgxpool.Conn, _ bool) error {
			tag, err := conn.Exec(ctx, sqlRemoveAll, keys)
			removed += int(tag.RowsAffected())
			return err
		})
		if err != nil {
			return removed, fmt.Errorf("remove %d sessions: %w", len(ids), s.explain(ctx, err))
		}
	}
	if removed > 0 { // where it may not, or takes too long, the server does it by itself later
		_, _ = s.pool.Exec(ctx, "VACUUM sessions, messages, journal")
	}
	return removed, nil
}

func missing(id string) error { return fmt.Errorf("session %s: %w", id, trimtab.ErrNotFound) }
