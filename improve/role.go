package improve

import (
	"context"
	"errors"
)

// ErrRole is a decision of somebody who may not take it: only who may approve improvements decides what becomes work.
var ErrRole = errors.New("you may not decide what becomes work")

// Restrict returns a queue in which nobody lets a request become work, refuses it or has it
// tried again, or dismisses a finding, where refused is not nil: it says why this person may not. Whoever decides,
// on whichever surface, does so by one of these changes. A worker's own changes are none of
// them, and everybody may stop work.
func Restrict(q Queue, refused error) Queue {
	if refused != nil {
		q.Backlog = restricted{q.Backlog, refused}
		q.FileStore = restrictedFiles{q.FileStore, refused}
	}
	return q
}

type restricted struct {
	Backlog
	refused error
}

func (r restricted) Add(ctx context.Context, it Item) error {
	if it.State == Queued {
		return roleError{r.refused}
	}
	return r.Backlog.Add(ctx, it)
}

func (r restricted) Change(ctx context.Context, id string, fence int64, change func(*Item) error) (Item, error) {
	return r.Backlog.Change(ctx, id, fence, func(it *Item) error {
		was := it.State
		if err := change(it); err != nil {
			return err
		}
		if decided(was, it.State) {
			return roleError{r.refused}
		}
		return nil
	})
}

// decided reports whether a person decides where an item goes from one state to another.
func decided(was, now State) bool {
	switch was {
	case Awaiting:
		return now == Queued || now == Rejected
	case Failed, Manual, Cancelled, Rejected:
		return now == Queued
	case Queued:
		return now == Rejected
	case Running, Done: // interrupted; people wrote below its pull request
	}
	return false
}

// roleError is an ErrRole that says why.
type roleError struct{ why error }

func (e roleError) Error() string   { return ErrRole.Error() + ": " + e.why.Error() }
func (e roleError) Unwrap() []error { return []error{ErrRole, e.why} }
