package goose

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/internal/feed"
)

// row is a row of the messages.
type row struct {
	id, role      string
	created       int64
	content, meta []byte
}

// reader is one pass over a session.
type reader struct {
	*feed.Feed
	session, project string
	side             bool
	hidden           bool // goose took messages from the model's eyes: a summary stands for them
}

// message passes on a row.
func (r *reader) message(w *row) error {
	m := trimtab.Message{ID: "goose-" + w.id, At: time.Unix(w.created, 0).UTC()}
	if w.created > 1e11 { // some versions count milliseconds
		m.At = time.UnixMilli(w.created).UTC()
	}
	shown, alone, err := r.meta(&m, w.meta)
	if err != nil {
		return fmt.Errorf("metadata_json: %w", err)
	}
	by := trimtab.Host
	switch {
	case w.role == "assistant":
		m.Role, by = trimtab.RoleAssistant, trimtab.Model
	case w.role != "user":
		return errors.New("it has no role that is known")
	default:
		m.Role, m.Model, m.Usage = trimtab.RoleUser, "", nil
		if shown && !r.side {
			by = trimtab.Person
		}
	}
	if m.Parts, err = r.contents(w.content, by); err != nil {
		return fmt.Errorf("content_json: %w", err)
	}
	for _, p := range m.Parts {
		if _, ok := p.(trimtab.ToolResult); ok {
			m.Role = trimtab.RoleTool
		}
	}
	if len(m.Parts) == 0 {
		return nil
	}
	it := transcript.Item{Message: m, Line: r.N, Session: r.session, Project: r.project, Side: r.side}
	if r.side {
		it.Agent = r.session
	}
	if alone && r.hidden {
		it.Compacted, r.hidden = true, false
	}
	return r.Put(it, len(w.content))
}

// meta reads what is known beside a message. Shown says that the person saw it,
// alone that only the model did.
func (r *reader) meta(m *trimtab.Message, v []byte) (shown, alone bool, err error) {
	shown = true
	if jsonscan.Null(v) {
		return shown, false, nil
	}
	agent, context := true, false
	c := jsonscan.Object(v)
	for c.Next() {
		switch string(c.Key) {
		case "userVisible":
			shown = string(c.Value) != "false"
		case "agentVisible":
			agent = string(c.Value) != "false"
		case "turnContext":
			context = string(c.Value) == "true"
		case "inference":
			if m.Model, err = r.Dec.Word(jsonscan.FindFirst(c.Value, "requestedModel")); err != nil {
				return false, false, fmt.Errorf("inference: %w", err)
			}
		case "usage":
			if m.Usage, err = usage(c.Value); err != nil {
				return false, false, fmt.Errorf("usage: %w", err)
			}
		}
	}
	r.hidden = r.hidden || !agent
	return shown && !context, agent && !shown && !context, c.Err()
}

