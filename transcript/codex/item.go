package codex

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/transcript/internal/feed"
)

// item is a piece of what went to the model or came from it. Which fields it has
// depends on its type.
type item struct {
	kind, role, id, call, name, input, arguments, action []byte
	metadata, raw, success                               []byte
	content, output                                      content
}

// content is a text or a list of blocks.
type content struct {
	text   []byte
	blocks []block
}

// block is a text, or something else of that type.
type block struct {
	raw, kind, text []byte
}

func (it *item) parse(c *jsonscan.Cursor) {
	for c.Field() {
		switch string(c.Key) {
		case "type":
			it.kind = c.Take()
		case "role":
			it.role = c.Take()
		case "id":
			it.id = c.Take()
		case "call_id":
			it.call = c.Take()
		case "name":
			it.name = c.Take()
		case "input":
			it.input = c.Take()
		case "arguments":
			it.arguments = c.Take()
		case "action":
			it.action = c.Take()
		case "output":
			it.returned(c)
		case "content":
			it.content.parse(c)
		case "internal_chat_message_metadata_passthrough":
			it.metadata = c.Take()
		}
	}
}

// returned goes into the output of a tool: a text, a list of blocks, or an
// object with either.
func (it *item) returned(c *jsonscan.Cursor) {
	if c.Peek() != '{' {
		it.output.parse(c)
		return
	}
	in := c.Down('{')
	for in.Field() {
		switch string(in.Key) {
		case "success":
			it.success = in.Take()
		case "content":
			it.output.parse(&in)
		}
	}
	c.Up(&in)
}

func (t *content) parse(c *jsonscan.Cursor) {
	t.text, t.blocks = nil, t.blocks[:0]
	if c.Peek() != '[' {
		t.text = c.Take()
		return
	}
	list := c.Down('[')
	for list.Field() {
		var b block
		if list.Peek() == '{' {
			in := list.Down('{')
			for in.Field() {
				switch string(in.Key) {
				case "type":
					b.kind = in.Take()
				case "text":
					b.text = in.Take()
				}
			}
			list.Up(&in)
		}
		b.raw = list.Take()
		t.blocks = append(t.blocks, b)
	}
	c.Up(&list)
}

// item passes on a response_item.
func (r *reader) item(l *line, size int) error {
	it := &l.item
	id, err := r.Dec.String(it.id)
	if err != nil {
		return fmt.Errorf("id: %w", err)
	}
	switch {
	case jsonscan.Is(it.kind, "message"):
		return r.message(l, id, size)
	case jsonscan.Is(it.kind, "reasoning"):
		return r.thought(l, id, "reasoning", size)
	case jsonscan.Is(it.kind, "function_call"), jsonscan.Is(it.kind, "custom_tool_call"), jsonscan.Is(it.kind, "local_shell_call"), jsonscan.Is(it.kind, "tool_search_call"):
		call, err := r.call(it)
		if err != nil {
			return err
		}
		return r.says(l, id, size, r.One(call))
	case jsonscan.Is(it.kind, "function_call_output"), jsonscan.Is(it.kind, "custom_tool_call_output"), jsonscan.Is(it.kind, "tool_search_output"):
		parts, err := r.result(it)
		if err != nil {
			return err
		}
		return r.say(l, trimtab.Message{ID: id, Role: trimtab.RoleTool, Parts: parts}, size)
	case jsonscan.Is(it.kind, "web_search_call"):
		return r.thought(l, id, "web_search_call", size)
	case jsonscan.Is(it.kind, "image_generation_call"):
		return r.thought(l, id, "image_generation_call", size)
	case jsonscan.Is(it.kind, "compaction"), jsonscan.Is(it.kind, "compaction_summary"):
		r.compacted = true
	}
	return nil
}

// thought passes on a part of a reply that is not read.
func (r *reader) thought(l *line, id, kind string, size int) error {
	p, err := r.Opaque(kind, trimtab.Model, l.item.raw)
	if err != nil {
		return err
	}
	return r.says(l, id, size, r.One(p))
}

func (r *reader) message(l *line, id string, size int) error {
	it := &l.item
	switch {
	case jsonscan.Is(it.role, "assistant"):
		parts, err := r.content(&it.content, nil, trimtab.Model)
		if err != nil {
			return err
		}
		return r.says(l, id, size, parts)
	case jsonscan.Is(it.role, "user"):
		by := trimtab.Person
		if r.side {
			by = trimtab.Host // the agent that started it
		}
		authors, err := authors(it.metadata)
		if err != nil {
			return err
		}
		parts, err := r.content(&it.content, authors, by)
		if err != nil {
			return err
		}
		return r.say(l, trimtab.Message{ID: id, Role: trimtab.RoleUser, Parts: parts}, size)
	}
	parts, err := r.content(&it.content, nil, trimtab.Host)
	if err != nil {
		return err
	}
	return r.say(l, trimtab.Message{ID: id, Role: trimtab.RoleSystem, Parts: parts}, size)
}

