package pi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/transcript/internal/feed"
)

// message reads a message by its role.
func (r *reader) message(in *message, m *trimtab.Message) (err error) {
	switch {
	case jsonscan.Is(in.role, "user"):
		m.Parts, err = r.content(&in.content, trimtab.Person)
	case jsonscan.Is(in.role, "assistant"):
		return r.reply(in, m)
	case jsonscan.Is(in.role, "toolResult"):
		m.Role = trimtab.RoleTool
		m.Parts, err = r.result(in)
	case jsonscan.Is(in.role, "system"):
		m.Role = trimtab.RoleSystem
		m.Parts, err = r.content(&in.content, trimtab.Host)
	case jsonscan.Is(in.role, "bashExecution"):
		m.Parts, err = r.ran(in)
	default:
		m.Parts, err = r.content(&in.content, trimtab.Host)
	}
	return err
}

func (r *reader) reply(in *message, m *trimtab.Message) (err error) {
	m.Role = trimtab.RoleAssistant
	if m.Model, err = r.Dec.Word(in.model); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if m.Usage, err = r.usage(in.usage); err != nil {
		return fmt.Errorf("usage: %w", err)
	}
	if m.Parts, err = r.content(&in.content, trimtab.Model); err != nil || len(m.Parts) > 0 {
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
	failed, err2 := jsonscan.Bool(in.failed)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	out := append(r.Parts(1+len(in.content.blocks)), nil)
	text := feed.Joined{}
	for n, b := range in.content.blocks {
		if !jsonscan.Is(b.kind, "text") {
			var err error
			if out, err = r.block(nil, out, b, trimtab.Tool); err != nil {
				return nil, fmt.Errorf("content block %d: %w", n+1, err)
			}
			continue
		}
		s, err := r.Result(b.text, failed)
		if err != nil {
			return nil, fmt.Errorf("content block %d: %w", n+1, err)
		}
		text.Add(s)
	}
	if !jsonscan.Null(in.content.text) {
		s, err := r.Result(in.content.text, failed)
		if err != nil {
			return nil, fmt.Errorf("content: %w", err)
		}
		text.Add(s)
	}
	out[0] = trimtab.ToolResult{ID: id, Text: text.String(), Failed: failed}
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

// content is a text or a list of blocks, as written and not decoded.
type content struct {
	text   []byte
	blocks []block
}

type block struct{ raw, kind, text, id, name, input []byte }

// parse goes into the content at which the cursor stands.
func (t *content) parse(c *jsonscan.Cursor) {
	t.text, t.blocks = nil, t.blocks[:0]
	if c.Peek() != '[' {
		t.text = c.Take()
		return
	}
	list := c.Down('[')
	for list.Field() {
		b := block{}
		if list.Peek() == '{' {
			in := list.Down('{')
			b.parse(&in)
			list.Up(&in)
		}
		b.raw = list.Take()
		t.blocks = append(t.blocks, b)
	}
	c.Up(&list)
}

func (b *block) parse(c *jsonscan.Cursor) {
	for c.Field() {
		switch string(c.Key) {
		case "type":
			b.kind = c.Take()
		case "text":
			b.text = c.Take()
		case "id":
			b.id = c.Take()
		case "name":
			b.name = c.Take()
		case "arguments":
			b.input = c.Take()
		}
	}
}

// content decodes a text, or a list of blocks.
func (r *reader) content(t *content, by trimtab.Author) ([]trimtab.Part, error) {
	var d markup.Divider
	if !jsonscan.Null(t.text) {
		text, err := r.Text(t.text, by)
		if err != nil {
			return nil, fmt.Errorf("content: %w", err)
		}
		return feed.Append(r.Parts(1), &d, text, by), nil
	}
	if len(t.blocks) == 0 {
		return nil, nil
	}
	out := r.Parts(len(t.blocks))
	for n, b := range t.blocks {
		var err error
		if out, err = r.block(&d, out, b, by); err != nil {
			return nil, fmt.Errorf("content block %d: %w", n+1, err)
		}
	}
	return out, nil
}

// block appends what a block says.
func (r *reader) block(d *markup.Divider, out []trimtab.Part, b block, by trimtab.Author) ([]trimtab.Part, error) {
	switch {
	case len(b.raw) == 0 || b.raw[0] != '{':
		return out, errors.New("not an object")
	case jsonscan.Is(b.kind, "text"):
		s, err := r.Text(b.text, by)
		return feed.Append(out, d, s, by), err
	case jsonscan.Is(b.kind, "toolCall") && by == trimtab.Model:
		call, err := r.Call(b.id, b.name, b.input)
		return append(out, call), err
	}
	word, err := r.Dec.Word(b.kind)
	if err != nil {
		return out, err
	}
	p, err := r.Opaque(word, by, b.raw)
	return append(out, p), err
}

func (r *reader) usage(v []byte) (*trimtab.Usage, error) {
	if jsonscan.Null(v) {
		return nil, nil
	}
	var u trimtab.Usage
	c := jsonscan.Object(v)
	for c.Next() {
		var err error
		switch string(c.Key) {
		case "input":
			u.Input, err = jsonscan.Int(c.Value)
		case "output":
			u.Output, err = jsonscan.Int(c.Value)
		case "cacheRead":
			u.CacheRead, err = jsonscan.Int(c.Value)
		case "cacheWrite":
			u.CacheWrite, err = jsonscan.Int(c.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Key, err)
		}
	}
	return r.Count(u), c.Err()
}
