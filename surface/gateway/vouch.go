package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/surface/hook/relay"
	"github.com/trimtab/trimtab/wire"
)

// vouch is a text that a person typed, as the host's prompt hook told it: how many words
// it has, and their hash. Nobody who can write a file or a tool's output may find another
// text with the same one, so it is a cryptographic hash.
type vouch struct {
	words int
	sum   [sha256.Size]byte
	spent bool // a request has brought the text: it vouches for no second one
}

func vouchOf(text string) vouch {
	words := strings.Fields(text)
	return vouch{words: len(words), sum: sumOf(words)}
}

func sumOf(words []string) [sha256.Size]byte { return sha256.Sum256([]byte(strings.Join(words, " "))) }

// maxTyped is how many prompts of a session are remembered that were typed: some wait
// until the agent has time for them.
const maxTyped = 64

// takeVouches remembers what a prompt hook says was typed. From the first call of a hook
// on, what nobody vouches for switches nothing in this session.
func (h *hooks) takeVouches(events []trimtab.Event) {
	h.active = true
	for _, ev := range events {
		if !isTurn(ev) {
			continue
		}
		h.typing = true
		for _, p := range ev.(trimtab.Said).Message.Parts {
			t, ok := p.(trimtab.Text)
			switch {
			case ok && t.By == trimtab.Person:
				var d markup.Divider // what a host has put into it was not typed
				for _, span := range d.Divide(t.Text) {
					if span := span.(trimtab.Text); span.By == trimtab.Person {
						h.typed = remember(h.typed, vouchOf(span.Text))
					}
				}
			case ok && t.By == trimtab.Host && strings.HasPrefix(strings.TrimSpace(t.Text), "/"):
				h.commands = remember(h.commands, vouchOf(t.Text))
			}
		}
	}
}

func remember(all []vouch, v vouch) []vouch {
	if v.words == 0 {
		return all
	}
	return append(all[max(0, len(all)-maxTyped+1):], v)
}

// spend takes back the vouches that a request has used. It is called when the engine was
// told: a request that failed comes again.
func (h *hooks) spend() {
	h.typed = slices.DeleteFunc(h.typed, func(v vouch) bool { return v.spent })
}

// unspend forgets what an attempt to tell has used: on a conflict of the store there is
// another one.
func (h *hooks) unspend() {
	for i := range h.typed {
		h.typed[i].spent = false
	}
}

// covers reports whether a text is one that was typed, or several that waited and were
// sent as one, and uses them up.
func (h *hooks) covers(text string) bool {
	words := strings.Fields(text)
	if len(words) == 0 {
		return false
	}
	var used []int
	for len(words) > 0 {
		best := -1
		for i, v := range h.typed {
			if !v.spent && !slices.Contains(used, i) && v.words <= len(words) && (best < 0 || v.words > h.typed[best].words) && v.sum == sumOf(words[:v.words]) {
				best = i
			}
		}
		if best < 0 {
			return false
		}
		used, words = append(used, best), words[h.typed[best].words:]
	}
	for _, i := range used {
		h.typed[i].spent = true
	}
	return true
}

// shape is what decides who wrote a text that no hook vouches for.
type shape struct {
	known   bool                   // the host is one of the table, which says what it writes itself
	alone   bool                   // the client offers no tools: what its model asks for comes back as a user's text
	beside  bool                   // what stands beside tool results was typed
	replied bool                   // the model has replied in this session
	file    func(text string) bool // a file that the host reads by itself holds a line of the text; nil is none
}

// shapeOf is what is known of a request besides its messages.
func (g *Steerer) shapeOf(from client, l *ledger, b *wire.Body) shape {
	return shape{
		known: g.host(from) != "" && (from.Name != "" || slices.ContainsFunc(g.clients, func(c client) bool { return c.Name == g.opt.Host })),
		alone: b.Tools.End-b.Tools.Start <= len("[]"), beside: from.beside, replied: l.newest() >= 0, file: g.opt.FromFile,
	}
}

