package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
)

// normalized is an event in the form in which the store gives it back, so that a
// replay steps the same bytes, and what had to be changed for that.
type normalized struct {
	trimtab.Event
	faults []trimtab.Fault
}

// normalize checks events before anything is stepped and returns copies in stored form.
func (h *Service) normalize(events []trimtab.Event) ([]normalized, error) {
	out := make([]normalized, len(events))
	for i, ev := range events {
		if ev == nil {
			return nil, fmt.Errorf("event %d of %d is nil", i+1, len(events))
		}
		if n := size(ev); n > h.opt.MaxMessage {
			return nil, fmt.Errorf("event %d of %d: %d bytes, the limit is %d: %w", i+1, len(events), n, h.opt.MaxMessage, trimtab.ErrTooLarge)
		}
		var f normalizer
		out[i] = normalized{f.event(ev), f.faults}
		if f.err != nil {
			return nil, fmt.Errorf("event %d of %d: %w", i+1, len(events), f.err)
		}
	}
	return out, nil
}

// size is what an event weighs, Raw and all.
func size(ev trimtab.Event) (n int) {
	switch ev := ev.(type) {
	case trimtab.Said:
		n = ev.Message.Size() + len(ev.Message.ID) + len(ev.Message.From) + len(ev.Message.Model)
		for _, p := range ev.Message.Parts {
			if t, ok := p.(trimtab.Text); ok {
				n += len(t.Raw)
			}
		}
	case trimtab.Using:
		n = len(ev.Call.Name) + len(ev.Call.Input)
	case trimtab.Asked:
		for _, a := range append([]string{ev.Command}, ev.Args...) {
			n += len(a)
		}
	case trimtab.Rewritten:
		for _, id := range ev.Lost {
			n += len(id)
		}
	case trimtab.Advised:
		raw, _ := trimtab.EncodeEvent(ev) // what has no JSON form is refused below
		n = len(raw)
	}
	return n
}

// normalizer copies an event and notes what it changed.
type normalizer struct {
	faults []trimtab.Fault
	err    error
}

func (f *normalizer) event(ev trimtab.Event) trimtab.Event {
	switch ev := ev.(type) {
	case trimtab.Said:
		ev.Message = f.message(ev.Message)
		return ev
	case trimtab.Using:
		ev.Call = f.call(ev.Call)
		return ev
	case trimtab.Asked:
		ev.Command, ev.Args, ev.By = f.text("the command", ev.Command), f.texts("an argument", ev.Args), trimtab.Author(f.text("the author", string(ev.By)))
		return ev
	case trimtab.Rewritten:
		ev.Lost = f.texts("a lost id", ev.Lost)
		return ev
	case trimtab.Advised:
		return f.advised(ev)
	case trimtab.Stopping:
		ev.Wrote = slices.Clone(ev.Wrote)
		for i, w := range ev.Wrote {
			ev.Wrote[i] = trimtab.Written{File: f.text("a file", w.File), At: w.At.Round(0).UTC()}
		}
		return ev
	case trimtab.Checked:
		ev.Receipt.Command, ev.Receipt.Output = f.text("the command", ev.Receipt.Command), f.text("its output", ev.Receipt.Output)
		ev.Receipt.Tree, ev.Receipt.Lapsed, ev.Receipt.At = f.text("the tree", ev.Receipt.Tree), f.text("why it lapsed", ev.Receipt.Lapsed), ev.Receipt.At.Round(0).UTC()
		ev.Receipt.Since = ev.Receipt.Since.Round(0).UTC()
		return ev
	case trimtab.Calling, trimtab.Resumed, trimtab.Reset:
		return ev
	}
	f.err = fmt.Errorf("%T cannot be stored as an event", ev)
	return ev
}

// advised brings actions of any kind into the form in which they are read back.
func (f *normalizer) advised(ev trimtab.Advised) trimtab.Event {
	raw, err := trimtab.EncodeEvent(ev)
	if err != nil {
		f.err = err
		return ev
	}
	back, err := trimtab.DecodeEvent(raw)
	if err != nil {
		f.err = err
		return ev
	}
	return back
}

func (f *normalizer) message(m trimtab.Message) trimtab.Message {
	m.ID, m.From, m.Model = f.text("the id", m.ID), f.text("the origin", m.From), f.text("the model", m.Model)
	m.Role = trimtab.Role(f.text("the role", string(m.Role)))
	m.At = m.At.Round(0).UTC()
	if _, err := m.At.MarshalText(); err != nil {
		f.fault("its time cannot be written", nil)
		m.At = time.Time{}
	}
	m.Parts = slices.Clone(m.Parts)
	for i, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			m.Parts[i] = f.prose(p)
		case trimtab.ToolCall:
			m.Parts[i] = f.call(p)
		case trimtab.ToolResult:
			p.ID, p.Text = f.text("a tool result's id", p.ID), f.text("a tool result", p.Text)
			m.Parts[i] = p
		case trimtab.Opaque:
			p.Kind, p.By = f.text("a part's kind", p.Kind), trimtab.Author(f.text("a part's author", string(p.By)))
			p.Raw = f.raw("an opaque part", p.Raw)
			m.Parts[i] = p
		default:
			f.err = fmt.Errorf("part %d, %T, cannot be stored", i+1, p)
		}
	}
	return m
}

// prose keeps the bytes of text that is not UTF-8 next to what can be read of it.
func (f *normalizer) prose(t trimtab.Text) trimtab.Text {
	t.By = trimtab.Author(f.text("an author", string(t.By)))
	if utf8.ValidString(t.Text) {
		return t
	}
	if t.Raw == nil {
		t.Raw = []byte(t.Text)
	}
	t.Text = strings.ToValidUTF8(t.Text, "\ufffd")
	f.fault("a text was not UTF-8; its bytes are kept with it", nil)
	return t
}

func (f *normalizer) call(c trimtab.ToolCall) trimtab.ToolCall {
	c.ID, c.Name = f.text("a tool call's id", c.ID), f.text("a tool's name", c.Name)
	c.Input = f.raw("a tool call's input", c.Input)
	return c
}

func (f *normalizer) text(what, s string) string {
	if utf8.ValidString(s) {
		return s
	}
	f.fault(what+" was not UTF-8", []byte(s))
	return strings.ToValidUTF8(s, "\ufffd")
}

func (f *normalizer) texts(what string, all []string) []string {
	all = slices.Clone(all)
	for i := range all {
		all[i] = f.text(what, all[i])
	}
	return all
}

// raw brings JSON into the form in which it is stored, and makes a JSON string
// of what is none, such as a tool call that was cut short.
func (f *normalizer) raw(what string, raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	if !utf8.Valid(raw) {
		raw = json.RawMessage(f.text(what, string(raw)))
	}
	out, err := json.Marshal(raw)
	if err == nil {
		return out
	}
	f.fault(what+" was not JSON; it is kept as a string", nil)
	out, err = json.Marshal(string(raw))
	f.err = errors.Join(f.err, err)
	return out
}

func (f *normalizer) fault(text string, lost []byte) {
	fault := trimtab.Fault{By: "session", Text: text}
	if lost != nil {
		fault.Lost, _ = json.Marshal(lost) // base64: bytes have no other JSON form
	}
	f.faults = append(f.faults, fault)
}
