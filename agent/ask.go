package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
)

// reply is what came of asking the model.
type reply struct {
	message trimtab.Message
	stop    llm.StopReason
	sent    int             // bytes of the messages in the request
	cut     bool            // it was cancelled on the way: message is what was said so far
	spoilt  map[string]bool // ids of calls whose input was not JSON
	broke   error           // the stream broke off: message is what was said so far
}

// ask sends the session as steering shapes it and reads the reply.
func (r *run) ask() (reply, error) {
	var said strings.Builder
	request := llm.Request{System: r.opt.System, Messages: joinPrompts(r.session.View(r.history)), Tools: r.offer(), MaxTokens: r.opt.MaxTokens}
	for chunk, err := range r.model.Stream(r.ctx, request) {
		if err != nil {
			if r.ctx.Err() != nil {
				break
			}
			return r.brokeOff(said.String(), err)
		}
		switch c := chunk.(type) {
		case llm.TextDelta:
			said.WriteString(c.Text)
			r.emit(Delta{c.Text})
		case llm.ThinkingDelta:
			r.emit(Thought{c.Text})
		case llm.Retrying:
			r.emit(Retrying{c.Wait, c.Why})
		case llm.CallDelta: // shown when it is whole
		case llm.Done:
			rep := r.whole(c)
			for _, m := range request.Messages {
				rep.sent += m.Size()
			}
			return rep, nil
		}
		if r.ctx.Err() != nil {
			break
		}
	}
	if r.ctx.Err() == nil {
		return r.brokeOff(said.String(), llm.ErrCut)
	}
	return reply{cut: true, message: r.half(said.String(), "interrupted: "+r.why())}, nil
}

// brokeOff keeps what was said before a stream broke off: the person has read it, and
// the model goes on from there. Where nothing was said, the next request is the same again.
func (r *run) brokeOff(said string, err error) (reply, error) {
	if strings.TrimSpace(said) == "" {
		return reply{}, r.broke(err)
	}
	return reply{message: r.half(said, "broken off: the connection was lost"), broke: r.broke(err)}, nil
}

// broke says what to do about a reply that did not come, or not to its end.
func (r *run) broke(err error) error {
	if errors.Is(err, llm.ErrLong) {
		return fmt.Errorf("ask %s: %w; nothing is left to fold: begin anew with /new, or choose a model with a larger context", r.model.Name(), err)
	}
	return fmt.Errorf("ask %s: %w; your message is kept: say \"go on\" to try again, or choose another model", r.model.Name(), err)
}

// half makes a message of a reply that did not come to its end. It holds no calls: what
// the model was about to ask for never happened.
func (r *run) half(text, why string) trimtab.Message {
	m := trimtab.Message{Role: trimtab.RoleAssistant, Model: r.model.Name()}
	if strings.TrimSpace(text) != "" {
		m.Parts = []trimtab.Part{trimtab.Text{Text: text, By: trimtab.Model}, trimtab.Text{Text: "[" + why + "]", By: trimtab.Host}}
	}
	return m
}

// whole takes a reply for what a model can say and no more: its words are the
// model's, whatever they claim, and each call has an id of its own and an input
// that can be stored.
func (r *run) whole(d llm.Done) reply {
	rep := reply{message: d.Message, stop: d.Stop, spoilt: map[string]bool{}}
	m := &rep.message
	m.ID, m.From, m.Role, m.Parts = "", "", trimtab.RoleAssistant, slices.Clone(d.Message.Parts)
	if m.Model == "" {
		m.Model = r.model.Name()
	}
	ids := map[string]bool{}
	for i, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			p.By = trimtab.Model
			m.Parts[i] = p
		case trimtab.Opaque:
			p.By = trimtab.Model
			m.Parts[i] = p
		case trimtab.ToolCall:
			if p.ID == "" || ids[p.ID] {
				p.ID = fmt.Sprintf("call-%d-%d", r.session.Seq+1, i+1)
			}
			ids[p.ID] = true
			if len(p.Input) > 0 && !json.Valid(p.Input) {
				rep.spoilt[p.ID] = true
				p.Input = quote(p.Input)
			}
			m.Parts[i] = p
		}
	}
	m.Parts = slices.DeleteFunc(m.Parts, func(p trimtab.Part) bool {
		_, result := p.(trimtab.ToolResult)
		return result || p == nil
	})
	if len(m.Parts) == 0 { // no provider takes an empty message back
		m.Parts = []trimtab.Part{trimtab.Text{Text: "[empty reply]", By: trimtab.Host}}
	}
	return rep
}

// quote keeps what is not JSON as a JSON string.
func quote(raw []byte) json.RawMessage {
	text, err := json.Marshal(strings.ToValidUTF8(string(raw), "\uFFFD"))
	if err != nil {
		return json.RawMessage(`""`)
	}
	return text
}
