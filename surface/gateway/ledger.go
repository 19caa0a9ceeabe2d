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
	"sync/atomic"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
)

// ledger is what the gateway knows of the histories that a client sends again and
// again: which message of one is which message of the session. They are a tree: what
// was said, each after another, and one path through it is the main line.
type ledger struct {
	id      string
	free    chan struct{}   // holds a token while nobody works on it: one request of a session at a time
	said    []line          // all messages of the session, in the order in which they were told
	main    []int           // the main line, in said
	tree    *branches       // finds what follows a line; nil until a history parts from the main line
	nth     map[uint64]int  // how often each message was said
	state   trimtab.Session // after the newest request
	stored  trimtab.Session // as it is in the store, or soon: the newest reply may be in it
	profile profile         // of the main line's newest request
	number  int             // requests so far
	loaded  bool
	copies  map[string][]string // of notes that clear themselves, by the message that they were sent behind
	unsure  atomic.Bool         // replies may be bound to what is not sent any more: the provider is to leave out their thinking
	fresh   bool                // nothing was said in the session, so the opening is to be told
	began   atomic.Bool         // a request of it has come
	asked   int                 // how often it was asked for; under the gateway's lock

	before, next wire.Body // the last request and the one at hand; a scan resumes where they part
	raw          *buffer   // holds the bytes of before

	hooks hooks // what the host's hooks told since the last request

	pending *trimtab.Message // the newest reply; said when the client sends it back, or when it does not come back
	replyID atomic.Value     // a string: the provider's name for the newest reply, where it is known
	local   bool             // what is known here may not be in the store: the gateway was alone with the session
	awaits  bool             // the reply of the newest request has not come yet
	adopted bool             // said holds lines that are not in the store under these names
	journal int              // the last entry of the journal that copies were read from
	texts   map[int]string   // of the notes in copies, by their number
	replied int              // how many lines of the main line there were when the newest reply was told
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
	l.before, l.next = l.next, l.before
	l.next.Raw = nil
	l.raw.release()
	l.raw = raw.retain()
	return cap(raw.b)
}

// forget lets go of the bytes of the last request.
func (l *ledger) forget() {
	l.before, l.next = wire.Body{}, wire.Body{}
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

// line is one message of the session. The hash of a reply that was told as it came is
// not known until the client sends it back.
type line struct {
	hash   uint64
	id     string
	parent int    // the line that it follows, in ledger.said; -1 is none
	size   int    // bytes that the model reads
	words  uint64 // of a reply that was told as it came: what it says
	reply  bool   // of the model
	theirs bool   // another surface told it, under a name that does not say what was said
	opens  bool   // it is a prompt with words of the host in front
}

// opens reports whether the words of a prompt stand behind words of its host: what an
// agent says of itself, the folder and the tools at the beginning of a conversation. It
// says that again behind a compaction, so nothing of ours may stand in front of it.
func opens(m trimtab.Message) bool {
	if len(m.Parts) == 0 || !m.IsPrompt() {
		return false
	}
	first, ok := m.Parts[0].(trimtab.Text)
	return ok && first.By != trimtab.Person && first.By != trimtab.Unvouched
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
	l := line{id: m.ID, size: m.Size(), reply: m.Role == trimtab.RoleAssistant, opens: opens(m)}
	if hex, ok := strings.CutPrefix(m.ID, "h"); ok {
		hex, _, _ = strings.Cut(hex, ".")
		l.hash, _ = strconv.ParseUint(hex, 16, 64)
	}
	l.theirs = m.Via != trimtab.ViaGateway && (m.Via != "" || l.hash == 0 && !strings.HasPrefix(m.ID, "r"))
	if l.theirs {
		l.hash = 0
	}
	if l.hash == 0 && l.reply && !redacted(m) {
		l.words = wordsOf(m)
	}
	return l
}

// redacted reports whether a message was stored without something that it said. What is left
// does not say what came; the reply is then known by its place alone.
func redacted(m trimtab.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p trimtab.Part) bool {
		text, ok := p.(trimtab.Text)
		return ok && (text.Text == "" || strings.Contains(text.Text, "[REDACTED:"))
	})
}

