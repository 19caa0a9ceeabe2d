package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
)

// Several gateways may serve one session, each request by another one. Then nothing that
// the next request depends on may be in the memory of one of them alone: a request is
// stored before it leaves, against the version of the session that it was decided on, and
// with it what the ledger knows beside the messages. A gateway that finds the session
// changed reads what is new and decides again.

// storedService is a Service whose sessions others may steer at the same time.
type storedService interface {
	SteerStored(ctx context.Context, from trimtab.Session, tell func(trimtab.Session) []trimtab.Event, keep func(trimtab.Session) trimtab.Session) (trimtab.Session, trimtab.Outcome, error)
}

// shared reports whether other gateways may be steering our sessions.
func (g *Steerer) shared() bool { return g.opt.Shared != nil && g.opt.Shared() }

// memo is what a ledger knows beside what is said in the session. It is kept as the
// memory of an intervention of this name, which the engine carries along.
type memo struct {
	Seq     int              `json:"seq"`               // messages of the session when it was written; at another number only what is known of the client holds
	Number  int              `json:"number"`            // requests so far
	Main    [][2]int         `json:"main,omitempty"`    // the main line as runs of said messages, from and to
	Pending *trimtab.Message `json:"pending,omitempty"` // the newest reply, until the client sends it back
	Awaits  bool             `json:"awaits,omitempty"`  // the reply of the newest request has not come yet
	Reply   string           `json:"reply,omitempty"`   // the provider's name for the newest reply
	Unsure  bool             `json:"unsure,omitempty"`
	System  uint64           `json:"system,omitempty"`
	Tools   uint64           `json:"tools,omitempty"`
	Sketch  []uint64         `json:"sketch,omitempty"`
	Offers  bool             `json:"offers,omitempty"`
	NoTodos bool             `json:"noTodos,omitempty"`
}

const memoName = "gateway"

// memo is that of a ledger, with the main line that it is about to have.
func (l *ledger) memo(main []int) memo {
	p := l.profile
	reply, _ := l.replyID.Load().(string)
	m := memo{
		Number: l.number, Pending: l.pending, Awaits: l.awaits, Reply: reply, Unsure: l.unsure.Load(),
		System: p.system, Tools: p.tools, Sketch: p.sketch, Offers: p.offers, NoTodos: p.noTodos,
	}
	for _, at := range main {
		if n := len(m.Main); n > 0 && m.Main[n-1][1] == at {
			m.Main[n-1][1]++
		} else {
			m.Main = append(m.Main, [2]int{at, at + 1})
		}
	}
	return m
}

// in puts a memo into a session.
func (m memo) in(s trimtab.Session) trimtab.Session {
	m.Seq = s.Seq
	raw, err := json.Marshal(m)
	if err != nil {
		return s // of a reply that has no JSON form the client's next request tells
	}
	return s.WithMemory(memoName, raw)
}

// memoOf reads the memo of a session; one that cannot be read is none.
func memoOf(s trimtab.Session) (m memo, ok bool) {
	raw, err := s.Memory(memoName)
	if err != nil || len(raw) == 0 || string(raw) == "null" {
		return m, false
	}
	return m, json.Unmarshal(raw, &m) == nil
}

// recall takes what another gateway, or this one before it was restarted, has kept.
func (l *ledger) recall(s trimtab.Session) (whole bool) {
	m, ok := memoOf(s)
	if !ok {
		return false
	}
	l.profile = profile{system: m.System, tools: m.Tools, sketch: m.Sketch, offers: m.Offers, noTodos: m.NoTodos}
	l.replyID.Store(m.Reply)
	if m.Seq != s.Seq || l.adopted {
		return false
	}
	l.pending, l.awaits, l.number = m.Pending, m.Awaits, m.Number
	l.unsure.Store(m.Unsure)
	var main []int
	for _, run := range m.Main {
		for at := run[0]; at < run[1]; at++ {
			if at < 0 || at >= len(l.said) {
				return false
			}
			main = append(main, at)
		}
	}
	l.follows(main)
	return true
}

// catchUp makes a ledger that of the session as it is stored now. What it knows already
// is not read again.
func (g *Steerer) catchUp(ctx context.Context, l *ledger, info trimtab.Info) error {
	s, _, err := g.opt.Service.Try(ctx, l.id, func(trimtab.Session) []trimtab.Event { return nil })
	if err != nil {
		return err
	}
	same := l.loaded && s.Created.Equal(l.stored.Created)
	if same && (s.Version == l.stored.Version || l.local && s.Seq == l.stored.Seq) {
		l.stored, l.local = s, false
		return nil
	}
	l.local = false
	if s.Version == 0 {
		if !l.fresh || !l.loaded {
			l.begin(nil)
			l.state, l.stored = trimtab.Session{Info: info}, trimtab.Session{Info: info}
			l.pending, l.awaits, l.fresh = nil, false, true
		}
		return nil
	}
	l.pending, l.awaits, l.fresh = nil, false, false
	if same && !l.adopted && s.Seq >= l.stored.Seq && len(l.said) == l.stored.Seq {
		err = l.more(ctx, g.opt.History, s)
	} else {
		l.state = s
		err = l.load(ctx, g.opt.History)
	}
	if err != nil {
		l.loaded = false
		return err
	}
	l.state, l.stored, l.hooks.active = s, s, l.hooks.active || s.Vouched
	if !l.recall(s) {
		l.unsure.Store(true) // as after a restart
	}
	return nil
}

