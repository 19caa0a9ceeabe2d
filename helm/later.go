package helm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
)

// Steer takes a session through events like Handle, but does not wait for the
// disk: it returns when the events are stepped, and they are stored soon after,
// in order. It is for those who stand between an agent and its model, where
// every wait is felt and the host owns the history anyway: what a crash takes
// away, the host's next request tells again.
//
// tell makes the events from the session as it stands, whoever changed it last;
// it must not keep the session. Handle, Session and Flush see what Steer did.
func (h *Helm) Steer(ctx context.Context, id string, tell func(trimtab.Session) []trimtab.Event) (trimtab.Session, trimtab.Outcome, error) {
	none := trimtab.Session{}
	if err := trimtab.CheckID(id); err != nil {
		return none, trimtab.Outcome{}, err
	}
	leave, err := h.gates.enter(ctx, id)
	if err != nil {
		return none, trimtab.Outcome{}, fmt.Errorf("session %s: %w", id, err)
	}
	defer leave()
	s, err := h.newest(ctx, id)
	if err != nil {
		return none, trimtab.Outcome{}, err
	}
	fit, err := h.fit(tell(s))
	if err != nil {
		return none, trimtab.Outcome{}, fmt.Errorf("session %s: %w", id, err)
	}
	now := h.now()
	d := h.step(s, fit, now)
	if err := h.later.add(id, s.Version, d, timed{fit, now}); err != nil {
		return none, trimtab.Outcome{}, fmt.Errorf("session %s: %w", id, err)
	}
	h.cache.put(d.Session)
	for _, f := range d.out.Faults {
		h.warn(ctx, id, f)
	}
	h.later.start(h.save)
	return d.Session, d.out, nil
}

// Open returns the session of this id, or begins it as info says. Like Steer it
// does not wait for the disk: fresh says that the session is new and will be
// stored with the first events.
func (h *Helm) Open(ctx context.Context, info trimtab.Info) (s trimtab.Session, fresh bool, err error) {
	if err := trimtab.CheckID(info.ID); err != nil {
		return s, false, err
	}
	leave, err := h.gates.enter(ctx, info.ID)
	if err != nil {
		return s, false, fmt.Errorf("session %s: %w", info.ID, err)
	}
	defer leave()
	if s, err = h.newest(ctx, info.ID); !errors.Is(err, trimtab.ErrNotFound) {
		return s, false, err
	}
	s, now := h.blank(info)
	if err := h.later.add(info.ID, 0, deed{Commit: trimtab.Commit{Session: s}}, timed{now: now}); err != nil {
		return s, false, fmt.Errorf("begin session %s: %w", info.ID, err)
	}
	h.cache.put(s)
	h.later.start(h.save)
	return s, true, nil
}

// Versioner is a store that can say cheaply whether a session has changed.
type Versioner interface {
	Version(ctx context.Context, id string) (int, error)
}

// newest is the session as Steer left it, else as the cache or the store has it.
// It is called inside the gate.
func (h *Helm) newest(ctx context.Context, id string) (trimtab.Session, error) {
	if s, ok := h.later.session(id); ok {
		return s, nil
	}
	s, ok := h.cache.get(id)
	v, can := h.store.(Versioner)
	if ok && can {
		switch version, err := within(ctx, func() (int, error) { return v.Version(ctx, id) }); {
		case err != nil:
			h.cache.drop(id)
			return s, err
		case version == s.Version:
			return s, nil
		}
	} else if ok {
		return s, nil
	}
	s, err := within(ctx, func() (trimtab.Session, error) { return h.store.Load(ctx, id) })
	if err == nil {
		h.cache.put(s)
	}
	return s, err
}

// within asks the store, but waits no longer than the context lasts: a disk that
// hangs in a system call does not listen to it.
func within[T any](ctx context.Context, ask func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- answer{err: fmt.Errorf("the store panicked: %v", p)}
			}
		}()
		value, err := ask()
		done <- answer{value, err}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// enter comes through the gate of a session when all that Steer did to it is
