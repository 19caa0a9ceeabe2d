package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
)

// nudge says that someone waits.
func (b *backlog) nudge() {
	b.mu.Lock()
	hurry := b.hurry
	b.mu.Unlock()
	select {
	case hurry <- struct{}{}:
	default:
	}
}

// timed are events and the time at which they were stepped.
type timed struct {
	events []normalized
	now    time.Time
}

// batch is what waits to be stored of one session.
type batch struct {
	id     string
	commit trimtab.Commit
	told   []timed // to step again, where another process was faster
	size   int
}

// backlog is what Steer did and the store does not have yet.
type backlog struct {
	mu      sync.Mutex
	waiting map[string]*batch
	flying  map[string]*batch // being stored
	running bool
	size    int
	done    map[string]bool // the sessions whose turn it was in this round of storing
	added   int             // batches so far
	changed chan struct{}   // closed at every change, for those who wait
	hurry   chan struct{}   // someone waits

	failures int   // commits that did not succeed, so far
	err      error // of the last one, while there is trouble
}

const (
	maxBacklog  = 64 << 20               // bytes of messages; beyond it Steer refuses
	quiet       = 25 * time.Millisecond  // without a request, and what waits is stored
	gather      = 250 * time.Millisecond // or so long after the first, so that what comes close together is stored together
	plenty      = 4 << 20                // or when so many bytes wait
	retryAfter  = 250 * time.Millisecond // when the store fails; twice as long each time
	retryAtMost = 10 * time.Second
	commitTime  = 30 * time.Second // for one commit

	maxGroup     = 32 // sessions that are stored together, and their bytes: others write, too
	maxGroupSize = 1 << 20
)

// Backlog says how the storing of what Steer did goes.
type Backlog struct {
	Sessions int   // of which something waits
	Bytes    int   // of what waits
	Failures int   // commits that did not succeed, so far
	Err      error // why the last one did not; nil when one has succeeded since
}

// Backlog returns what Steer did and the store does not have yet.
func (h *Service) Backlog() Backlog {
	b := &h.later
	b.mu.Lock()
	defer b.mu.Unlock()
	out := Backlog{len(b.waiting), b.size, b.failures, b.err}
	for id := range b.flying {
		if b.waiting[id] == nil {
			out.Sessions++
		}
	}
	return out
}

var errBacklog = errors.New("too much waits to be stored; is the disk full?")

func (b *backlog) add(id string, base int, d stepResult, t timed) error {
	size := 256 * len(d.Entries)
	for _, m := range d.Messages {
		size += m.Size()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.size > 0 && b.size+size > maxBacklog {
		return errBacklog
	}
	if b.waiting == nil {
		b.waiting = map[string]*batch{}
	}
	b.size += size
	b.added++
	first := b.waiting[id]
	if first == nil {
		first = &batch{id: id}
		first.commit.Session.Version = base
		b.waiting[id] = first
	}
	first.add(d.Commit, size, t)
	return nil
}

// then is both batches as one.
func (b *batch) then(next *batch) *batch {
	b.add(next.commit, next.size, next.told...)
	return b
}

// add puts a change behind those of the batch.
func (b *batch) add(next trimtab.Commit, size int, told ...timed) {
	version := b.commit.Session.Version
	b.commit.Session = next.Session
	b.commit.Session.Version = version
	b.commit.Messages = append(b.commit.Messages, next.Messages...)
	b.commit.Entries = append(b.commit.Entries, next.Entries...)
	b.told = append(b.told, told...)
	b.size += size
}

// session is the newest state of a session of which something is not stored yet.
func (b *backlog) session(id string) (trimtab.Session, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.waiting[id] != nil:
		return b.waiting[id].commit.Session, true
	case b.flying[id] != nil:
		return b.flying[id].commit.Session, true
	}
	return trimtab.Session{}, false
}

func (b *backlog) has(id string) bool {
	return b.waiting[id] != nil || b.flying[id] != nil
}

// wait returns when nothing of the session, or of any, waits.
func (b *backlog) wait(ctx context.Context, id string) error {
	for {
		b.mu.Lock()
		quiet := id != "" && !b.has(id) || id == "" && len(b.waiting) == 0 && len(b.flying) == 0
		if b.changed == nil {
			b.changed = make(chan struct{})
		}
		changed := b.changed
		b.mu.Unlock()
		if quiet {
			return nil
		}
		b.nudge()
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("not stored yet: %w", ctx.Err())
		}
	}
}

// start has one goroutine store what waits. It ends when nothing does.
func (b *backlog) start(h *Service) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running {
		return
	}
	b.running = true
	if b.hurry == nil {
		b.hurry = make(chan struct{}, 1)
	}
	go b.run(h, b.hurry)
}

func (b *backlog) run(h *Service, hurry <-chan struct{}) {
	pause := retryAfter
	for b.more() {
		b.rest(hurry)
		failed := false
		for group := b.take(); len(group) > 0; group = b.take() {
			failed = h.saveAll(group) != nil || failed
		}
		b.again()
		if !failed {
			pause = retryAfter
			continue
		}
		time.Sleep(pause)
		pause = min(2*pause, retryAtMost)
	}
}

// rest waits for a good time to store: when no request is at hand, which would
// have to share the machine with it, or not much later.
func (b *backlog) rest(hurry <-chan struct{}) {
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	for waited, seen := time.Duration(0), -1; waited < gather; waited += quiet {
		b.mu.Lock()
		added, much := b.added, b.size >= plenty
		b.mu.Unlock()
		if added == seen || much {
			return
		}
		seen = added
		select {
		case <-timer.C:
			timer.Reset(quiet)
		case <-hurry:
			return
		}
	}
}

// more reports whether something waits. Where nothing does, the one who stores
// has ended.
func (b *backlog) more() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = len(b.waiting) > 0
	return b.running
}

// take takes what waits of some sessions; only the one who stores takes it. Those
// of which something was stored in this round, or could not be, wait for the next.
func (b *backlog) take() (group []*batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.flying == nil {
		b.flying, b.done = map[string]*batch{}, map[string]bool{}
	}
	size := 0
	for id, next := range b.waiting {
		if b.done[id] {
			continue
		}
		if size += next.size; len(group) == maxGroup || len(group) > 0 && size > maxGroupSize {
			break
		}
		b.flying[id], b.done[id] = next, true
		delete(b.waiting, id)
		group = append(group, next)
	}
	return group
}

// again begins another round.
func (b *backlog) again() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.done)
}

// landed notes that a batch is stored, or after an error must be tried again.
func (b *backlog) landed(done *batch, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.flying, done.id)
	b.err = err
	if err != nil {
		b.failures++
		if next := b.waiting[done.id]; next != nil {
			done = done.then(next)
		}
		b.waiting[done.id] = done
	} else {
		b.size -= done.size
	}
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// stored tells what waits behind a batch which version it builds on.
func (b *backlog) stored(id string, version int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if next := b.waiting[id]; next != nil {
		next.commit.Session.Version = version
	}
}

// behind takes what waits behind a batch, to be stepped again with it.
func (b *backlog) behind(id string) *batch {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := b.waiting[id]
	delete(b.waiting, id)
	return next
}
