package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"slices"
	"time"

	"github.com/trimtab/trimtab"
)

// Handle takes a session through events, in order and all in one transaction,
// and returns the session after them with the sum of what came of them. After an
// error nothing has happened, and the same events can be handled again. No events
// give the session as it is stored.
//
// A message that is said without an id is stored under one of the service's own:
// after Said alone, Last.ID of the session says which. Whoever keeps a history
// keeps it with these ids, so that View finds the place of each note.
//
// The session it returns shares memory with the next one to come: read it, do
// not write to it.
func (h *Service) Handle(ctx context.Context, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error) {
	if err := trimtab.CheckID(id); err != nil {
		return trimtab.Session{}, trimtab.Outcome{}, err
	}
	if len(events) == 0 {
		s, err := h.Session(ctx, id)
		return s, trimtab.Outcome{}, err
	}
	evs, err := h.normalize(events)
	if err != nil {
		return trimtab.Session{}, trimtab.Outcome{}, fmt.Errorf("session %s: %w", id, err)
	}
	unlock, err := h.lockStored(ctx, id)
	if err != nil {
		return trimtab.Session{}, trimtab.Outcome{}, fmt.Errorf("session %s: %w", id, err)
	}
	defer unlock()
	if h.opt.Advisor != nil {
		s, err := h.load(ctx, id)
		if err != nil {
			return trimtab.Session{}, trimtab.Outcome{}, err
		}
		evs = h.advise(ctx, s.Info, evs)
	}
	d, err := h.commitRetry(ctx, id, evs)
	if err != nil {
		return trimtab.Session{}, trimtab.Outcome{}, err
	}
	for _, f := range d.out.Faults {
		h.warn(ctx, id, f)
	}
	h.broker.publish(d.Session.Info, d.Entries)
	return d.Session, d.out, nil
}

// stepResult is what stepping events gave: the commit to store and the outcome.
type stepResult struct {
	trimtab.Commit
	out trimtab.Outcome
}

// commitRetry steps the events and commits them. When another process has committed
// first (ErrConflict), it loads and steps again, at most tries times.
func (h *Service) commitRetry(ctx context.Context, id string, events []normalized) (stepResult, error) {
	now := h.now()
	for try := 1; ; try++ {
		s, err := h.load(ctx, id)
		if err != nil {
			return stepResult{}, err
		}
		d := h.step(s, events, now)
		version, err := h.store.Commit(ctx, d.Commit)
		switch {
		case err == nil:
			d.Session.Version = version
			h.cache.put(d.Session)
			return d, nil
		case errors.Is(err, trimtab.ErrNotFound):
			h.cache.drop(id)
			return stepResult{}, err
		case !errors.Is(err, trimtab.ErrConflict):
			return stepResult{}, err
		}
		h.cache.drop(id)
		if try == tries {
			return stepResult{}, fmt.Errorf("gave up after %d tries: %w", tries, err)
		}
		if err := h.backoff(ctx, id, try); err != nil {
			return stepResult{}, fmt.Errorf("session %s: %w", id, err)
		}
	}
}

func (h *Service) load(ctx context.Context, id string) (trimtab.Session, error) {
	if s, ok := h.cache.get(id); ok {
		return s, nil
	}
	s, err := h.store.Load(ctx, id)
	if err == nil {
		h.cache.put(s)
	}
	return s, err
}

// step is the pure part: no clock, no store.
func (h *Service) step(s trimtab.Session, events []normalized, now time.Time) (d stepResult) {
	d.Entries = make([]trimtab.Entry, 0, len(events))
	if len(events) > 1 {
		d.Messages = make([]trimtab.Message, 0, len(events))
	}
	for _, f := range events {
		ev := f.Event
		if said, ok := ev.(trimtab.Said); ok {
			if said.Message.ID == "" {
				said.Message.ID = trimtab.MessageID(s.Seq + 1)
			}
			if said.Message.At.IsZero() {
				said.Message.At = now
			}
			d.Messages = append(d.Messages, said.Message)
			ev = said
		}
		var out trimtab.Outcome
		s, out = h.engine.Step(s, ev, now)
		out.Actions, out.Faults = writable(out)
		out.Faults = slices.Concat(f.faults, out.Faults)
		d.Entries = append(d.Entries, trimtab.Entry{At: now, Event: ev, Actions: out.Actions, Changes: out.Changes, Faults: out.Faults})
		d.out.Actions = append(d.out.Actions, out.Actions...)
		d.out.Changes = append(d.out.Changes, out.Changes...)
		d.out.Faults = append(d.out.Faults, out.Faults...)
	}
	d.Session = s
	return d
}

// writable leaves out actions that cannot be stored: one intervention's broken
// data must not keep the session from being saved.
func writable(out trimtab.Outcome) (actions []trimtab.Taken, faults []trimtab.Fault) {
	faults = out.Faults
	for _, t := range out.Actions {
		if _, err := json.Marshal(t); err != nil {
			faults = append(faults, trimtab.Fault{By: t.By, Text: fmt.Sprintf("%T left out: it has no JSON form", t.Action)})
			continue
		}
		actions = append(actions, t)
	}
	return actions, faults
}

// backoff waits a little after a lost race, longer each time and never as long as
// another service does.
func (h *Service) backoff(ctx context.Context, id string, try int) error {
	type race struct {
		id  string
		try int
	}
	longest := time.Millisecond << min(try, 4)
	timer := time.NewTimer(time.Duration(maphash.Comparable(h.seed, race{id, try}) % uint64(longest)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// warn logs a fault: who and what, never what anybody said.
func (h *Service) warn(ctx context.Context, id string, f trimtab.Fault) {
	attrs := []slog.Attr{slog.String("session", id), slog.String("by", f.By), slog.String("fault", f.Text)}
	if f.Stack != "" {
		attrs = append(attrs, slog.String("stack", f.Stack))
	}
	h.opt.Log.LogAttrs(ctx, slog.LevelWarn, "steering fault", attrs...)
}
