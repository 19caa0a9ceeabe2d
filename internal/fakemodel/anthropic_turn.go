package fakemodel

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// anthropicBlocks says in whose messages a block may stand. Results of server
// tools, whose names grow, are recognised by their ending.
var anthropicBlocks = map[string][]string{
	"text":              {"user", "assistant", "system"},
	"image":             {"user"},
	"document":          {"user"},
	"search_result":     {"user"},
	"container_upload":  {"user"},
	"tool_result":       {"user"},
	"tool_use":          {"assistant"},
	"thinking":          {"assistant"},
	"redacted_thinking": {"assistant"},
	"server_tool_use":   {"assistant"},
	"mcp_tool_use":      {"assistant"},
	"mcp_tool_result":   {"assistant"},
	"compaction":        {"assistant"},
	"tool_addition":     {"system"},
	"tool_removal":      {"system"},
}

func blockRoles(kind string) []string {
	if roles, ok := anthropicBlocks[kind]; ok {
		return roles
	}
	if strings.HasSuffix(kind, "_tool_result") {
		return []string{"assistant"}
	}
	return nil
}

func anthropicMessages(b object) error {
	messages := list(b, "messages")
	for i, m := range objects(messages) {
		if m == nil {
			return refuseAnthropic("messages.%d: Input should be a valid dictionary or object to extract fields from", i)
		}
		role := str(m, "role")
		if !slices.Contains([]string{"user", "assistant", "system"}, role) {
			return refuseAnthropic("messages.%d.role: Input should be 'user' or 'assistant'", i)
		}
		if i == 0 && role != "user" && !onlyEffort(m) {
			return refuseAnthropic("messages: first message must use the \"user\" role")
		}
		allowed := []string{"role", "content", "clear_at"} // whose own rule says where
		if role == "system" {
			allowed = append(allowed, "output_config")
		}
		if key := extra(m, allowed...); key != "" {
			return refuseAnthropic("messages.%d.%s: Extra inputs are not permitted", i, key)
		}
		if err := anthropicContent(i, m, i == len(messages)-1); err != nil {
			return err
		}
	}
	return nil
}

// onlyEffort reports whether a message of the role system has no content and only
// sets the effort.
func onlyEffort(m object) bool {
	content, isList := m["content"].([]any)
	return str(m, "role") == "system" && isList && len(content) == 0 && m["output_config"] != nil
}

