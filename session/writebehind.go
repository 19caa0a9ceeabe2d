package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/trimtab/trimtab"
)

// Steer takes a session through events like Handle, but does not wait for the
// disk: it returns when the events are stepped, and they are stored soon after,
// in order. It is for those who stand between an agent and its model, where
// every wait is felt and the host owns the history anyway: what a crash takes
// away, the host's next request tells again.
//
// tell makes the events from the session as it stands, whoever changed it last;
// it must not keep the session. No events leave it as it is. Handle, Session and Flush see what Steer did.
func (h *Service) Steer(ctx context.Context, id string, tell func(trimtab.Session) []trimtab.Event) (trimtab.Session, trimtab.Outcome, error) {
	none := trimtab.Session{}
	if err := trimtab.CheckID(id); err != nil {
		return none, trimtab.Outcome{}, err
	}
	unlock, err := h.locks.lock(ctx, id)
	if err != nil {
		return none, trimtab.Outcome{}, fmt.Errorf("session %s: %w", id, err)
	}
	defer unlock()
	s, err := h.newest(ctx, id)
	if err != nil {
		return none, trimtab.Outcome{}, err
	}
	evs, err := h.normalize(tell(s))
	if err != nil {
		return none, trimtab.Outcome{}, fmt.Errorf("session %s: %w", id, err)
	}
	if len(evs) == 0 {
		return s, trimtab.Outcome{}, nil
	}
	evs = h.advise(ctx, s.Info, evs)
	now := h.now()
	d := h.step(s, evs, now)
	if err := h.later.add(id, s.Version, d, timed{evs, now}); err != nil {
		return none, trimtab.Outcome{}, fmt.Errorf("session %s: %w", id, err)
	}
	h.cache.put(d.Session)
	for _, f := range d.out.Faults {
		h.warn(ctx, id, f)
	}
	h.later.start(h)
	return d.Session, d.out, nil
}

// Try returns what Steer would, and keeps nothing of it: the session stays as it is. One
// that does not exist is tried as a new one. Advisors are not asked.
func (h *Service) Try(ctx context.Context, id string, tell func(trimtab.Session) []trimtab.Event) (trimtab.Session, trimtab.Outcome, error) {
	none := trimtab.Session{}
	if err := trimtab.CheckID(id); err != nil {
		return none, trimtab.Outcome{}, err
	}
	unlock, err := h.locks.lock(ctx, id)
	if err != nil {
		return none, trimtab.Outcome{}, fmt.Errorf("session %s: %w", id, err)
	}
	s, err := h.newest(ctx, id)
	unlock()
	switch {
	case errors.Is(err, trimtab.ErrNotFound):
		s, _ = h.blank(trimtab.Info{ID: id})
	case err != nil:
		return none, trimtab.Outcome{}, err
	}
	events, err := h.normalize(tell(s))
	if err != nil {
		return none, trimtab.Outcome{}, fmt.Errorf("session %s: %w", id, err)
	}
	d := h.step(s, events, h.now())
	return d.Session, d.out, nil
}

// Open returns the session of this id, or begins it as info says. Like Steer it
// does not wait for the disk: fresh says that the session is new and will be
// stored with the first events.
func (h *Service) Open(ctx context.Context, info trimtab.Info) (s trimtab.Session, fresh bool, err error) {
	if err := trimtab.CheckID(info.ID); err != nil {
		return s, false, err
	}
	unlock, err := h.locks.lock(ctx, info.ID)
	if err != nil {
		return s, false, fmt.Errorf("session %s: %w", info.ID, err)
	}
	defer unlock()
	if s, err = h.newest(ctx, info.ID); !errors.Is(err, trimtab.ErrNotFound) {
		return s, false, err
	}
	s, now := h.blank(info)
	if err := h.later.add(info.ID, 0, stepResult{Commit: trimtab.Commit{Session: s}}, timed{now: now}); err != nil {
		return s, false, fmt.Errorf("begin session %s: %w", info.ID, err)
	}
	h.cache.put(s)
	h.later.start(h)
	return s, true, nil
}

// Versioner is a store that can say cheaply whether a session has changed.
type Versioner interface {
	Version(ctx context.Context, id string) (int, error)
}

// newest is the session as Steer left it, else as the cache or the store has it.
// It is called with the session locked.
func (h *Service) newest(ctx context.Context, id string) (trimtab.Session, error) {
	if s, ok := h.later.session(id); ok {
		return s, nil
	}
	s, ok := h.cache.get(id)
	v, can := h.store.(Versioner)
	if ok && can {
		switch version, err := within(ctx, func() (int, error) { return v.Version(ctx, id) }); {
		case err != nil:
			h.cache.drop(id)
			return s, err
		case version == s.Version:
			return s, nil
		}
	} else if ok {
		return s, nil
	}
	s, err := within(ctx, func() (trimtab.Session, error) { return h.store.Load(ctx, id) })
	if err == nil {
		h.cache.put(s)
	}
	return s, err
}

// within asks the store, but waits no longer than the context lasts: a disk that
// hangs in a system call does not listen to it.
func within[T any](ctx context.Context, ask func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- answer{err: fmt.Errorf("the store panicked: %v", p)}
			}
		}()
		value, err := ask()
		done <- answer{value, err}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// lockStored takes the lock of a session when all that Steer did to it is
// stored.
func (h *Service) lockStored(ctx context.Context, id string) (unlock func(), err error) {
	for {
		if err := h.later.wait(ctx, id); err != nil {
			return nil, err
		}
		unlock, err := h.locks.lock(ctx, id)
		if err != nil {
			return nil, err
		}
		if _, waits := h.later.session(id); !waits {
			return unlock, nil
		}
		unlock()
	}
}

// Flush waits until what Steer did is stored: to these sessions, or to all.
func (h *Service) Flush(ctx context.Context, ids ...string) error {
	if len(ids) == 0 {
		ids = []string{""}
	}
	for _, id := range ids {
		if err := h.later.wait(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// Hurry has what waits stored at once, and does not wait for it.
func (h *Service) Hurry() { h.later.nudge() }

// Forget lets go of all but the sessions used last, to save memory: they are
// loaded when they are next asked for.
func (h *Service) Forget(keep int) {
	h.cache.mu.Lock()
	defer h.cache.mu.Unlock()
	h.cache.shrink(keep)
}
