package gateway

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/hook/relay"
	"github.com/trimtab/trimtab/surface/travel"
	"github.com/trimtab/trimtab/wire"
)

// hooks is what the hooks of a session's host have told since its last request of the
// main line, and what they were given. The engine hears of neither before the request
// comes: a host may still drop the prompt.
type hooks struct {
	ahead    []trimtab.Event // what the request will tell
	handed   []trimtab.Note  // given to the host and not yet seen in a request
	before   int             // so many of them were given before the last request: a hook that came too late is given them again
	came     bool            // a hook asked since the last request
	typing   bool            // it was the one of a prompt
	active   bool            // a hook has called in this session: it says what is typed
	typed    []vouch         // what it has vouched for, the newest last
	commands []vouch         // commands of the host that it told
	hosts    bool            // the host adds the notes of this session
	drops    bool            // it was given some that it did not add, twice in a row
	missed   int             // requests in a row without a hook before them, or without what it was given
}

// clone is a copy that shares nothing that reading a request changes.
func (h *hooks) clone() hooks {
	c := *h
	c.handed, c.typed = slices.Clone(h.handed), slices.Clone(h.typed)
	return c
}

// maxHanded is how much text a hook is given at once, in bytes: hosts put more than
// 10,000 characters into a file.
const maxHanded = 8 << 10