// stored.
func (h *Helm) enter(ctx context.Context, id string) (leave func(), err error) {
	for {
		if err := h.later.wait(ctx, id); err != nil {
			return nil, err
		}
		leave, err := h.gates.enter(ctx, id)
		if err != nil {
			return nil, err
		}
		if _, waits := h.later.session(id); !waits {
			return leave, nil
		}
		leave()
	}
}

// Flush waits until what Steer did is stored: to these sessions, or to all.
func (h *Helm) Flush(ctx context.Context, ids ...string) error {
	if len(ids) == 0 {
		ids = []string{""}
	}
	for _, id := range ids {
		if err := h.later.wait(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// Hurry has what waits stored at once, and does not wait for it.
func (h *Helm) Hurry() { h.later.nudge() }

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
	events []fitted
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
	flying  *batch // being stored
	running bool
	size    int
	changed chan struct{} // closed at every change, for those who wait
	hurry   chan struct{} // someone waits
	last    time.Time     // of the last round of storing

	failures int   // commits that did not succeed, so far
	err      error // of the last one, while there is trouble
}

const (
	maxBacklog  = 64 << 20               // bytes of messages; beyond it Steer refuses
	gather      = 25 * time.Millisecond  // between two rounds, so that what comes close together is stored together
	retryAfter  = 250 * time.Millisecond // when the store fails; twice as long each time
	retryAtMost = 10 * time.Second
	commitTime  = 30 * time.Second // for one commit
)

// Backlog says how the storing of what Steer did goes.
type Backlog struct {
	Sessions int   // of which something waits
	Bytes    int   // of what waits
	Failures int   // commits that did not succeed, so far
	Err      error // why the last one did not; nil when one has succeeded since
}

// Backlog returns what Steer did and the store does not have yet.
func (h *Helm) Backlog() Backlog {
	b := &h.later
	b.mu.Lock()
	defer b.mu.Unlock()
	out := Backlog{len(b.waiting), b.size, b.failures, b.err}
	if b.flying != nil && b.waiting[b.flying.id] == nil {
		out.Sessions++
	}
	return out
}

var errBacklog = errors.New("too much waits to be stored; is the disk full?")

func (b *backlog) add(id string, base int, d deed, t timed) error {
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
	next := &batch{id, d.Commit, []timed{t}, size}
	next.commit.Session.Version = base
	b.size += size
	b.put(next)
	return nil
}

// put adds a batch behind what waits of the same session. The lock is held.
func (b *backlog) put(next *batch) {
	if first := b.waiting[next.id]; first != nil {
		next = first.then(next)
	}
	b.waiting[next.id] = next
}

// then is both batches as one.
func (b *batch) then(next *batch) *batch {
	version := b.commit.Session.Version
	b.commit.Session = next.commit.Session
	b.commit.Session.Version = version
	b.commit.Messages = append(b.commit.Messages, next.commit.Messages...)
	b.commit.Entries = append(b.commit.Entries, next.commit.Entries...)
	b.told = append(b.told, next.told...)
	b.size += next.size
	return b
}

// session is the newest state of a session of which something is not stored yet.
func (b *backlog) session(id string) (trimtab.Session, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.waiting[id] != nil:
		return b.waiting[id].commit.Session, true
	case b.flying != nil && b.flying.id == id:
		return b.flying.commit.Session, true
	}
	return trimtab.Session{}, false
}

func (b *backlog) has(id string) bool {
	return b.waiting[id] != nil || b.flying != nil && b.flying.id == id
}

// wait returns when nothing of the session, or of any, waits.
func (b *backlog) wait(ctx context.Context, id string) error {
	for {
		b.mu.Lock()
		quiet := id != "" && !b.has(id) || id == "" && len(b.waiting) == 0 && b.flying == nil
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
func (b *backlog) start(save func(*batch) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running {
		return
	}
	b.running = true
	if b.hurry == nil {
		b.hurry = make(chan struct{}, 1)
	}
	go b.run(save, b.hurry)
}

func (b *backlog) run(save func(*batch) error, hurry <-chan struct{}) {
	pause := retryAfter
	for b.more() {
		if wait := gather - time.Since(b.last); wait > 0 { // only the one who stores looks at last
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-hurry:
				timer.Stop()
			}
		}
		failed := false
		for _, id := range b.ids() {
			next := b.take(id)
			err := save(next)
			b.landed(next, err)
			failed = failed || err != nil
		}
		b.last = time.Now()
		if !failed {
			pause = retryAfter
			continue
		}
		time.Sleep(pause)
		pause = min(2*pause, retryAtMost)
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

// ids are the sessions that wait.
func (b *backlog) ids() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Keys(b.waiting))
}

// take takes what waits of a session; only the one who stores takes it.
func (b *backlog) take(id string) *batch {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flying = b.waiting[id]
	delete(b.waiting, id)
	return b.flying
}

// landed notes that a batch is stored, or after an error must be tried again.
func (b *backlog) landed(done *batch, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flying, b.err = nil, err
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

// rest takes what waits behind a batch, to be stepped again with it.
func (b *backlog) rest(id string) *batch {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := b.waiting[id]
	delete(b.waiting, id)
	return next
}

// save stores a batch. After an error it must be tried again. A store that panics
// has failed, no more.
func (h *Helm) save(b *batch) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the store panicked: %v", p)
		}
		h.report(b.id, err)
	}()
	return h.commit(b)
}

