package claude

import (
	"errors"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/transcript/internal/feed"
)

// content decodes what a message says. Its plain text is by the given author; a
// person is none where the content holds a tool's result.
func (r *reader) content(m *message, by trimtab.Author) ([]trimtab.Part, error) {
	switch {
	case !m.present:
		return nil, errors.New("no message")
	case m.notObject:
		return nil, errors.New("message: not an object")
	case jsonscan.Null(m.text) && len(m.blocks) == 0:
		return nil, nil
	case len(m.text) > 0:
		text, err := r.Text(m.text, by)
		if err != nil {
			return nil, fmt.Errorf("content: %w", err)
		}
		var d markup.Divider
		return feed.Append(r.Parts(1), &d, text, by), nil
	}
	if by == trimtab.Person && m.hasResult() {
		by = trimtab.Host
	}
	return r.parts(m, by)
}

func (r *reader) parts(m *message, by trimtab.Author) ([]trimtab.Part, error) {
	capacity := len(m.blocks)
	if by == trimtab.Model {
		capacity += 2 // the other blocks of the reply have lines of their own
	}
	out := r.Parts(capacity)
	for n := range m.blocks {
		b := &m.blocks[n]
		if !b.isObject() {
			return nil, fmt.Errorf("content block %d: not an object", n+1)
		}
		var err error
		if out, err = r.part(out, b, by); err != nil {
			return nil, fmt.Errorf("content block %d: %w", n+1, err)
		}
	}
	return out, nil
}

// part appends what a block says.
func (r *reader) part(out []trimtab.Part, b *block, by trimtab.Author) ([]trimtab.Part, error) {
	switch {
	case jsonscan.Is(b.kind, "text"):
		text, err := r.Text(b.text, by)
		var d markup.Divider
		return feed.Append(out, &d, text, by), err
	case by == trimtab.Model && jsonscan.Is(b.kind, "tool_use"):
		call, err := r.Call(b.id, b.name, b.input)
		return append(out, call), err
	case by != trimtab.Model && jsonscan.Is(b.kind, "tool_result"):
		return r.result(out, b)
	}
	p, err := r.opaque(b, by)
	return append(out, p), err
}

// result reads a tool's result. What of it is not text follows as opaque parts.
func (r *reader) result(out []trimtab.Part, b *block) ([]trimtab.Part, error) {
	id, err1 := r.Dec.String(b.toolUseID)
	failed, err2 := jsonscan.Bool(b.failed)
	if err1 != nil || err2 != nil {
		return nil, errors.Join(err1, err2)
	}
	result := trimtab.ToolResult{ID: id, Failed: failed}
	if jsonscan.Null(b.content) || b.content[0] == '"' {
		text, err := r.Result(b.content, failed)
		result.Text = text
		return append(out, result), err
	}
	var inner message
	c := jsonscan.Array(b.content)
	inner.parseBlocks(&c)
	if err := c.Err(); err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	var texts []string
	var rest []trimtab.Part
	for n := range inner.blocks {
		in := &inner.blocks[n]
		switch {
		case !in.isObject():
			return nil, errors.New("content: not an object")
		case jsonscan.Is(in.kind, "text"):
			text, err := r.Result(in.text, failed)
			if err != nil {
				return nil, err
			}
			if text != "" {
				texts = append(texts, text)
			}
		default:
			p, err := r.opaque(in, trimtab.Tool)
			if err != nil {
				return nil, err
			}
			rest = append(rest, p)
		}
	}
	result.Text = strings.Join(texts, "\n")
	return append(append(out, result), rest...), nil
}

func (r *reader) opaque(b *block, by trimtab.Author) (trimtab.Part, error) {
	kind, err := r.Dec.Word(b.kind)
	if err != nil {
		return nil, err
	}
	return r.Opaque(kind, by, b.raw)
}

// counts reads what the provider counted.
func (r *reader) counts(m *message) (*trimtab.Usage, error) {
	switch {
	case jsonscan.Null(m.usage):
		return nil, nil
	case m.usage[0] != '{':
		return nil, errors.New("message.usage: not an object")
	}
	var n trimtab.Usage
	var errs [4]error
	n.Input, errs[0] = jsonscan.Int(m.input)
	n.Output, errs[1] = jsonscan.Int(m.output)
	n.CacheRead, errs[2] = jsonscan.Int(m.cacheRead)
	n.CacheWrite, errs[3] = jsonscan.Int(m.cacheCreation)
	for i, err := range errs {
		if err != nil {
			name := [...]string{"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"}[i]
			return nil, fmt.Errorf("message.usage: %s: %w", name, err)
		}
	}
	return r.Count(n), nil
}
