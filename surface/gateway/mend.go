package gateway

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/anthropic"
)

// sending is a request as it leaves, and what is needed to send it in another way
// where the provider refuses it for something that is ours.
type sending struct {
	body  outgoing
	turn  *turn
	model string
	plain *buffer // what body was made from; it holds on to it
	edits []wire.Edit
	from  *ledger
}

// maxRefusal bounds what is read of a refusal to find its cause.
const maxRefusal = 64 << 10

// again returns what to send after a refusal that is ours to mend, which happens once:
// thinking that is bound to another conversation than is sent now, and a message on a
// channel that the provider does not have. The refusal can still be read whole.
func (g *Steerer) again(s *sending, to route, h http.Header, reply *http.Response) (next outgoing, ok bool) {
	if reply.StatusCode != http.StatusBadRequest || s.plain == nil || reply.Header.Get("Content-Encoding") != "" {
		return next, false
	}
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxRefusal))
	reply.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(text), reply.Body), reply.Body}
	if err != nil {
		return next, false
	}
	raw, edits := s.plain.b, s.edits
	switch {
	case bytes.Contains(text, []byte("bound to a different conversation")):
		if raw, ok = unbind(raw, h); !ok {
			return next, false
		}
		if s.from != nil {
			s.from.unsure.Store(true)
		}
		g.Stats.Faults.Add(1)
		g.opt.Log.Warn("thinking was bound to another conversation than was sent; the provider leaves it out", "model", s.model)
	case slices.ContainsFunc(edits, func(e wire.Edit) bool { return e.Channel == wire.Operator }) && blames(text):
		edits = slices.Clone(edits)
		for i := range edits {
			edits[i].Channel, edits[i].Clear = wire.User, false
		}
		removeBeta(h, betaClearing)
		g.refused.Store(to.provider+" "+s.model, true)
		g.opt.Log.Warn("the provider takes no instructions inside the conversation; notes go as user text", "provider", to.provider, "model", s.model)
	default:
		return next, false
	}
	var body wire.Body
	if to.format == nil || to.format.Scan(raw, &body, nil) != nil {
		return next, false
	}
	pieces, _, err := apply(to.format, &body, edits)
	if err != nil {
		return next, false
	}
	return newOutgoing(&buffer{b: raw}, pieces...), true
}

// blames reports whether a refusal is about what only notes on the operator's channel
// bring into a request.
func blames(refusal []byte) bool {
	for _, word := range []string{"clear_at", "role", "system", "developer", "beta"} {
		if bytes.Contains(bytes.ToLower(refusal), []byte(word)) {
			return true
		}
	}
	return false
}

// dropThinking is the switch by which the API leaves out thinking that is bound to
// another conversation, where it would refuse the request.
const dropThinking = `"block_binding":{"prefix_mismatch_behavior":"drop_block"}`

// unbind returns a request of the Messages API with that switch on, and the header that
// it needs; ok is false where there is nothing that could be bound.
func unbind(raw []byte, h http.Header) (out []byte, ok bool) {
	var b wire.Body
	if (anthropic.Format{}).Scan(raw, &b, nil) != nil {
		return raw, false
	}
	if _, bound, _ := claude(b.Model()); !bound {
		return raw, false
	}
	thought := slices.ContainsFunc(b.Items, func(it wire.Item) bool { return it.Holds&wire.HoldsThought != 0 })
	if !thought || len(b.Find("thinking", "block_binding")) > 0 {
		return raw, false
	}
	if b.Text("thinking", "type") == "disabled" {
		return raw, false
	}
	at, more := bytes.IndexByte(raw, '{')+1, `"thinking":{"type":"adaptive",`+dropThinking+`},` // it thinks without being told to
	for _, f := range b.Fields {
		if value := b.Bytes(f.Value); jsonscan.Word(b.Bytes(f.Name)) == "thinking" {
			if len(value) == 0 || value[0] != '{' {
				return raw, false
			}
			if at, more = f.Value.Start+1, dropThinking; len(bytes.TrimSpace(value[1:len(value)-1])) > 0 {
				more += ","
			}
		}
	}
	addBeta(h, betaBinding)
	return slices.Concat(raw[:at], []byte(more), raw[at:]), true
}

// addBeta adds a word to the header of what is not for everybody yet.
func addBeta(h http.Header, word string) {
	for _, line := range h.Values(betaHeader) {
		for known := range strings.SplitSeq(line, ",") {
			if strings.TrimSpace(known) == word {
				return
			}
		}
	}
	if first := h.Get(betaHeader); first != "" {
		h.Set(betaHeader, first+","+word)
		return
	}
	h.Set(betaHeader, word)
}

func removeBeta(h http.Header, word string) {
	var rest []string
	for known := range strings.SplitSeq(h.Get(betaHeader), ",") {
		if known = strings.TrimSpace(known); known != "" && known != word {
			rest = append(rest, known)
		}
	}
	h.Del(betaHeader)
	if len(rest) > 0 {
		h.Set(betaHeader, strings.Join(rest, ","))
	}
}
