package openaichat

import (
	"encoding/json"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/internal/decode"
	"github.com/trimtab/trimtab/wire/internal/draft"
	"github.com/trimtab/trimtab/wire/internal/sse"
)

// NewReply returns a reader of a reply. Of several choices it reads the first.
func (Format) NewReply(stream bool) wire.Reply {
	r := &reply{}
	r.in = sse.Reader{Max: wire.MaxReply, Whole: !stream, To: r}
	return r
}

type reply struct {
	draft.Draft
	in sse.Reader
}

// Keys of the pieces beside the calls, which have their index.
const (
	keyThought = -1 - iota
	keyText
	keyRefusal
)

func (r *reply) Write(p []byte) { r.in.Write(p) }

func (r *reply) Close() wire.Result {
	r.in.Close()
	return r.Result(back)
}

// Event takes one chunk of a stream. The stream ends with a word of its own:
// without it the reply was cut.
func (r *reply) Event(_ string, data []byte) {
	if string(data) == "[DONE]" {
		r.Ended = r.Reason != ""
		return
	}
	if !jsonscan.Valid(data) {
		r.Broken = true
		return
	}
	r.chunk(data, "delta")
}

// Long takes note of a chunk that was too long to keep.
func (r *reply) Long(string) { r.Cut, r.Broken = true, true }

// Document takes a reply that was no stream.
func (r *reply) Document(doc []byte) {
	if !jsonscan.Valid(doc) {
		r.Broken = true
		return
	}
	r.chunk(doc, "message")
	r.Ended = r.Reason != ""
}

func (r *reply) chunk(v []byte, said string) {
	for name, value := range jsonscan.Members(v) {
		if jsonscan.Null(value) {
			continue
		}
		switch string(name) {
		case "model":
			if r.Model == "" {
				r.Model = decode.String(value)
			}
		case "usage":
			r.usage(value)
		case "error":
			r.fault(value)
		case "choices":
			for c := range jsonscan.Elements(value) {
				if index, words, finish := jsonscan.Three(c, "index", said, "finish_reason"); draft.Int(index) == 0 {
					r.say(words)
					r.stop(finish)
				}
			}
		}
	}
}

func (r *reply) fault(v []byte) {
	for _, name := range []string{"type", "code"} {
		if r.Fault = decode.String(jsonscan.Find(v, name)); r.Fault != "" {
			return
		}
	}
	r.Fault = "error"
}

// say takes a delta, or a whole message.
func (r *reply) say(v []byte) {
	for name, value := range jsonscan.Members(v) {
		switch string(name) {
		case "content":
			r.content(value)
		case "refusal":
			r.add(keyRefusal, draft.Text, value)
		case "reasoning_content", "reasoning":
			// Some servers say the same under both names.
			if p := r.Find(keyThought); p == nil || p.Name == string(name) {
				r.add(keyThought, draft.Thought, value).Name = string(name)
			}
		case "tool_calls":
			n := 0
			for c := range jsonscan.Elements(value) {
				r.call(c, n)
				n++
			}
		case "function_call":
			p := r.Piece(0, draft.Call)
			r.function(p, value)
			p.ID = p.Name // before there were ids
		}
	}
}

func (r *reply) add(key int, kind draft.Kind, v []byte) *draft.Piece {
	if len(v) <= 2 || v[0] != '"' {
		if p := r.Find(key); p != nil {
			return p
		}
		return &draft.Piece{}
	}
	p := r.Piece(key, kind)
	r.Add(p, v)
	return p
}

// content is a text; some servers send parts.
func (r *reply) content(v []byte) {
	r.add(keyText, draft.Text, v)
	for part := range jsonscan.Elements(v) {
		if decode.String(jsonscan.Find(part, "type")) == "text" {
			r.add(keyText, draft.Text, jsonscan.Find(part, "text"))
		}
	}
}

// call takes a piece of a call. One without an index is the n-th of its chunk,
// and one with an id of its own is another call whatever its index.
func (r *reply) call(v []byte, n int) {
	if i := jsonscan.Find(v, "index"); !jsonscan.Null(i) {
		n = draft.Int(i)
	}
	p := r.Piece(n, draft.Call)
	if id := decode.String(jsonscan.Find(v, "id")); id != "" {
		for p.ID != "" && p.ID != id {
			n += 1 << 16
			p = r.Piece(n, draft.Call)
		}
		p.ID = id
	}
	if custom := jsonscan.Find(v, "custom"); custom != nil {
		r.named(p, custom)
		r.Add(p, jsonscan.Find(custom, "input"))
		return
	}
	r.function(p, jsonscan.Find(v, "function"))
}

// named takes a call's name, which some servers repeat.
func (r *reply) named(p *draft.Piece, v []byte) {
	if p.Name == "" {
		p.Name = decode.String(jsonscan.Find(v, "name"))
	}
}

func (r *reply) function(p *draft.Piece, v []byte) {
	r.named(p, v)
	arguments := jsonscan.Find(v, "arguments")
	if len(arguments) > 0 && arguments[0] == '{' {
		r.Keep(p, arguments)
		return
	}
	r.Add(p, arguments)
}

func (r *reply) usage(v []byte) {
	u := &trimtab.Usage{}
	for name, n := range jsonscan.Members(v) {
		switch string(name) {
		case "prompt_tokens":
			u.Input += draft.Int(n)
		case "completion_tokens":
			u.Output = draft.Int(n)
		case "prompt_tokens_details":
			u.CacheRead = max(u.CacheRead, draft.Int(jsonscan.Find(n, "cached_tokens")))
			u.CacheWrite = draft.Int(jsonscan.Find(n, "cache_write_tokens"))
		case "prompt_cache_hit_tokens":
			u.CacheRead = max(u.CacheRead, draft.Int(n))
		}
	}
	u.Input = max(0, u.Input-u.CacheRead-u.CacheWrite)
	r.Usage = u
}

func (r *reply) stop(v []byte) {
	if jsonscan.Null(v) {
		return
	}
	r.Reason = decode.String(v)
	switch r.Reason {
	case "stop":
		r.Stop = wire.StopEnd
	case "tool_calls", "function_call":
		r.Stop = wire.StopCalls
	case "length":
		r.Stop = wire.StopLength
	case "content_filter":
		r.Stop = wire.StopRefused
	}
}

// back is the text of the thinking, which is sent back as a member of its name.
func back(p *draft.Piece) json.RawMessage { return jsonscan.AppendQuote(nil, string(p.Body)) }
