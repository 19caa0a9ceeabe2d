package helm

import (
	"context"
	"sync"
)

// gates let one at a time to a session. A gate is there only while someone
// stands at it, so that memory does not grow with the sessions of a lifetime.
type gates struct {
	mu   sync.Mutex
	open map[string]*gate
}

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
		at = &gate{free: make(chan struct{}, 1)}
		at.free <- struct{}{}
		g.open[id] = at
	}
	at.at++
	g.mu.Unlock()

	select {
	case <-at.free:
		return func() {
			at.free <- struct{}{}
			g.forget(id, at)
		}, nil
	case <-ctx.Done():
		g.forget(id, at)
		return nil, ctx.Err()
	}
}

func (g *gates) forget(id string, at *gate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at.at--; at.at == 0 {
		delete(g.open, id)
	}
}
