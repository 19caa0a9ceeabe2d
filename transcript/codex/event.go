package codex

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
)

// event is what an event knows that the items do not, as written and not decoded.
type event struct {
	kind  []byte
	end   ending // of a command, a patch or a tool
	item  ending // of what item_completed tells
	usage []byte // what the provider counted for the last reply
}

// ending is how a call ended.
type ending struct {
	kind, id                   []byte
	code, success, status, err []byte
	failed                     bool // the tool says so
}

func (e *event) parse(c *jsonscan.Cursor) {
	for c.Field() {
		switch string(c.Key) {
		case "type":
			e.kind = c.Take()
		case "call_id":
			e.end.id = c.Take()
		case "item":
			e.item.parse(c)
		case "info":
			e.info(c)
		case "result":
			e.end.result(c)
		default:
			e.end.field(c)
		}
	}
}

// parse goes into the item at which the cursor stands.
func (n *ending) parse(c *jsonscan.Cursor) {
	if c.Peek() != '{' {
		return
	}
	in := c.Down('{')
	for in.Field() {
		if string(in.Key) == "id" {
			n.id = in.Take()
		} else {
			n.field(&in)
		}
	}
	c.Up(&in)
}

// info goes into what the provider counted.
func (e *event) info(c *jsonscan.Cursor) {
	if c.Peek() != '{' {
		return
	}
	in := c.Down('{')
	for in.Field() {
		if string(in.Key) == "last_token_usage" {
			e.usage = in.Take()
		}
	}
	c.Up(&in)
}

// field reads a field that says how it ended.
func (n *ending) field(c *jsonscan.Cursor) {
	switch string(c.Key) {
	case "type":
		n.kind = c.Take()
	case "exit_code":
		n.code = c.Take()
	case "success":
		n.success = c.Take()
	case "status":
		n.status = c.Take()
	case "error":
		n.err = c.Take()
	}
}

// result reads what a tool of MCP returned.
func (n *ending) result(c *jsonscan.Cursor) {
	if c.Peek() != '{' {
		return
	}
	in := c.Down('{')
	for in.Field() {
		switch string(in.Key) {
		case "Err":
			n.failed = true
		case "Ok":
			n.answered(&in)
		}
	}
	c.Up(&in)
}

func (n *ending) answered(c *jsonscan.Cursor) {
	if c.Peek() != '{' {
		return
	}
	in := c.Down('{')
	for in.Field() {
		if string(in.Key) == "isError" || string(in.Key) == "is_error" {
			n.failed = string(in.Take()) == "true" || n.failed
		}
	}
	c.Up(&in)
}

// happened takes what an event says: whether a tool failed, and what the provider
// counted.
func (r *reader) happened(e *event) error {
	switch {
	case jsonscan.Is(e.kind, "item_completed"):
		if n := &e.item; jsonscan.Is(n.kind, "CommandExecution") || jsonscan.Is(n.kind, "FileChange") || jsonscan.Is(n.kind, "McpToolCall") {
			return r.ended(n.id, n.broke())
		}
	case jsonscan.Is(e.kind, "exec_command_end"), jsonscan.Is(e.kind, "patch_apply_end"):
		return r.ended(e.end.id, e.end.broke())
	case jsonscan.Is(e.kind, "mcp_tool_call_end"):
		return r.ended(e.end.id, e.end.failed)
	case jsonscan.Is(e.kind, "token_count") && !r.counted:
		return r.count(e.usage)
	}
	return nil
}

// ended remembers how a call ended until its output comes.
func (r *reader) ended(id []byte, failed bool) error {
	call, err := r.Dec.String(id)
	if err != nil || call == "" {
		return err
	}
	if len(r.failed) >= maxFailed {
		clear(r.failed)
	}
	r.failed[call] = failed
	return nil
}

// broke reports whether a command, a patch or a tool says that it failed.
func (n *ending) broke() bool {
	switch {
	case !jsonscan.Null(n.code):
		return string(n.code) != "0"
	case !jsonscan.Null(n.success):
		return string(n.success) == "false"
	}
	return jsonscan.Is(n.status, "failed") || jsonscan.Is(n.status, "declined") || !jsonscan.Null(n.err)
}

// exited reads the exit code at the head of an output. Codex puts it there in
// words, and once put it into a wrapping of JSON.
func exited(text string) bool {
	if strings.HasPrefix(text, `{"output":`) {
		code := jsonscan.FindFirst([]byte(text), "metadata", "exit_code")
		return len(code) > 0 && string(code) != "0"
	}
	lines := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if lines++; lines > 8 || line == "Output:" {
			return false
		}
		for _, words := range []string{"Exit code:", "Process exited with code"} {
			if rest, ok := strings.CutPrefix(line, words); ok {
				code, err := strconv.Atoi(strings.TrimSpace(rest))
				return err == nil && code != 0
			}
		}
	}
	return false
}

// usageRecord reads what the provider counted for a reply.
func (r *reader) usageRecord(v []byte) error {
	r.counted = true
	return r.count(jsonscan.FindFirst(v, "usage"))
}

// count gives the reply that is open its usage, and says that it is over. Only
// the first count after a reply is of that reply.
func (r *reader) count(v []byte) error {
	it, _ := r.Open(r.stream())
	if jsonscan.Null(v) || it == nil || it.Message.Usage != nil {
		return nil
	}
	var all, cached, written, output int
	c := jsonscan.Object(v)
	for c.Next() {
		var err error
		switch string(c.Key) {
		case "input_tokens":
			all, err = jsonscan.Int(c.Value)
		case "cached_input_tokens":
			cached, err = jsonscan.Int(c.Value)
		case "cache_write_input_tokens":
			written, err = jsonscan.Int(c.Value)
		case "output_tokens":
			output, err = jsonscan.Int(c.Value)
		}
		if err != nil {
			return fmt.Errorf("usage: %s: %w", c.Key, err)
		}
	}
	it.Message.Usage = r.Count(trimtab.Usage{Input: max(0, all-cached-written), Output: output, CacheRead: cached, CacheWrite: written})
	r.over = true
	return c.Err()
}