func anthropicContent(i int, m object, last bool) error {
	role := str(m, "role")
	switch content := m["content"].(type) {
	case string:
		if blank(content) && (!last || role != "assistant") {
			return refuseAnthropic("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
		}
		if last && role == "assistant" && content != "" && trailing(content) {
			return refuseAnthropic("messages: final assistant content cannot end with trailing whitespace")
		}
		return nil
	case []any:
		if len(content) == 0 && (!last || role != "assistant") && !onlyEffort(m) {
			return refuseAnthropic("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
		}
		for j, block := range objects(content) {
			if err := anthropicBlock(fmt.Sprintf("messages.%d.content.%d", i, j), role, block); err != nil {
				return err
			}
		}
		return nil
	}
	return refuseAnthropic("messages.%d.content: Input should be a valid string or a valid list", i)
}

func trailing(s string) bool { return strings.TrimRight(s, " \t\r\n") != s }

func anthropicBlock(path, role string, block object) error {
	kind := str(block, "type")
	if kind == "" {
		return refuseAnthropic("%s.type: Field required", path)
	}
	roles := blockRoles(kind)
	if roles == nil {
		return refuseAnthropic("%s: Input tag '%s' found using 'type' does not match any of the expected tags", path, kind)
	}
	if !slices.Contains(roles, role) {
		return refuseAnthropic("%s: `%s` blocks can only be in `%s` messages", path, kind, roles[0])
	}
	switch kind {
	case "text":
		return anthropicText(path, "messages", block)
	case "tool_use":
		return anthropicUse(path, block)
	case "tool_result":
		return anthropicResult(path, block)
	case "thinking", "redacted_thinking":
		return anthropicThought(path, kind, block)
	}
	return nil
}

func anthropicText(path, where string, block object) error {
	if key := extra(block, "type", "text", "cache_control", "citations"); key != "" {
		return refuseAnthropic("%s.text.%s: Extra inputs are not permitted", path, key)
	}
	s, ok := block["text"].(string)
	switch {
	case !ok:
		return refuseAnthropic("%s.text.text: Input should be a valid string", path)
	case s == "" && block["cache_control"] != nil:
		return refuseAnthropic("%s.text: cache_control cannot be set for empty text blocks", path)
	case s == "":
		return refuseAnthropic("%s: text content blocks must be non-empty", where)
	case blank(s):
		return refuseAnthropic("%s: text content blocks must contain non-whitespace text", where)
	}
	return nil
}

var toolID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func anthropicUse(path string, block object) error {
	if !toolID.MatchString(str(block, "id")) {
		return refuseAnthropic("%s.tool_use.id: String should match pattern '%s'", path, toolID)
	}
	if str(block, "name") == "" {
		return refuseAnthropic("%s.tool_use.name: Field required", path)
	}
	if _, ok := block["input"].(object); !ok {
		return refuseAnthropic("%s.tool_use.input: Input should be a valid dictionary", path)
	}
	return nil
}

func anthropicResult(path string, block object) error {
	if str(block, "tool_use_id") == "" {
		return refuseAnthropic("%s.tool_result.tool_use_id: Field required", path)
	}
	blocks, isList := block["content"].([]any)
	if _, isText := block["content"].(string); block["content"] != nil && !isText && !isList {
		return refuseAnthropic("%s.tool_result.content: Input should be a valid string or a valid list", path)
	}
	for i, inner := range objects(blocks) {
		at := fmt.Sprintf("%s.tool_result.content.%d", path, i)
		switch kind := str(inner, "type"); kind {
		case "text":
			if err := anthropicText(at, "messages", inner); err != nil {
				return err
			}
		case "image", "document", "search_result", "tool_reference":
		default:
			return refuseAnthropic("%s: Input tag '%s' found using 'type' does not match any of the expected tags", at, kind)
		}
	}
	return nil
}

func anthropicThought(path, kind string, block object) error {
	if block["cache_control"] != nil {
		return refuseAnthropic("%s.%s.cache_control: Extra inputs are not permitted", path, kind)
	}
	for _, field := range map[string][]string{"thinking": {"thinking", "signature"}, "redacted_thinking": {"data"}}[kind] {
		if _, ok := block[field].(string); !ok {
			return refuseAnthropic("%s.%s.%s: Field required", path, kind, field)
		}
	}
	return nil
}

// anthropicPairs wants every tool_use answered at the start of the next message,
// once. While a server tool runs, the turn that answers may hold nothing else; a
// turn is all user messages in a row, and a server tool may run through several.
func anthropicPairs(b object) error {
	messages := objects(list(b, "messages"))
	seen, running := map[string]bool{}, map[string]bool{}
	var open []string // the calls of the message before
	only := false     // the turn that answers them may hold nothing else
	for i, m := range messages {
		if onlyEffort(m) { // nothing of it is shown
			continue
		}
		blocks := spoken(m["content"])
		if err := anthropicAnswers(i, blocks, open); err != nil {
			return err
		}
		open = nil
		switch role := str(m, "role"); {
		case role == "user" && only && slices.ContainsFunc(blocks, func(o object) bool { return str(o, "type") != "tool_result" }):
			return refuseAnthropic("messages.%d: a turn that answers a message with pending `server_tool_use` blocks may only hold `tool_result` blocks", i)
		case role != "assistant":
			continue
		}
		for _, block := range blocks {
			switch id := str(block, "id"); str(block, "type") {
			case "server_tool_use":
				running[id] = true
			case "tool_use":
				if seen[id] {
					return refuseAnthropic("messages.%d: `tool_use` ids must be unique", i)
				}
				seen[id] = true
				open = append(open, id)
			default:
				delete(running, str(block, "tool_use_id"))
			}
		}
		only = len(open) > 0 && len(running) > 0
	}
	if len(open) > 0 {
		return unanswered(len(messages)-1, open)
	}
	return nil
}

func unanswered(i int, ids []string) error {
	return refuseAnthropic("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i, strings.Join(ids, ", "))
}

func anthropicAnswers(i int, blocks []object, open []string) error {
	left := slices.Clone(open)
	var done []string
	started := false // something other than a result was seen
	for j, block := range blocks {
		if str(block, "type") != "tool_result" {
			started = true
			continue
		}
		id := str(block, "tool_use_id")
		at := slices.Index(left, id)
		switch {
		case slices.Contains(done, id):
			return refuseAnthropic("messages.%d.content.%d: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", i, j, id)
		case at < 0:
			return refuseAnthropic("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, j, id)
		case started: // it is not immediately after
			return unanswered(i-1, left)
		}
		left, done = slices.Delete(left, at, at+1), append(done, id)
	}
	if len(left) > 0 {
		return unanswered(i-1, left)
	}
	return nil
}