// History is where the messages of a session are kept. A trimtab.Archive is one.
type History interface {
	Messages(ctx context.Context, id string, after int) iter.Seq2[trimtab.Message, error]
	Journal(ctx context.Context, id string, after int) iter.Seq2[trimtab.Entry, error]
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
		lines, err := linesAfter(ctx, h, l.id, nil)
		done <- found{lines, err}
	}()
	select {
	case f := <-done:
		if f.err != nil {
			return fmt.Errorf("ledger of %s: %w", l.id, f.err)
		}
		l.begin(f.lines)
		if l.state.Travel != trimtab.Clearing {
			return nil
		}
		if err := l.moreCopies(ctx, h); err != nil {
			l.loaded = false
			return fmt.Errorf("ledger of %s: %w", l.id, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("ledger of %s: %w", l.id, ctx.Err())
	}
}

// begin takes these messages as all that was said. The newest one ends the main line.
func (l *ledger) begin(said []line) {
	l.said, l.tree, l.nth, l.loaded = said, nil, map[uint64]int{}, true
	l.copies, l.texts, l.journal, l.adopted = nil, nil, 0, false
	for _, known := range said {
		l.nth[known.hash]++
	}
	l.follows(l.path(len(said) - 1))
}

// path are the lines that lead to one, and it.
func (l *ledger) path(to int) (main []int) {
	for at := to; at >= 0; at = l.said[at].parent {
		main = append(main, at)
	}
	slices.Reverse(main)
	return main
}

// follows makes these lines the main line.
func (l *ledger) follows(main []int) {
	l.main, l.replied = main, 0
	for i, at := range main {
		if l.said[at].reply {
			l.replied = i + 1
		}
	}
}

// moreCopies finds in the journal which notes were sent behind which message, as far as
// that was not read before.
func (l *ledger) moreCopies(ctx context.Context, h History) error {
	type found struct {
		entries []trimtab.Entry
		err     error
	}
	done := make(chan found, 1)
	go func() {
		var f found
		for e, err := range h.Journal(ctx, l.id, l.journal) {
			if err != nil {
				f.err = err
				break
			}
			f.entries = append(f.entries, trimtab.Entry{Seq: e.Seq, Changes: e.Changes})
		}
		done <- f
	}()
	select {
	case f := <-done:
		if f.err != nil {
			return f.err
		}
		if l.copies == nil {
			l.copies = map[string][]string{}
		}
		if l.texts == nil {
			l.texts = map[int]string{}
		}
		for _, e := range f.entries {
			l.journal = e.Seq
			sent(l.texts, l.copies, e.Changes)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sent adds the copies of one request to those before: behind one message stand those
// that were sent last.
func sent(texts map[int]string, all map[string][]string, changes []trimtab.Change) {
	again := map[string]bool{}
	for _, c := range changes {
		if c.Text != "" && (c.Kind == trimtab.Injected || c.Kind == trimtab.Copied) {
			texts[c.Note] = c.Text
		}
		if c.Kind != trimtab.Copied || texts[c.Note] == "" {
			continue
		}
		if !again[c.Seat.ID] {
			again[c.Seat.ID], all[c.Seat.ID] = true, nil
		}
		all[c.Seat.ID] = append(all[c.Seat.ID], texts[c.Note])
	}
}

// copy notes the copies of a request that is about to leave.
func (l *ledger) copy(s trimtab.Session, changes []trimtab.Change) {
	if s.Travel != trimtab.Clearing {
		return
	}
	if l.copies == nil {
		l.copies = map[string][]string{}
	}
	texts := map[int]string{}
	for _, n := range s.Notes {
		texts[n.ID] = n.Text
	}
	sent(texts, l.copies, changes)
}

// linesAfter reads the lines of a session that follow those that are known.
func linesAfter(ctx context.Context, h History, id string, known []line) (lines []line, err error) {
	var place map[string]int // made when a message does not follow the one before it
	for m, err := range h.Messages(ctx, id, len(known)) {
		switch {
		case errors.Is(err, trimtab.ErrNotFound):
			continue
		case err != nil:
			return nil, err
		}
		at := len(known) + len(lines)
		next := lineOf(m)
		next.parent = at - 1
		if m.After == trimtab.NoMessage {
			next.parent = -1
		} else if m.After != "" {
			if place == nil {
				place = make(map[string]int, at)
				for i, l := range slices.Concat(known, lines) {
					place[l.id] = i
				}
			}
			if parent, ok := place[m.After]; ok {
				next.parent = parent
			}
		}
		if place != nil {
			place[m.ID] = at
		}
		lines = append(lines, next)
	}
	return lines, nil
}
