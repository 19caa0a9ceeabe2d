package gateway

import (
	"context"
	"sync/atomic"
	"time"
)

// rest notices when requests have stopped coming, for who wants to know: that is
// the time for what would be felt in between. While requests come it costs one
// timer a second, and nothing when they do not.
type rest struct {
	under atomic.Int64 // requests under way
	begun atomic.Int64 // so far
	armed atomic.Bool  // the timer is
}

const restAfter = time.Second

func (r *rest) begin() {
	r.under.Add(1)
	r.begun.Add(1)
}

// end is called with what to do when there is rest.
func (r *rest) end(rested func()) {
	r.under.Add(-1)
	if r.armed.CompareAndSwap(false, true) {
		r.look(rested, r.begun.Load())
	}
}

// look looks again after a while whether nothing has begun since.
func (r *rest) look(rested func(), begun int64) {
	time.AfterFunc(restAfter, func() {
		if now := r.begun.Load(); now != begun || r.under.Load() > 0 {
			r.look(rested, now)
			return
		}
		r.armed.Store(false)
		rested()
	})
}

// What stays in memory when there is rest: more than anybody works with at once.
// Of a thousand sessions that came in a burst the others would be held for nothing.
const (
	sessionsAtRest = 32
	retainedAtRest = 2 << 20 // bytes of last requests
)

// rested makes use of a time without requests.
func (g *Gateway) rested() {
	g.thin(sessionsAtRest)
	g.opt.Service.Forget(sessionsAtRest)
	g.retained.evict(retainedAtRest)
	if g.opt.Rested != nil {
		g.opt.Rested()
	}
}

// thin forgets all but the ledgers used last. Their last replies are told first,
// and one that is asked for in the meantime stays.
func (g *Steerer) thin(keep int) {
	type old struct {
		ledger *ledger
		asked  int
	}
	var all []old
	g.mu.Lock()
	for e := g.order.Back(); e != nil && len(all) < g.order.Len()-keep; e = e.Prev() {
		l := e.Value.(*ledger)
		all = append(all, old{l, l.asked})
	}
	g.mu.Unlock()
	for _, o := range all {
		g.flush(context.Background(), o.ledger, 0)
		g.mu.Lock()
		if e := g.ledgers[o.ledger.id]; e != nil && e.Value == o.ledger && o.ledger.asked == o.asked {
			g.order.Remove(e)
			delete(g.ledgers, o.ledger.id)
		}
		g.mu.Unlock()
	}
}
