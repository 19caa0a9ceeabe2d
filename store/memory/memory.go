// Package memory keeps sessions and improvements in the process, for tests and
// for runs that should leave nothing behind. It is the twin of the stores on
// disk: the same suite (storetest) holds for all of them.
//
// It never writes a file and forgets everything when the process ends. Values
// go in and out as JSON, so no caller shares memory with it, and whatever
// would not survive a file does not survive here either.
//
//	store := memory.New()
//	version, err := store.Commit(ctx, trimtab.Commit{Session: trimtab.NewSession("demo", now)})
//	…
//	s, err := store.Load(ctx, "demo")
//	for info, err := range store.List(ctx, trimtab.Query{Limit: 20}) {
//		…
//	}
package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/feed"
)

// Store keeps sessions and improvements in memory. It is safe for use by several goroutines.
type Store struct {
	mu       sync.RWMutex
	sessions map[string]*record
	queue    queue
	changes  changes
}

// record is one session as it would lie on disk.
type record struct {
	info     trimtab.Info
	version  int
	state    []byte
	messages []line // append-only
	journal  []line // append-only
}

// line is a numbered message or entry.
type line struct {
	seq    int
	body   []byte
	change uint64 // that it came with, of a journal
}

var _ trimtab.Archive = (*Store)(nil)

// New returns an empty store.
func New() *Store {
	s := &Store{sessions: map[string]*record{}}
	s.queue.changes = &s.changes
	return s
}

// Load returns the session as it was last committed.
func (s *Store) Load(ctx context.Context, id string) (trimtab.Session, error) {
	if err := check(ctx, id); err != nil {
		return trimtab.Session{}, err
	}
	s.mu.RLock()
	r, ok := s.sessions[id]
	var state []byte
	if ok {
		state = r.state
	}
	s.mu.RUnlock()
	if !ok {
		return trimtab.Session{}, missing(id)
	}
	var out trimtab.Session
	if err := json.Unmarshal(state, &out); err != nil {
		return trimtab.Session{}, fmt.Errorf("load session %s: %w: %w", id, trimtab.ErrDamaged, err)
	}
	return out, nil
}

