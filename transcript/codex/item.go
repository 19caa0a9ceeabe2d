package codex

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/transcript/internal/feed"
	"github.com/trimtab/trimtab/transcript/internal/jsonl"
)

// item is a piece of what went to the model or came from it. Which fields it has
// depends on its type.
type item struct {
	kind, role, id, call, name, input, arguments, action, output, content []byte
	metadata, raw                                                         []byte
}

func (it *item) parse(c *jsonl.Cursor) {
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
			it.output = c.Take()
		case "content":
			it.content = c.Take()
		case "internal_chat_message_metadata_passthrough":
			it.metadata = c.Take()
		}
	}
}

// item passes on a response_item.
func (r *reader) item(l *line, size int) error {
	it := &l.item
	id, err := r.Dec.String(it.id)
	if err != nil {
		return fmt.Errorf("id: %w", err)
	}
	switch {
	case jsonl.Is(it.kind, "message"):
		return r.message(l, id, size)
	case jsonl.Is(it.kind, "reasoning"):
		return r.thought(l, id, "reasoning", size)
	case jsonl.Is(it.kind, "function_call"), jsonl.Is(it.kind, "custom_tool_call"), jsonl.Is(it.kind, "local_shell_call"), jsonl.Is(it.kind, "tool_search_call"):
		call, err := r.call(it)
		if err != nil {
			return err
		}
		return r.says(l, id, size, call)
	case jsonl.Is(it.kind, "function_call_output"), jsonl.Is(it.kind, "custom_tool_call_output"), jsonl.Is(it.kind, "tool_search_output"):
		parts, err := r.result(it)
		if err != nil {
			return err
		}
		return r.say(l, trimtab.Message{ID: id, Role: trimtab.RoleTool, Parts: parts}, size)
	case jsonl.Is(it.kind, "web_search_call"):
		return r.thought(l, id, "web_search_call", size)
	case jsonl.Is(it.kind, "image_generation_call"):
		return r.thought(l, id, "image_generation_call", size)
	case jsonl.Is(it.kind, "compaction"), jsonl.Is(it.kind, "compaction_summary"):
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
	return r.says(l, id, size, p)
}

func (r *reader) message(l *line, id string, size int) error {
	it := &l.item
	switch {
	case jsonl.Is(it.role, "assistant"):
		parts, err := r.content(it.content, nil, trimtab.Model)
		if err != nil {
			return err
		}
		return r.says(l, id, size, parts...)
	case jsonl.Is(it.role, "user"):
		by := trimtab.Person
		if r.side {
			by = trimtab.Host // the agent that started it
		}
		authors, err := authors(it.metadata)
		if err != nil {
			return err
		}
		parts, err := r.content(it.content, authors, by)
		if err != nil {
			return err
		}
		return r.say(l, trimtab.Message{ID: id, Role: trimtab.RoleUser, Parts: parts}, size)
	}
	parts, err := r.content(it.content, nil, trimtab.Host)
	if err != nil {
		return err
	}
	return r.say(l, trimtab.Message{ID: id, Role: trimtab.RoleSystem, Parts: parts}, size)
}

// content reads a list of texts and pictures. Typed says for each whether a
// person gave it, where the rollout does.
func (r *reader) content(v []byte, typed []bool, by trimtab.Author) ([]trimtab.Part, error) {
	if jsonl.Null(v) {
		return nil, nil
	}
	if v[0] == '"' {
		text, err := r.Text(v, by)
		return feed.Spans(text, by), err
	}
	var out []trimtab.Part
	var d host.Divider
	c := jsonl.Array(v)
	for n := 0; c.Next(); n++ {
		author := by
		if by == trimtab.Person && typed != nil && (n >= len(typed) || !typed[n]) {
			author = trimtab.Host
		}
		kind, text, err := block(c.Value)
		if err != nil {
			return nil, fmt.Errorf("content block %d: %w", n+1, err)
		}
		if text == nil {
			word, err := r.Dec.Word(kind)
			if err != nil {
				return nil, fmt.Errorf("content block %d: %w", n+1, err)
			}
			p, err := r.Opaque(word, author, c.Value)
			if err != nil {
				return nil, fmt.Errorf("content block %d: %w", n+1, err)
			}
			out = append(out, p)
			continue
		}
		s, err := r.Text(text, author)
		if err != nil {
			return nil, fmt.Errorf("content block %d: %w", n+1, err)
		}
		out = append(out, feed.Divide(&d, s, author)...)
	}
	if err := c.Err(); err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	return out, nil
}

// block returns the type of a block, and its text if it has one.
func block(v []byte) (kind, text []byte, err error) {
	c := jsonl.Object(v)
	for c.Next() {
		switch string(c.Key) {
		case "type":
			kind = c.Value
		case "text":
			text = c.Value
		}
	}
	return kind, text, c.Err()
}

// authors tells of each block of a message whether a person gave it; nil where
// the rollout does not say.
func authors(metadata []byte) ([]bool, error) {
	if jsonl.Null(metadata) {
		return nil, nil
	}
	var out []bool
	c := jsonl.Object(metadata)
	for c.Next() {
		if string(c.Key) != "content_item_metadata" || jsonl.Null(c.Value) {
			continue
		}
		out = []bool{}
		list := jsonl.Array(c.Value)
		for list.Next() {
			out = append(out, jsonl.Is(jsonl.Find(list.Value, "provenance", "type"), "user"))
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
	case !jsonl.Null(it.action):
		call.Name = "local_shell"
		call.Input, err = jsonl.Raw(it.action)
	case !jsonl.Null(it.input):
		call.Input, err = jsonl.Raw(it.input)
	case !jsonl.Null(it.arguments) && it.arguments[0] != '"':
		call.Input, err = jsonl.Raw(it.arguments)
	case !jsonl.Null(it.arguments):
		var text string
		if text, err = r.Dec.String(it.arguments); err != nil {
			break
		}
		if call.Input, err = jsonl.Raw([]byte(text)); err != nil { // the model may write what is no JSON
			call.Input, err = json.Marshal(text)
		}
	}
	if err != nil {
		return call, fmt.Errorf("arguments: %w", err)
	}
	if call.Name == "" && jsonl.Is(it.kind, "tool_search_call") {
		call.Name = "tool_search"
	}
	return call, nil
}

// result reads the output of a tool: a text, a list of blocks, or an object with
// either.
func (r *reader) result(it *item) ([]trimtab.Part, error) {
	id, err := r.Dec.String(it.call)
	if err != nil {
		return nil, fmt.Errorf("call_id: %w", err)
	}
	failed, known := r.failed[id]
	delete(r.failed, id)
	output := it.output
	if len(output) > 0 && output[0] == '{' {
		if ok := jsonl.Find(output, "success"); !jsonl.Null(ok) && !known {
			failed, known = string(ok) == "false", true
		}
		output = jsonl.Find(output, "content")
	}
	if jsonl.Null(output) || output[0] == '"' {
		if !known {
			head, err := r.Dec.Clip(output, 512)
			if err != nil {
				return nil, fmt.Errorf("output: %w", err)
			}
			failed = exited(head)
		}
		text, err := r.Result(output, failed)
		if err != nil {
			return nil, fmt.Errorf("output: %w", err)
		}
		return []trimtab.Part{trimtab.ToolResult{ID: id, Text: text, Failed: failed}}, nil
	}
	by := trimtab.Tool
	if failed {
		by = trimtab.Model // whole, however brief
	}
	inner, err := r.content(output, nil, by)
	if err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	var texts []string
	parts := []trimtab.Part{nil}
	for _, p := range inner {
		switch p := p.(type) {
		case trimtab.Text:
			texts = append(texts, p.Text)
		case trimtab.Opaque:
			p.By = trimtab.Tool
			parts = append(parts, p)
		}
	}
	text := strings.Join(texts, "\n")
	parts[0] = trimtab.ToolResult{ID: id, Text: text, Failed: failed || !known && exited(text)}
	return parts, nil
}
