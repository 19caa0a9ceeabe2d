// Package peer tells the gateways that use one file of sessions of each other. One that
// is alone may keep back from the file what it will store in a moment; as soon as there
// are two, none may.
//
//	group, err := peer.Join(ctx, path)
//	defer group.Leave()
//	go group.Watch(ctx, func(ctx context.Context) error { return … }) // stores what was kept back
//	if group.Shared() { … }
//
// They know each other by locks on files beside the one that they share, which the system
// releases when a process ends, however it ends: there is no heartbeat and no clock. Each
// holds one of a few numbered locks while it lives. Who is alone holds another lock, and
// whoever comes waits for it: it is released once everything is stored.
package peer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/trimtab/trimtab/internal/filelock"
)

// How many gateways may use one file, how often one looks for others, and how long a new
// one waits for the one that was alone.
const (
	places  = 32
	look    = 200 * time.Millisecond
	patient = 5 * time.Second
)

// Group are the gateways on one file, as one of them sees them.
type Group struct {
	path   string
	place  int
	leave  func()
	shared atomic.Bool
	alone  func()       // releases the lock of who is alone; nil where it is not held. Join and Watch only.
	bell   atomic.Int64 // when somebody last came, as far as is known while alone
	wake   chan struct{}
}

// Join makes this process one of the gateways on a file. It waits until nothing that
// belongs into the file is kept back by another one; where that one does not answer, it
// goes on after a while.
func Join(ctx context.Context, path string) (*Group, error) {
	g := &Group{path: path, wake: make(chan struct{}, 1)}
	g.shared.Store(true)
	for n := 1; g.leave == nil; n++ {
		if n > places {
			return nil, fmt.Errorf("more than %d gateways use %s", places, path)
		}
		unlock, err := filelock.Try(g.placeName(n))
		if err != nil && !errors.Is(err, filelock.ErrLocked) {
			return nil, fmt.Errorf("join the gateways on %s: %w", path, err)
		}
		g.place, g.leave = n, unlock
	}
	for end := time.Now().Add(patient); ; {
		if err := g.ring(); err != nil {
			g.leave()
			return nil, fmt.Errorf("join the gateways on %s: %w", path, err)
		}
		if g.tryAlone() || g.others() && g.answered() || time.Now().After(end) {
			return g, nil
		}
		select {
		case <-time.After(look / 10):
		case <-ctx.Done():
			g.leave()
			return nil, ctx.Err()
		}
	}
}

func (g *Group) placeName(n int) string { return fmt.Sprintf("%s-gateway%d.lock", g.path, n) }
func (g *Group) aloneName() string      { return g.path + "-alone.lock" }
func (g *Group) bellName() string       { return g.path + "-gateways" }

// ring lets the others know that somebody came.
func (g *Group) ring() error {
	f, err := os.OpenFile(g.bellName(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	now := time.Now()
	return errors.Join(f.Close(), os.Chtimes(g.bellName(), now, now))
}

// rung is when that last happened.
func (g *Group) rung() int64 {
	info, err := os.Stat(g.bellName())
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

// others reports whether another gateway lives.
func (g *Group) others() bool {
	for n := 1; n <= places; n++ {
		if n == g.place {
			continue
		}
		if _, err := os.Stat(g.placeName(n)); err != nil {
			continue // nobody was ever there
		}
		unlock, err := filelock.Try(g.placeName(n))
		if err != nil {
			return true // one that cannot be looked at counts as one
		}
		unlock()
	}
	return false
}

// answered reports whether nobody is alone any more.
func (g *Group) answered() bool {
	unlock, err := filelock.Try(g.aloneName())
	if err != nil {
		return false
	}
	unlock()
	return true
}

// tryAlone becomes the one that is alone, if it is.
func (g *Group) tryAlone() bool {
	unlock, err := filelock.Try(g.aloneName())
	if err != nil {
		return false
	}
	bell := g.rung() // before looking: who comes after it rings again
	if g.others() {
		unlock()
		return false
	}
	g.alone = unlock
	g.bell.Store(bell)
	g.shared.Store(false)
	return true
}

// Shared reports whether there are other gateways now. It costs a look at a file's time.
func (g *Group) Shared() bool {
	if g.shared.Load() {
		return true
	}
	if g.rung() == g.bell.Load() {
		return false
	}
	g.shared.Store(true)
	select {
	case g.wake <- struct{}{}:
	default:
	}
	return true
}

// Watch notices who comes and who goes, until the context ends. store is called when
// another gateway has come and must store what was kept back; that one waits for it.
func (g *Group) Watch(ctx context.Context, store func(context.Context) error) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-g.wake:
		case <-ctx.Done():
			return
		}
		switch {
		case g.alone == nil && n%5 == 0:
			g.tryAlone()
		case g.alone != nil && g.Shared():
			if !g.others() { // it has gone again
				g.alone()
				g.alone = nil
				continue
			}
			if err := store(ctx); err != nil && ctx.Err() == nil {
				continue // tried again; who waits does so for a while
			}
			g.alone()
			g.alone = nil
		}
	}
}

// Leave says that this gateway has ended. Watch must have returned.
func (g *Group) Leave() {
	if g.alone != nil {
		g.alone()
	}
	if g.leave != nil {
		g.leave()
	}
}

// Always is a group that is never alone, as far as it knows: on a database server that
// others can reach.
func Always() *Group {
	g := &Group{}
	g.shared.Store(true)
	return g
}

// Start watches in the background. stop ends that, stores what is kept back, and leaves.
func (g *Group) Start(ctx context.Context, store func(context.Context) error) (stop func()) {
	if g.leave == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.Watch(ctx, store)
	}()
	return func() {
		cancel()
		<-done
		if g.alone != nil {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patient)
			defer cancel()
			_ = store(ctx) // who comes next does not wait for it longer than this
		}
		g.Leave()
	}
}
