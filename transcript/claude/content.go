package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript/internal/jsonl"
)

// message is the part of a line that went to the model or came from it.
type message struct {
	id, model string
	content   []byte
	usage     *trimtab.Usage
}

func parseMessage(v []byte) (m message, err error) {
	c := jsonl.Object(v)
	for c.Next() {
		switch string(c.Key) {
		case "id":
			m.id, err = jsonl.String(c.Value)
		case "model":
			m.model, err = jsonl.String(c.Value)
		case "content":
			m.content = c.Value
		case "usage":
			m.usage, err = parseUsage(c.Value)
		}
		if err != nil {
			return m, fmt.Errorf("message.%s: %w", c.Key, err)
		}
	}
	if err := c.Err(); err != nil {
		return m, fmt.Errorf("message: %w", err)
	}
	return m, nil
}

func parseUsage(v []byte) (*trimtab.Usage, error) {
	if jsonl.Null(v) {
		return nil, nil
	}
	u := &trimtab.Usage{}
	c := jsonl.Object(v)
	for c.Next() {
		var err error
		switch string(c.Key) {
		case "input_tokens":
			u.Input, err = jsonl.Int(c.Value)
		case "output_tokens":
			u.Output, err = jsonl.Int(c.Value)
		case "cache_read_input_tokens":
			u.CacheRead, err = jsonl.Int(c.Value)
		case "cache_creation_input_tokens":
			u.CacheWrite, err = jsonl.Int(c.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Key, err)
		}
	}
	return u, c.Err()
}

// block is one block of content. Which fields it has depends on its type.
type block struct {
	raw, kind, text, id, name, input, of, content, failed []byte
}

func parseBlock(v []byte) (block, error) {
	b := block{raw: v}
	c := jsonl.Object(v)
	for c.Next() {
		switch string(c.Key) {
		case "type":
			b.kind = c.Value
		case "text":
			b.text = c.Value
		case "id":
			b.id = c.Value
		case "name":
			b.name = c.Value
		case "input":
			b.input = c.Value
		case "tool_use_id":
			b.of = c.Value
		case "content":
			b.content = c.Value
		case "is_error":
			b.failed = c.Value
		}
	}
	return b, c.Err()
}

// parts reads content, which is one text or a list of blocks. Its plain text is
// by the given author; a person is none where the content holds a tool's result.
func parts(content []byte, by trimtab.Author) ([]trimtab.Part, error) {
	switch {
	case jsonl.Null(content):
		return nil, nil
	case content[0] == '"':
		text, err := jsonl.String(content)
		if err != nil {
			return nil, fmt.Errorf("content: %w", err)
		}
		return spans(text, by), nil
	}
	var blocks []block
	c := jsonl.Array(content)
	for c.Next() {
		b, err := parseBlock(c.Value)
		if err != nil {
			return nil, fmt.Errorf("content block %d: %w", len(blocks)+1, err)
		}
		if by == trimtab.Person && jsonl.Is(b.kind, "tool_result") {
			by = trimtab.Host
		}
		blocks = append(blocks, b)
	}
	if err := c.Err(); err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	var out []trimtab.Part
	for i, b := range blocks {
		p, err := b.parts(by)
		if err != nil {
			return nil, fmt.Errorf("content block %d: %w", i+1, err)
		}
		out = append(out, p...)
	}
	return out, nil
}

func (b block) parts(by trimtab.Author) ([]trimtab.Part, error) {
	switch {
	case jsonl.Is(b.kind, "text"):
		text, err := jsonl.String(b.text)
		return spans(text, by), err
	case jsonl.Is(b.kind, "tool_use") && by == trimtab.Model:
		call, err := b.call()
		return []trimtab.Part{call}, err
	case jsonl.Is(b.kind, "tool_result") && by != trimtab.Model:
		return b.result()
	}
	p, err := b.opaque(by)
	return []trimtab.Part{p}, err
}

func (b block) call() (trimtab.ToolCall, error) {
	id, err1 := jsonl.String(b.id)
	name, err2 := jsonl.String(b.name)
	input, err3 := raw(b.input)
	return trimtab.ToolCall{ID: id, Name: name, Input: input}, errors.Join(err1, err2, err3)
}

// result reads a tool's result. What of it is not text follows as opaque parts.
func (b block) result() ([]trimtab.Part, error) {
	id, err1 := jsonl.String(b.of)
	failed, err2 := jsonl.Bool(b.failed)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	inner, err := parts(b.content, trimtab.Tool)
	if err != nil {
		return nil, err
	}
	var texts []string
	out := []trimtab.Part{nil}
	for _, p := range inner {
		if t, ok := p.(trimtab.Text); ok {
			texts = append(texts, t.Text)
			continue
		}
		out = append(out, p)
	}
	out[0] = trimtab.ToolResult{ID: id, Text: strings.Join(texts, "\n"), Failed: failed}
	return out, nil
}

func (b block) opaque(by trimtab.Author) (trimtab.Opaque, error) {
	kind, err1 := jsonl.String(b.kind)
	r, err2 := raw(b.raw)
	return trimtab.Opaque{Kind: kind, By: by, Raw: r}, errors.Join(err1, err2)
}

// raw copies a value that is passed on as it is, and so must be valid.
func raw(v []byte) (json.RawMessage, error) {
	if jsonl.Null(v) {
		return nil, nil
	}
	if !json.Valid(v) {
		return nil, errors.New("not valid JSON")
	}
	return slices.Clone(v), nil
}
