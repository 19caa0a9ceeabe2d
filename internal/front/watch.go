package front

import (
	"context"
	"sync"
	"time"
)

// watch notices a client that hangs up while its request is under way. Most
// requests are over before that could matter to anybody, so only one that lasts
// is watched: by reading a byte, which is kept if it belongs to a next request.
type watch struct {
	mu      sync.Mutex
	cancel  context.CancelFunc // of the request under way; nil where there is none
	read    bool               // all of its body was
	late    bool               // it lasts
	request uint32             // the number of the request
	seen    uint32             // of the one that was there at the last look
	ended   chan struct{}      // closed by who watches; nil where nobody does
	kept    [1]byte
	has     bool
}

// short is how long a request may last and not be watched; it may be twice that.
const short = 20 * time.Millisecond

// begin is called with each request.
func (c *conn) begin(cancel context.CancelFunc, read bool) {
	w := &c.watch
	w.mu.Lock()
	w.cancel, w.read, w.late = cancel, read, false
	w.request++
	w.mu.Unlock()
	c.server.lookSoon()
}

// bodyRead is called when nothing of the body is left: what comes now is a next
// request, or the end.
func (c *conn) bodyRead() {
	w := &c.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read = true
	if w.late && w.cancel != nil {
		c.startWatch()
	}
}

// look has a request watched that was there at the last look, and reports whether
// there is another to look at again.
func (c *conn) look() bool {
	w := &c.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel == nil || w.late {
		return false
	}
	if w.seen != w.request {
		w.seen = w.request
		return true
	}
	w.late = true
	if w.read {
		c.startWatch()
	}
	return false
}

// startWatch is called with the lock held.
func (c *conn) startWatch() {
	w := &c.watch
	if w.has || w.ended != nil {
		return
	}
	ended := make(chan struct{})
	w.ended = ended
	go func() {
		defer close(ended)
		n, err := c.rwc.Read(w.kept[:])
		w.mu.Lock()
		defer w.mu.Unlock()
		w.has = n == 1
		if err != nil && w.cancel != nil {
			w.cancel()
		}
	}()
}

// unwatch ends the request's context and waits for who watches.
func (c *conn) unwatch() {
	w := &c.watch
	w.mu.Lock()
	cancel, ended := w.cancel, w.ended
	w.cancel = nil
	w.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	if ended == nil {
		return
	}
	_ = c.rwc.SetReadDeadline(past)
	<-ended
	_ = c.rwc.SetReadDeadline(time.Time{})
	w.mu.Lock()
	w.ended = nil
	w.mu.Unlock()
}

// hungUp is called when the connection cannot be read or written.
func (c *conn) hungUp() {
	w := &c.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel != nil {
		w.cancel()
	}
}

// lookSoon sees to it that somebody looks for long requests.
func (s *Server) lookSoon() {
	if !s.looking.Load() && s.looking.CompareAndSwap(false, true) {
		time.AfterFunc(short, s.look)
	}
}

func (s *Server) look() {
	s.looking.Store(false) // before: what begins meanwhile asks for another look
	s.mu.Lock()
	more := false
	for c := range s.conns {
		more = c.look() || more
	}
	s.mu.Unlock()
	if more {
		s.lookSoon()
	}
}

// sweep is what was last seen of a connection by who closes those that are late.
type sweep struct {
	mark  uint32
	since time.Time
}

// sweepSoon sees to it that connections are closed on which nothing comes for too
// long. That costs requests nothing, and is a quarter late. The lock is held.
func (s *Server) sweepSoon() {
	least := s.ReadHeaderTimeout
	if least == 0 || s.IdleTimeout > 0 && s.IdleTimeout < least {
		least = s.IdleTimeout
	}
	if least > 0 && !s.sweeping && len(s.conns) > 0 {
		s.sweeping = true
		time.AfterFunc(min(max(least/4, 5*time.Millisecond), 5*time.Second), s.sweepAll)
	}
}

func (s *Server) sweepAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for c := range s.conns {
		c.closeLate(now)
	}
	s.sweeping = false
	s.sweepSoon()
}

func (c *conn) closeLate(now time.Time) {
	mark := c.mark.Load()
	if mark != c.sweep.mark || c.sweep.since.IsZero() {
		c.sweep.mark, c.sweep.since = mark, now
		return
	}
	var most time.Duration
	switch mark % marks {
	case idle:
		most = c.server.IdleTimeout
	case fresh, heading:
		most = c.server.ReadHeaderTimeout
	}
	if most > 0 && now.Sub(c.sweep.since) >= most && c.mark.CompareAndSwap(mark, over) {
		_ = c.rwc.Close()
	}
}
