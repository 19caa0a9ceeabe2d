// Package feed is what changes in a store, whatever process changes it: a chat, a hook,
// a gateway on another machine, a worker. Pages and programs that show sessions and
// improvements live read it and nothing else.
//
//	at, err := store.Now(ctx)
//	for change, err := range feed.Watch(ctx, store, at) {
//		…                       // load what change.ID names
//		at = change.Cursor      // to go on from here, after a restart too
//	}
//
// A cursor is a place in the order of changes. Whoever goes on from one misses nothing
// and hears of each session and improvement once, however often it changed meanwhile:
// a change says that something is otherwise now, and the store says how. What was done
// to a session since a cursor, the notes that it was given too, are the entries of its
// journal: Entries.
//
// It never holds up those who write, and costs next to nothing while nothing changes.
package feed

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"github.com/trimtab/trimtab"
)

// Cursor is a place in the order of changes, to be kept and given back as it is. The
// zero Cursor is before all of them.
type Cursor string

// Kind is what has changed.
type Kind string

// The kinds of change.
const (
	Session     Kind = "session"
	Improvement Kind = "improvement"
)

// Change says that a session or an improvement is otherwise now.
type Change struct {
	Kind    Kind   `json:"kind"`
	ID      string `json:"id"`
	Version int    `json:"version"`           // of it, when it last changed
	Removed bool   `json:"removed,omitempty"` // it is not there any more
	Cursor  Cursor `json:"cursor"`            // right behind this change
}

// ErrCursor is a cursor that is not of this store, as after a backup was restored. What
// there is must be read anew, from Now on.
var ErrCursor = errors.New("not a cursor of this store")

// Source is a store that can be watched.
type Source interface {
	// Now is the cursor behind all changes so far.
	Now(ctx context.Context) (Cursor, error)
	// Changes returns what has changed after a cursor, the oldest change first; at most
	// about so many, 0 is all.
	Changes(ctx context.Context, after Cursor, limit int) ([]Change, error)
	// Wait returns when there are changes after a cursor, or the context ends.
	Wait(ctx context.Context, after Cursor) error
	// Entries returns the journal of a session after a cursor, in order. A session that
	// is not there has none.
	Entries(ctx context.Context, session string, after Cursor) iter.Seq2[trimtab.Entry, error]
}

// most is how many changes Watch asks for at once.
const most = 500

// Watch returns the changes after a cursor, those to come too, until the context ends,
// which is no error. After an error it may be called again with the newest cursor.
func Watch(ctx context.Context, from Source, after Cursor) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		for {
			all, err := from.Changes(ctx, after, most)
			if err == nil && len(all) == 0 {
				err = from.Wait(ctx, after)
			}
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				yield(Change{}, err)
				return
			}
			for _, c := range all {
				if !yield(c, nil) {
					return
				}
				after = c.Cursor
			}
		}
	}
}

// Number reads a cursor that is a number, for those who make such ones.
func (c Cursor) Number() (uint64, error) {
	if c == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(string(c), 10, 63)
	if err != nil {
		return 0, fmt.Errorf("%q: %w", trimtab.Clip(string(c), 40), ErrCursor)
	}
	return n, nil
}

// Numbered is the cursor of a number.
func Numbered(n uint64) Cursor { return Cursor(strconv.FormatUint(n, 10)) }

// Follower is for those who look at a store anew whenever anything in it has changed.
type Follower struct {
	from Source
	at   Cursor
}

// Follow returns a follower of what changes from now on.
func Follow(ctx context.Context, from Source) (*Follower, error) {
	at, err := from.Now(ctx)
	return &Follower{from, at}, err
}

// Next returns when something has changed since the last time that it returned.
func (f *Follower) Next(ctx context.Context) error {
	err := f.from.Wait(ctx, f.at)
	if err == nil || errors.Is(err, ErrCursor) {
		f.at, err = f.from.Now(ctx)
	}
	return err
}
