package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/trimtab/trimtab"
)

// SteerStored is Steer for a session that other processes steer too: what it returns
// without an error is stored. It goes on from the version that the caller has seen, 0 for
// a session that is not there yet, and returns trimtab.ErrConflict where the session is
// another one by now: the caller then looks at it and decides again, for what it wanted
// to tell may have been told. keep may put something of the caller's own into the session
// before it is stored; nil is nothing.
func (h *Service) SteerStored(ctx context.Context, from trimtab.Session, tell func(trimtab.Session) []trimtab.Event, keep func(trimtab.Session) trimtab.Session) (trimtab.Session, trimtab.Outcome, error) {
	none, id := trimtab.Session{}, from.ID
	if err := trimtab.CheckID(id); err != nil {
		return none, trimtab.Outcome{}, err
	}
	unlock, err := h.lockStored(ctx, id)
	if err != nil {
		return none, trimtab.Outcome{}, fmt.Errorf("session %s: %w", id, err)
	}
	defer unlock()
	if from.Version == 0 {
		from, _ = h.blank(from.Info)
	}
	evs, err := h.normalize(tell(from))
	if err != nil {
		return none, trimtab.Outcome{}, fmt.Errorf("session %s: %w", id, err)
	}
	d := h.step(from, h.advise(ctx, from.Info, evs), h.now())
	if keep != nil {
		d.Session = keep(d.Session)
	}
	version, err := within(ctx, func() (int, error) { return h.store.Commit(ctx, d.Commit) })
	if err != nil {
		h.cache.drop(id)
		if errors.Is(err, trimtab.ErrExists) {
			err = fmt.Errorf("session %s: %w", id, trimtab.ErrConflict)
		}
		return none, trimtab.Outcome{}, err
	}
	d.Session.Version = version
	h.cache.put(d.Session)
	for _, f := range d.out.Faults {
		h.warn(ctx, id, f)
	}
	h.broker.publish(d.Session.Info, d.Entries)
	return d.Session, d.out, nil
}
