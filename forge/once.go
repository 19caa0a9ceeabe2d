package forge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab/forge/git"
)

// errand is a thing to be made once, and how to find out whether it was.
type errand[T any] struct {
	key  string
	look func(context.Context) (T, bool, error)
	make func(context.Context) (T, error)
}

// once looks before it makes, and after an answer that was lost waits out the
// forge before it looks again. It makes something only when no earlier request
// for it can still arrive.
func once[T any](ctx context.Context, c *Idempotent, e errand[T]) (T, error) {
	var none T
	leave, err := c.locks.enter(ctx, e.key)
	if err != nil {
		return none, err
	}
	defer leave()

	begun, err := c.opt.Log.Last(ctx, e.key)
	if err != nil {
		return none, fmt.Errorf("%s: what was begun before: %w", e.key, err)
	}
	var lost error
	for try := 0; ; try++ {
		found, ok, err := e.look(ctx)
		if err != nil || ok {
			return found, also(err, lost)
		}
		if !begun.IsZero() {
			if err := c.outlive(ctx, begun); err != nil {
				return none, also(err, lost)
			}
			if found, ok, err = e.look(ctx); err != nil || ok {
				return found, also(err, lost)
			}
		}
		if try >= c.opt.Tries {
			return none, lost
		}
		made, err := begin(ctx, c, e)
		switch {
		case err == nil:
			return made, nil
		case errors.Is(err, ErrUnclear):
			lost, begun = err, c.opt.Now()
		case errors.Is(err, ErrExists): // ours, made since we looked, or somebody else's
			if found, ok, failed := e.look(ctx); failed != nil || ok {
				return found, also(failed, err)
			}
			return none, err
		default:
			return none, err
		}
	}
}

// begin records that the thing is about to be made, and makes it. A limit that
// is met here means that nothing was made.
func begin[T any](ctx context.Context, c *Idempotent, e errand[T]) (T, error) {
	var made T
	err := c.patient(ctx, func() error {
		if err := c.opt.Log.Begin(ctx, e.key, c.opt.Now()); err != nil {
			return fmt.Errorf("%s: record that it begins: %w", e.key, err)
		}
		var err error
		made, err = e.make(ctx)
		return err
	})
	return made, err
}

// also adds to an error what went wrong before it.
func also(err, lost error) error {
	if err == nil || lost == nil {
		return err
	}
	return errors.Join(err, lost)
}

// outlive waits until a request that began then can no longer be at work. A clock
// that was set back makes it wait no longer than that.
func (c *Idempotent) outlive(ctx context.Context, begun time.Time) error {
	life := c.forge.Traits().Life
	left := min(begun.Add(life).Sub(c.opt.Now()), life)
	if left <= 0 {
		return nil
	}
	return c.opt.Wait(ctx, left)
}

// patient does something again after a rate limit, as long as that is no longer
// than its patience.
func (c *Idempotent) patient(ctx context.Context, do func() error) error {
	deadline := c.opt.Now().Add(c.opt.Patience)
	for {
		err := do()
		limit, ok := errors.AsType[*Error](err)
		if !ok || !errors.Is(err, ErrLimited) || limit.Until.After(deadline) {
			return err
		}
		// A forge that says "now" and means "not yet" is asked once a second.
		if failed := c.opt.Wait(ctx, max(limit.Until.Sub(c.opt.Now()), time.Second)); failed != nil {
			return errors.Join(failed, err)
		}
		if c.opt.Now().After(deadline) {
			return err
		}
	}
}

// wait waits on the system's clock.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// keyLocks lets one goroutine at a time work on a key.
type keyLocks struct {
	mu   *sync.Mutex
	busy map[string]chan struct{}
}

func newKeyLocks() keyLocks { return keyLocks{new(sync.Mutex), map[string]chan struct{}{}} }

func (d keyLocks) enter(ctx context.Context, key string) (leave func(), err error) {
	for {
		d.mu.Lock()
		other, taken := d.busy[key]
		if !taken {
			done := make(chan struct{})
			d.busy[key] = done
			d.mu.Unlock()
			return func() {
				d.mu.Lock()
				delete(d.busy, key)
				d.mu.Unlock()
				close(done)
			}, nil
		}
		d.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// gitError says in the words of a forge what git said.
func (c *Idempotent) gitError(doing string, err error, reading bool) error {
	e := &Error{Forge: c.forge.Traits().Name, Doing: doing, Err: ErrUnclear}
	if reading {
		e.Err = ErrUnreachable
	}
	failed, ok := errors.AsType[*git.Error](err)
	if !ok || failed.Exit < 0 && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e.Said = failed.Said
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(failed.Said, w) {
				return true
			}
		}
		return false
	}
	switch {
	case errors.Is(err, git.ErrMoved):
		e.Err = ErrExists
	case has("error: 429"):
		e.Err, e.Until = ErrLimited, c.opt.Now().Add(time.Minute)
	case has("Authentication failed", "could not read Username", "error: 401", "error: 403", "[remote rejected]", "[rejected]"):
		e.Err, e.Do = ErrRefused, "see that the token may push to this repository"
	case has("not found", "error: 404", "does not appear to be a git repository"):
		e.Err = ErrNotFound
	case has("Could not resolve host", "Failed to connect", "Connection refused", "Couldn't connect"):
		e.Err = ErrUnreachable
	}
	return e
}