// contents reads the contents of a message. Beside a tool's response no text is a
// person's.
func (r *reader) contents(v []byte, by trimtab.Author) ([]trimtab.Part, error) {
	var list []content
	c := jsonscan.Array(v)
	for c.Next() {
		in, err := parseContent(c.Value)
		if err != nil {
			return nil, fmt.Errorf("content %d: %w", len(list)+1, err)
		}
		if by == trimtab.Person && jsonscan.Is(in.kind, "toolResponse") {
			by = trimtab.Host
		}
		list = append(list, in)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	var out []trimtab.Part
	var d markup.Divider
	for i, in := range list {
		p, err := r.content(&d, in, by)
		if err != nil {
			return nil, fmt.Errorf("content %d: %w", i+1, err)
		}
		out = append(out, p...)
	}
	return out, nil
}

// content is one content of a message, as written and not decoded.
type content struct{ raw, kind, text, id, call, result, note []byte }

func parseContent(v []byte) (content, error) {
	in := content{raw: v}
	c := jsonscan.Object(v)
	for c.Next() {
		switch string(c.Key) {
		case "type":
			in.kind = c.Value
		case "text":
			in.text = c.Value
		case "id":
			in.id = c.Value
		case "toolCall":
			in.call = c.Value
		case "toolResult":
			in.result = c.Value
		case "msg":
			in.note = c.Value
		}
	}
	return in, c.Err()
}

func (r *reader) content(d *markup.Divider, in content, by trimtab.Author) ([]trimtab.Part, error) {
	switch {
	case jsonscan.Is(in.kind, "text"):
		text, err := r.Text(in.text, by)
		return feed.Append(nil, d, text, by), err
	case (jsonscan.Is(in.kind, "toolRequest") || jsonscan.Is(in.kind, "frontendToolRequest")) && by == trimtab.Model:
		call, err := r.request(in)
		return []trimtab.Part{call}, err
	case jsonscan.Is(in.kind, "toolResponse"):
		return r.response(in)
	case jsonscan.Is(in.kind, "systemNotification"), jsonscan.Is(in.kind, "conversationCompacted"):
		r.hidden = r.hidden || jsonscan.Is(in.kind, "conversationCompacted")
		text, err := r.Text(in.note, trimtab.Host)
		return feed.Spans(text, trimtab.Host), err
	case jsonscan.Is(in.kind, "toolConfirmationRequest"), jsonscan.Is(in.kind, "actionRequired"):
		return nil, nil // asked of the person, not said
	}
	kind, err := r.Dec.Word(in.kind)
	if err != nil {
		return nil, err
	}
	p, err := r.Opaque(kind, by, in.raw)
	return []trimtab.Part{p}, err
}

// request reads a call. One that goose could not read itself has a name of none.
func (r *reader) request(in content) (call trimtab.ToolCall, err error) {
	if call.ID, err = r.Dec.String(in.id); err != nil {
		return call, fmt.Errorf("id: %w", err)
	}
	value := jsonscan.FindFirst(in.call, "value")
	if call.Name, err = r.Dec.Word(jsonscan.FindFirst(value, "name")); err != nil {
		return call, fmt.Errorf("name: %w", err)
	}
	if call.Input, err = jsonscan.Raw(jsonscan.FindFirst(value, "arguments")); err != nil {
		return call, fmt.Errorf("arguments: %w", err)
	}
	return call, nil
}

// response reads the result of a tool. What of it is not text follows as opaque
// parts.
func (r *reader) response(in content) ([]trimtab.Part, error) {
	id, err := r.Dec.String(in.id)
	if err != nil {
		return nil, fmt.Errorf("id: %w", err)
	}
	result := trimtab.ToolResult{ID: id}
	value := jsonscan.FindFirst(in.result, "value")
	exit := jsonscan.FindFirst(value, "structuredContent", "exit_code")
	result.Failed = jsonscan.Is(jsonscan.FindFirst(in.result, "status"), "error") || string(jsonscan.FindFirst(value, "isError")) == "true" || !jsonscan.Null(exit) && string(exit) != "0"
	if cause := jsonscan.FindFirst(in.result, "error"); !jsonscan.Null(cause) {
		result.Text, err = r.Result(cause, true)
		return []trimtab.Part{result}, err
	}
	list := value
	if len(value) > 0 && value[0] == '{' {
		list = jsonscan.FindFirst(value, "content")
	}
	if jsonscan.Null(list) {
		return []trimtab.Part{result}, nil
	}
	var texts []string
	out := []trimtab.Part{nil}
	c := jsonscan.Array(list)
	for c.Next() {
		in, err := parseContent(c.Value)
		if err != nil {
			return nil, err
		}
		if jsonscan.Is(in.kind, "text") {
			text, err := r.Result(in.text, result.Failed)
			if err != nil {
				return nil, err
			}
			texts = append(texts, text)
			continue
		}
		kind, err := r.Dec.Word(in.kind)
		if err != nil {
			return nil, err
		}
		p, err := r.Opaque(kind, trimtab.Tool, in.raw)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	result.Text = strings.Join(texts, "\n")
	out[0] = result
	return out, c.Err()
}

func usage(v []byte) (*trimtab.Usage, error) {
	var in int
	u := &trimtab.Usage{}
	c := jsonscan.Object(v)
	for c.Next() {
		var err error
		switch string(c.Key) {
		case "inputTokens":
			in, err = jsonscan.Int(c.Value)
		case "outputTokens":
			u.Output, err = jsonscan.Int(c.Value)
		case "cacheReadTokens":
			u.CacheRead, err = jsonscan.Int(c.Value)
		case "cacheWriteTokens":
			u.CacheWrite, err = jsonscan.Int(c.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Key, err)
		}
	}
	u.Input = max(0, in-u.CacheRead-u.CacheWrite)
	return u, c.Err()
}
