package codex

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript/internal/jsonl"
)

// event reads what an event knows that the items do not: whether a tool failed,
// and what the provider counted.
func (r *reader) event(v []byte) error {
	kind := jsonl.Find(v, "type") // its first field
	switch {
	case jsonl.Is(kind, "item_completed"):
		item := jsonl.Find(v, "item")
		if typed := jsonl.Find(item, "type"); jsonl.Is(typed, "CommandExecution") || jsonl.Is(typed, "FileChange") || jsonl.Is(typed, "McpToolCall") {
			return r.ended(jsonl.Find(item, "id"), broke(item))
		}
	case jsonl.Is(kind, "exec_command_end"), jsonl.Is(kind, "patch_apply_end"):
		return r.ended(jsonl.Find(v, "call_id"), broke(v))
	case jsonl.Is(kind, "mcp_tool_call_end"):
		failed := jsonl.Find(v, "result", "Err") != nil || string(jsonl.Find(v, "result", "Ok", "isError")) == "true" || string(jsonl.Find(v, "result", "Ok", "is_error")) == "true"
		return r.ended(jsonl.Find(v, "call_id"), failed)
	case jsonl.Is(kind, "token_count") && !r.counted:
		return r.count(jsonl.Find(v, "info", "last_token_usage"))
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
func broke(v []byte) bool {
	if code := jsonl.Find(v, "exit_code"); !jsonl.Null(code) {
		return string(code) != "0"
	}
	if ok := jsonl.Find(v, "success"); !jsonl.Null(ok) {
		return string(ok) == "false"
	}
	status := jsonl.Find(v, "status")
	return jsonl.Is(status, "failed") || jsonl.Is(status, "declined") || !jsonl.Null(jsonl.Find(v, "error"))
}

// exited reads the exit code at the head of an output. Codex puts it there in
// words, and once put it into a wrapping of JSON.
func exited(text string) bool {
	if strings.HasPrefix(text, `{"output":`) {
		code := jsonl.Find([]byte(text), "metadata", "exit_code")
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
	return r.count(jsonl.Find(v, "usage"))
}

// count gives the reply that is open its usage, and says that it is over. Only
// the first count after a reply is of that reply.
func (r *reader) count(v []byte) error {
	it, _ := r.Open(r.stream())
	if jsonl.Null(v) || it == nil || it.Message.Usage != nil {
		return nil
	}
	var all, cached, written int
	u := &trimtab.Usage{}
	c := jsonl.Object(v)
	for c.Next() {
		var err error
		switch string(c.Key) {
		case "input_tokens":
			all, err = jsonl.Int(c.Value)
		case "cached_input_tokens":
			cached, err = jsonl.Int(c.Value)
		case "cache_write_input_tokens":
			written, err = jsonl.Int(c.Value)
		case "output_tokens":
			u.Output, err = jsonl.Int(c.Value)
		}
		if err != nil {
			return fmt.Errorf("usage: %s: %w", c.Key, err)
		}
	}
	u.Input, u.CacheRead, u.CacheWrite = max(0, all-cached-written), cached, written
	it.Message.Usage = u
	r.over = true
	return c.Err()
}
