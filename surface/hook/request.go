package hook

import (
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/steer/stop"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/hook/spool"
	"github.com/trimtab/trimtab/surface/travel"
)

// A plugin of ours that runs inside a host (surface/hook/install/plugin) tells of each
// request before it leaves, and puts the notes in that it is given. It sends what is new
// since the last answer, and of the whole history the ids and sizes, so that a history
// which the host shortened is noticed. Ids begin with idPrefix and sort by time: what is
// newer than the newest message of the session is new.
const idPrefix = "msg_"

// requestInput is what such a plugin sends beside what every hook has.
type requestInput struct {
	First    bool          `json:"first"`    // of this process of the host
	Base     string        `json:"base_url"` // where the request goes, if its settings say
	Append   bool          `json:"append"`   // the host marks the end of a request for the provider's cache, and with it a note that rides there
	Tools    []string      `json:"tools"`    // that the model is offered; nil is not known
	History  []historyItem `json:"history"`
	Messages []newMessage  `json:"messages"`
}

type historyItem struct {
	ID   string `json:"id"`
	Size int    `json:"size"`
}

// newMessage is a message in our own form. Typed says that the host had it from its
// person: nothing else vouches for it.
type newMessage struct {
	ID    string       `json:"id"`
	Role  trimtab.Role `json:"role"`
	Typed bool         `json:"typed"`
	Parts []struct {
		Text   string              `json:"text"`
		Call   *trimtab.ToolCall   `json:"call"`
		Result *trimtab.ToolResult `json:"result"`
	} `json:"parts"`
}

// behindGateway reports whether the host's settings send the request to a gateway of ours.
func (in requestInput) behindGateway() bool {
	_, secret := address.Split(in.Base)
	return secret != ""
}

func (m newMessage) message() trimtab.Message {
	out := trimtab.Message{ID: m.ID, Role: m.Role}
	for _, p := range m.Parts {
		switch {
		case p.Call != nil:
			out.Parts = append(out.Parts, *p.Call)
		case p.Result != nil:
			r := *p.Result
			r.Text = trimtab.Clip(r.Text, maxResult)
			out.Parts = append(out.Parts, r)
		case m.Role == trimtab.RoleUser && strings.HasPrefix(p.Text, stop.Opening):
			out.From = "stop"
			out.Parts = append(out.Parts, trimtab.Text{Text: p.Text, By: trimtab.Ours, From: "stop"})
		case m.Role == trimtab.RoleUser && m.Typed:
			out.Parts = append(out.Parts, message(p.Text).Parts...)
		case m.Role == trimtab.RoleUser:
			out.Parts = append(out.Parts, trimtab.Text{Text: p.Text, By: trimtab.Host})
		default:
			out.Parts = append(out.Parts, trimtab.Text{Text: p.Text, By: trimtab.Model})
		}
	}
	return out
}

// fresh are the messages that the session does not have. One that a gateway told has
// other ids: there only what follows the newest reply is new.
func (t *turn) fresh(s trimtab.Session) []newMessage {
	all := slices.DeleteFunc(slices.Clone(t.in.Messages), func(m newMessage) bool { return len(m.Parts) == 0 })
	switch {
	case s.Last.ID == "":
		return all
	case strings.HasPrefix(s.Last.ID, idPrefix):
		return slices.DeleteFunc(all, func(m newMessage) bool { return m.ID <= s.Last.ID })
	}
	reply := -1
	for i, m := range all {
		if m.Role == trimtab.RoleAssistant {
			reply = i
		}
	}
	return all[reply+1:]
}

func said(messages []newMessage) (events []trimtab.Event) {
	for _, m := range messages {
		events = append(events, trimtab.Said{Message: m.message()})
	}
	return events
}

