package gateway

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// patience is a context that ends after some time, like one of
// context.WithTimeout, but takes a timer only when somebody waits for its end.
// Hardly any request waits for anything in steering, and a timer for each is felt.
type patience struct {
	context.Context
	until  time.Time
	once   sync.Once
	done   <-chan struct{}
	cancel context.CancelFunc // nil where nobody ever waited
	ended  atomic.Bool
}

func newPatience(parent context.Context, d time.Duration) *patience {
	return &patience{Context: parent, until: time.Now().Add(d)}
}

// Deadline says when it ends.
func (p *patience) Deadline() (time.Time, bool) {
	if earlier, ok := p.Context.Deadline(); ok && earlier.Before(p.until) {
		return earlier, true
	}
	return p.until, true
}

// Done is closed when it ends.
func (p *patience) Done() <-chan struct{} {
	p.once.Do(func() {
		var timed context.Context
		timed, p.cancel = context.WithDeadline(p.Context, p.until)
		p.done = timed.Done()
	})
	if p.done == nil { // it had ended before anybody asked
		done := make(chan struct{})
		close(done)
		return done
	}
	return p.done
}

// Err says why it ended, or nil.
func (p *patience) Err() error {
	if err := p.Context.Err(); err != nil {
		return err
	}
	if !time.Now().Before(p.until) {
		return context.DeadlineExceeded
	}
	if p.ended.Load() {
		return context.Canceled
	}
	return nil
}

// end ends it and gives back what it took.
func (p *patience) end() {
	p.ended.Store(true)
	p.once.Do(func() {})
	if p.cancel != nil {
		p.cancel()
	}
}
