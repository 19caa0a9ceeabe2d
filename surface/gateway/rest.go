package gateway

import (
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

// end is called with what to do when there is rest; nil is nothing.
func (r *rest) end(rested func()) {
	r.under.Add(-1)
	if rested != nil && r.armed.CompareAndSwap(false, true) {
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
