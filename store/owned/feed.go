package owned

import (
	"context"
	"errors"
	"iter"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/feed"
)

// Feed is what changes in the user's part of a store: of sessions, those that they may
// read. Improvements are the team's.
func (s *Store) Feed(from feed.Source) feed.Source {
	if s.opt.User == "" {
		return from
	}
	return part{from, s}
}

type part struct {
	feed.Source
	mine *Store
}

// most is how many changes are looked through at once.
const most = 500

// Changes skips what is not the user's, so that its last cursor is behind that, too.
func (p part) Changes(ctx context.Context, after feed.Cursor, limit int) ([]feed.Change, error) {
	for {
		all, err := p.Source.Changes(ctx, after, limit)
		if err != nil || len(all) == 0 {
			return nil, err
		}
		var own []feed.Change
		for _, c := range all {
			visible, err := p.visible(ctx, c)
			if err != nil {
				return nil, err
			}
			if visible {
				own = append(own, c)
			}
		}
		if len(own) > 0 {
			return own, nil
		}
		after = all[len(all)-1].Cursor
	}
}

// Wait waits for a change that the user may see.
func (p part) Wait(ctx context.Context, after feed.Cursor) error {
	for {
		if err := p.Source.Wait(ctx, after); err != nil {
			return err
		}
		all, err := p.Source.Changes(ctx, after, most)
		if err != nil {
			return err
		}
		for _, c := range all {
			if visible, err := p.visible(ctx, c); err != nil || visible {
				return err
			}
			after = c.Cursor
		}
	}
}

// Entries returns nothing of a session of another user's.
func (p part) Entries(ctx context.Context, session string, after feed.Cursor) iter.Seq2[trimtab.Entry, error] {
	if visible, err := p.visible(ctx, feed.Change{Kind: feed.Session, ID: session}); err != nil || !visible {
		return func(yield func(trimtab.Entry, error) bool) {
			if err != nil {
				yield(trimtab.Entry{}, err)
			}
		}
	}
	return p.Source.Entries(ctx, session, after)
}

// visible reports whether the user may hear of a change. Of a session that is gone they
// hear if they have seen it.
func (p part) visible(ctx context.Context, c feed.Change) (bool, error) {
	if c.Kind != feed.Session {
		return true, nil
	}
	_, err := p.mine.Load(ctx, c.ID)
	switch {
	case errors.Is(err, ErrForbidden):
		return false, nil
	case errors.Is(err, trimtab.ErrNotFound):
		p.mine.mu.Lock()
		defer p.mine.mu.Unlock()
		return p.mine.known[c.ID], nil
	case errors.Is(err, trimtab.ErrDamaged): // whoever it is of is told by the store
		return true, nil
	}
	return err == nil, err
}