// serveHook answers a hook. What goes wrong is no answer: the note then travels in
// another way.
func (g *Gateway) serveHook(w http.ResponseWriter, r *http.Request) {
	var call relay.Call
	ctx, cancel, ok := g.posted(w, r, "call of a hook", &call)
	if !ok {
		return
	}
	defer cancel()
	answer, err := g.hook(ctx, call)
	if err != nil {
		g.Stats.Faults.Add(1)
		g.opt.Log.Warn("a hook was given no notes", "session", call.Session, "error", err)
		refuse(w, http.StatusServiceUnavailable, "trimtab: there is no answer to this hook now")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // the hook is gone, and nobody is left to tell
}

// posted reads what a hook sent as JSON, and gives it the time that the gateway has
// patience for. Where it is not what was expected, the hook is told so and ok is false.
func (g *Gateway) posted(w http.ResponseWriter, r *http.Request, what string, into any) (ctx context.Context, cancel context.CancelFunc, ok bool) {
	body, rest, err := g.read(w, r)
	if err != nil || rest != nil {
		refuse(w, http.StatusBadRequest, "trimtab: the "+what+" did not arrive whole")
		return nil, nil, false
	}
	defer body.release()
	if err := json.Unmarshal(body.b, into); err != nil || r.Method != http.MethodPost {
		refuse(w, http.StatusBadRequest, "trimtab: this is no "+what)
		return nil, nil, false
	}
	ctx, cancel = context.WithTimeout(r.Context(), g.patience())
	return ctx, cancel, true
}

// hook finds the notes that a host is to add to the request that it is about to send, by
// trying out what the request will tell.
func (g *Steerer) hook(ctx context.Context, call relay.Call) (a relay.Answer, err error) {
	l, err := g.locked(ctx, g.nameOf(call.Session))
	if err != nil {
		return a, err
	}
	defer l.unlock()
	if call.Store {
		return a, g.opt.Service.Flush(ctx, l.id)
	}
	h := &l.hooks
	h.takeVouches(call.Events)
	if call.Vouch {
		return a, nil
	}
	h.foretell(call.Events)
	model, register := g.opt.Model, len(call.Events) == 0
	s, out, err := g.opt.Service.Try(ctx, l.id, func(s trimtab.Session) []trimtab.Event {
		if s.Model != "" && (l.loaded || model == "") { // a session that goes on in another run may ask another model there
			model = s.Model
		}
		commands, _ := g.commands()
		events := slices.Concat(commands, l.coming(s))
		if s.Seq == 0 {
			events = append(slices.Clone(g.opt.Opening), events...)
		}
		return events
	})
	if err != nil {
		return a, err
	}
	if h.hosts = g.hosts(model) && !h.drops; !h.hosts {
		h.ahead, h.handed, h.before = nil, nil, 0
		return a, nil
	}
	if h.came, a.Hosted = true, true; !register {
		a.Notes = h.hand(s, out)
	}
	return a, nil
}

// hosts reports whether the host's own hook adds the notes of a session that asks this
// model: always, where the settings say so, else where the model binds its thinking. On
// others a note at the tail is replaced and taken away without a trace, and Claude Code
// would put what a hook says into the result of a tool.
func (g *Steerer) hosts(model string) bool {
	is, bound, _ := claude(model)
	switch g.opt.Travel {
	case "host":
		return true
	case "", "auto":
		return !is || bound // a name that is not known is an alias of a new model
	}
	return false
}

// foretell takes what a hook told. It takes the place of what was told before, which was
// never sent, or told after its request had left; but for a compaction.
func (h *hooks) foretell(events []trimtab.Event) {
	h.ahead = slices.DeleteFunc(h.ahead, func(ev trimtab.Event) bool { _, rewritten := ev.(trimtab.Rewritten); return !rewritten })
	h.ahead = append(h.ahead, events...)
}

// isTurn reports whether an event begins a turn: a prompt, or a command of the host.
func isTurn(ev trimtab.Event) bool {
	said, ok := ev.(trimtab.Said)
	return ok && said.Message.Role == trimtab.RoleUser
}

// coming is what the next request will tell, as far as it is known: the reply that waits
// to be sent back, and what the hooks told.
func (l *ledger) coming(s trimtab.Session) (events []trimtab.Event) {
	open := s.Open
	if l.pending != nil {
		events, open = append(events, trimtab.Said{Message: *l.pending}), calls(*l.pending)
	}
	for _, ev := range l.hooks.ahead {
		switch ev := ev.(type) {
		case trimtab.Rewritten:
			ev.Lost = s.Anchors()
			events = append(events, ev)
			continue
		case trimtab.Said:
			m := ev.Message
			if asked := calls(m); len(asked) > 0 {
				if len(open) > 0 {
					continue // the reply itself is known, with more than its calls
				}
				open = asked
			}
			if m.Role == trimtab.RoleTool {
				open = nil
			}
			if m.IsPrompt() && len(open) > 0 { // the person interrupted: no results will come
				none := trimtab.Message{Role: trimtab.RoleTool}
				for _, call := range open {
					none.Parts = append(none.Parts, trimtab.ToolResult{ID: call.ID, Failed: true})
				}
				events, open = append(events, trimtab.Said{Message: none}), nil
			}
		}
		events = append(events, ev)
	}
	return append(events, trimtab.Calling{Travel: trimtab.Append})
}

func calls(m trimtab.Message) (all []trimtab.ToolCall) {
	for _, p := range m.Parts {
		if call, ok := p.(trimtab.ToolCall); ok {
			all = append(all, call)
		}
	}
	return all
}

// hand returns the texts of the notes that took their seats now and were not handed out
// before.
func (h *hooks) hand(s trimtab.Session, out trimtab.Outcome) (texts []string) {
	size := 0
	for _, n := range s.Notes {
		fresh := slices.ContainsFunc(out.Changes, func(c trimtab.Change) bool { return c.Kind == trimtab.Injected && c.Note == n.ID })
		given := trimtab.Note{By: n.By, Slot: n.Slot, Text: travel.Lasting(n)}
		if !fresh || size+len(given.Text) > maxHanded || slices.Contains(h.handed[h.before:], given) {
			continue
		}
		size += len(given.Text)
		h.handed, texts = append(h.handed, given), append(texts, given.Text)
	}
	return texts
}

// hosted are the notes that the host has added to a request. What it was given and did
// not add may come with a later one, unless that happens twice: then notes travel in
// another way.
func (l *ledger) hosted(r reading, f wire.Format, b *wire.Body) (all []trimtab.Note) {
	h := &l.hooks
	if !h.hosts || len(r.new) == 0 { // a retry
		return nil
	}
	h.handed = slices.DeleteFunc(h.handed, func(n trimtab.Note) bool {
		if !slices.ContainsFunc(r.new, func(i int) bool { return holds(wire.Whole(f, b, r.items[i]), n.Text) }) {
			return false
		}
		all = append(all, n)
		return true
	})
	if h.missed++; h.came && len(h.handed) == 0 {
		h.missed = 0
	}
	if h.ahead, h.came = nil, false; h.missed > 1 {
		h.drops, h.handed = len(h.handed) > 0, nil
	}
	h.before = len(h.handed)
	return all
}

// adds reports whether the notes of the request at hand are left to the host.
func (h *hooks) adds() bool { return h.hosts && !h.drops && h.missed <= 1 }

// holds reports whether a text stands in a message, in a result of a tool too.
func holds(m trimtab.Message, text string) bool {
	return slices.ContainsFunc(m.Parts, func(p trimtab.Part) bool {
		switch p := p.(type) {
		case trimtab.Text:
			return strings.Contains(p.Text, text)
		case trimtab.ToolResult:
			return strings.Contains(p.Text, text)
		}
		return false
	})
}

// ownWords takes the notes that a host has added out of a message that is told: they are
// in the record as notes, and those that live one turn are in none.
func ownWords(m *trimtab.Message, hosted []trimtab.Note) {
	for i, p := range m.Parts {
		for _, n := range hosted {
			switch part := p.(type) {
			case trimtab.Text:
				part.Text = strings.ReplaceAll(part.Text, n.Text, "")
				p = part
			case trimtab.ToolResult:
				part.Text = strings.ReplaceAll(part.Text, n.Text, "")
				p = part
			}
		}
		m.Parts[i] = p
	}
}