// request is what a request tells: messages, a history that was shortened, and that it
// leaves. Models that bind their thinking keep a note where it was sent.
func (t *turn) request(s trimtab.Session) []trimtab.Event {
	fresh := t.fresh(s)
	events := said(fresh)
	if again, ok := t.shortened(s, fresh); ok {
		events = append(events, again)
	}
	call := trimtab.Calling{NoTodos: t.in.Tools != nil && !slices.ContainsFunc(t.in.Tools, host.IsTodoTool)}
	if _, bound, _ := travel.Claude(t.in.Model); bound || t.in.Append {
		call.Travel = trimtab.Append
	}
	return append(events, call)
}

// shortened tells of messages that the host does not send any more. What stood before
// the first new one was sent as it is.
func (t *turn) shortened(s trimtab.Session, fresh []newMessage) (trimtab.Rewritten, bool) {
	known := map[string]bool{}
	var ev trimtab.Rewritten
	kept := true
	for _, h := range t.in.History {
		known[h.ID] = true
		ev.Size += h.Size
		if kept = kept && h.ID <= s.Last.ID; kept {
			ev.Kept += h.Size
		}
	}
	for _, id := range s.Anchors() {
		if !known[id] {
			ev.Lost = append(ev.Lost, id)
		}
	}
	if len(fresh) == 0 && len(t.in.History) > 0 && s.Last.ID != "" && !known[s.Last.ID] {
		ev.Last = trimtab.Ref{ID: t.in.History[len(t.in.History)-1].ID, Seq: s.Seq}
	}
	return ev, len(ev.Lost) > 0 && len(t.in.History) > 0
}

// Request is the answer to a plugin that puts notes into a request itself. The notes and
// folds are all that stand in it, not only the new ones.
type Request struct {
	Quiet bool         `json:"quiet,omitempty"` // a gateway steers the session
	Notes []PlacedNote `json:"notes,omitempty"`
	Folds []PlacedFold `json:"folds,omitempty"`
	Guard bool         `json:"guard,omitempty"` // tools may be refused: ask before each
}

// PlacedNote is a note next to a message.
type PlacedNote struct {
	At    string `json:"at"`
	After bool   `json:"after,omitempty"`
	Fixed bool   `json:"fixed,omitempty"` // it stays there, also in a request to which no answer comes
	Text  string `json:"text"`
}

// PlacedFold is a run of messages that one text stands for.
type PlacedFold struct {
	First string `json:"first"`
	Last  string `json:"last"`
	Text  string `json:"text"`
}

// placed adds what stands in the request.
func (t *turn) placed(s trimtab.Session, a Answer) Answer {
	a.Context, a.Request = "", &Request{Quiet: t.gateway}
	if t.gateway {
		return a
	}
	a.Request.Guard = t.opt.Guard(s)
	for _, n := range s.Notes {
		if !n.Seated() || n.Hosted {
			continue
		}
		text := travel.Lasting(n)
		if n.Life != trimtab.Kept && !strings.Contains(text, "Trimtab") {
			text = travel.Author + "\n\n" + text
		}
		a.Request.Notes = append(a.Request.Notes, PlacedNote{At: n.Seat.ID, After: n.Seat.After, Fixed: n.Fixed, Text: text})
	}
	for _, f := range s.Folds {
		a.Request.Folds = append(a.Request.Folds, PlacedFold{f.First.ID, f.Last.ID, f.Text})
	}
	return a
}

// pluginOut is all that a plugin of ours is told.
type pluginOut struct {
	*Request
	Deny   string `json:"deny,omitempty"`
	GoOn   string `json:"continue,omitempty"`
	Notice string `json:"notice,omitempty"`
}

// notesForm: always an answer to a request, so that the plugin knows what was taken in.
func notesForm(c spool.Call, a Answer) any {
	out := pluginOut{Notice: notice(a)}
	switch c.Event.Kind {
	case spool.Request:
		out.Request = a.Request
		if out.Request == nil {
			out.Request = &Request{Quiet: true}
		}
	case spool.Using:
		out.Deny = fit(a.Deny)
	case spool.Stop:
		out.GoOn = fit(stops(a))
	case spool.None, spool.Start, spool.Prompt, spool.Used, spool.Compacting, spool.Compacted, spool.End:
		return nil
	}
	return out
}
