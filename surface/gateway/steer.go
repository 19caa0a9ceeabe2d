package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
)

// turn is a main turn under way: what is needed to read its reply.
type turn struct {
	ledger *ledger
	number int // of the request in its session
	format wire.Format
	stream bool
}

// edited is what steering made of a request.
type edited struct {
	sending
	some bool // it goes out with changes of ours
	err  error
}

// steer returns what to send, and the turn if it is one. It never fails: where anything
// is not sure, the body goes out as it came, but for the switch that a history with
// notes in it may need then.
func (g *Steerer) steer(r *http.Request, to route, came *buffer, rest io.Reader, way *trail) *sending {
	if to.counts && rest == nil && r.Header.Get("Content-Encoding") == "" {
		if raw, ok := unbind(came.b, r.Header); ok {
			return &sending{body: newOutgoing(&buffer{b: raw}, raw)}
		}
	}
	if to.format == nil || rest != nil || len(came.b) == 0 {
		return &sending{body: newOutgoing(came, came.b)}
	}
	e := g.inTurn(r, to, came, way)
	if e.err != nil && r.Context().Err() == nil {
		g.Stats.Faults.Add(1)
		way.fault()
		g.opt.Log.Warn("the request went out as it came", "format", to.format.Name(), "error", e.err)
		if to.provider == "anthropic" && r.Header.Get("Content-Encoding") == "" {
			if raw, ok := unbind(came.b, r.Header); ok {
				e.body = newOutgoing(&buffer{b: raw}, raw)
				return &e.sending
			}
		}
	}
	if !e.some {
		e.body = newOutgoing(came, came.b)
		if e.plain == nil && r.Header.Get("Content-Encoding") == "" {
			e.plain = came
		}
		return &e.sending
	}
	g.Stats.Edited.Add(1)
	way.steered()
	r.Header.Del("Content-Encoding") // if it was compressed: with notes it goes plain
	return &e.sending
}

// inTurn edits a request when it is its turn, within the patience for it.
func (g *Steerer) inTurn(r *http.Request, to route, came *buffer, way *trail) edited {
	if err := g.turns.take(r.Context(), g.patience()); err != nil {
		return edited{err: err}
	}
	ctx, cancel := context.WithTimeout(r.Context(), g.patience())
	defer cancel()
	defer func() { g.turns.give(errors.Is(ctx.Err(), context.DeadlineExceeded)) }()
	return g.safely(ctx, r, to, came, way)
}

// patience is how long a request waits for steering before it goes out as it came.
func (g *Steerer) patience() time.Duration { return time.Duration(g.opt.Patience) * time.Millisecond }

