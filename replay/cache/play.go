// Package cache simulates a provider's prompt cache, and plays recorded sessions
// against it: what of each request is read from the cache, what is written to
// it, what is paid in full. It opens no connection, calls no model and reads no
// clock; a token is four bytes, and the JSON around the texts is left out.
//
//	play := cache.Play{Engine: engine, Provider: cache.Known()[0], System: 64_000}
//	with := play.Run(info, events)
//	play.Engine = nil // without steering
//	without := play.Run(info, events)
//	saved := without.Cost(prices) - with.Cost(prices)
//
// Two kinds of cache are known. "marks" is like Anthropic's: a prefix is kept
// where the client puts a mark, which is behind the system prompt and on its own
// newest block, and is found again up to 20 blocks before a mark. "blocks" is
// like those that keep every prefix by themselves, in blocks of 128 tokens from
// 1,024 on. Both forget what was not used for five minutes.
//
// Notes stand where the engine puts them, or travel: at the tail of each request
// while they live, or there as messages that clear themselves.
package cache

import (
	"hash/fnv"
	"slices"
	"time"

	"github.com/trimtab/trimtab"
)

// Play is a way to steer, and the cache that its requests go to.
type Play struct {
	Engine   *trimtab.Engine // nil steers nothing
	Provider Provider
	System   int        // bytes of system prompt and tools before the messages
	Watch    func(Step) // called after every step of the engine, if not nil
	Travel   Travel
}

// Travel is how notes stand in a request. What is kept for good stays where it is
// in any.
type Travel string

// The ways: where the engine puts them; behind the client's last message, on each
// request while they live; the same as system messages that clear themselves,
// which the provider neither keys nor marks.
const (
	Placed   Travel = ""
	Tail     Travel = "tail"
	Clearing Travel = "clearing"
)

// Step is where a session stands after an event. History is the host's, and not
// to be written to.
type Step struct {
	Event   trimtab.Event
	Session trimtab.Session
	Outcome trimtab.Outcome
	History []trimtab.Message
}

// Result is what a session came to.
type Result struct {
	Bill
	Requests, Steps int
	Notes           int // injected
	Added           int // bytes of them
	Lost            int // tokens of cached prefix given up, by the engine's own account
	Sent            int // bytes of the messages of all requests, without the system prompt
	Largest, Last   int // bytes of the messages of the largest request, and of the last
}

// Run takes a session through the engine and the cache. A reply is preceded by
// the request that it answers; requests themselves are in no record.
func (p Play) Run(info trimtab.Info, events []trimtab.Event) Result {
	g := &game{Play: p, s: trimtab.NewSession(info.ID, info.Created), cache: New(p.Provider), known: map[string][]Span{}}
	g.s.Info, g.s.Updated, g.now = info, info.Created, info.Created // an export knows when it ended; here it begins
	g.head = Span{Bytes: p.System, Hash: 1, Mark: true}
	for _, ev := range events {
		g.take(ev)
	}
	g.result.Steps, g.result.Lost = g.s.Step, g.s.Meter.Lost
	return g.result
}

// game is a play under way.
type game struct {
	Play
	s       trimtab.Session
	now     time.Time
	history []trimtab.Message
	cache   *Cache
	head    Span
	known   map[string][]Span // of messages, by id
	result  Result
}

func (g *game) take(ev trimtab.Event) {
	said, ok := ev.(trimtab.Said)
	if !ok {
		g.step(ev)
		g.rewrite(ev)
		return
	}
	m := said.Message
	if m.At.After(g.now) {
		g.now = m.At
	}
	if m.Role == trimtab.RoleAssistant && m.From == "" {
		g.step(trimtab.Calling{})
		g.request()
		m.Usage = g.counted(m.Usage)
	}
	if m.ID == "" {
		m.ID = trimtab.MessageID(g.s.Seq + 1)
	}
	g.history = append(g.history, m)
	g.step(trimtab.Said{Message: m})
}

// counted is what the provider would have counted for the request that was just
// sent: what is folded was not in it.
func (g *game) counted(recorded *trimtab.Usage) *trimtab.Usage {
	if recorded == nil || len(g.s.Folds) == 0 {
		return recorded
	}
	less := -g.result.Last
	for _, m := range g.history {
		less += m.Size()
	}
	u := *recorded
	for _, of := range []*int{&u.CacheRead, &u.Input, &u.CacheWrite} {
		cut := min(*of, max(0, less)/TokenBytes)
		*of -= cut
		less -= cut * TokenBytes
	}
	return &u
}

