package sqlite

import (
	"context"
	"fmt"
	"iter"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/row"
)

// A chunk of lines is read in one go, and ends early when it grows large.
const (
	chunkLines = 256
	chunkBytes = 1 << 20
)

// List returns the sessions that q picks, the last updated first, as they stood
// when the loop began. It keeps who they are in memory, some hundred bytes each,
// so that a session that changes during the loop is not missed.
func (s *Store) List(ctx context.Context, q trimtab.Query) iter.Seq2[trimtab.Info, error] {
	return func(yield func(trimtab.Info, error) bool) {
		all, err := s.list(ctx, q)
		for _, r := range all {
			if err := ctx.Err(); err != nil {
				yield(trimtab.Info{}, err)
				return
			}
			if !yield(s.info(r)) {
				return
			}
		}
		if err != nil {
			yield(trimtab.Info{}, fmt.Errorf("list sessions: %w", s.explain(ctx, err)))
		}
	}
}

// listed is a session in a list, its times as they are stored.
type listed struct {
	trimtab.Info
	created, updated string
}

func (s *Store) list(ctx context.Context, q trimtab.Query) (all []listed, err error) {
	text, args := list(q)
	rows, err := s.read.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r listed
		if err := rows.Scan(&r.ID, &r.Host, &r.User, &r.Project, &r.Repo, &r.Model, &r.Title, &r.Parent, &r.created, &r.updated); err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

func (s *Store) info(r listed) (trimtab.Info, error) {
	var err error
	if r.Created, err = row.Time(r.created); err == nil {
		r.Updated, err = row.Time(r.updated)
	}
	if err != nil {
		return trimtab.Info{}, fmt.Errorf("session %s in %s: %w: %w", r.ID, s.path, trimtab.ErrDamaged, err)
	}
	return r.Info, nil
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

func stream[T any](ctx context.Context, s *Store, of lines, id string, after int, read func(seq int, body string) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for l := range s.lines(ctx, of, id, max(after, 0)) {
			var v T
			if l.err == nil {
				v, l.err = read(l.seq, l.body)
				if l.err != nil {
					var none T
					v, l.err = none, fmt.Errorf("session %s: %s %d in %s: %w: %w", id, of.word(), l.seq, s.path, trimtab.ErrDamaged, l.err)
				}
			}
			if !yield(v, l.err) {
				return
			}
		}
	}
}

// line is a message or an entry as stored, or why it cannot be read.
type line struct {
	seq  int
	body string
	err  error
}

// lines reads chunk by chunk and holds no connection in between, so that a
// caller may take its time, or read other things meanwhile.
func (s *Store) lines(ctx context.Context, of lines, id string, at int) iter.Seq[line] {
	return func(yield func(line) bool) {
		if err := trimtab.CheckID(id); err != nil {
			yield(line{err: err})
			return
		}
		for first := true; ; first = false {
			chunk, more := s.next(ctx, of, id, at, first)
			for _, l := range chunk {
				if err := ctx.Err(); err != nil {
					yield(line{err: fmt.Errorf("session %s: %w", id, err)})
					return
				}
				if at = l.seq; !yield(l) {
					return
				}
			}
			if !more {
				return
			}
		}
	}
}

// next reads the next lines, and says whether there may be others. What went
// wrong is the last of them.
func (s *Store) next(ctx context.Context, of lines, id string, after int, first bool) ([]line, bool) {
	chunk, more, err := s.chunk(ctx, of, id, after)
	if len(chunk) > 0 {
		after = chunk[len(chunk)-1].seq
	} else if err == nil && first {
		err = s.known(ctx, id)
	}
	switch {
	case isDamaged(err):
		l, found := s.salvage(ctx, of, id, after)
		if found {
			chunk = append(chunk, l)
		}
		return chunk, l.seq > 0
	case err != nil:
		return append(chunk, line{err: fmt.Errorf("session %s: %w", id, s.explain(ctx, err))}), false
	}
	return chunk, more
}

// chunk reads the next lines; more says that there may be others.
func (s *Store) chunk(ctx context.Context, of lines, id string, after int) (out []line, more bool, err error) {
	rows, err := s.on.chunk[of].QueryContext(ctx, id, after, chunkLines)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	size := 0
	for size < chunkBytes && rows.Next() {
		var l line
		if err := rows.Scan(&l.seq, &l.body); err != nil {
			return out, false, err
		}
		out = append(out, l)
		size += len(l.body)
	}
	return out, len(out) == chunkLines || size >= chunkBytes, rows.Err()
}

// salvage reads the one next line after a damaged page was met: the index still
// knows its number, whatever became of the rest.
func (s *Store) salvage(ctx context.Context, of lines, id string, after int) (l line, found bool) {
	err := s.read.QueryRowContext(ctx, of.after(), id, after).Scan(&l.seq)
	if err == nil && l.seq == 0 {
		return l, false // the end
	}
	if err == nil {
		err = s.read.QueryRowContext(ctx, of.one(), id, l.seq).Scan(&l.body)
	}
	switch {
	case err == nil:
	case l.seq == 0: // the index is damaged, too
		l.err = fmt.Errorf("session %s: all after %s %d: %w", id, of.word(), after, s.explain(ctx, err))
	default:
		l.err = fmt.Errorf("session %s: %s %d: %w", id, of.word(), l.seq, s.explain(ctx, err))
	}
	return l, true
}

// known tells a session without lines from one that is not there.
func (s *Store) known(ctx context.Context, id string) error {
	var n int
	if err := s.read.QueryRowContext(ctx, sqlExists, id).Scan(&n); err != nil {
		return err
	}
	if n == 0 {
		return trimtab.ErrNotFound
	}
	return nil
}
