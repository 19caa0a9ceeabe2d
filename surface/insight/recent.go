package insight

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/timeline"
)

// Long sessions that somebody looks at are kept as they were read for a while: a page asks
// for its session again with every step of the agent, and only what is new is then read.
const (
	keepFrom = 500    // messages and entries; shorter ones are read as fast
	keepTo   = 60_000 // longer ones take too much memory
	keepMost = 4
	keepFor  = 5 * time.Minute
)

// reading is a session as it was read. It is never changed: a newer one takes its place.
type reading struct {
	id       string
	created  time.Time
	version  int
	messages []trimtab.Message
	journal  []trimtab.Entry
}

// recent are the readings, the one used last at the end.
type recent struct {
	mu      sync.Mutex
	all     []reading
	reading map[string]chan struct{} // closed when a session is read
	drop    *time.Timer
}

// Timeline is a session in order. Whoever asks was shown the session by the archive. One
// reads for all who ask meanwhile.
func (t *Teller) Timeline(ctx context.Context, from trimtab.Archive, s trimtab.Session) (timeline.Timeline, error) {
	done, err := t.recent.begin(ctx, s.ID)
	if err != nil {
		return timeline.Timeline{}, err
	}
	defer done()
	r := t.recent.find(s)
	if r.version != s.Version || r.id == "" {
		if r, err = r.on(ctx, from, s); err != nil {
			return timeline.Timeline{}, err
		}
	}
	t.recent.keep(r)
	return timeline.New(timeline.Told(s), r.messages, r.journal), nil
}

// begin waits until nobody else reads the session.
func (k *recent) begin(ctx context.Context, id string) (done func(), err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.reading[id] != nil {
		other := k.reading[id]
		k.mu.Unlock()
		select {
		case <-other:
			k.mu.Lock()
		case <-ctx.Done():
			k.mu.Lock()
			return nil, ctx.Err()
		}
	}
	mine := make(chan struct{})
	if k.reading == nil {
		k.reading = map[string]chan struct{}{}
	}
	k.reading[id] = mine
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.reading, id)
		close(mine)
	}, nil
}

// Soon is Timeline for whoever cannot wait long. What is not read then goes on being read,
// and false says that they should ask again.
func (t *Teller) Soon(ctx context.Context, from trimtab.Archive, s trimtab.Session, wait time.Duration) (line timeline.Timeline, ready bool, err error) {
	if s.Seq < keepFrom { // nobody waits for these
		line, err = t.Timeline(ctx, from, s)
		return line, true, err
	}
	type read struct {
		line timeline.Timeline
		err  error
	}
	result := make(chan read, 1) // nobody may be left to take it
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		line, err := t.Timeline(ctx, from, s)
		result <- read{line, err}
	}()
	select {
	case r := <-result:
		return r.line, true, r.err
	case <-time.After(wait):
		return line, false, nil
	}
}

// on reads what came since, messages and journal at once.
func (r reading) on(ctx context.Context, from trimtab.Archive, s trimtab.Session) (reading, error) {
	next := reading{s.ID, s.Created, s.Version, slices.Clip(r.messages), slices.Clip(r.journal)}
	last := 0
	if n := len(r.journal); n > 0 {
		last = r.journal[n-1].Seq
	}
	var unread error
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e, err := range from.Journal(ctx, s.ID, last) {
			if err != nil {
				unread = err
				return
			}
			next.journal = append(next.journal, e)
		}
	}()
	for m, err := range from.Messages(ctx, s.ID, len(r.messages)) {
		if err != nil {
			<-done
			return next, err
		}
		next.messages = append(next.messages, m)
	}
	<-done
	return next, unread
}

// find is what was read of a session; one that was removed and begun again is another.
func (k *recent) find(s trimtab.Session) reading {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range k.all {
		if r.id == s.ID && r.created.Equal(s.Created) && r.version <= s.Version {
			return r
		}
	}
	return reading{}
}

func (k *recent) keep(r reading) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all = slices.DeleteFunc(k.all, func(o reading) bool { return o.id == r.id })
	if n := len(r.messages) + len(r.journal); n < keepFrom || n > keepTo {
		return
	}
	if k.all = append(k.all, r); len(k.all) > keepMost {
		k.all = slices.Delete(k.all, 0, 1)
	}
	if k.drop != nil {
		k.drop.Stop()
	}
	k.drop = time.AfterFunc(keepFor, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.all = nil
	})
}
