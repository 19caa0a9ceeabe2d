package main

import (
	"hash/fnv"
	"slices"
	"time"

	"github.com/trimtab/trimtab"
)

// session is what happened, recorded or made up.
type session struct {
	name   string
	info   trimtab.Info
	events []trimtab.Event
}

// lineup is a way of steering; without an engine there is none.
type lineup struct {
	name   string
	engine *trimtab.Engine
}

// result is what a session came to.
type result struct {
	bill
	requests, steps int
	notes           int // injected
	added           int // bytes of them
	lost            int // tokens of cached prefix given up, by the engine's own account
}

// play takes a session through a lineup and a cache. A reply is preceded by the
// request that it answers; requests themselves are in no record.
func play(way lineup, s session, p provider, system int) result {
	g := &game{way: way, s: trimtab.NewSession(s.info.ID, s.info.Created), cache: newMemory(p), known: map[string][]span{}}
	g.s.Info = s.info
	g.head = span{bytes: system, hash: 1, mark: true}
	for _, ev := range s.events {
		g.take(ev)
	}
	g.result.steps, g.result.lost = g.s.Step, g.s.Meter.Lost
	return g.result
}

type game struct {
	way     lineup
	s       trimtab.Session
	now     time.Time
	history []trimtab.Message
	cache   *memory
	head    span
	known   map[string][]span // of messages, by id
	result  result
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
	}
	if m.ID == "" {
		m.ID = trimtab.MessageID(g.s.Seq + 1)
	}
	g.step(trimtab.Said{Message: m})
	g.history = append(g.history, m)
}

// step steps the engine. Without one, messages are still counted, for their ids.
func (g *game) step(ev trimtab.Event) {
	if g.way.engine == nil {
		if said, ok := ev.(trimtab.Said); ok {
			g.s.Seq++
			if said.Message.Role == trimtab.RoleAssistant && said.Message.From == "" {
				g.s.Step++
			}
		}
		return
	}
	var out trimtab.Outcome
	g.s, out = g.way.engine.Step(g.s, ev, g.now)
	for _, c := range out.Changes {
		if c.Kind != trimtab.Injected {
			continue
		}
		g.result.notes++
		for _, n := range g.s.Notes {
			if n.ID == c.Note {
				g.result.added += len(n.Text)
			}
		}
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
	request := []span{g.head}
	last := -1
	for _, m := range g.s.View(g.history) {
		spans := g.spans(m)
		request = append(request, spans...)
		if m.From == "" && len(spans) > 0 {
			last = len(request) - 1
		}
	}
	if last >= 0 {
		request[last].mark = true
	}
	if end := len(request) - 1; g.cache.own && request[end].ours {
		request[end].mark = true
	}
	g.result.requests++
	g.result.bill = g.result.plus(g.cache.ask(g.now, request))
}

func (g *game) spans(m trimtab.Message) []span {
	if m.From == "" {
		if known, ok := g.known[m.ID]; ok {
			return known
		}
	}
	var all []span
	for _, p := range m.Parts {
		if s := spanOf(p); s.bytes > 0 {
			s.ours = m.From != ""
			all = append(all, s)
		}
	}
	if m.From == "" {
		g.known[m.ID] = all
	}
	return all
}

func spanOf(p trimtab.Part) span {
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
	return span{bytes: trimtab.Message{Parts: []trimtab.Part{p}}.Size(), hash: h.Sum64()}
}