func (h *Helm) commit(b *batch) error {
	ctx, cancel := context.WithTimeout(context.Background(), commitTime)
	defer cancel()
	version, err := h.store.Commit(ctx, b.commit)
	leave, entering := h.gates.enter(context.WithoutCancel(ctx), b.id)
	if entering != nil {
		return entering
	}
	defer leave()
	switch {
	case err == nil:
		h.later.stored(b.id, version)
		if s, ok := h.cache.get(b.id); ok {
			s.Version = version
			h.cache.put(s)
		}
		h.desk.publish(b.commit.Session.Info, b.commit.Entries)
	case errors.Is(err, trimtab.ErrConflict), errors.Is(err, trimtab.ErrExists):
		err = h.again(ctx, b)
	case errors.Is(err, trimtab.ErrNotFound): // it was removed in the meantime
		h.cache.drop(b.id)
		if next := h.later.rest(b.id); next != nil {
			b.then(next)
		}
		err = nil
	}
	return err
}

// report logs the beginning and the end of trouble with the store, not each try.
func (h *Helm) report(id string, err error) {
	was := h.Backlog().Err
	switch {
	case err != nil && was == nil:
		h.opt.Log.Error("not stored yet, trying again; sessions go on from memory", "session", id, "error", err)
	case err == nil && was != nil:
		h.opt.Log.Info("the store takes what waited", "session", id)
	}
}

// again steps a batch, and what waits behind it, on top of what another process
// did. It is called inside the gate.
func (h *Helm) again(ctx context.Context, b *batch) error {
	if next := h.later.rest(b.id); next != nil {
		b.then(next)
	}
	var last error
	for range tries {
		s, err := h.store.Load(ctx, b.id)
		if errors.Is(err, trimtab.ErrNotFound) {
			h.cache.drop(b.id)
			return nil
		}
		if err != nil {
			h.cache.drop(b.id)
			return err
		}
		commit := trimtab.Commit{Session: s}
		for _, t := range b.told {
			d := h.step(commit.Session, t.events, t.now)
			commit.Session = d.Session
			commit.Messages = append(commit.Messages, d.Messages...)
			commit.Entries = append(commit.Entries, d.Entries...)
		}
		version, err := h.store.Commit(ctx, commit)
		if err == nil {
			commit.Session.Version = version
			h.cache.put(commit.Session)
			h.desk.publish(commit.Session.Info, commit.Entries)
			return nil
		}
		last = err
		if !errors.Is(err, trimtab.ErrConflict) {
			break
		}
	}
	h.cache.drop(b.id)
	return last
}