// safely edits a request. A panic is an error.
func (g *Steerer) safely(ctx context.Context, r *http.Request, to route, came *buffer, way *trail) (e edited) {
	defer func() {
		if p := recover(); p != nil {
			e = edited{err: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
		}
	}()
	return g.edit(ctx, r, to, came, way)
}

// edit edits a request. Where another process has changed the session while it was
// decided, or has the reply that the request brings back and has not stored it yet, it
// is decided again.
func (g *Steerer) edit(ctx context.Context, r *http.Request, to route, came *buffer, way *trail) (e edited) {
	plain, err := g.decoded(r.Header.Get("Content-Encoding"), came)
	if err != nil {
		return edited{err: err}
	}
	defer plain.release()
	since := time.Now()
	for pause := awaitFirst; ; pause = min(2*pause, awaitLast) {
		e = g.attempt(ctx, r, to, plain, way, time.Since(since) < min(maxAwait, g.patience()/2))
		switch {
		case errors.Is(e.err, errAwaits), errors.Is(e.err, trimtab.ErrConflict):
		default:
			return e
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return edited{err: fmt.Errorf("the session is being changed by others all the time: %w", ctx.Err())}
		}
	}
}

// errAwaits is a request whose newest reply is about to be stored by another gateway.
var errAwaits = errors.New("its newest reply is not stored yet")

// attempt edits a request once. waits says that a reply that is not stored yet may be
// waited for.
func (g *Steerer) attempt(ctx context.Context, r *http.Request, to route, plain *buffer, way *trail, waits bool) (e edited) {
	from := who(g.clients, r.Header)
	l, err := g.whose(ctx, r, to, from, plain.b, way)
	if err != nil {
		return edited{err: err}
	}
	if l == nil {
		g.Stats.Side.Add(1)
		return e
	}
	defer l.unlock()
	body := &l.next
	if err := to.format.Scan(plain.b, body, &l.before); err != nil {
		return edited{err: err}
	}
	if ctx.Err() != nil { // reading it has taken all the time there is
		return edited{err: ctx.Err()}
	}
	if g.shared() {
		if err := g.catchUp(ctx, l, g.info(l, from, body)); err != nil {
			return edited{err: err}
		}
	}
	if previous := body.Previous(); previous != "" && !g.goesOn(ctx, l, previous) {
		g.Stats.Side.Add(1)
		return e
	}
	why := from.side(r.Header, to.format, body)
	if why != "" && (!l.loaded || l.fresh) {
		g.Stats.Side.Add(1)
		return e
	}
	way.turn(l.id, g.host(from), to, body)
	if err := g.begin(ctx, l, from, body); err != nil {
		return edited{err: err}
	}
	if body.Previous() != "" {
		if err := g.tellReply(ctx, l); errors.Is(err, trimtab.ErrConflict) { // it does not come back
			return edited{err: err}
		}
	}
	seen, as := l.read(to.format, body), l.profileOf(to.format, body)
	if why == "" {
		why = l.side(seen, as, to.format, body)
	}
	_, refused := g.refused.Load(to.provider + " " + body.Model())
	by := g.way(to, body, refused)
	if why != "" {
		g.Stats.Side.Add(1)
		way.aside()
		return g.place(r, plain, to, l, body, l.carried(seen, as, by.channel, body))
	}
	if waits && l.awaits && len(seen.new) > 0 && g.shared() { // a retry says nothing new
		return edited{err: errAwaits}
	}
	if l.pending != nil && seen.drops() { // it was received, whatever the host thinks of it
		if err := g.tellReply(ctx, l); errors.Is(err, trimtab.ErrConflict) {
			return edited{err: err}
		}
		seen = l.read(to.format, body)
	}
	hooked := l.hooks.clone()
	g.escapes(from, to.format, body, &seen)
	if by.bound && seen.foreign(l.pending != nil) {
		l.unsure.Store(true)
	}
	call := trimtab.Calling{Travel: by.travel, Hosted: l.hosted(seen, to.format, body), NoTodos: as.noTodos, Folder: g.folder(from, l, to.format, body)}
	s, out, err := g.tell(ctx, l, to.format, body, seen, as, g.shapeOf(from, l, body), g.handOn(l, body, call))
	if errors.Is(err, trimtab.ErrConflict) {
		l.hooks = hooked
		return edited{err: err}
	}
	g.Stats.Main.Add(1)
	if err != nil {
		return edited{err: err}
	}
	l.copy(s, out.Changes)
	g.count(out)
	way.told(out)
	t := &turn{ledger: l, number: l.number, format: to.format, stream: streams(to, body)}
	e = g.place(r, plain, to, l, body, seen.edits(s, l.copies, by.channel, body))
	e.turn = t
	g.retained.put(l, l.keep(plain))
	return e
}

// handOn leaves the notes of a request to who adds or keeps them instead of us.
func (g *Steerer) handOn(l *ledger, body *wire.Body, call trimtab.Calling) trimtab.Calling {
	if body.Previous() != "" {
		call.Hosted = l.kept()
	}
	if l.hooks.adds() && g.hosts(body.Model()) {
		call.Travel = trimtab.Hosted
	}
	return call
}

// place puts edits into a body.
func (g *Steerer) place(r *http.Request, plain *buffer, to route, l *ledger, body *wire.Body, edits []wire.Edit) (e edited) {
	e.model, e.plain, e.edits, e.from = body.Model(), plain, edits, l
	raw := plain.b
	if l.unsure.Load() && to.provider == "anthropic" {
		var fresh wire.Body
		if mended, ok := unbind(raw, r.Header); ok && to.format.Scan(mended, &fresh, nil) == nil {
			raw, body, plain, e.some = mended, &fresh, &buffer{b: mended}, true
			e.plain = plain
		}
	}
	if len(edits) == 0 && !e.some {
		e.plain = nil
		return e
	}
	pieces := [][]byte{raw}
	if len(edits) > 0 {
		var left int
		if pieces, left, e.err = apply(to.format, body, edits); e.err != nil {
			return edited{err: e.err}
		}
		if left > 0 {
			g.Stats.Faults.Add(1)
			g.opt.Log.Warn("notes or folds found no place and were left out", "session", l.id, "count", left)
		}
	}
	if slices.ContainsFunc(edits, func(e wire.Edit) bool { return e.Clear }) {
		addBeta(r.Header, betaClearing)
	}
	e.body, e.some = newOutgoing(plain, pieces...), true
	return e
}

// sizeOf is about what the notes take.
func sizeOf(edits []wire.Edit) (size int) {
	for _, e := range edits {
		for _, text := range e.Texts {
			size += len(text) + len(text)/8 + 128
		}
	}
	return size
}

// How many messages, and about how many bytes of them, the engine is told before somebody
// looks whether there is still time: what a request may cost beyond its patience.
const (
	maxTold      = 256
	maxToldBytes = 4 << 20
)

// tell tells the engine what is new in a body and returns the session after it. Where
// patience ends before all is told, what was told stays told, and the next request goes
// on from there: a long history costs each request that brings it no more than its
// patience.
func (g *Steerer) tell(ctx context.Context, l *ledger, f wire.Format, b *wire.Body, seen reading, as profile, like shape, call trimtab.Calling) (s trimtab.Session, out trimtab.Outcome, err error) {
	replied, sure := seen.replied(f, b, l.pending)
	commands, done := g.commands()
	for from, to := 0, 0; ; from = to {
		to = seen.partEnd(b, from)
		part := chunk{from: from, to: to, replied: replied, sure: sure, like: like, call: call}
		if from > 0 && ctx.Err() != nil {
			return s, out, fmt.Errorf("%d of %d messages are told, the rest waits for the next request: %w", from, len(seen.new), ctx.Err())
		}
		l.loaded = false // until it is told: after an error or a panic what the store has is the truth
		var now trimtab.Outcome
		s, now, err = g.advance(ctx, l, func() memo { return l.memoAfter(seen, part, as) }, func(s trimtab.Session) []trimtab.Event {
			events := seen.events(l, f, b, s, part)
			if part.from == 0 {
				events = append(slices.Concat(commands, seen.typed), events...)
			}
			if l.fresh {
				events = append(slices.Clone(g.opt.Opening), events...)
			}
			return events
		})
		if err != nil {
			l.loaded = errors.Is(err, trimtab.ErrConflict) && g.shared() // then nothing has happened, and it catches up
			return s, out, err
		}
		out.Actions, out.Changes, out.Faults = append(out.Actions, now.Actions...), append(out.Changes, now.Changes...), append(out.Faults, now.Faults...)
		if part.from == 0 {
			done()
			g.opt.Run.SetSession(l.id)
		}
		l.take(seen, part.from, part.to)
		l.hooks.spend()
		if l.loaded, l.fresh, l.state, l.stored = true, false, s, s; replied >= 0 && part.holds(seen, replied) {
			l.pending = nil
		}
		if part.to == len(seen.new) {
			break
		}
	}
	l.hooks.typing = false
	l.pending, l.since, l.awaits, l.profile = nil, g.opt.Clock(), true, as
	l.number++
	return s, out, nil
}

// memoAfter is the memo of a ledger once a part of a request is told.
func (l *ledger) memoAfter(seen reading, part chunk, as profile) memo {
	m := l.memo(seen.mainTo(part.to))
	if part.replied >= 0 && part.holds(seen, part.replied) {
		m.Pending = nil
	}
	if part.to == len(seen.new) {
		m.Number, m.Pending, m.Awaits = m.Number+1, nil, true
		m.System, m.Tools, m.Sketch, m.Offers, m.NoTodos = as.system, as.tools, as.sketch, as.offers, as.noTodos
	}
	return m
}

// info is what a session of a request is said to be when it begins.
func (g *Steerer) info(l *ledger, from client, b *wire.Body) trimtab.Info {
	return trimtab.Info{ID: l.id, User: g.userOf(l.id), Host: g.host(from), Project: g.opt.Project, Model: b.Model()}
}

// begin makes sure that the session and its ledger are there.
func (g *Steerer) begin(ctx context.Context, l *ledger, from client, b *wire.Body) error {
	l.began.Store(true)
	if g.shared() {
		return g.catchUp(ctx, l, g.info(l, from, b))
	}
	if l.loaded && g.opt.Shared != nil && !l.local { // there were others until now
		if err := g.catchUp(ctx, l, g.info(l, from, b)); err != nil {
			return err
		}
		l.loaded, l.local = !l.fresh, true
	}
	if l.loaded {
		return nil
	}
	l.local = true
	s, _, err := g.opt.Service.Open(ctx, g.info(l, from, b))
	if err != nil {
		return err
	}
	l.state, l.stored, l.hooks.active = s, s, l.hooks.active || s.Vouched
	if l.fresh = s.Seq == 0; l.fresh {
		l.begin(nil)
		return nil
	}
	l.unsure.Store(true)                                   // the reply under way when the last process ended is not known
	if err := g.opt.Service.Flush(ctx, l.id); err != nil { // the history is read from the store
		return err
	}
	if err := l.load(ctx, g.opt.History); err != nil {
		return err
	}
	l.recall(s)
	return nil
}

// host is the name of the agent, by its requests or by the run.
func (g *Steerer) host(from client) string { return cmp.Or(from.Name, g.opt.Host) }

func (g *Steerer) count(out trimtab.Outcome) {
	for _, c := range out.Changes {
		if c.Kind == trimtab.Injected {
			g.Stats.Notes.Add(1)
			g.Stats.Tokens.Add(int64(c.Tokens))
		}
	}
}

// named is the session that a request names: by our header, by the path, by the run, or
// by the host's own id; "" where it names none. It is sure where the name is the
// session's own, and not that of the address.
func (g *Steerer) named(r *http.Request, to route, from client) (id string, sure bool) {
	if id := r.Header.Get(sessionHeader); id != "" {
		return g.scoped(r, usable(id)), true
	}
	for _, id := range []string{to.session, g.opt.Session} {
		if id != "" {
			return g.scoped(r, usable(id)), false
		}
	}
	for _, name := range from.Session {
		if id := r.Header.Get(name); id != "" {
			return g.hostsOwn(r, usable(from.name()+":"+id)), true
		}
	}
	return "", false
}

func (c client) name() string {
	if c.Name == "" {
		return "gateway"
	}
	return c.Name
}

// usable makes a session id of any text.
func usable(id string) string {
	if trimtab.CheckID(id) == nil {
		return id
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	return "id:" + strconv.FormatUint(h.Sum64(), 16)
}

// record keeps what the model replied. One with tool calls is told to the engine when
// the client sends it back with their results; one that ends the turn at once, for
// hooks, status and whoever looks at the session. A client that was faster has sent it
// back already.
func (g *Steerer) record(t *turn, result wire.Result) {
	if t == nil || !result.Complete || len(result.Message.Parts) == 0 {
		g.unanswered(t)
		return
	}
	if asksUs(result.Message) {
		g.opt.Service.Hurry()
	}
	ctx, cancel := context.WithTimeout(context.Background(), g.patience())
	defer cancel()
	l := t.ledger
	if l.lock(ctx) != nil {
		return // the client's next request tells it
	}
	defer l.unlock()
	if g.shared() {
		if err := g.recordShared(ctx, t, result); err != nil {
			g.unrecorded(l.id, err)
		}
		return
	}
	if l.number != t.number {
		return // the client was faster
	}
	l.answer(result)
	if !callsTools(result.Message) { // the turn is over: no request follows that would tell it
		_ = g.tellReply(ctx, l)
		g.opt.Service.Hurry() // the host's hook of the stop reads the store
	}
}

// answer notes the newest reply.
func (l *ledger) answer(result wire.Result) {
	l.pending, l.awaits = &result.Message, false
	l.replyID.Store(result.ID)
}

func callsTools(m trimtab.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p trimtab.Part) bool { _, ok := p.(trimtab.ToolCall); return ok })
}

