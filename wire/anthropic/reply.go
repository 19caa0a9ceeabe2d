package anthropic

import (
	"encoding/json"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/internal/decode"
	"github.com/trimtab/trimtab/wire/internal/draft"
	"github.com/trimtab/trimtab/wire/internal/sse"
)

// NewReply returns a reader of a reply.
func (Format) NewReply(stream bool) wire.Reply {
	r := &reply{}
	r.in = sse.Reader{Max: wire.MaxReply, Whole: !stream, To: r}
	return r
}

type reply struct {
	draft.Draft
	in sse.Reader
}

func (r *reply) Write(p []byte) { r.in.Write(p) }

func (r *reply) Close() wire.Result {
	r.in.Close()
	return r.Result(back)
}

// Event takes one event of a stream.
func (r *reply) Event(_ string, data []byte) {
	if !jsonscan.Valid(data) {
		r.Broken = true
		return
	}
	kind, index, delta := jsonscan.Three(data, "type", "index", "delta")
	switch jsonscan.Plain(kind) {
	case "message_start":
		r.start(jsonscan.Find(data, "message"))
	case "content_block_start":
		if index != nil {
			r.begin(draft.Int(index), jsonscan.Find(data, "content_block"))
		} else {
			r.Broken = true
		}
	case "content_block_delta":
		r.delta(index, delta)
	case "content_block_stop":
		if p := r.Find(draft.Int(index)); p != nil {
			p.Done = true
		}
	case "message_delta":
		r.usage(jsonscan.Find(data, "usage"))
		r.stop(jsonscan.Find(delta, "stop_reason"))
	case "message_stop":
		r.Ended = !r.Open()
	case "error":
		r.fault(data)
	}
}

// Long takes note of an event that was too long to keep.
func (r *reply) Long(string) { r.Cut, r.Broken = true, true }

// Document takes a reply that was no stream.
func (r *reply) Document(doc []byte) {
	if !jsonscan.Valid(doc) {
		r.Broken = true
		return
	}
	var kind, content, stop []byte
	for name, v := range jsonscan.Members(doc) {
		switch string(name) {
		case "type":
			kind = v
		case "content":
			content = v
		case "stop_reason":
			stop = v
		}
	}
	if decode.String(kind) == "error" {
		r.fault(doc)
		return
	}
	r.start(doc)
	n := 0
	for v := range jsonscan.Elements(content) {
		r.begin(n, v)
		n++
	}
	r.stop(stop)
	r.Ended = r.Reason != ""
}

func (r *reply) start(message []byte) {
	model, usage, _ := jsonscan.Three(message, "model", "usage", "")
	r.Model = decode.String(model)
	r.usage(usage)
}

func (r *reply) fault(v []byte) {
	if r.Fault = decode.String(jsonscan.Find(v, "error", "type")); r.Fault == "" {
		r.Fault = "error"
	}
}

// usage takes counts over; later ones of the stream replace earlier ones.
func (r *reply) usage(v []byte) {
	if jsonscan.Null(v) {
		return
	}
	if r.Usage == nil {
		r.Usage = &trimtab.Usage{}
	}
	for name, n := range jsonscan.Members(v) {
		if jsonscan.Null(n) {
			continue
		}
		switch string(name) {
		case "input_tokens":
			r.Usage.Input = draft.Int(n)
		case "output_tokens":
			r.Usage.Output = draft.Int(n)
		case "cache_read_input_tokens":
			r.Usage.CacheRead = draft.Int(n)
		case "cache_creation_input_tokens":
			r.Usage.CacheWrite = draft.Int(n)
		}
	}
}

func (r *reply) stop(v []byte) {
	if jsonscan.Null(v) {
		return
	}
	r.Reason = decode.String(v)
	switch r.Reason {
	case "end_turn", "stop_sequence":
		r.Stop = wire.StopEnd
	case "tool_use":
		r.Stop = wire.StopCalls
	case "max_tokens", "model_context_window_exceeded":
		r.Stop = wire.StopLength
	case "refusal":
		r.Stop = wire.StopRefused
	case "pause_turn":
		r.Stop = wire.StopPaused
	}
}

// begin takes a content block, whole or still empty.
func (r *reply) begin(i int, v []byte) {
	var t, text, thought, sign, id, name, input []byte
	for member, value := range jsonscan.Members(v) {
		switch string(member) {
		case "type":
			t = value
		case "text":
			text = value
		case "thinking":
			thought = value
		case "signature":
			sign = value
		case "id":
			id = value
		case "name":
			name = value
		case "input":
			input = value
		}
	}
	switch kind := decode.String(t); kind {
	case "text":
		r.Add(r.Piece(i, draft.Text), text)
	case "thinking":
		p := r.Piece(i, draft.Thought)
		p.Name = kind
		r.Add(p, thought)
		r.Append(&p.Sign, sign)
	case "tool_use":
		p := r.Piece(i, draft.Call)
		p.ID, p.Name = decode.String(id), decode.String(name)
		r.Keep(p, input)
	default:
		p := r.Piece(i, draft.Other)
		p.Name = kind
		r.Keep(p, v)
	}
}

func (r *reply) delta(index, v []byte) {
	p := r.Find(draft.Int(index))
	if p == nil || index == nil {
		r.Broken = true
		return
	}
	for name, value := range jsonscan.Members(v) {
		switch string(name) {
		case "text", "thinking", "partial_json":
			r.Add(p, value)
		case "signature":
			r.Append(&p.Sign, value)
		}
	}
}

// back is a block that came in pieces as it is sent back.
func back(p *draft.Piece) json.RawMessage {
	var raw []byte
	switch {
	case p.Kind == draft.Thought:
		raw = append(raw, `{"type":"thinking","thinking":`...)
		raw = jsonscan.AppendQuote(raw, string(p.Body))
		raw = append(raw, `,"signature":`...)
		raw = jsonscan.AppendQuote(raw, string(p.Sign))
	case p.Raw != nil: // a call of a tool that the provider runs
		raw = append(raw, `{"type":`...)
		raw = jsonscan.AppendQuote(raw, p.Name)
		for _, name := range []string{"id", "name", "server_name"} {
			if v := jsonscan.Find(p.Raw, name); v != nil {
				raw = append(append(append(raw, `,"`...), name...), `":`...)
				raw = append(raw, v...)
			}
		}
		raw = append(raw, `,"input":`...)
		raw = append(raw, decode.Arguments(string(p.Body))...)
	default:
		return nil
	}
	return append(raw, '}')
}