// Commit stores the change whole and returns the session's new version.
func (s *Store) Commit(ctx context.Context, c trimtab.Commit) (int, error) {
	id, before := c.Session.ID, c.Session.Version
	if err := check(ctx, id); err != nil {
		return 0, err
	}
	c.Session.Version++
	next, err := encode(c)
	if err != nil {
		return 0, fmt.Errorf("commit session %s: %w", id, err)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.sessions[id]
	switch {
	case !ok && before != 0:
		return 0, missing(id)
	case ok && before == 0:
		return 0, fmt.Errorf("session %s: %w", id, trimtab.ErrExists)
	case ok && (r.version != before || !r.info.Created.Equal(c.Session.Created)):
		return 0, fmt.Errorf("session %s: %w", id, trimtab.ErrConflict)
	case !ok:
		r = &record{}
	}
	known := len(r.journal)
	if err := r.append(next); err != nil {
		return 0, fmt.Errorf("commit session %s: %w", id, err)
	}
	s.sessions[id] = r
	change := s.changes.add(feed.Change{Kind: feed.Session, ID: id, Version: r.version})
	for i := range r.journal[known:] {
		r.journal[known+i].change = change
	}
	return r.version, nil
}

// encode turns a commit into a record. Entries have no numbers yet.
func encode(c trimtab.Commit) (*record, error) {
	state, err := json.Marshal(c.Session)
	if err != nil {
		return nil, err
	}
	r := &record{info: c.Session.Info, version: c.Session.Version, state: state}
	r.info.Created, r.info.Updated = r.info.Created.Round(0).UTC(), r.info.Updated.Round(0).UTC()
	first := c.Session.Seq - len(c.Messages) + 1
	if first < 1 {
		return nil, fmt.Errorf("%d messages, but the session counts %d", len(c.Messages), c.Session.Seq)
	}
	for i, m := range c.Messages {
		body, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		r.messages = append(r.messages, line{seq: first + i, body: body})
	}
	for i, e := range c.Entries {
		e.Seq = 0
		body, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
		r.journal = append(r.journal, line{body: body})
	}
	return r, nil
}

// append adds what a commit brings, or nothing.
func (r *record) append(next *record) error {
	if len(next.messages) > 0 && next.messages[0].seq <= last(r.messages) {
		return fmt.Errorf("message %d is stored already", next.messages[0].seq)
	}
	at := last(r.journal)
	for i := range next.journal {
		next.journal[i].seq = at + i + 1
	}
	r.info, r.version, r.state = next.info, next.version, next.state
	r.messages = append(r.messages, next.messages...)
	r.journal = append(r.journal, next.journal...)
	return nil
}

func last(lines []line) int {
	if len(lines) == 0 {
		return 0
	}
	return lines[len(lines)-1].seq
}

// List returns the sessions that q picks, the last updated first, as they stood
// when the loop began.
func (s *Store) List(ctx context.Context, q trimtab.Query) iter.Seq2[trimtab.Info, error] {
	return func(yield func(trimtab.Info, error) bool) {
		for i, info := range s.pick(q) {
			if q.Limit > 0 && i >= q.Limit {
				return
			}
			if err := ctx.Err(); err != nil {
				yield(trimtab.Info{}, err)
				return
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

func (s *Store) pick(q trimtab.Query) []trimtab.Info {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []trimtab.Info
	for _, r := range s.sessions {
		if inProject(q, r.info) && (q.Host == "" || r.info.Host == q.Host) &&
			(len(q.Users) == 0 || slices.Contains(q.Users, r.info.User)) && (q.Before.IsZero() || r.info.Updated.Before(q.Before)) {
			all = append(all, r.info)
		}
	}
	slices.SortFunc(all, func(a, b trimtab.Info) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// inProject reports whether a session is of the folder or the repository of a query.
func inProject(q trimtab.Query, info trimtab.Info) bool {
	switch {
	case q.Repo == "":
		return q.Project == "" || info.Project == q.Project
	case info.Repo == "":
		return q.Project != "" && info.Project == q.Project
	}
	return info.Repo == q.Repo
}

// Messages returns the session's messages in order.
func (s *Store) Messages(ctx context.Context, id string, after int) iter.Seq2[trimtab.Message, error] {
	return read(ctx, s, id, "message", after, func(r *record) []line { return r.messages },
		func(*trimtab.Message, int) {})
}

// Journal returns the session's journal in order.
func (s *Store) Journal(ctx context.Context, id string, after int) iter.Seq2[trimtab.Entry, error] {
	return read(ctx, s, id, "journal entry", after, func(r *record) []line { return r.journal },
		func(e *trimtab.Entry, seq int) { e.Seq = seq })
}

func read[T any](ctx context.Context, s *Store, id, what string, after int, of func(*record) []line, number func(*T, int)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		lines, err := s.lines(ctx, id, of)
		if err != nil {
			yield(none, err)
			return
		}
		first, _ := slices.BinarySearchFunc(lines, after, func(l line, after int) int {
			if l.seq <= after {
				return -1
			}
			return 1
		})
		for _, l := range lines[first:] {
			if err := ctx.Err(); err != nil {
				yield(none, err)
				return
			}
			var v T
			err := json.Unmarshal(l.body, &v)
			if err != nil {
				v, err = none, fmt.Errorf("session %s: %s %d: %w: %w", id, what, l.seq, trimtab.ErrDamaged, err)
			} else {
				number(&v, l.seq)
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// lines returns what a session holds now. What is appended later does not show:
// lines are never changed in place.
func (s *Store) lines(ctx context.Context, id string, of func(*record) []line) ([]line, error) {
	if err := check(ctx, id); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, ok := s.sessions[id]
	if !ok {
		return nil, missing(id)
	}
	return of(r), nil
}

// Remove forgets a session with all it said and did.
func (s *Store) Remove(ctx context.Context, id string) error {
	if err := check(ctx, id); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.sessions[id]; !ok {
		return missing(id)
	}
	s.changes.add(feed.Change{Kind: feed.Session, ID: id, Version: s.sessions[id].version, Removed: true})
	delete(s.sessions, id)
	return nil
}

// Version is that of a session: how often it was committed.
func (s *Store) Version(ctx context.Context, id string) (int, error) {
	session, err := s.Load(ctx, id)
	return session.Version, err
}

// Path names the place where sessions are kept, as the other stores do.
func (s *Store) Path() string { return "memory" }

// Close is for callers that close any store.
func (s *Store) Close() error { return nil }

func check(ctx context.Context, id string) error {
	if err := trimtab.CheckID(id); err != nil {
		return err
	}
	return ctx.Err()
}

func missing(id string) error { return fmt.Errorf("session %s: %w", id, trimtab.ErrNotFound) }
