package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
)

// turn is a main turn under way: what is needed to read its reply.
type turn struct {
	id     string
	ledger *ledger
	number int // of the request in its session
	format wire.Format
	stream bool
}

// steer returns the body to send, and the turn if it is one. It never fails:
// where anything is not sure, the body is the one that came.
func (g *Gateway) steer(r *http.Request, to route, raw []byte) (out []byte, t *turn) {
	defer func() {
		if p := recover(); p != nil {
			g.Stats.Faults.Add(1)
			g.opt.Log.Error("steering panicked; the request went out as it came", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			out, t = raw, nil
		}
	}()
	ctx, cancel := context.WithTimeout(r.Context(), time.Duration(g.opt.Patience)*time.Millisecond)
	defer cancel()
	out, t, err := g.edit(ctx, r, to, raw)
	if err != nil {
		g.Stats.Faults.Add(1)
		g.opt.Log.Warn("the request went out as it came", "format", to.format.Name(), "error", err)
		return raw, t
	}
	return out, t
}

func (g *Gateway) edit(ctx context.Context, r *http.Request, to route, raw []byte) ([]byte, *turn, error) {
	plain, err := decoded(r.Header.Get("Content-Encoding"), raw, g.opt.MaxBody)
	if err != nil {
		return raw, nil, err
	}
	from := who(g.clients, r.Header)
	id := g.named(r, to, from)
	if id == "" { // only the body tells whose it is
		var body wire.Body
		if err := to.format.Scan(plain, &body, nil); err != nil {
			return raw, nil, err
		}
		id = g.guessed(r, from, &body)
	}
	l := g.ledger(id)
	l.mu.Lock()
	defer l.mu.Unlock()
	body := &l.next
	if err := to.format.Scan(plain, body, &l.last); err != nil {
		return raw, nil, err
	}
	if why := from.side(r.Header, to.format, body); why != "" || body.Previous() != "" {
		g.Stats.Side.Add(1)
		return raw, nil, nil
	}
	g.Stats.Main.Add(1)
	seen, s, err := g.tell(ctx, l, id, to.format, from, body)
	if err != nil {
		return raw, nil, err
	}
	t := &turn{id: id, ledger: l, number: l.number, format: to.format, stream: body.Stream || strings.HasSuffix(to.path, ":streamGenerateContent")}
	edits := seen.edits(s, body)
	defer func() { g.shelf.put(l, l.keep()) }()
	if len(edits) == 0 {
		return raw, t, nil
	}
	size := 0
	for _, e := range edits {
		for _, text := range e.Texts {
			size += 2*len(text) + 128
		}
	}
	out, err := to.format.Apply(make([]byte, 0, len(plain)+size), body, edits)
	if err != nil {
		return raw, t, err
	}
	if !bytes.Equal(plain, raw) {
		r.Header.Del("Content-Encoding") // it was compressed; with notes it goes plain
	}
	g.Stats.Edited.Add(1)
	return out, t, nil
}

// tell tells the engine what is new in a body and returns the session after it.
func (g *Gateway) tell(ctx context.Context, l *ledger, id string, f wire.Format, from client, b *wire.Body) (seen reading, s trimtab.Session, err error) {
	if err := g.begin(ctx, l, id, from, b); err != nil {
		return seen, s, err
	}
	read := false
	s, out, err := g.opt.Door.Steer(ctx, id, func(s trimtab.Session) []trimtab.Event {
		if !read {
			seen, read = l.read(b), true
		}
		return seen.events(f, b, s, l.pending)
	})
	if err != nil {
		l.loaded = false // what the store has is the truth; look again next time
		return seen, s, err
	}
	l.pending, l.since = nil, g.opt.Clock()
	l.number++
	g.count(out)
	return seen, s, nil
}

// begin makes sure that the session and its ledger are there.
func (g *Gateway) begin(ctx context.Context, l *ledger, id string, from client, b *wire.Body) error {
	if l.loaded {
		return nil
	}
	_, err := g.opt.Door.Session(ctx, id)
	if err == nil {
		if err := g.opt.Door.Flush(ctx, id); err != nil { // the history is read from the store
			return err
		}
		return l.load(ctx, g.opt.History, id)
	}
	if !errors.Is(err, trimtab.ErrNotFound) {
		return err
	}
	host := from.Name
	if host == "" {
		host = g.opt.Host
	}
	l.lines, l.nth = nil, map[uint64]int{}
	if _, err := g.opt.Door.Begin(ctx, trimtab.Info{ID: id, Host: host, Project: g.opt.Project, Model: b.Model()}); err != nil {
		return err
	}
	l.loaded = true
	if len(g.opt.Opening) > 0 {
		_, _, err = g.opt.Door.Handle(ctx, id, g.opt.Opening...)
		return err
	}
	return nil
}

func (g *Gateway) count(out trimtab.Outcome) {
	for _, c := range out.Changes {
		if c.Kind == trimtab.Injected {
			g.Stats.Notes.Add(1)
			g.Stats.Tokens.Add(int64(c.Tokens))
		}
	}
}

// named is the session that a request names: by our header, by the path, by the
// run, or by the host's own id; "" where it names none.
func (g *Gateway) named(r *http.Request, to route, from client) string {
	for _, id := range []string{r.Header.Get("X-Trimtab-Session"), to.session, g.opt.Session} {
		if id != "" {
			return usable(id)
		}
	}
	for _, name := range from.Session {
		if id := r.Header.Get(name); id != "" {
			return usable(from.name() + ":" + id)
		}
	}
	return ""
}

// guessed is the session of a request that names none: by an id in the body,
// else by its first message and the client.
func (g *Gateway) guessed(r *http.Request, from client, b *wire.Body) string {
	if id := b.Session(); id != "" {
		return usable(from.name() + ":" + id)
	}
	h := fnv.New64a()
	h.Write([]byte(r.UserAgent()))
	for i := range b.Items {
		if b.Items[i].Role == trimtab.RoleUser {
			h.Write(strconv.AppendUint(nil, b.Hash(i), 16))
			break
		}
	}
	return from.name() + ":" + strconv.FormatUint(h.Sum64(), 16)
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

// record keeps what the model replied. It is told to the engine when the client
// sends it back: only then did it become part of the history. A client that was
// faster has sent it back already.
func (g *Gateway) record(t *turn, result wire.Result) {
	if !result.Complete || len(result.Message.Parts) == 0 {
		return
	}
	t.ledger.mu.Lock()
	defer t.ledger.mu.Unlock()
	if t.ledger.number == t.number {
		t.ledger.pending = &result.Message
	}
}

// Flush tells the engine the replies that have waited that long to be sent back:
// the last ones of their sessions, it seems.
func (g *Gateway) Flush(ctx context.Context, waited time.Duration) {
	g.mu.Lock()
	all := maps.Clone(g.ledgers)
	g.mu.Unlock()
	for id, l := range all {
		g.flush(ctx, id, l, waited)
	}
}

func (g *Gateway) flush(ctx context.Context, id string, l *ledger, waited time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if g.opt.Clock().Sub(l.since) < waited {
		return
	}
	l.forget()
	g.shelf.drop(l)
	if l.pending == nil || !l.loaded {
		return
	}
	m := *l.pending
	m.ID = "r" + strconv.Itoa(len(l.lines)+1) + "." + strconv.FormatInt(g.opt.Clock().UnixNano(), 36)
	l.pending = nil
	if n := len(l.lines); n > 0 && l.lines[n-1].hash == 0 {
		return // a reply to a retry: one was told already
	}
	if _, _, err := g.opt.Door.Handle(ctx, id, trimtab.Said{Message: m}); err != nil {
		g.Stats.Faults.Add(1)
		g.opt.Log.Warn("the last reply was not recorded", "session", id, "error", err)
		return
	}
	l.lines = append(l.lines, line{0, m.ID})
}
