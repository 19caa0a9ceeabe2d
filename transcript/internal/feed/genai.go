package feed

import (
	"errors"
	"fmt"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/internal/jsonscan"
)

// Content is content in the form of Google's models, which Gemini CLI and Qwen Code
// keep in their files, as written and not decoded: a text, a part, or a list of
// them. Parts are texts, calls of functions and their responses.
type Content struct{ Parts []Part }

// Part is one part of content. Call and Response are of one function, if there is
// one.
type Part struct {
	Raw, Text               []byte
	Function                Function
	Call, Response, Thought bool
}

// Function is a call of a function, or the response of one.
type Function struct {
	ID, Name, Args []byte
	Response       []byte // as a whole
	Output, Error  []byte // of the response
}

// Reset makes it content without parts, in the same memory.
func (t *Content) Reset() { t.Parts = t.Parts[:0] }

// Read goes into the content at which the cursor stands. It replaces the parts that
// were there.
func (t *Content) Read(c *jsonscan.Cursor) {
	t.Reset()
	t.Add(c)
}

// Add is Read for content that is put behind other.
func (t *Content) Add(c *jsonscan.Cursor) {
	if c.Peek() != '[' {
		t.Parts = append(t.Parts, Part{})
		if n := len(t.Parts) - 1; t.Parts[n].read(c) {
			t.Parts = t.Parts[:n]
		}
		return
	}
	list := c.Down('[')
	for list.Field() {
		t.Parts = append(t.Parts, Part{})
		t.Parts[len(t.Parts)-1].read(&list)
	}
	c.Up(&list)
}

// read goes into one part, and reports whether it is null. A bare string is a
// text.
func (p *Part) read(c *jsonscan.Cursor) (null bool) {
	switch c.Peek() {
	case '"':
		p.Text = c.Take()
	case '{':
		in := c.Down('{')
		for in.Field() {
			switch string(in.Key) {
			case "text":
				p.Text = in.Take()
			case "functionCall":
				p.Call = p.Function.read(&in)
			case "functionResponse":
				p.Response = p.Function.read(&in)
			case "thought":
				p.Thought = string(in.Take()) == "true"
			}
		}
		c.Up(&in)
	default:
		p.Raw = c.Take()
		return jsonscan.Null(p.Raw)
	}
	p.Raw = c.Take()
	return jsonscan.Null(p.Raw)
}

// read goes into {id, name, args} or {id, name, response}, and reports whether it
// is an object.
func (n *Function) read(c *jsonscan.Cursor) bool {
	if c.Peek() != '{' {
		return false
	}
	in := c.Down('{')
	for in.Field() {
		switch string(in.Key) {
		case "id":
			n.ID = in.Take()
		case "name":
			n.Name = in.Take()
		case "args":
			n.Args = in.Take()
		case "response":
			n.respond(&in)
		}
	}
	c.Up(&in)
	return true
}

// respond goes into {output} or {error}.
func (n *Function) respond(c *jsonscan.Cursor) {
	if c.Peek() == '{' {
		in := c.Down('{')
		for in.Field() {
			switch string(in.Key) {
			case "output":
				n.Output = in.Take()
			case "error":
				n.Error = in.Take()
			}
		}
		c.Up(&in)
	}
	n.Response = c.Take()
}

// Decode decodes parts. Their text is by the given author; beside a function's
// response a person is none. Failed says how a function ended that the response
// itself does not know of.
func (t *Content) Decode(f *Feed, by trimtab.Author, failed func(id string) bool) ([]trimtab.Part, error) {
	if len(t.Parts) == 0 {
		return nil, nil
	}
	for i := range t.Parts {
		if by == trimtab.Person && t.Parts[i].Response {
			by = trimtab.Host
		}
	}
	out := f.Parts(len(t.Parts))
	var d markup.Divider
	for i := range t.Parts {
		var err error
		if out, err = decode(f, out, &d, &t.Parts[i], by, failed); err != nil {
			return nil, fmt.Errorf("part %d: %w", i+1, err)
		}
	}
	return out, nil
}

func decode(f *Feed, out []trimtab.Part, d *markup.Divider, p *Part, by trimtab.Author, failed func(id string) bool) ([]trimtab.Part, error) {
	switch {
	case len(p.Raw) == 0 || p.Raw[0] != '{' && p.Raw[0] != '"':
		return out, errors.New("neither a text nor an object")
	case p.Thought:
		o, err := f.Opaque("thought", by, p.Raw)
		return append(out, o), err
	case p.Call && by == trimtab.Model:
		call, err := f.Call(p.Function.ID, p.Function.Name, p.Function.Args)
		return append(out, call), err
	case p.Response && by != trimtab.Model:
		r, err := p.Function.result(f, failed)
		return append(out, r), err
	case p.Text != nil:
		text, err := f.Text(p.Text, by)
		return Append(out, d, text, by), err
	}
	o, err := f.Opaque("part", by, p.Raw)
	return append(out, o), err
}

// result is a response as a tool's result.
func (n *Function) result(f *Feed, failed func(id string) bool) (trimtab.ToolResult, error) {
	var r trimtab.ToolResult
	id, err := f.Dec.String(n.ID)
	if err != nil {
		return r, fmt.Errorf("id: %w", err)
	}
	r.ID = id
	text := n.Output
	if !jsonscan.Null(n.Error) {
		r.Failed = true
		if text == nil {
			text = n.Error
		}
	}
	if failed != nil && failed(id) {
		r.Failed = true
	}
	if text == nil && jsonscan.Null(n.Response) {
		return r, nil
	}
	if text == nil {
		text = n.Response
	}
	if r.Text, err = resultText(f, text, r.Failed); err != nil {
		return r, fmt.Errorf("response: %w", err)
	}
	return r, nil
}

// resultText is a result as text: a string decoded, anything else as written.
func resultText(f *Feed, v []byte, failed bool) (string, error) {
	if jsonscan.Null(v) || v[0] == '"' {
		return f.Result(v, failed)
	}
	raw, err := f.Dec.Raw(v)
	if err != nil || failed {
		return string(raw), err
	}
	return f.Brief(string(raw), trimtab.Tool), nil
}
