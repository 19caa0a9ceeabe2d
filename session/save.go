package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/trimtab/trimtab"
)

// Gatherer is a store that can take the changes of several sessions at once: all
// of them, or none. That is cheaper than one after the other.
type Gatherer interface {
	CommitAll(ctx context.Context, all []trimtab.Commit) (versions []int, err error)
}

// saveAll stores batches together where the store can do that, and one by one
// where it cannot or will not. After an error some of them must be tried again.
func (h *Service) saveAll(group []*batch) error {
	versions, err := h.together(group)
	if err != nil {
		err = nil
		for _, b := range group {
			failed := h.save(b, h.store.Commit)
			h.later.landed(b, failed)
			err = errors.Join(err, failed)
		}
		return err
	}
	for i, b := range group {
		failed := h.save(b, func(context.Context, trimtab.Commit) (int, error) { return versions[i], nil })
		h.later.landed(b, failed)
		err = errors.Join(err, failed)
	}
	return err
}

var errAlone = errors.New("one by one")

func (h *Service) together(group []*batch) (versions []int, err error) {
	g, can := h.store.(Gatherer)
	if !can || len(group) < 2 {
		return nil, errAlone
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the store panicked: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), commitTime)
	defer cancel()
	all := make([]trimtab.Commit, len(group))
	for i, b := range group {
		all[i] = b.commit
	}
	if versions, err = g.CommitAll(ctx, all); err == nil && len(versions) != len(all) {
		err = errAlone
	}
	return versions, err
}

// save stores a batch. After an error it must be tried again. A store that panics
// has failed, no more.
func (h *Service) save(b *batch, commit func(context.Context, trimtab.Commit) (int, error)) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the store panicked: %v", p)
		}
		h.report(b.id, err)
	}()
	return h.commit(b, commit)
}

func (h *Service) commit(b *batch, commit func(context.Context, trimtab.Commit) (int, error)) error {
	ctx, cancel := context.WithTimeout(context.Background(), commitTime)
	defer cancel()
	version, err := commit(ctx, b.commit)
	unlock, locking := h.locks.lock(context.WithoutCancel(ctx), b.id)
	if locking != nil {
		return locking
	}
	defer unlock()
	switch {
	case err == nil:
		h.later.stored(b.id, version)
		if s, ok := h.cache.get(b.id); ok {
			s.Version = version
			h.cache.put(s)
		}
		h.broker.publish(b.commit.Session.Info, b.commit.Entries)
	case errors.Is(err, trimtab.ErrConflict), errors.Is(err, trimtab.ErrExists):
		err = h.again(ctx, b)
	case errors.Is(err, trimtab.ErrNotFound): // it was removed in the meantime
		h.cache.drop(b.id)
		if next := h.later.behind(b.id); next != nil {
			b.then(next)
		}
		err = nil
	}
	return err
}

// report logs the beginning and the end of trouble with the store, not each try.
func (h *Service) report(id string, err error) {
	was := h.Backlog().Err
	switch {
	case err != nil && was == nil:
		h.opt.Log.Error("not stored yet, trying again; sessions go on from memory", "session", id, "error", err)
	case err == nil && was != nil:
		h.opt.Log.Info("the store takes what waited", "session", id)
	}
}

// again steps a batch, and what waits behind it, on top of what another process
// did. It is called with the session locked.
func (h *Service) again(ctx context.Context, b *batch) error {
	if next := h.later.behind(b.id); next != nil {
		b.then(next)
	}
	var last error
	for range tries {
		s, err := h.store.Load(ctx, b.id)
		if errors.Is(err, trimtab.ErrNotFound) {
			h.cache.drop(b.id)
			return nil
		}
		if err != nil {
			h.cache.drop(b.id)
			return err
		}
		commit := trimtab.Commit{Session: s}
		for _, t := range b.told {
			d := h.step(commit.Session, t.events, t.now)
			commit.Session = d.Session
			commit.Messages = append(commit.Messages, d.Messages...)
			commit.Entries = append(commit.Entries, d.Entries...)
		}
		version, err := h.store.Commit(ctx, commit)
		if err == nil {
			commit.Session.Version = version
			h.cache.put(commit.Session)
			h.broker.publish(commit.Session.Info, commit.Entries)
			return nil
		}
		last = err
		if !errors.Is(err, trimtab.ErrConflict) {
			break
		}
	}
	h.cache.drop(b.id)
	return last
}
