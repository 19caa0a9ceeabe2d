package hook

import (
	"context"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// told makes events of calls that waited. The model is asked between them, but
// nothing can be said to it any more, so no request is told.
func (t *turn) told(waited []spool.Call) []trimtab.Event {
	var events []trimtab.Event
	for _, c := range waited {
		in, err := decode(c)
		if err != nil {
			t.opt.Log.Warn("a call that waited is left out", "session", t.id, "error", err)
			continue
		}
		events = append(events, in.events(c.Event.Kind)...)
	}
	return events
}

// events makes events of the call at hand. A gateway tells the engine itself what
// was said and that a request leaves.
func (t *turn) events(s trimtab.Session, fresh bool) []trimtab.Event {
	kind := t.call.Event.Kind
	if t.gateway {
		switch kind {
		case spool.Using:
			return t.using()
		case spool.Stop:
			return t.stopping(s)
		}
		return nil
	}
	switch kind {
	case spool.Start:
		return t.start(s, fresh)
	case spool.Prompt, spool.Used:
		return t.calling(t.unvouched(t.in.events(kind)))
	case spool.Using:
		return t.using()
	case spool.Stop:
		if t.call.Host.Hooks.Answer == host.AnswerNotes {
			return append(said(t.fresh(s)), t.stopping(s)...)
		}
		return append(append(t.planned(), t.in.events(kind)...), t.stopping(s)...)
	case spool.Request:
		return t.request(s)
	case spool.Compacted:
		return []trimtab.Event{rewritten(s)}
	case spool.None, spool.Compacting, spool.End:
	}
	return nil
}

// unvouched takes from the person what stands in a file that the host reads by itself,
// where the host does not say what was typed.
func (t *turn) unvouched(events []trimtab.Event) []trimtab.Event {
	for _, ev := range events {
		said, ok := ev.(trimtab.Said)
		if !ok || said.Vouched || !said.Message.IsPrompt() || t.opt.File == nil || !t.opt.File(said.Message.Typed()) {
			continue
		}
		for i, p := range said.Message.Parts {
			if text, ok := p.(trimtab.Text); ok && text.By == trimtab.Person {
				text.By = trimtab.Unvouched
				said.Message.Parts[i] = text
			}
		}
	}
	return events
}

// relays reports whether the host adds notes that a gateway gives to its hooks.
func (t *turn) relays() bool { return t.opt.Relay != nil && t.call.Host.Hooks.Keeps }

// relay asks the gateway for the notes that the host is to add to its next request.
func (t *turn) relay(ctx context.Context) string {
	if !t.gateway || !t.relays() {
		t.vouch(ctx)
		return ""
	}
	events := t.in.events(t.call.Event.Kind)
	switch {
	case !t.call.Event.Kind.Relayed():
		return ""
	case t.call.Event.Kind == spool.Start && t.in.Source == "compact":
		events = []trimtab.Event{trimtab.Rewritten{All: true}}
	case t.call.Event.Kind == spool.Prompt && t.in.prompt == "": // a command of the host, or its own continuation: no words for the model were typed
		events = []trimtab.Event{trimtab.Said{Message: trimtab.Say(trimtab.RoleUser, trimtab.Host, t.in.Prompt)}}
	}
	notes, hosted, err := t.opt.Relay(ctx, t.id, events, false)
	if err != nil {
		t.opt.Log.Warn("no notes from the gateway; it sends them itself", "session", t.id, "error", err)
		return ""
	}
	t.asked, t.hosted = true, hosted
	return join(notes...)
}

// vouch tells the gateway what was typed, where the host's prompt hook knows that. A call
// that tells nothing typed counts, too: what the request brings is then nobody's.
func (t *turn) vouch(ctx context.Context) {
	if !t.gateway || t.opt.Relay == nil || t.call.Event.Kind != spool.Prompt || t.call.Host.Hooks.Typed == "" {
		return
	}
	var events []trimtab.Event
	if words := t.in.submitted(t.call.Host.Hooks.Typed); words != "" {
		m := message(words)
		if typed(words) == "" { // a command of the host
			m = trimtab.Say(trimtab.RoleUser, trimtab.Host, words)
		}
		events = append(events, trimtab.Said{Message: m})
	}
	if _, _, err := t.opt.Relay(ctx, t.id, events, true); err != nil {
		t.opt.Log.Warn("the gateway was not told what was typed; it switches nothing", "session", t.id, "error", err)
	}
}

// events is what a call says, wherever it is told.
func (in input) events(kind spool.Kind) []trimtab.Event {
	switch kind {
	case spool.Prompt:
		if in.prompt != "" {
			return []trimtab.Event{trimtab.Said{Message: message(in.Prompt), Vouched: in.vouched}}
		}
	case spool.Used:
		tools := in.tools()
		if len(tools) == 0 {
			return nil
		}
		asked, answered := trimtab.Message{Role: trimtab.RoleAssistant}, trimtab.Message{Role: trimtab.RoleTool}
		for _, u := range tools {
			asked.Parts, answered.Parts = append(asked.Parts, u.call), append(answered.Parts, u.result)
		}
		return []trimtab.Event{trimtab.Said{Message: asked}, trimtab.Said{Message: answered}}
	case spool.Stop:
		if last := in.last(); last != "" {
			return []trimtab.Event{trimtab.Said{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, last)}}
		}
	case spool.None, spool.Start, spool.Using, spool.Compacting, spool.Compacted, spool.End, spool.Request:
	}
	return nil
}

