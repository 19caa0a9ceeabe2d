package memory

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/feed"
)

var _ feed.Source = (*Store)(nil)

// changes are the newest change of each session and improvement. Its zero value is empty.
type changes struct {
	mu     sync.Mutex
	newest map[changed]feed.Change
	seq    uint64
	rung   chan struct{} // closed at the next change
}

// changed is what there is one newest change of.
type changed struct {
	kind feed.Kind
	id   string
}

// add numbers a change.
func (c *changes) add(change feed.Change) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seq++
	change.Cursor = feed.Numbered(c.seq)
	if c.newest == nil {
		c.newest = map[changed]feed.Change{}
	}
	c.newest[changed{change.Kind, change.ID}] = change
	if c.rung != nil {
		close(c.rung)
		c.rung = nil
	}
	return c.seq
}

// Now is the cursor behind all changes so far.
func (s *Store) Now(ctx context.Context) (feed.Cursor, error) {
	s.changes.mu.Lock()
	defer s.changes.mu.Unlock()
	return feed.Numbered(s.changes.seq), ctx.Err()
}

// Changes returns what has changed after a cursor, the oldest change first.
func (s *Store) Changes(ctx context.Context, after feed.Cursor, limit int) ([]feed.Change, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.changes.mu.Lock()
	defer s.changes.mu.Unlock()
	at, err := s.changes.place(after)
	if err != nil {
		return nil, err
	}
	type numbered struct {
		feed.Change
		seq uint64
	}
	var found []numbered
	for _, c := range s.changes.newest {
		if seq, err := c.Cursor.Number(); err == nil && seq > at {
			found = append(found, numbered{c, seq})
		}
	}
	slices.SortFunc(found, func(a, b numbered) int { return cmp.Compare(a.seq, b.seq) })
	var all []feed.Change
	for _, c := range found {
		if limit > 0 && len(all) == limit {
			break
		}
		all = append(all, c.Change)
	}
	return all, nil
}

// place reads a cursor and refuses one that is ahead.
func (c *changes) place(after feed.Cursor) (uint64, error) {
	at, err := after.Number()
	if err == nil && at > c.seq {
		err = fmt.Errorf("%s: %w", after, feed.ErrCursor)
	}
	return at, err
}

// Wait returns when there are changes after a cursor, or the context ends.
func (s *Store) Wait(ctx context.Context, after feed.Cursor) error {
	for {
		s.changes.mu.Lock()
		at, err := s.changes.place(after)
		there := at < s.changes.seq
		if s.changes.rung == nil {
			s.changes.rung = make(chan struct{})
		}
		rung := s.changes.rung
		s.changes.mu.Unlock()
		if err != nil || there {
			return err
		}
		select {
		case <-rung:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Entries returns the journal of a session after a cursor, in order.
func (s *Store) Entries(ctx context.Context, session string, after feed.Cursor) iter.Seq2[trimtab.Entry, error] {
	return func(yield func(trimtab.Entry, error) bool) {
		at, err := after.Number()
		if err != nil {
			yield(trimtab.Entry{}, err)
			return
		}
		s.mu.RLock()
		from, some := 0, false
		if r, ok := s.sessions[session]; ok {
			for _, l := range r.journal {
				if l.change <= at {
					from = l.seq
				} else {
					some = true
				}
			}
		}
		s.mu.RUnlock()
		if !some {
			return
		}
		for e, err := range s.Journal(ctx, session, from) {
			if !yield(e, err) {
				return
			}
		}
	}
}