// step steps the engine. Without one, messages are still counted, for their ids.
func (g *game) step(ev trimtab.Event) {
	if g.Engine == nil {
		if said, ok := ev.(trimtab.Said); ok {
			g.s.Seq++
			if said.Message.Role == trimtab.RoleAssistant && said.Message.From == "" {
				g.s.Step++
			}
		}
		return
	}
	var out trimtab.Outcome
	g.s, out = g.Engine.Step(g.s, ev, g.now)
	for _, c := range out.Changes {
		if c.Kind != trimtab.Injected {
			continue
		}
		g.result.Notes++
		for _, n := range g.s.Notes {
			if n.ID == c.Note {
				g.result.Added += len(n.Text)
			}
		}
	}
	if g.Watch != nil {
		g.Watch(Step{ev, g.s, out, g.history})
	}
}

// rewrite does to the history what the host did. Of a rewriting that is told by
// the anchors that it lost, no more is known.
func (g *game) rewrite(ev trimtab.Event) {
	switch ev := ev.(type) {
	case trimtab.Reset:
		g.history = nil
	case trimtab.Rewritten:
		if n := len(g.history); ev.All && n > 0 {
			g.history = slices.Clone(g.history[n-1:])
			return
		}
		g.history = slices.DeleteFunc(slices.Clone(g.history), func(m trimtab.Message) bool { return slices.Contains(ev.Lost, m.ID) })
	}
}

// request sends what the model would see. The client marks its own newest block:
// a note behind it is not kept until the next request, unless it has a mark of
// its own.
func (g *game) request() {
	request := []Span{g.head}
	last, size := -1, 0
	for _, m := range g.view() {
		spans := g.spans(m)
		request = append(request, spans...)
		for _, s := range spans {
			size += s.Bytes
		}
		if m.From == "" && len(spans) > 0 {
			last = len(request) - 1
		}
	}
	if g.Provider.Whole && g.Travel != Clearing {
		last = len(request) - 1
	}
	if last >= 0 {
		request[last].Mark = true
	}
	if end := len(request) - 1; g.cache.Own && request[end].Ours {
		request[end].Mark = true
	}
	r := &g.result
	r.Requests++
	r.Sent, r.Largest, r.Last = r.Sent+size, max(r.Largest, size), size
	r.Bill = r.Plus(g.cache.Ask(g.now, request))
}

// view is what the request holds.
func (g *game) view() []trimtab.Message {
	if g.Travel == Placed {
		return g.s.View(g.history)
	}
	stay, travel := g.s, []trimtab.Message(nil)
	stay.Notes = nil
	for _, n := range g.s.Notes {
		switch {
		case n.Life == trimtab.Kept:
			stay.Notes = append(stay.Notes, n)
		case n.Seated():
			travel = append(travel, n.Message())
		}
	}
	return append(stay.View(g.history), travel...)
}

func (g *game) spans(m trimtab.Message) []Span {
	if m.From == "" {
		if known, ok := g.known[m.ID]; ok {
			return known
		}
	}
	var all []Span
	for _, p := range m.Parts {
		if s := spanOf(p); s.Bytes > 0 {
			s.Ours = m.From != ""
			all = append(all, s)
		}
	}
	if m.From == "" {
		g.known[m.ID] = all
	}
	return all
}

func spanOf(p trimtab.Part) Span {
	var texts []string
	switch p := p.(type) {
	case trimtab.Text:
		texts = []string{"text", p.Text}
	case trimtab.ToolCall:
		texts = []string{"call", p.ID, p.Name, string(p.Input)}
	case trimtab.ToolResult:
		texts = []string{"result", p.ID, p.Text}
	case trimtab.Opaque:
		texts = []string{p.Kind, string(p.Raw)}
	}
	h := fnv.New64a()
	for _, t := range texts {
		h.Write([]byte(t))
		h.Write([]byte{0})
	}
	s := Span{Bytes: trimtab.Message{Parts: []trimtab.Part{p}}.Size(), Hash: h.Sum64()}
	switch p.(type) {
	case trimtab.ToolCall, trimtab.ToolResult:
		s.Row = texts[0][0]
	}
	return s
}