// planned is a write of the todo list of which no hook told, once.
func (t *turn) planned() []trimtab.Event {
	if t.opt.Plan == nil || t.in.Transcript == "" {
		return nil
	}
	call, ok := t.opt.Plan(t.in.Transcript)
	h := fnv.New64a()
	_, _ = h.Write([]byte("plan " + call.ID)) // never fails
	if !ok || slices.Contains(t.state.Recent, h.Sum64()) {
		return nil
	}
	t.state = t.state.Saw(h.Sum64())
	return []trimtab.Event{
		trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{call}}},
		trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: call.ID}}}},
	}
}

// start is a session that begins, is opened again, starts over or was shortened.
func (t *turn) start(s trimtab.Session, fresh bool) []trimtab.Event {
	switch {
	case fresh || s.Seq == 0:
		return nil
	case t.in.Source == "compact":
		return t.calling([]trimtab.Event{rewritten(s)})
	case t.in.Source == "clear":
		return []trimtab.Event{trimtab.Reset{}}
	case t.in.Source == "resume":
		return []trimtab.Event{trimtab.Resumed{}}
	}
	return nil
}

// rewritten is a history of which nothing is left but a summary.
func rewritten(s trimtab.Session) trimtab.Event {
	return trimtab.Rewritten{All: true, Lost: s.Anchors()}
}

// calling adds the request that follows, unless nothing could be put into it: a
// note that the model never sees must not count as said.
func (t *turn) calling(events []trimtab.Event) []trimtab.Event {
	if t.call.Host.Hooks.Deaf || len(events) == 0 {
		return events
	}
	return append(events, trimtab.Calling{})
}

func (t *turn) using() []trimtab.Event {
	var events []trimtab.Event
	for _, u := range t.in.tools() {
		events = append(events, trimtab.Using{Call: u.call})
	}
	return events
}

// stopping asks the engine whether the agent may stop; but never in a session of our
// own workflow. The last words are told with it: a gateway may not have stored them.
func (t *turn) stopping(s trimtab.Session) []trimtab.Event {
	if own(s) {
		return nil
	}
	ev := trimtab.Stopping{Continued: t.in.Active != nil && *t.in.Active, Waiting: len(t.in.Background) > 0}
	if t.gateway {
		ev.Last = t.in.last()
	}
	return []trimtab.Event{ev}
}

// Tool calls that may go by unanswered: a loop is noticed that much later, at
// most, and a host that takes no context needs no answer at all.
const (
	maxQuiet  = 5
	deafQuiet = 64
)

// quiet is for how many tool calls to come nothing can be due, found by trying
// them out on the engine, which is pure.
func (t *turn) quiet(s trimtab.Session) int {
	switch {
	case t.gateway && (!t.relays() || t.asked && !t.hosted):
		return -1
	case t.gateway && t.asked:
		return 0
	case t.gateway:
		return t.state.Quiet
	case t.opt.Eager, t.call.Host.Hooks.Answer == host.AnswerNotes: // a plugin does not tell of tools one by one
		return 0
	case t.call.Host.Hooks.Deaf:
		return deafQuiet
	}
	engine, now := t.opt.Service.Engine(), t.opt.Clock()
	for n := range maxQuiet {
		id := "try" + strconv.Itoa(n)
		call := trimtab.ToolCall{ID: id, Name: "look", Input: []byte(`{"at":` + strconv.Itoa(n) + `}`)}
		var out trimtab.Outcome
		s, _ = engine.Step(s, trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{call}}}, now)
		s, _ = engine.Step(s, trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: "seen " + id}}}}, now)
		s, out = engine.Step(s, trimtab.Calling{}, now)
		if len(out.Actions) > 0 {
			return n
		}
		for _, c := range out.Changes {
			if c.Kind == trimtab.Injected {
				return n
			}
		}
	}
	return maxQuiet
}

// Boxes that nobody used for so long are removed, so many at a time.
const (
	oldBox   = 7 * 24 * time.Hour
	sweepMax = 256
)

// sweep removes the boxes of sessions that never said that they ended.
func (t *turn) sweep() {
	d, err := os.Open(spool.Folder(t.opt.Data))
	if err != nil {
		return
	}
	defer d.Close()
	all, _ := d.ReadDir(sweepMax)
	for _, e := range all {
		info, err := e.Info()
		if err == nil && e.IsDir() && t.opt.Clock().Sub(info.ModTime()) > oldBox {
			_ = os.RemoveAll(filepath.Join(d.Name(), e.Name()))
		}
	}
}