// asksUs reports whether a reply calls one of our own tools: another process is
// about to answer it, from what is stored.
func asksUs(m trimtab.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p trimtab.Part) bool {
		call, ok := p.(trimtab.ToolCall)
		return ok && (strings.Contains(call.Name, "trimtab") || strings.Contains(call.Name, "flame_"))
	})
}

// Flush tells the engine the replies that have waited that long to be sent back:
// the last ones of their sessions, it seems.
func (g *Steerer) Flush(ctx context.Context, waited time.Duration) {
	for _, l := range g.everyLedger() {
		g.flush(ctx, l, waited)
	}
}

// everyLedger are those of all sessions, the one used last first.
func (g *Steerer) everyLedger() []*ledger {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := make([]*ledger, 0, len(g.ledgers))
	for e := g.order.Front(); e != nil; e = e.Next() {
		all = append(all, e.Value.(*ledger))
	}
	return all
}

func (g *Steerer) flush(ctx context.Context, l *ledger, waited time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	if err := l.lock(ctx); err != nil {
		g.unrecorded(l.id, err)
		return
	}
	defer l.unlock()
	if g.opt.Clock().Sub(l.since) < waited {
		return
	}
	l.forget()
	g.retained.drop(l)
	if g.shared() {
		if waited == 0 || l.pending == nil {
			return // it is in the store, and another gateway may be going on with it
		}
		if err := g.catchUp(ctx, l, l.state.Info); err != nil {
			g.unrecorded(l.id, err)
			return
		}
	}
	_ = g.tellReply(ctx, l)
}

