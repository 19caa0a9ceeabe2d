package postgres

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/row"
)

// A chunk of lines is read in one go, and ends early when it grows large. A
// server may be far away, so that chunks are larger than those of a file.
const (
	chunkLines = 1024
	chunkBytes = 4 << 20
)

// lines is a table of what is stored by session and number.
type lines string

const (
	messages lines = "messages"
	journal  lines = "journal"
)

// word is what one of the lines is called.
func (l lines) word() string {
	if l == messages {
		return "message"
	}
	return "journal entry"
}

// chunk reads the next lines, up to and with the one that makes the chunk large.
// The server knows the size of a text without reading it.
func (l lines) chunk() string {
	return `SELECT seq, body FROM (
			SELECT seq, body, sum(octet_length(body)) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING) - octet_length(body) AS before
			FROM (SELECT seq, body FROM ` + string(l) + ` WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT $3) AS l
		) AS c WHERE before < $4 ORDER BY seq`
}

const sqlExists = `SELECT count(*) FROM sessions WHERE id = $1`

// list is the query for the sessions that q picks, newest first.
func list(q trimtab.Query) (sql string, args []any) {
	var where []string
	add := func(cond string, arg any) {
		args = append(args, arg)
		where = append(where, strings.ReplaceAll(cond, "$", fmt.Sprintf("$%d", len(args))))
	}
	switch {
	case q.Repo != "" && q.Project != "": // what is not known to be another repository's
		args = append(args, text(q.Repo), text(q.Project))
		where = append(where, "(md5(repo) = md5($1) AND repo = $1 OR repo = '' AND md5(project) = md5($2) AND project = $2)")
	case q.Repo != "":
		add("md5(repo) = md5($) AND repo = $", text(q.Repo))
	case q.Project != "":
		add("md5(project) = md5($) AND project = $", text(q.Project))
	}
	if len(q.Users) > 0 {
		users := make([]string, len(q.Users))
		for i, user := range q.Users {
			users[i] = text(user)
		}
		add("owner = ANY($)", users)
	}
	if q.Host != "" {
		add("md5(host) = md5($) AND host = $", text(q.Host))
	}
	if !q.Before.IsZero() {
		add("updated < $", row.Stamp(q.Before))
	}
	sql = `SELECT id, host, owner, project, repo, model, title, parent, created, updated FROM sessions`
	if len(where) > 0 {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	sql += " ORDER BY updated DESC, id"
	if q.Limit > 0 {
		args = append(args, q.Limit)
		sql += fmt.Sprintf(" LIMIT $%d", len(args))
	}
	return sql, args
}

// List returns the sessions that q picks, the last updated first, as they stood
// when the loop began. It keeps who they are in memory, some hundred bytes each,
// so that a session that changes during the loop is not missed.
func (s *Store) List(ctx context.Context, q trimtab.Query) iter.Seq2[trimtab.Info, error] {
	return func(yield func(trimtab.Info, error) bool) {
		var all []listed
		err := s.read(ctx, func(ctx context.Context) (err error) {
			all, err = s.list(ctx, q)
			return err
		})
		if err != nil {
			yield(trimtab.Info{}, fmt.Errorf("list sessions: %w", s.explain(ctx, err)))
			return
		}
		for _, l := range all {
			if err := ctx.Err(); err != nil {
				yield(trimtab.Info{}, err)
				return
			}
			if !yield(s.info(l)) {
				return
			}
		}
	}
}

// listed is a session in a list, as it is stored.
type listed struct {
	trimtab.Info
	created, updated string
}

func (s *Store) list(ctx context.Context, q trimtab.Query) (all []listed, err error) {
	sql, args := list(q)
	rows, err := s.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var l listed
		if err := rows.Scan(&l.ID, &l.Host, &l.User, &l.Project, &l.Repo, &l.Model, &l.Title, &l.Parent, &l.created, &l.updated); err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, rows.Err()
}

func (s *Store) info(l listed) (trimtab.Info, error) {
	var err error
	if l.Created, err = row.Time(l.created); err == nil {
		l.Updated, err = row.Time(l.updated)
	}
	if err != nil {
		return trimtab.Info{}, fmt.Errorf("session %s in %s: %w: %w", l.ID, s.name, trimtab.ErrDamaged, err)
	}
	for _, text := range []*string{&l.Host, &l.User, &l.Project, &l.Repo, &l.Model, &l.Title, &l.Parent} {
		*text = plain(*text)
	}
	return l.Info, nil
}

// Messages returns the session's messages in order. One that cannot be read is
// an error that names it; the loop may go on to the next.
func (s *Store) Messages(ctx context.Context, id string, after int) iter.Seq2[trimtab.Message, error] {
	return stream(ctx, s, messages, id, after, func(_ int, body string) (trimtab.Message, error) { return row.Message(body) })
}

// Journal returns the session's journal in order. An entry that cannot be read
// is an error that names it; the loop may go on to the next.
func (s *Store) Journal(ctx context.Context, id string, after int) iter.Seq2[trimtab.Entry, error] {
	return stream(ctx, s, journal, id, after, func(seq int, body string) (e trimtab.Entry, err error) {
		err = e.UnmarshalJSON([]byte(body))
		e.Seq = seq
		return e, err
	})
}

// stream reads chunk by chunk and holds no connection in between, so that a
// caller may take its time, or read other things meanwhile.
func stream[T any](ctx context.Context, s *Store, of lines, id string, after int, read func(seq int, body string) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		at := max(after, 0)
		for first, more := true, true; more; first = false {
			chunk, next, err := s.next(ctx, of, id, at, first)
			if err != nil {
				yield(none, err)
				return
			}
			for _, l := range chunk {
				if err := ctx.Err(); err != nil {
					yield(none, fmt.Errorf("session %s: %w", id, err))
					return
				}
				v, err := read(l.seq, plain(l.body))
				if err != nil {
					v, err = none, fmt.Errorf("session %s: %s %d in %s: %w: %w", id, of.word(), l.seq, s.name, trimtab.ErrDamaged, err)
				}
				if at = l.seq; !yield(v, err) {
					return
				}
			}
			more = next
		}
	}
}

// line is a message or an entry as stored.
type line struct {
	seq  int
	body string
}

// next reads the next lines, and says whether there may be others.
func (s *Store) next(ctx context.Context, of lines, id string, after int, first bool) (chunk []line, more bool, err error) {
	if err := trimtab.CheckID(id); err != nil {
		return nil, false, err
	}
	err = s.read(ctx, func(ctx context.Context) (err error) {
		chunk, more, err = s.chunk(ctx, of, id, after)
		if err != nil || len(chunk) > 0 || !first {
			return err
		}
		var n int
		if err = s.pool.QueryRow(ctx, sqlExists, id).Scan(&n); err == nil && n == 0 {
			err = trimtab.ErrNotFound
		}
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("session %s: %w", id, s.explain(ctx, err))
	}
	return chunk, more, nil
}

func (s *Store) chunk(ctx context.Context, of lines, id string, after int) (out []line, more bool, err error) {
	rows, err := s.pool.Query(ctx, of.chunk(), id, after, chunkLines, chunkBytes)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	size := 0
	for rows.Next() {
		var l line
		if err := rows.Scan(&l.seq, &l.body); err != nil {
			return nil, false, err
		}
		out = append(out, l)
		size += len(l.body)
	}
	return out, len(out) == chunkLines || size >= chunkBytes, rows.Err()
}
