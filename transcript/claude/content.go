package claude

import (
	"errors"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/transcript/internal/feed"
	"github.com/trimtab/trimtab/transcript/internal/jsonl"
)

// content decodes what a message says. Its plain text is by the given author; a
// person is none where the content holds a tool's result.
func (r *reader) content(l *line, by trimtab.Author) ([]trimtab.Part, error) {
	text := l.get(textAt)
	switch {
	case !l.said:
		return nil, errors.New("no message")
	case l.odd:
		return nil, errors.New("message: not an object")
	case jsonl.Null(text) && l.blocks == 0:
		return nil, nil
	case len(text) > 0:
		text, err := r.Text(text, by)
		if err != nil {
			return nil, fmt.Errorf("content: %w", err)
		}
		var d host.Divider
		return feed.Append(r.Parts(1), &d, text, by), nil
	}
	if by == trimtab.Person && l.answers() {
		by = trimtab.Host
	}
	return r.parts(l, by)
}

func (r *reader) parts(l *line, by trimtab.Author) ([]trimtab.Part, error) {
	room := l.blocks
	if by == trimtab.Model {
		room += 2 // the other blocks of the reply have lines of their own
	}
	out := r.Parts(room)
	for n := range l.blocks {
		b := l.block(n)
		if !b.object() {
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
func (r *reader) part(out []trimtab.Part, b block, by trimtab.Author) ([]trimtab.Part, error) {
	switch {
	case b.is("text"):
		text, err := r.Text(b.get(proseAt), by)
		var d host.Divider
		return feed.Append(out, &d, text, by), err
	case by == trimtab.Model && b.is("tool_use"):
		call, err := r.Call(b.get(callAt), b.get(nameAt), b.get(argumentsAt))
		return append(out, call), err
	case by != trimtab.Model && b.is("tool_result"):
		return r.result(out, b)
	}
	p, err := r.opaque(b, by)
	return append(out, p), err
}

// result reads a tool's result. What of it is not text follows as opaque parts.
func (r *reader) result(out []trimtab.Part, b block) ([]trimtab.Part, error) {
	id, err1 := r.Dec.String(b.get(answersAt))
	failed, err2 := jsonl.Bool(b.get(failedAt))
	if err1 != nil || err2 != nil {
		return nil, errors.Join(err1, err2)
	}
	result := trimtab.ToolResult{ID: id, Failed: failed}
	content := b.get(resultAt)
	if jsonl.Null(content) || content[0] == '"' {
		text, err := r.Result(content, failed)
		result.Text = text
		return append(out, result), err
	}
	var inner line
	inner.begin(content, 0)
	c := jsonl.Array(content)
	inner.list(&c)
	if err := c.Err(); err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	var texts []string
	var rest []trimtab.Part
	for n := range inner.blocks {
		in := inner.block(n)
		switch {
		case !in.object():
			return nil, errors.New("content: not an object")
		case in.is("text"):
			text, err := r.Result(in.get(proseAt), failed)
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

func (r *reader) opaque(b block, by trimtab.Author) (trimtab.Part, error) {
	kind, err := r.Dec.Word(b.get(typeAt))
	if err != nil {
		return nil, err
	}
	return r.Opaque(kind, by, b.get(rawAt))
}

// counts reads what the provider counted.
func (r *reader) counts(l *line) (*trimtab.Usage, error) {
	switch all := l.get(usageAt); {
	case jsonl.Null(all):
		return nil, nil
	case all[0] != '{':
		return nil, errors.New("message.usage: not an object")
	}
	var n trimtab.Usage
	var errs [4]error
	n.Input, errs[0] = jsonl.Int(l.get(inputAt))
	n.Output, errs[1] = jsonl.Int(l.get(outputAt))
	n.CacheRead, errs[2] = jsonl.Int(l.get(readAt))
	n.CacheWrite, errs[3] = jsonl.Int(l.get(writtenAt))
	for i, err := range errs {
		if err != nil {
			name := [...]string{"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"}[i]
			return nil, fmt.Errorf("message.usage: %s: %w", name, err)
		}
	}
	return r.Count(n), nil
}