// more reads what was said since the ledger was last brought up to date.
func (l *ledger) more(ctx context.Context, h History, s trimtab.Session) error {
	lines, err := linesAfter(ctx, h, l.id, l.said)
	if err == nil && s.Travel == trimtab.Clearing {
		err = l.moreCopies(ctx, h)
	}
	if err != nil {
		return fmt.Errorf("ledger of %s: %w", l.id, err)
	}
	for _, known := range lines {
		l.nth[known.hash]++
		l.said = append(l.said, known)
		if l.tree != nil {
			l.tree.add(l.said, len(l.said)-1)
		}
	}
	if len(lines) > 0 {
		l.follows(l.path(len(l.said) - 1))
	}
	return nil
}

// advance tells the engine something of a session that the ledger is up to date with.
// after is what the ledger will know then, asked for where others must. It returns
// trimtab.ErrConflict where another process has changed the session since; the ledger
// is as it was.
func (g *Steerer) advance(ctx context.Context, l *ledger, after func() memo, tell func(trimtab.Session) []trimtab.Event) (trimtab.Session, trimtab.Outcome, error) {
	if stored, ok := g.opt.Service.(storedService); ok && g.shared() {
		return stored.SteerStored(ctx, l.stored, tell, after().in)
	}
	stale := false
	l.local = true
	s, out, err := g.opt.Service.Steer(ctx, l.id, func(s trimtab.Session) []trimtab.Event {
		if stale = s.Seq != l.stored.Seq; stale {
			return nil
		}
		return tell(s)
	})
	if err == nil && stale {
		err = trimtab.ErrConflict
	}
	return s, out, err
}

// keepMemo stores what the ledger knows of a shared session.
func (g *Steerer) keepMemo(ctx context.Context, l *ledger) error {
	stored, ok := g.opt.Service.(storedService)
	if !ok {
		return nil
	}
	s, _, err := stored.SteerStored(ctx, l.stored, func(trimtab.Session) []trimtab.Event { return nil }, l.memo(l.main).in)
	if err == nil {
		l.stored = s
	}
	return err
}

// recordShared stores the reply of a turn, again where another process was faster.
func (g *Steerer) recordShared(ctx context.Context, t *turn, result wire.Result) error {
	l := t.ledger
	for {
		if err := g.catchUp(ctx, l, l.stored.Info); err != nil {
			return err
		}
		if l.fresh || l.number != t.number || !l.awaits {
			return nil // the client was faster
		}
		l.answer(result)
		version, err := l.stored.Version, error(nil)
		if !callsTools(result.Message) {
			err = g.tellReply(ctx, l)
		}
		if err == nil && l.stored.Version == version { // nothing was told
			err = g.keepMemo(ctx, l)
		}
		if !errors.Is(err, trimtab.ErrConflict) {
			return err
		}
	}
}

// Share stores what is known only here: another gateway is about to steer the same
// sessions. Options.Shared says so from now on.
func (g *Steerer) Share(ctx context.Context) error {
	var all error
	for _, l := range g.everyLedger() {
		if err := l.lock(ctx); err != nil {
			all = errors.Join(all, err)
			continue
		}
		err := g.opt.Service.Flush(ctx, l.id)
		if err == nil && l.loaded && !l.fresh {
			var s trimtab.Session
			if s, _, err = g.opt.Service.Try(ctx, l.id, func(trimtab.Session) []trimtab.Event { return nil }); err == nil && s.Seq == l.stored.Seq {
				l.stored = s
				err = g.keepMemo(ctx, l)
				l.local = err != nil
			}
		}
		l.unlock()
		all = errors.Join(all, err)
	}
	return all
}

// unanswered notes that no reply will come to the request of a turn.
func (g *Steerer) unanswered(t *turn) {
	if t == nil || !g.shared() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), g.patience())
	defer cancel()
	l := t.ledger
	if l.lock(ctx) != nil {
		return // whoever waits for it waits a moment longer
	}
	defer l.unlock()
	if err := g.forsake(ctx, t); err != nil {
		g.unrecorded(l.id, err)
	}
}

func (g *Steerer) forsake(ctx context.Context, t *turn) error {
	l := t.ledger
	for {
		if err := g.catchUp(ctx, l, l.stored.Info); err != nil {
			return err
		}
		if l.fresh || l.number != t.number || !l.awaits {
			return nil
		}
		l.awaits = false
		if err := g.keepMemo(ctx, l); !errors.Is(err, trimtab.ErrConflict) {
			return err
		}
	}
}

// How long a request that brings a reply back waits for the gateway that the reply came
// through to have stored it, and how soon it looks again, first and last.
const (
	maxAwait   = 500 * time.Millisecond
	awaitFirst = 2 * time.Millisecond
	awaitLast  = 64 * time.Millisecond
)

// repliedElsewhere finds the session whose newest reply has this name in the store.
func (g *Steerer) repliedElsewhere(ctx context.Context, reply, user string) string {
	archive, ok := g.opt.History.(interface {
		List(ctx context.Context, q trimtab.Query) iter.Seq2[trimtab.Info, error]
	})
	if !ok {
		return ""
	}
	q := trimtab.Query{Limit: maxResumable}
	if user != "" {
		q.Users = []string{user}
	}
	for info, err := range archive.List(ctx, q) {
		if err != nil {
			return ""
		}
		s, _, err := g.opt.Service.Try(ctx, info.ID, func(trimtab.Session) []trimtab.Event { return nil })
		if m, ok := memoOf(s); err == nil && ok && m.Reply == reply {
			return info.ID
		}
	}
	return ""
}
