// Package session is the one service that every surface calls. Whoever has something
// happen to a session (a chat, a gateway, a hook) hands the event to a Service, which
// loads the session, asks the clock once, steps the engine, saves everything in one
// transaction, and then tells those who listen.
//
// It never talks to a model or a host, never draws, and never lets half of an
// event be seen: what Handle returned is stored, and what it refused left no
// trace and can be tried again.
//
//	h := session.New(engine, store, session.Options{Log: log})
//	s, err := h.Begin(ctx, trimtab.Info{ID: "demo", Host: "trimtab"})
//	…
//	s, out, err := h.Handle(ctx, "demo", trimtab.Said{Message: trimtab.Prompt("hello")}, trimtab.Calling{})
//	request := s.View(history)
//
// Several services, in several processes, may steer the sessions of one store: a
// change that another made in the meantime is loaded and the events stepped
// again on top of it.
package session

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"log/slog"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
)

// Options are what a Service may be given. The zero Options work.
type Options struct {
	Clock      func() time.Time // nil is time.Now
	MaxMessage int              // bytes of one message; 0 is 64 MB
	Log        *slog.Logger     // nil is none
	Advisor    Advisor          // asked about each event; nil is nobody
}

// What a Service keeps, waits for and gives up after.
const (
	maxMessage = 64 << 20
	cached     = 1024 // sessions
	tries      = 100  // of an event, when others change the session all the time
)

// Service steers the sessions of a store. It is safe for use by several goroutines.
type Service struct {
	engine *trimtab.Engine
	store  trimtab.Store
	opt    Options
	locks  keyedMutex
	cache  cache
	broker broker
	later  backlog
	seed   maphash.Seed // differs between services, so that they do not wait in step
}

// New returns a service for the sessions of a store.
func New(engine *trimtab.Engine, store trimtab.Store, opt Options) *Service {
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.MaxMessage <= 0 {
		opt.MaxMessage = maxMessage
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{engine: engine, store: store, opt: opt, cache: cache{max: cached}, seed: maphash.MakeSeed()}
}

// Engine returns the engine that steps the sessions.
func (h *Service) Engine() *trimtab.Engine { return h.engine }

// Begin makes a new session. Its times come from the clock.
func (h *Service) Begin(ctx context.Context, info trimtab.Info) (trimtab.Session, error) {
	if err := trimtab.CheckID(info.ID); err != nil {
		return trimtab.Session{}, err
	}
	unlock, err := h.locks.lock(ctx, info.ID)
	if err != nil {
		return trimtab.Session{}, fmt.Errorf("begin session %s: %w", info.ID, err)
	}
	defer unlock()
	s, _ := h.blank(info)
	if s.Version, err = h.store.Commit(ctx, trimtab.Commit{Session: s}); err != nil {
		return trimtab.Session{}, fmt.Errorf("begin session: %w", err)
	}
	h.cache.put(s)
	return s, nil
}

// blank is a session in which nothing has happened, and the time.
func (h *Service) blank(info trimtab.Info) (trimtab.Session, time.Time) {
	for _, text := range []*string{&info.Host, &info.User, &info.Project, &info.Repo, &info.Model, &info.Title, &info.Parent} {
		*text = strings.ToValidUTF8(*text, "\ufffd")
	}
	now := h.now()
	info.Created, info.Updated = now, now
	return trimtab.Session{Info: info}, now
}

// Session returns a session as it is now, whoever changed it last.
func (h *Service) Session(ctx context.Context, id string) (trimtab.Session, error) {
	if err := trimtab.CheckID(id); err != nil {
		return trimtab.Session{}, err
	}
	if s, ok := h.later.session(id); ok {
		return s, nil
	}
	return h.store.Load(ctx, id)
}

// now asks the clock, in the form that a store gives back.
func (h *Service) now() time.Time { return h.opt.Clock().Round(0).UTC() }

// History is the part of a store in which one can look back. Every trimtab.Archive has
// it.
type History interface {
	Messages(ctx context.Context, id string, after int) iter.Seq2[trimtab.Message, error]
	Journal(ctx context.Context, id string, after int) iter.Seq2[trimtab.Entry, error]
}

// Messages returns what was said in a session after the message of this number, as
// far as it is stored. The store must be a History.
func (h *Service) Messages(ctx context.Context, id string, after int) iter.Seq2[trimtab.Message, error] {
	if a, ok := h.store.(History); ok {
		return a.Messages(ctx, id, after)
	}
	return func(yield func(trimtab.Message, error) bool) {
		yield(trimtab.Message{}, fmt.Errorf("session %s: the store gives no messages back", id))
	}
}

// Journal returns the journal of a session after the entry of this number, as far as it
// is stored. The store must be a History.
func (h *Service) Journal(ctx context.Context, id string, after int) iter.Seq2[trimtab.Entry, error] {
	if a, ok := h.store.(History); ok {
		return a.Journal(ctx, id, after)
	}
	return func(yield func(trimtab.Entry, error) bool) {
		yield(trimtab.Entry{}, fmt.Errorf("session %s: the store gives no journal back", id))
	}
}
