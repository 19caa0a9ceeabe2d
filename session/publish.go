package session

import (
	"context"
	"sync"

	"github.com/trimtab/trimtab"
)

// Published is an entry of a session's journal, once it is stored.
type Published struct {
	Session trimtab.Info
	Entry   trimtab.Entry // not numbered; a message that was said is in it whole
	Missed  int           // entries that this reader lost so far, because it was slow
}

// waiting is how many entries wait for a reader before the oldest are lost.
const waiting = 256

// Subscribe returns what this service handles from now on, in order for each session. The channel is closed when ctx ends. A reader that falls behind loses
// the oldest entries and nobody waits for it.
func (h *Service) Subscribe(ctx context.Context) <-chan Published {
	r := &subscriber{ch: make(chan Published, waiting)}
	h.broker.mu.Lock()
	if h.broker.readers == nil {
		h.broker.readers = map[*subscriber]bool{}
	}
	h.broker.readers[r] = true
	h.broker.mu.Unlock()
	context.AfterFunc(ctx, func() {
		h.broker.mu.Lock()
		defer h.broker.mu.Unlock()
		delete(h.broker.readers, r)
		close(r.ch)
	})
	return r.ch
}

// broker hands published entries to the subscribers.
type broker struct {
	mu      sync.Mutex
	readers map[*subscriber]bool
}

type subscriber struct {
	ch     chan Published
	missed int
}

func (d *broker) publish(info trimtab.Info, entries []trimtab.Entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for r := range d.readers {
		for _, e := range entries {
			r.send(Published{Session: info, Entry: e})
		}
	}
}

// send never waits. Nobody else sends, so the buffer has space once one is dropped.
func (r *subscriber) send(p Published) {
	for {
		p.Missed = r.missed
		select {
		case r.ch <- p:
			return
		default:
		}
		select {
		case <-r.ch:
			r.missed++
		default: // the reader was faster, and the buffer has space
		}
	}
}