// typed decides who wrote each text of a message that has the shape of a person's, and
// reports whether a channel that neither model nor repository can write to has said so.
//
// Where the host's prompt hook is active in the session, it decides: the text of a command
// comes with a hook that told the command, and is the host's; text that comes without a
// hook may be a prompt whose hook failed, and begins a turn, but switches nothing. Where
// there is no hook, the shape decides: only the newest message counts, nothing of which
// stands in a file that the host reads by itself; and of a client that nobody knows, only
// the first paragraph, before its model has replied where it has no tools.
func (h *hooks) judge(m *trimtab.Message, newest bool, s shape) (vouched bool) {
	if m.Role != trimtab.RoleUser {
		return false
	}
	if newest && s.beside && !h.active {
		besideResults(m)
	}
	first := true
	for i := 0; i < len(m.Parts); i++ {
		t, ok := m.Parts[i].(trimtab.Text)
		if !ok || t.By != trimtab.Person || strings.TrimSpace(t.Text) == "" {
			continue
		}
		switch {
		case h.active && h.covers(t.Text):
			vouched = true
		case i > 0 && isMidTurn(m.Parts[i-1]): // the host's own mark: no hook is called for it
		case h.active && h.typing:
			t.By = trimtab.Host
		case h.active, !newest, s.file != nil && s.file(t.Text), !s.known && (!first || s.alone && s.replied):
			t.By = trimtab.Unvouched
		case !s.known:
			if head, rest := firstParagraph(t.Text); rest != "" {
				t.Text = head
				m.Parts = slices.Insert(m.Parts, i+1, trimtab.Part(trimtab.Text{Text: rest, By: trimtab.Unvouched}))
			}
		}
		first = false
		m.Parts[i] = t
	}
	return vouched
}

// besideResults divides the texts of a message with tool results, which are the host's by
// their place, as those of any other message.
func besideResults(m *trimtab.Message) {
	if !slices.ContainsFunc(m.Parts, func(p trimtab.Part) bool { _, ok := p.(trimtab.ToolResult); return ok }) {
		return
	}
	var d markup.Divider
	var all []trimtab.Part
	for _, p := range m.Parts {
		if t, ok := p.(trimtab.Text); ok && t.By == trimtab.Host {
			all = append(all, d.Divide(t.Text)...)
		} else {
			all = append(all, p)
		}
	}
	m.Parts = all
}

func isMidTurn(p trimtab.Part) bool {
	t, ok := p.(trimtab.Text)
	return ok && t.By == trimtab.Host && markup.MidTurn(t.Text)
}

// firstParagraph cuts a text at its first empty line.
func firstParagraph(text string) (head, rest string) {
	begin := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	at := begin
	for line := range strings.Lines(text[begin:]) {
		if strings.TrimSpace(line) == "" {
			return text[:at], text[at:]
		}
		at += len(line)
	}
	return text, ""
}

// serveTyped says whether a person typed a command of the host in a session, as its
// prompt hook told it. Each time that it was typed is said once.
func (g *Gateway) serveTyped(w http.ResponseWriter, r *http.Request) {
	var q relay.Question
	ctx, cancel, ok := g.posted(w, r, "question about what was typed", &q)
	if !ok {
		return
	}
	defer cancel()
	l, err := g.locked(ctx, g.nameOf(q.Session))
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, "trimtab: there is no answer now")
		return
	}
	defer l.unlock()
	want := vouchOf(q.Command)
	at := slices.IndexFunc(l.hooks.commands, func(v vouch) bool { return v.words == want.words && v.sum == want.sum })
	if at >= 0 {
		l.hooks.commands = slices.Delete(l.hooks.commands, at, at+1)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]bool{"typed": at >= 0}) // who asked is gone, and nobody is left to tell
}

// nameOf is the session that goes by a name: one of another run may go on at the address
// of this one.
func (g *Steerer) nameOf(id string) string {
	if other, ok := g.renamed.Load(id); ok {
		return other.(string)
	}
	return id
}

// moveHooks gives a session what hooks told of it under the name of the run's address,
// before anybody knew that it is an old one.
func (g *Steerer) moveHooks(ctx context.Context, from, to string) {
	if from == to {
		return
	}
	old, err := g.locked(ctx, from)
	if err != nil {
		return
	}
	told := old.hooks
	old.hooks = hooks{}
	old.unlock()
	if l, err := g.locked(ctx, to); err == nil {
		l.hooks.active = l.hooks.active || told.active
		l.hooks.typing = l.hooks.typing || told.typing
		l.hooks.typed, l.hooks.commands = append(l.hooks.typed, told.typed...), append(l.hooks.commands, told.commands...)
		l.unlock()
	}
}
