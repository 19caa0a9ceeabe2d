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

// message is the part of a line that went to the model or came from it, taken
// apart but not decoded.
type message struct {
	bad       error // it is no message
	seen      bool
	id, model []byte
	usage     usage
	text      []byte  // the content, where it is no list
	blocks    []block // the content, where it is one
}

// parse goes into the message at which the cursor stands. What is wrong inside
// matters only if the line is one that is read.
func (m *message) parse(c *jsonl.Cursor) {
	m.seen = true
	if c.Peek() != '{' {
		c.Take()
		m.bad = errors.New("not an object")
		return
	}
	in := c.Down('{')
	for in.Field() {
		switch string(in.Key) {
		case "id":
			m.id = in.Take()
		case "model":
			m.model = in.Take()
		case "usage":
			m.usage.parse(&in)
		case "content":
			m.text, m.blocks = nil, m.blocks[:0]
			if in.Peek() == '[' {
				list := in.Down('[')
				m.list(&list)
				in.Up(&list)
			} else {
				m.text = in.Take()
			}
		}
	}
	c.Up(&in)
}

// read takes apart a message that stands alone.
func (m *message) read(v []byte) error {
	c := jsonl.At(v)
	m.parse(&c)
	return c.Err()
}

// list takes the blocks of a list apart.
func (m *message) list(c *jsonl.Cursor) {
	for c.Field() {
		if c.Peek() != '{' {
			c.Take()
			m.blocks = append(m.blocks, block{bad: true})
			continue
		}
		in := c.Down('{')
		b := parseBlock(&in)
		c.Up(&in)
		b.raw = c.Value
		m.blocks = append(m.blocks, b)
	}
}

// answers reports whether the message holds the result of a tool.
func (m *message) answers() bool {
	for _, b := range m.blocks {
		if jsonl.Is(b.kind, "tool_result") {
			return true
		}
	}
	return false
}

// usage is what the provider counted, as written.
type usage struct{ all, input, output, read, written []byte }

func (u *usage) parse(c *jsonl.Cursor) {
	if c.Peek() == '{' {
		in := c.Down('{')
		for in.Field() {
			switch string(in.Key) {
			case "input_tokens":
				u.input = in.Take()
			case "output_tokens":
				u.output = in.Take()
			case "cache_read_input_tokens":
				u.read = in.Take()
			case "cache_creation_input_tokens":
				u.written = in.Take()
			}
		}
		c.Up(&in)
	}
	u.all = c.Take()
}

// counts reads what the provider counted.
func (r *reader) counts(u *usage) (*trimtab.Usage, error) {
	switch {
	case jsonl.Null(u.all):
		return nil, nil
	case u.all[0] != '{':
		return nil, errors.New("message.usage: not an object")
	}
	var n trimtab.Usage
	var errs [4]error
	n.Input, errs[0] = jsonl.Int(u.input)
	n.Output, errs[1] = jsonl.Int(u.output)
	n.CacheRead, errs[2] = jsonl.Int(u.read)
	n.CacheWrite, errs[3] = jsonl.Int(u.written)
	for i, err := range errs {
		if err != nil {
			name := [...]string{"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"}[i]
			return nil, fmt.Errorf("message.usage: %s: %w", name, err)
		}
	}
	return r.Count(n), nil
}

// block is one block of content. Which fields it has depends on its type.
type block struct {
	raw, kind, text, id, name, input, of, content, failed []byte
	bad                                                   bool // it is no object
}

func parseBlock(c *jsonl.Cursor) (b block) {
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
		case "input":
			b.input = c.Take()
		case "tool_use_id":
			b.of = c.Take()
		case "content":
			b.content = c.Take()
		case "is_error":
			b.failed = c.Take()
		}
	}
	return b
}

// content decodes what a message says. Its plain text is by the given author; a
// person is none where the content holds a tool's result.
func (r *reader) content(m *message, by trimtab.Author) ([]trimtab.Part, error) {
	switch {
	case !m.seen:
		return nil, errors.New("no message")
	case m.bad != nil:
		return nil, fmt.Errorf("message: %w", m.bad)
	case jsonl.Null(m.text) && len(m.blocks) == 0:
		return nil, nil
	case m.text != nil:
		text, err := r.Text(m.text, by)
		if err != nil {
			return nil, fmt.Errorf("content: %w", err)
		}
		var d host.Divider
		return feed.Append(r.Parts(1), &d, text, by), nil
	}
	if by == trimtab.Person && m.answers() {
		by = trimtab.Host
	}
	return r.parts(m.blocks, by)
}

func (r *reader) parts(blocks []block, by trimtab.Author) ([]trimtab.Part, error) {
	out := r.Parts(len(blocks))
	for i, b := range blocks {
		if b.bad {
			return nil, fmt.Errorf("content block %d: not an object", i+1)
		}
		var err error
		if out, err = r.part(out, b, by); err != nil {
			return nil, fmt.Errorf("content block %d: %w", i+1, err)
		}
	}
	return out, nil
}

// part appends what a block says.
func (r *reader) part(out []trimtab.Part, b block, by trimtab.Author) ([]trimtab.Part, error) {
	switch {
	case jsonl.Is(b.kind, "text"):
		text, err := r.Text(b.text, by)
		var d host.Divider
		return feed.Append(out, &d, text, by), err
	case jsonl.Is(b.kind, "tool_use") && by == trimtab.Model:
		call, err := r.Call(b.id, b.name, b.input)
		return append(out, call), err
	case jsonl.Is(b.kind, "tool_result") && by != trimtab.Model:
		return r.result(out, b)
	}
	p, err := r.opaque(b, by)
	return append(out, p), err
}

// result reads a tool's result. What of it is not text follows as opaque parts.
func (r *reader) result(out []trimtab.Part, b block) ([]trimtab.Part, error) {
	id, err1 := r.Dec.String(b.of)
	failed, err2 := jsonl.Bool(b.failed)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	result := trimtab.ToolResult{ID: id, Failed: failed}
	if jsonl.Null(b.content) || b.content[0] == '"' {
		text, err := r.Result(b.content, failed)
		result.Text = text
		return append(out, result), err
	}
	var inner message
	c := jsonl.Array(b.content)
	inner.list(&c)
	if err := c.Err(); err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	var texts []string
	var rest []trimtab.Part
	for _, in := range inner.blocks {
		switch {
		case in.bad:
			return nil, errors.New("content: not an object")
		case jsonl.Is(in.kind, "text"):
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

func (r *reader) opaque(b block, by trimtab.Author) (trimtab.Part, error) {
	kind, err := r.Dec.Word(b.kind)
	if err != nil {
		return nil, err
	}
	return r.Opaque(kind, by, b.raw)
}