// content decodes a text, or a list of texts and pictures. Typed says for each
// whether a person gave it, where the rollout does.
func (r *reader) content(t *content, typed []bool, by trimtab.Author) ([]trimtab.Part, error) {
	var d markup.Divider
	if !jsonscan.Null(t.text) {
		text, err := r.Text(t.text, by)
		return feed.Append(r.Parts(1), &d, text, by), err
	}
	if len(t.blocks) == 0 {
		return nil, nil
	}
	out := r.Parts(len(t.blocks))
	for n, b := range t.blocks {
		author := by
		if by == trimtab.Person && typed != nil && (n >= len(typed) || !typed[n]) {
			author = trimtab.Host
		}
		var err error
		if b.text == nil {
			out, err = r.picture(out, b, author)
		} else {
			var s string
			s, err = r.Text(b.text, author)
			out = feed.Append(out, &d, s, author)
		}
		if err != nil {
			return nil, fmt.Errorf("content block %d: %w", n+1, err)
		}
	}
	return out, nil
}

// picture appends a block that is no text.
func (r *reader) picture(out []trimtab.Part, b block, by trimtab.Author) ([]trimtab.Part, error) {
	if len(b.raw) == 0 || b.raw[0] != '{' {
		return out, errors.New("not an object")
	}
	word, err := r.Dec.Word(b.kind)
	if err != nil {
		return out, err
	}
	p, err := r.Opaque(word, by, b.raw)
	return append(out, p), err
}

// authors tells of each block of a message whether a person gave it; nil where
// the rollout does not say.
func authors(metadata []byte) ([]bool, error) {
	if jsonscan.Null(metadata) {
		return nil, nil
	}
	var out []bool
	c := jsonscan.Object(metadata)
	for c.Next() {
		if string(c.Key) != "content_item_metadata" || jsonscan.Null(c.Value) {
			continue
		}
		out = []bool{}
		list := jsonscan.Array(c.Value)
		for list.Next() {
			out = append(out, jsonscan.Is(jsonscan.FindFirst(list.Value, "provenance", "type"), "user"))
		}
		if err := list.Err(); err != nil {
			return nil, fmt.Errorf("content_item_metadata: %w", err)
		}
	}
	return out, c.Err()
}

func (r *reader) call(it *item) (trimtab.ToolCall, error) {
	var call trimtab.ToolCall
	var err error
	if call.ID, err = r.Dec.String(it.call); err != nil {
		return call, fmt.Errorf("call_id: %w", err)
	}
	if call.Name, err = r.Dec.Word(it.name); err != nil {
		return call, fmt.Errorf("name: %w", err)
	}
	switch {
	case !jsonscan.Null(it.action):
		call.Name = "local_shell"
		call.Input, err = r.Dec.Raw(it.action)
	case !jsonscan.Null(it.input):
		call.Input, err = r.Dec.Raw(it.input)
	case !jsonscan.Null(it.arguments) && it.arguments[0] != '"':
		call.Input, err = r.Dec.Raw(it.arguments)
	case !jsonscan.Null(it.arguments):
		var text string
		if text, err = r.Dec.String(it.arguments); err != nil {
			break
		}
		if call.Input, err = r.Dec.Raw([]byte(text)); err != nil { // the model may write what is no JSON
			call.Input, err = json.Marshal(text)
		}
	}
	if err != nil {
		return call, fmt.Errorf("arguments: %w", err)
	}
	if call.Name == "" && jsonscan.Is(it.kind, "tool_search_call") {
		call.Name = "tool_search"
	}
	return call, nil
}

// result reads the output of a tool.
func (r *reader) result(it *item) ([]trimtab.Part, error) {
	id, err := r.Dec.String(it.call)
	if err != nil {
		return nil, fmt.Errorf("call_id: %w", err)
	}
	failed, known := r.failed[id]
	delete(r.failed, id)
	if !known && !jsonscan.Null(it.success) {
		failed, known = string(it.success) == "false", true
	}
	out := append(r.Parts(1+len(it.output.blocks)), nil)
	if v := it.output.text; v != nil || len(it.output.blocks) == 0 {
		text, failed, err := r.printed(v, failed, known)
		if err != nil {
			return nil, fmt.Errorf("output: %w", err)
		}
		out[0] = trimtab.ToolResult{ID: id, Text: text, Failed: failed}
		return out, nil
	}
	var texts feed.Joined
	for n, b := range it.output.blocks {
		if b.text == nil {
			out, err = r.picture(out, b, trimtab.Tool)
		} else {
			var s string
			s, err = r.Result(b.text, failed)
			texts.Add(s)
		}
		if err != nil {
			return nil, fmt.Errorf("output: content block %d: %w", n+1, err)
		}
	}
	text := texts.String()
	out[0] = trimtab.ToolResult{ID: id, Text: text, Failed: failed || !known && exited(text)}
	return out, nil
}

// printed decodes an output that is one text. Where it is not known whether the
// tool failed, its head says so.
func (r *reader) printed(v []byte, failed, known bool) (string, bool, error) {
	if !known {
		head, err := r.Dec.Clip(v, 512)
		if err != nil {
			return "", false, err
		}
		failed = exited(head)
	}
	text, err := r.Result(v, failed)
	return text, failed, err
}