// tellReply tells the engine the newest reply before the client sends it back. The
// ledger is locked. An error is logged already, but for trimtab.ErrConflict: another
// process has changed the session.
func (g *Steerer) tellReply(ctx context.Context, l *ledger) error {
	if l.pending == nil || !l.loaded {
		return nil
	}
	m := *l.pending
	m.ID = "r" + strconv.Itoa(len(l.said)+1) + "." + strconv.FormatInt(g.opt.Clock().UnixNano(), 36)
	m.Via = trimtab.ViaGateway
	l.pending = nil
	if n := len(l.main); n > 0 {
		last := l.main[n-1]
		if l.said[last].hash == 0 {
			return nil // a reply to a retry: one was told already
		}
		m.After = l.after(last, len(l.said))
	}
	after := func() memo { return l.memo(append(slices.Clip(l.main), len(l.said))) }
	s, _, err := g.advance(ctx, l, after, func(trimtab.Session) []trimtab.Event { return []trimtab.Event{trimtab.Said{Message: m}} })
	switch {
	case errors.Is(err, trimtab.ErrConflict):
		l.loaded = g.shared() // which catches up; else all is read again
		return err
	case err != nil:
		g.unrecorded(l.id, err)
		return err
	}
	l.tell(m)
	l.stored = s
	return nil
}

// flushTime is how long one session may take to tell its last reply.
const flushTime = 10 * time.Second

func (g *Steerer) unrecorded(id string, err error) {
	g.Stats.Faults.Add(1)
	g.opt.Log.Warn("the last reply was not recorded", "session", id, "error", err)
}
