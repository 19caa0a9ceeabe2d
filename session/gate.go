package session

import (
	"context"
	"sync"
)

// gates let one at a time to a session. A gate is there only while someone
// stands at it, so that memory does not grow with the sessions of a lifetime.
type gates struct {
	mu   sync.Mutex
	open map[string]*gate
	idle []*gate // that nobody stands at, to be used again
}

const idleGates = 64

type gate struct {
	free chan struct{} // holds one token while nobody is inside
	at   int           // inside and waiting
}

// enter waits for its turn, or for the context to end.
func (g *gates) enter(ctx context.Context, id string) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g.mu.Lock()
	if g.open == nil {
		g.open = map[string]*gate{}
	}
	at := g.open[id]
	if at == nil {
		at = g.gate()
		g.open[id] = at
	}
	at.at++
	g.mu.Unlock()

	select {
	case <-at.free:
	default: // only who has to wait asks for the end of the context, which may cost a timer
		select {
		case <-at.free:
		case <-ctx.Done():
			g.forget(id, at)
			return nil, ctx.Err()
		}
	}
	return func() {
		at.free <- struct{}{}
		g.forget(id, at)
	}, nil
}

// gate returns one with nobody inside. The lock is held.
func (g *gates) gate() *gate {
	if n := len(g.idle); n > 0 {
		at := g.idle[n-1]
		g.idle = g.idle[:n-1]
		return at
	}
	at := &gate{free: make(chan struct{}, 1)}
	at.free <- struct{}{}
	return at
}

func (g *gates) forget(id string, at *gate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at.at--; at.at == 0 {
		delete(g.open, id)
		if len(g.idle) < idleGates {
			g.idle = append(g.idle, at)
		}
	}
}
