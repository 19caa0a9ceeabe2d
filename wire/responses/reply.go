package responses

import (
	"encoding/json"
	"strings"

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
	if r.Stop == wire.StopEnd && r.calls() {
		r.Stop = wire.StopCalls
	}
	return r.Result(back)
}

// Event takes one event of a stream.
func (r *reply) Event(_ string, data []byte) {
	if !jsonscan.Valid(data) {
		r.Broken = true
		return
	}
	kind, index, delta := jsonscan.Three(data, "type", "output_index", "delta")
	i := draft.Int(index)
	switch jsonscan.Plain(kind) {
	case "response.created", "response.in_progress":
		r.Model = decode.String(jsonscan.Find(data, "response", "model"))
	case "response.output_item.added":
		r.begin(i, jsonscan.Find(data, "item"))
	case "response.output_item.done":
		r.item(i, jsonscan.Find(data, "item"))
	case "response.output_text.delta", "response.refusal.delta", "response.reasoning_summary_text.delta", "response.reasoning_text.delta",
		"response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		if p := r.Find(i); p != nil && !p.Done {
			r.Add(p, delta)
		}
	case "response.completed", "response.incomplete", "response.failed":
		r.end(jsonscan.Find(data, "response"))
	case "error":
		r.fault(data)
	}
}

// Long takes note of an event that was too long to keep. The last event repeats
// the whole reply; its name is enough to know that the end came.
func (r *reply) Long(name string) {
	r.Cut = true
	switch name {
	case "response.completed":
		r.reason("completed", "")
		r.Ended = true
	case "response.output_item.done":
	default:
		r.Broken = true
	}
}

// Document takes a reply that was no stream.
func (r *reply) Document(doc []byte) {
	switch {
	case !jsonscan.Valid(doc):
		r.Broken = true
	case jsonscan.Null(jsonscan.Find(doc, "output")) && !jsonscan.Null(jsonscan.Find(doc, "error")):
		r.fault(jsonscan.Find(doc, "error"))
	default:
		r.end(doc)
	}
}

// begin begins an item whose pieces follow.
func (r *reply) begin(i int, v []byte) {
	kind := decode.String(jsonscan.Find(v, "type"))
	p := r.Piece(i, kinds(kind, v))
	p.ID, p.Name = id(v), decode.String(jsonscan.Find(v, "name"))
	if p.Kind != draft.Call {
		p.Name = kind
	}
}

func kinds(kind string, v []byte) draft.Kind {
	switch {
	case kind == "message":
		return draft.Text
	case kind == "reasoning":
		return draft.Thought
	case strings.HasSuffix(kind, "_call") && !jsonscan.Null(jsonscan.Find(v, "call_id")), kind == "mcp_approval_request":
		return draft.Call
	}
	return draft.Other
}

// item takes a whole item. It counts more than the pieces that came before.
func (r *reply) item(i int, v []byte) {
	if jsonscan.Null(v) {
		r.Broken = true
		return
	}
	kind := decode.String(jsonscan.Find(v, "type"))
	p := r.Piece(i, kinds(kind, v))
	if p.Done {
		return
	}
	p.Kind, p.Name, p.Done = kinds(kind, v), kind, true
	switch p.Kind {
	case draft.Text:
		r.message(p, v)
	case draft.Call:
		call := asked(kind, v)
		p.ID, p.Name = call.ID, call.Name
		if len(p.Body) == 0 {
			r.Add(p, jsonscan.AppendQuote(nil, string(call.Input)))
		}
		r.Clear(p)
		r.Keep(p, call.Input)
	default:
		r.Clear(p)
		r.Keep(p, v)
	}
}

// message takes the texts of a message. They have been told, if they came in
// pieces before.
func (r *reply) message(p *draft.Piece, v []byte) {
	told := len(p.Body) > 0
	r.Clear(p)
	for part := range jsonscan.Elements(jsonscan.Find(v, "content")) {
		for _, name := range []string{"text", "refusal"} {
			if words := jsonscan.Find(part, name); told {
				r.Append(&p.Body, words)
			} else {
				r.Add(p, words)
			}
		}
	}
}

// end takes the whole reply, which the last event repeats.
func (r *reply) end(v []byte) {
	r.Model, r.ID = decode.String(jsonscan.Find(v, "model")), decode.String(jsonscan.Find(v, "id"))
	n := 0
	for it := range jsonscan.Elements(jsonscan.Find(v, "output")) {
		if p := r.Find(n); p == nil || !p.Done {
			r.item(n, it)
		}
		n++
	}
	r.usage(jsonscan.Find(v, "usage"))
	status := decode.String(jsonscan.Find(v, "status"))
	if !jsonscan.Null(jsonscan.Find(v, "error")) || status == "failed" {
		r.fault(jsonscan.Find(v, "error"))
		return
	}
	r.reason(status, decode.String(jsonscan.Find(v, "incomplete_details", "reason")))
	r.Ended = status == "completed" || status == "incomplete"
}

func (r *reply) fault(v []byte) {
	for _, name := range []string{"code", "type"} {
		if r.Fault = decode.String(jsonscan.Find(v, name)); r.Fault != "" {
			return
		}
	}
	r.Fault = "error"
}

func (r *reply) reason(status, why string) {
	r.Reason = status
	switch {
	case status == "completed":
		r.Stop = wire.StopEnd
	case why == "max_output_tokens":
		r.Reason, r.Stop = why, wire.StopLength
	case why == "content_filter":
		r.Reason, r.Stop = why, wire.StopRefused
	}
}

func (r *reply) usage(v []byte) {
	if jsonscan.Null(v) {
		return
	}
	read := draft.Int(jsonscan.Find(v, "input_tokens_details", "cached_tokens"))
	r.Usage = &trimtab.Usage{
		Input:     max(0, draft.Int(jsonscan.Find(v, "input_tokens"))-read),
		Output:    draft.Int(jsonscan.Find(v, "output_tokens")),
		CacheRead: read,
	}
}

// calls reports whether the reply waits for tools.
func (r *reply) calls() bool {
	for p := range r.Pieces {
		if p.Kind == draft.Call {
			return true
		}
	}
	return false
}

// back is a thought of which only the summary came.
func back(p *draft.Piece) json.RawMessage {
	if p.Kind != draft.Thought {
		return nil
	}
	raw := append([]byte(`{"type":"reasoning","summary":[{"type":"summary_text","text":`), jsonscan.AppendQuote(nil, string(p.Body))...)
	return append(raw, "}]}"...)
}
