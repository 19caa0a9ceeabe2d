package gateway

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
)

// ledger is what the gateway knows of the history that a client sends again and
// again: which message of it is which message of the session.
type ledger struct {
	id     string
	free   chan struct{} // holds a token while nobody works on it: one request of a session at a time
	lines  []line
	nth    map[uint64]int // how often each message was said
	number int            // requests so far
	loaded bool
	fresh  bool // nothing was said in the session, so the opening is to be told
	asked  int  // how often it was asked for; under the gateway's lock

	last, next wire.Body // the last request and the one at hand; a scan resumes where they part
	raw        *buffer   // holds the bytes of last

	pending *trimtab.Message // the newest reply; said when the client sends it back, or when it does not come back
	since   time.Time        // of the last request
}

func newLedger(id string) *ledger {
	l := &ledger{id: id, free: make(chan struct{}, 1)}
	l.unlock()
	return l
}

// lock waits for the ledger, but no longer than the context lasts: a store that
// hangs may have hold of it.
func (l *ledger) lock(ctx context.Context) error {
	select {
	case <-l.free:
		return nil
	default:
	}
	select {
	case <-l.free:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("session %s is busy: %w", l.id, ctx.Err())
	}
}

func (l *ledger) tryLock() bool {
	select {
	case <-l.free:
		return true
	default:
		return false
	}
}

func (l *ledger) unlock() { l.free <- struct{}{} }

// keep makes the request at hand, whose bytes these are, the last one, and returns
// how many bytes that keeps.
func (l *ledger) keep(raw *buffer) int {
	l.last, l.next = l.next, l.last
	l.next.Raw = nil
	l.raw.release()
	l.raw = raw.retain()
	return cap(raw.b)
}

// forget lets go of the bytes of the last request.
func (l *ledger) forget() {
	l.last, l.next = wire.Body{}, wire.Body{}
	l.raw.release()
	l.raw = nil
}

// retained bounds the bytes of last requests that are kept, which make scanning the
// next request quick: those that were used longest ago are let go first.
type retained struct {
	mu    sync.Mutex
	order []*ledger // the oldest first
	size  map[*ledger]int
	total int
}

const maxRetained = 8 << 20

// put notes that a ledger, whose lock the caller holds, keeps so many bytes.
func (s *retained) put(l *ledger, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size == nil {
		s.size = map[*ledger]int{}
	}
	if i := slices.Index(s.order, l); i >= 0 {
		s.order = slices.Delete(s.order, i, i+1)
	}
	s.order = append(s.order, l)
	s.total += size - s.size[l]
	s.size[l] = size
	s.shrink(maxRetained, l)
}

// evict lets go of retained requests until at most keep bytes remain.
func (s *retained) evict(keep int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shrink(keep, nil)
}

// shrink is called with the lock held, and by one who may hold the lock of a
// ledger.
func (s *retained) shrink(keep int, mine *ledger) {
	for s.total > keep && len(s.order) > 0 {
		oldest := s.order[0]
		if oldest != mine {
			if !oldest.tryLock() {
				return // in use; the next request sees to it
			}
			oldest.forget()
			oldest.unlock()
		} else {
			mine.forget()
		}
		s.order = s.order[1:]
		s.total -= s.size[oldest]
		delete(s.size, oldest)
	}
}

// drop notes that a ledger keeps nothing any more.
func (s *retained) drop(l *ledger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.order, l); i >= 0 {
		s.order = slices.Delete(s.order, i, i+1)
		s.total -= s.size[l]
		delete(s.size, l)
	}
}

// line is one message of the history. The hash of a reply is not known until the
// client sends it back.
type line struct {
	hash   uint64
	id     string
	theirs bool // another surface told it, under a name that does not say what was said
}

// idOf names a message by what it says; a repetition gets a number.
func idOf(hash uint64, nth int) string {
	id := "h" + strconv.FormatUint(hash, 16)
	if nth > 1 {
		id += "." + strconv.Itoa(nth)
	}
	return id
}

// lineOf reads back what idOf wrote. Messages that earlier versions stored do not say
// who told them; of those, the gateway's have names made by idOf, or beginning with r.
func lineOf(m trimtab.Message) line {
	l := line{id: m.ID}
	if hex, ok := strings.CutPrefix(m.ID, "h"); ok {
		hex, _, _ = strings.Cut(hex, ".")
		l.hash, _ = strconv.ParseUint(hex, 16, 64)
	}
	l.theirs = m.Via != trimtab.ViaGateway && (m.Via != "" || l.hash == 0 && !strings.HasPrefix(m.ID, "r"))
	if l.theirs {
		l.hash = 0
	}
	return l
}

// History is where the messages of a session are kept. A trimtab.Archive is one.
type History interface {
	Messages(ctx context.Context, id string, after int) iter.Seq2[trimtab.Message, error]
}

// load takes the lines from the store, after a restart. It does not wait longer
// than the context lasts, even for a store that hangs.
func (l *ledger) load(ctx context.Context, h History) error {
	type found struct {
		lines []line
		err   error
	}
	done := make(chan found, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- found{err: fmt.Errorf("panic: %v", p)}
			}
		}()
		lines, err := linesOf(ctx, h, l.id)
		done <- found{lines, err}
	}()
	select {
	case f := <-done:
		if f.err != nil {
			return fmt.Errorf("ledger of %s: %w", l.id, f.err)
		}
		l.lines, l.nth, l.loaded = f.lines, map[uint64]int{}, true
		for _, known := range f.lines {
			l.nth[known.hash]++
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("ledger of %s: %w", l.id, ctx.Err())
	}
}

