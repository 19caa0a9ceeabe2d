package gateway

import (
	"context"
	"hash/fnv"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
)

// whose finds the session of a request: by what it names, else by what it says. The
// ledger that it returns is locked; it is nil for a side call that names none.
func (g *Steerer) whose(ctx context.Context, r *http.Request, to route, from client, raw []byte, way *trail) (*ledger, error) {
	id, sure := g.named(r, to, from)
	if other, ok := g.renamed.Load(id); ok {
		id, sure = other.(string), true
	}
	if sure || id != "" && g.has(id) {
		return g.locked(ctx, id)
	}
	var body wire.Body
	if err := to.format.Scan(raw, &body, nil); err != nil {
		return nil, err
	}
	if id != "" { // the address of a run: a session that was begun in another one may go on here
		if g.user(r) != "" {
			return g.locked(ctx, id)
		}
		if old := g.resumed(ctx, to.format, from, &body); old != "" {
			g.renamed.Store(id, old)
			g.moveHooks(ctx, id, old)
			id = old
		}
		return g.locked(ctx, id)
	}
	if own := body.Session(); own != "" {
		return g.locked(ctx, g.hostsOwn(r, usable(from.name()+":"+own)))
	}
	if from.side(r.Header, to.format, &body) != "" {
		return nil, nil
	}
	if previous := body.Previous(); previous != "" { // it says nothing of what was said before
		if l := g.replied(previous); l != nil && g.userOf(l.id) == g.user(r) {
			return l, l.lock(ctx)
		}
		if g.shared() {
			if id := g.repliedElsewhere(ctx, previous, g.user(r)); id != "" && g.userOf(id) == g.user(r) {
				return g.locked(ctx, id)
			}
		}
		return nil, nil
	}
	return g.begun(ctx, r, to, from, &body, way)
}

func (g *Steerer) locked(ctx context.Context, id string) (*ledger, error) {
	l := g.ledger(id)
	return l, l.lock(ctx)
}

// replied finds the session whose newest reply has this name, or nil.
func (g *Steerer) replied(id string) *ledger {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range g.ledgers {
		if l := e.Value.(*ledger); l.replyID.Load() == id {
			return l
		}
	}
	return nil
}

// goesOn reports whether a request that builds on a reply goes on with the main line of a
// session: it is the newest one, or nobody knows the name of that, after a restart.
func (g *Steerer) goesOn(ctx context.Context, l *ledger, previous string) bool {
	if newest, ok := l.replyID.Load().(string); ok && newest != "" {
		return newest == previous
	}
	s, _, err := g.opt.Service.Try(ctx, l.id, func(trimtab.Session) []trimtab.Event { return nil })
	return err == nil && s.Seq > 0
}

func (g *Steerer) has(id string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	e := g.ledgers[id]
	return e != nil && e.Value.(*ledger).began.Load() // hooks may have told of it before its first request
}

// begun finds the session of a request that names none, by the words that it begins
// with. Two that begin with the same words are two: one goes on where the request
// brings back replies of it.
func (g *Steerer) begun(ctx context.Context, r *http.Request, to route, from client, b *wire.Body, way *trail) (*ledger, error) {
	h := fnv.New64a()
	h.Write([]byte(r.UserAgent()))
	h.Write(strconv.AppendUint(nil, firstWords(to.format, b), 16))
	base := g.scoped(r, from.name()+":"+strconv.FormatUint(h.Sum64(), 16))
	replies := slices.ContainsFunc(b.Items, func(it wire.Item) bool { return it.Role == trimtab.RoleAssistant })
	for n := 1; ; n++ {
		id := base
		if n > 1 {
			id += "-" + strconv.Itoa(n)
		}
		if n > 1 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		l, err := g.locked(ctx, id)
		if err != nil {
			return nil, err
		}
		way.turn(id, g.host(from), to, b)
		if err := g.begin(ctx, l, from, b); err != nil {
			l.unlock()
			return nil, err
		}
		known, all := l.known(to.format, b)
		if len(l.main) == 0 || n == maxAlike || l.newest() < 0 && !replies || known > 0 && 2*known >= all {
			return l, nil
		}
		l.unlock()
	}
}

// maxAlike bounds the sessions that begin with the same words.
const maxAlike = 32

// firstWords is a hash of what a person typed first. What a host writes before it, the
// date or the folder, tells nobody apart.
func firstWords(f wire.Format, b *wire.Body) uint64 {
	for i := range b.Items {
		if b.Items[i].Role == trimtab.RoleUser {
			if m := f.Message(b, i); m.IsPrompt() {
				return jsonscan.TextHash([]byte(m.Typed()))
			}
		}
	}
	for i := range b.Items {
		if b.Items[i].Role == trimtab.RoleUser {
			return b.Hash(i)
		}
	}
	return 0
}

// known counts the replies of a body, and those of them that came in this session.
// Prompts and what a host writes before them are no evidence: others say the same.
func (l *ledger) known(f wire.Format, b *wire.Body) (known, all int) {
	came := map[uint64]bool{}
	for _, said := range l.said {
		if said.reply {
			came[said.hash], came[said.words] = true, true
		}
	}
	if l.pending != nil { // the reply of just now, which nobody was told yet
		came[wordsOf(*l.pending)] = true
	}
	delete(came, 0)
	for i := range b.Items {
		if it := &b.Items[i]; it.Role != trimtab.RoleAssistant || it.Continues {
			continue
		}
		all++
		if came[b.Hash(i)] || came[wordsOf(wire.Whole(f, b, i))] {
			known++
		}
	}
	return known, all
}

// wordsOf is a hash of what a reply says, however it is written down.
func wordsOf(m trimtab.Message) uint64 {
	var all []string
	for _, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			all = append(all, strings.Fields(p.Text)...)
		case trimtab.ToolCall:
			all = append(all, p.Name, p.ID)
		}
	}
	if len(all) == 0 {
		return 0
	}
	return jsonscan.TextHash([]byte(strings.Join(all, " ")))
}

// maxResumable is how many of the newest sessions are looked through for one that goes
// on.
const maxResumable = 20

// resumed finds the session of the project that goes on in a body, or "": the one that
// knows most of it.
func (g *Steerer) resumed(ctx context.Context, f wire.Format, from client, b *wire.Body) (id string) {
	archive, ok := g.opt.History.(interface {
		List(ctx context.Context, q trimtab.Query) iter.Seq2[trimtab.Info, error]
	})
	if !ok || !slices.ContainsFunc(b.Items, func(it wire.Item) bool { return it.Role == trimtab.RoleAssistant }) {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, g.patience()/2) // the rest is for steering
	defer cancel()
	most := 0
	for info, err := range archive.List(ctx, trimtab.Query{Project: g.opt.Project, Host: g.host(from), Limit: maxResumable}) {
		if err != nil {
			return id
		}
		l := newLedger(info.ID)
		if l.load(ctx, g.opt.History) != nil {
			continue
		}
		if known, all := l.known(f, b); known > most && 2*known >= all {
			id, most = info.ID, known
		}
	}
	return id
}
