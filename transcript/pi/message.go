package pi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/transcript/internal/feed"
	"github.com/trimtab/trimtab/transcript/internal/jsonl"
)

// message reads a message by its role.
func (r *reader) message(in *message, m *trimtab.Message) (err error) {
	switch {
	case jsonl.Is(in.role, "user"):
		m.Parts, err = r.content(in.content, trimtab.Person)
	case jsonl.Is(in.role, "assistant"):
		return r.reply(in, m)
	case jsonl.Is(in.role, "toolResult"):
		m.Role = trimtab.RoleTool
		m.Parts, err = r.result(in)
	case jsonl.Is(in.role, "system"):
		m.Role = trimtab.RoleSystem
		m.Parts, err = r.content(in.content, trimtab.Host)
	case jsonl.Is(in.role, "bashExecution"):
		m.Parts, err = r.ran(in)
	default:
		m.Parts, err = r.content(in.content, trimtab.Host)
	}
	return err
}

func (r *reader) reply(in *message, m *trimtab.Message) (err error) {
	m.Role = trimtab.RoleAssistant
	if m.Model, err = r.Dec.Word(in.model); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if m.Usage, err = usage(in.usage); err != nil {
		return fmt.Errorf("usage: %w", err)
	}
	if m.Parts, err = r.content(in.content, trimtab.Model); err != nil || len(m.Parts) > 0 {
		return err
	}
	// A reply that failed is the host's notice of it, and no step of the model.
	text, err := r.Text(in.cause, trimtab.Host)
	m.Role, m.Model, m.Usage = trimtab.RoleSystem, "", nil
	m.Parts = feed.Spans(text, trimtab.Host)
	return err
}

// result reads a tool's result. What of it is not text follows as opaque parts.
func (r *reader) result(in *message) ([]trimtab.Part, error) {
	id, err1 := r.Dec.String(in.call)
	failed, err2 := jsonl.Bool(in.failed)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	by := trimtab.Tool
	if failed {
		by = trimtab.Model // whole, however brief
	}
	inner, err := r.content(in.content, by)
	if err != nil {
		return nil, err
	}
	var texts []string
	out := []trimtab.Part{nil}
	for _, p := range inner {
		switch p := p.(type) {
		case trimtab.Text:
			texts = append(texts, p.Text)
		case trimtab.Opaque:
			p.By = trimtab.Tool
			out = append(out, p)
		}
	}
	out[0] = trimtab.ToolResult{ID: id, Text: strings.Join(texts, "\n"), Failed: failed}
	return out, nil
}

// ran reads a command that the person ran beside the model.
func (r *reader) ran(in *message) ([]trimtab.Part, error) {
	command, err1 := r.Text(in.command, trimtab.Host)
	output, err2 := r.Text(in.output, trimtab.Host)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	return feed.Spans(strings.TrimSpace("$ "+command+"\n"+output), trimtab.Host), nil
}

// content reads a text, or a list of blocks.
func (r *reader) content(v []byte, by trimtab.Author) ([]trimtab.Part, error) {
	if jsonl.Null(v) {
		return nil, nil
	}
	var d host.Divider
	if v[0] == '"' {
		text, err := r.Text(v, by)
		return feed.Divide(&d, text, by), err
	}
	var out []trimtab.Part
	n := 0
	c := jsonl.Array(v)
	for c.Next() {
		n++
		p, err := r.block(&d, c.Value, by)
		if err != nil {
			return nil, fmt.Errorf("content block %d: %w", n, err)
		}
		out = append(out, p...)
	}
	if err := c.Err(); err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	return out, nil
}

func (r *reader) block(d *host.Divider, v []byte, by trimtab.Author) ([]trimtab.Part, error) {
	var kind, text, id, name, input []byte
	c := jsonl.Object(v)
	for c.Next() {
		switch string(c.Key) {
		case "type":
			kind = c.Value
		case "text":
			text = c.Value
		case "id":
			id = c.Value
		case "name":
			name = c.Value
		case "arguments":
			input = c.Value
		}
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	switch {
	case jsonl.Is(kind, "text"):
		s, err := r.Text(text, by)
		return feed.Divide(d, s, by), err
	case jsonl.Is(kind, "toolCall") && by == trimtab.Model:
		var call trimtab.ToolCall
		var errs [3]error
		call.ID, errs[0] = r.Dec.String(id)
		call.Name, errs[1] = r.Dec.Word(name)
		call.Input, errs[2] = jsonl.Raw(input)
		return []trimtab.Part{call}, errors.Join(errs[:]...)
	}
	word, err := r.Dec.Word(kind)
	if err != nil {
		return nil, err
	}
	p, err := r.Opaque(word, by, v)
	return []trimtab.Part{p}, err
}

func usage(v []byte) (*trimtab.Usage, error) {
	if jsonl.Null(v) {
		return nil, nil
	}
	u := &trimtab.Usage{}
	c := jsonl.Object(v)
	for c.Next() {
		var err error
		switch string(c.Key) {
		case "input":
			u.Input, err = jsonl.Int(c.Value)
		case "output":
			u.Output, err = jsonl.Int(c.Value)
		case "cacheRead":
			u.CacheRead, err = jsonl.Int(c.Value)
		case "cacheWrite":
			u.CacheWrite, err = jsonl.Int(c.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Key, err)
		}
	}
	return u, c.Err()
}
