package gemini

import (
	"encoding/json"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/internal/decode"
	"github.com/trimtab/trimtab/wire/internal/draft"
	"github.com/trimtab/trimtab/wire/internal/sse"
)

// NewReply returns a reader of a reply: events, one document, or the array of
// documents that the API streams to those who ask for no events. Of several
// candidates it reads the first. The API marks no end: a reply is complete with
// the chunk that says why it ended.
func (Format) NewReply(stream bool) wire.Reply { return newReply(stream, "") }

func newReply(stream bool, within string) wire.Reply {
	r := &reply{within: within}
	r.in = sse.Reader{Max: wire.MaxReply, Whole: !stream, To: r}
	return r
}

type reply struct {
	draft.Draft
	in     sse.Reader
	count  int
	within string // the member of each chunk that holds what the API itself would send; "" is none
}

func (r *reply) Write(p []byte) { r.in.Write(p) }

func (r *reply) Close() wire.Result {
	r.in.Close()
	if r.Stop == wire.StopEnd {
		for p := range r.Pieces {
			if p.Kind == draft.Call {
				r.Stop = wire.StopCalls
			}
		}
	}
	return r.Result(back)
}

// Event takes one chunk of a stream.
func (r *reply) Event(_ string, data []byte) {
	if !jsonscan.Valid(data) {
		r.Broken = true
		return
	}
	r.chunk(data)
}

// Long takes note of a chunk that was too long to keep.
func (r *reply) Long(string) { r.Cut, r.Broken = true, true }

// Document takes a reply that was no stream of events.
func (r *reply) Document(doc []byte) {
	switch {
	case !jsonscan.Valid(doc):
		r.Broken = true
	case len(doc) > 0 && doc[0] == '[':
		for v := range jsonscan.Elements(doc) {
			r.chunk(v)
		}
	default:
		r.chunk(doc)
	}
}

func (r *reply) chunk(v []byte) {
	if r.within != "" {
		if inner := jsonscan.Find(v, r.within); inner != nil { // an error comes without it
			v = inner
		}
	}
	for name, value := range jsonscan.Members(v) {
		if jsonscan.Null(value) {
			continue
		}
		switch string(name) {
		case "modelVersion":
			r.model(value)
		case "usageMetadata":
			r.usage(value)
		case "error":
			if r.Fault = decode.String(jsonscan.Find(value, "status")); r.Fault == "" {
				r.Fault = "error"
			}
		case "promptFeedback":
			if why := decode.String(jsonscan.Find(value, "blockReason")); why != "" {
				r.Reason, r.Stop, r.Ended = why, wire.StopRefused, true
			}
		case "candidates":
			for c := range jsonscan.Elements(value) {
				if index, content, finish := jsonscan.Three(c, "index", "content", "finishReason"); draft.Int(index) == 0 {
					r.candidate(content, decode.String(finish))
				}
			}
		}
	}
}

func (r *reply) model(v []byte) {
	if r.Model == "" {
		r.Model = decode.String(v)
	}
}

func (r *reply) candidate(content []byte, why string) {
	for p := range jsonscan.Elements(jsonscan.Find(content, "parts")) {
		r.part(p)
	}
	if why == "" {
		return
	}
	r.Reason, r.Ended = why, true
	switch why {
	case "STOP":
		r.Stop = wire.StopEnd
	case "MAX_TOKENS":
		r.Stop = wire.StopLength
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY":
		r.Stop = wire.StopRefused
	}
}

// part takes a part. Texts and thoughts that follow one another are one.
func (r *reply) part(v []byte) {
	switch p := read(v); {
	case p.call != nil:
		r.sign(p.sign)
		call := asked(p.call)
		piece := r.next(draft.Call)
		piece.ID, piece.Name = call.ID, call.Name
		r.Add(piece, jsonscan.AppendQuote(nil, string(call.Input)))
	case p.text == nil:
		piece := r.next(draft.Other)
		piece.Name = p.other
		r.Keep(piece, v)
	case p.thought:
		piece := r.grow(draft.Thought, p.text)
		piece.Name = "thought"
		if p.sign != nil {
			piece.Sign = nil
			r.Append(&piece.Sign, p.sign)
		}
	default:
		r.sign(p.sign)
		r.grow(draft.Text, p.text)
	}
}

// sign keeps the signature of a part, which is sent back with it, as a piece of
// its own in front of it.
func (r *reply) sign(sign []byte) {
	if len(sign) > 2 && sign[0] == '"' {
		p := r.next(draft.Other)
		p.Name = "thoughtSignature"
		r.Keep(p, append(append([]byte(`{"thoughtSignature":`), sign...), '}'))
	}
}

func (r *reply) next(kind draft.Kind) *draft.Piece {
	r.count++
	return r.Piece(r.count, kind)
}

func (r *reply) grow(kind draft.Kind, text []byte) *draft.Piece {
	p := r.Last()
	if p == nil || p.Kind != kind {
		p = r.next(kind)
	}
	r.Add(p, text)
	return p
}

func (r *reply) usage(v []byte) {
	if r.Usage == nil {
		r.Usage = &trimtab.Usage{}
	}
	*r.Usage = trimtab.Usage{}
	for name, n := range jsonscan.Members(v) {
		switch string(name) {
		case "promptTokenCount", "toolUsePromptTokenCount":
			r.Usage.Input += draft.Int(n)
		case "candidatesTokenCount", "thoughtsTokenCount":
			r.Usage.Output += draft.Int(n)
		case "cachedContentTokenCount":
			r.Usage.CacheRead = draft.Int(n)
		}
	}
	r.Usage.Input = max(0, r.Usage.Input-r.Usage.CacheRead)
}

// back is a thought as it is sent back.
func back(p *draft.Piece) json.RawMessage {
	if p.Kind != draft.Thought {
		return nil
	}
	raw := append([]byte(`{"thought":true,"text":`), jsonscan.AppendQuote(nil, string(p.Body))...)
	if len(p.Sign) > 0 {
		raw = append(append(raw, `,"thoughtSignature":`...), jsonscan.AppendQuote(nil, string(p.Sign))...)
	}
	return append(raw, '}')
}
