// Package genai reads content in the form of Google's models, which Gemini CLI and
// Qwen Code keep in their files: a text, or a list of parts that are texts, calls
// of functions and their responses. It decodes only what is asked for and knows
// neither host.
//
//	parts, err := genai.Parts(f, content, trimtab.Person, failed)
package genai

import (
	"fmt"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/transcript/internal/feed"
	"github.com/trimtab/trimtab/transcript/internal/jsonl"
)

// Part is one part of content, taken apart but not decoded.
type Part struct {
	Raw, Text, Call, Response []byte
	Thought                   bool
}

// Take takes one part apart. A bare string is a text.
func Take(v []byte) (Part, error) {
	p := Part{Raw: v}
	if len(v) > 0 && v[0] == '"' {
		p.Text = v
		return p, nil
	}
	c := jsonl.Object(v)
	for c.Next() {
		switch string(c.Key) {
		case "text":
			p.Text = c.Value
		case "functionCall":
			p.Call = c.Value
		case "functionResponse":
			p.Response = c.Value
		case "thought":
			p.Thought = string(c.Value) == "true"
		}
	}
	return p, c.Err()
}

// Split takes content apart: a text, a part, or a list of them.
func Split(v []byte) ([]Part, error) {
	if jsonl.Null(v) {
		return nil, nil
	}
	if v[0] != '[' {
		p, err := Take(v)
		if err != nil {
			return nil, err
		}
		return []Part{p}, nil
	}
	var out []Part
	c := jsonl.Array(v)
	for c.Next() {
		p, err := Take(c.Value)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", len(out)+1, err)
		}
		out = append(out, p)
	}
	return out, c.Err()
}

// Parts decodes parts. Their text is by the given author; beside a function's
// response a person is none. Failed says how a function ended that the response
// itself does not know of.
func Parts(f *feed.Feed, parts []Part, by trimtab.Author, failed func(id string) bool) ([]trimtab.Part, error) {
	for _, p := range parts {
		if by == trimtab.Person && p.Response != nil {
			by = trimtab.Host
		}
	}
	var out []trimtab.Part
	var d host.Divider
	for i, p := range parts {
		more, err := decode(f, &d, p, by, failed)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i+1, err)
		}
		out = append(out, more...)
	}
	return out, nil
}

func decode(f *feed.Feed, d *host.Divider, p Part, by trimtab.Author, failed func(string) bool) ([]trimtab.Part, error) {
	switch {
	case p.Thought:
		o, err := f.Opaque("thought", by, p.Raw)
		return []trimtab.Part{o}, err
	case p.Call != nil && by == trimtab.Model:
		call, err := Call(f, p.Call)
		return []trimtab.Part{call}, err
	case p.Response != nil && by != trimtab.Model:
		r, err := Response(f, p.Response, failed)
		return []trimtab.Part{r}, err
	case p.Text != nil:
		text, err := f.Text(p.Text, by)
		return feed.Divide(d, text, by), err
	}
	o, err := f.Opaque("part", by, p.Raw)
	return []trimtab.Part{o}, err
}

// Call reads a call of a function: {id, name, args}.
func Call(f *feed.Feed, v []byte) (call trimtab.ToolCall, err error) {
	c := jsonl.Object(v)
	for c.Next() && err == nil {
		switch string(c.Key) {
		case "id":
			call.ID, err = f.Dec.String(c.Value)
		case "name":
			call.Name, err = f.Dec.Word(c.Value)
		case "args":
			call.Input, err = jsonl.Raw(c.Value)
		}
		if err != nil {
			return call, fmt.Errorf("%s: %w", c.Key, err)
		}
	}
	return call, c.Err()
}

// Response reads the response of a function: {id, response: {output} or {error}}.
func Response(f *feed.Feed, v []byte, failed func(string) bool) (trimtab.ToolResult, error) {
	var r trimtab.ToolResult
	id, err := f.Dec.String(jsonl.Find(v, "id"))
	if err != nil {
		return r, fmt.Errorf("id: %w", err)
	}
	r.ID = id
	response := jsonl.Find(v, "response")
	text := jsonl.Find(response, "output")
	if e := jsonl.Find(response, "error"); !jsonl.Null(e) {
		r.Failed = true
		if text == nil {
			text = e
		}
	}
	if failed != nil && failed(id) {
		r.Failed = true
	}
	switch {
	case text == nil && jsonl.Null(response):
	case text == nil:
		text = response
		fallthrough
	default:
		if r.Text, err = resultText(f, text, r.Failed); err != nil {
			return r, fmt.Errorf("response: %w", err)
		}
	}
	return r, nil
}

// resultText is a result as text: a string decoded, anything else as written.
func resultText(f *feed.Feed, v []byte, failed bool) (string, error) {
	if jsonl.Null(v) || v[0] == '"' {
		return f.Result(v, failed)
	}
	raw, err := jsonl.Raw(v)
	if err != nil || failed {
		return string(raw), err
	}
	return f.Brief(string(raw), trimtab.Tool), nil
}