func linesOf(ctx context.Context, h History, id string) (lines []line, err error) {
	for m, err := range h.Messages(ctx, id, 0) {
		switch {
		case errors.Is(err, trimtab.ErrNotFound):
		case err != nil:
			return nil, err
		default:
			lines = append(lines, lineOf(m))
		}
	}
	return lines, nil
}

// reading is a body held against the ledger.
type reading struct {
	lines   []line // the history as the body has it
	items   []int  // where each begins in the body
	new     []int  // lines that are
	changed bool   // the client rewrote its history
}

// read finds which messages of a body are known. A body that goes on where the
// last one ended is the common case; anything else is a rewritten history. The
// ledger has the body's lines afterwards.
func (l *ledger) read(b *wire.Body) reading {
	r := reading{items: make([]int, 0, len(b.Items))}
	for i := range b.Items {
		if !b.Items[i].Continues {
			r.items = append(r.items, i)
		}
	}
	adopted := l.adopt(b, r.items)
	same := 0
	for same < len(l.lines) && same < len(r.items) {
		known, i := &l.lines[same], r.items[same]
		hash := b.Hash(i)
		if known.hash != hash && (known.hash != 0 || b.Items[i].Role != trimtab.RoleAssistant) {
			break
		}
		known.hash = hash
		same++
	}
	rest := l.lines[same:]
	if same == len(r.items) && len(rest) == 1 && rest[0].hash == 0 {
		same, rest = same+1, nil // a retry: the reply that was told is asked for again
	}
	r.changed = len(rest) > 0 || adopted
	var gone map[uint64][]string
	if r.changed {
		gone = map[uint64][]string{}
		for _, known := range rest {
			gone[known.hash] = append(gone[known.hash], known.id)
		}
	}
	l.lines = l.lines[:same]
	if r.changed {
		l.lines = slices.Clone(l.lines)
	}
	for n := same; n < len(r.items); n++ {
		hash := b.Hash(r.items[n])
		if ids := gone[hash]; len(ids) > 0 && hash != 0 {
			l.lines = append(l.lines, line{hash: hash, id: ids[0]})
			gone[hash] = ids[1:]
			continue
		}
		l.nth[hash]++
		r.new = append(r.new, n)
		l.lines = append(l.lines, line{hash: hash, id: idOf(hash, l.nth[hash])})
	}
	r.lines = l.lines
	return r
}

// adopt takes the history up to where this gateway came in as known: it was told by
// another surface, as hooks do, under names that do not say what was said. Told
// again, its steps would count twice. Of what the ledger knows, ours begins after
// that; where there is none of ours yet, after the newest reply.
func (l *ledger) adopt(b *wire.Body, items []int) bool {
	theirs := 0
	for theirs < len(l.lines) && l.lines[theirs].theirs {
		theirs++
	}
	if theirs == 0 {
		return false
	}
	end := -1
	if ours := l.lines[theirs:]; len(ours) > 0 && ours[0].hash != 0 {
		end = slices.IndexFunc(items, func(i int) bool { return b.Hash(i) == ours[0].hash })
	}
	if end < 0 {
		for n, i := range items {
			if b.Items[i].Role == trimtab.RoleAssistant {
				end = n
			}
		}
		end++
	}
	known := make([]line, 0, len(items)+1)
	for _, i := range items[:end] {
		hash := b.Hash(i)
		l.nth[hash]++
		known = append(known, line{hash: hash, id: idOf(hash, l.nth[hash])})
	}
	l.lines = append(known, l.lines[theirs:]...)
	return true
}

// find returns the place of a message in the history, or -1.
func (r reading) find(id string) int {
	for i := len(r.lines) - 1; i >= 0; i-- {
		if r.lines[i].id == id {
			return i
		}
	}
	return -1
}

// events tells the engine what is new in a body, in order, and that a request
// leaves. The newest reply comes back in it; what the provider said of it is put
// with it.
func (r reading) events(f wire.Format, b *wire.Body, s trimtab.Session, reply *trimtab.Message) []trimtab.Event {
	var events []trimtab.Event
	for _, n := range r.new {
		m := wire.Whole(f, b, r.items[n])
		m.ID, m.Via = r.lines[n].id, trimtab.ViaGateway
		if m.Role == trimtab.RoleAssistant && reply != nil {
			m.Usage, m.Model, reply = reply.Usage, reply.Model, nil
		}
		events = append(events, trimtab.Said{Message: m})
	}
	if r.changed {
		events = append(events, r.rewritten(b, s, len(r.new)))
	}
	return append(events, trimtab.Calling{})
}

func (r reading) rewritten(b *wire.Body, s trimtab.Session, said int) trimtab.Event {
	ev := trimtab.Rewritten{Size: b.List.End - b.List.Start}
	for _, id := range s.Anchors() {
		if r.find(id) < 0 {
			ev.Lost = append(ev.Lost, id)
		}
	}
	if last := len(r.lines) - 1; last >= 0 && (len(r.new) == 0 || r.new[len(r.new)-1] != last) {
		ev.Last = trimtab.Ref{ID: r.lines[last].id, Seq: s.Seq + said}
	}
	return ev
}
