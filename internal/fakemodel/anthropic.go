package fakemodel

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

func anthropicModel(b object) error {
	if str(b, "model") == "" {
		return refuseAnthropic("model: Field required")
	}
	if _, ok := b["messages"]; !ok {
		return refuseAnthropic("messages: Field required")
	}
	if _, ok := b["messages"].([]any); !ok {
		return refuseAnthropic("messages: Input should be a valid list")
	}
	if len(list(b, "messages")) == 0 {
		return refuseAnthropic("messages: at least one message is required")
	}
	return nil
}

func anthropicMaxTokens(b object) error {
	v, ok := b["max_tokens"]
	if !ok {
		return refuseAnthropic("max_tokens: Field required")
	}
	if n, ok := whole(v); !ok {
		return refuseAnthropic("max_tokens: Input should be a valid integer")
	} else if n < 1 {
		return refuseAnthropic("max_tokens: must be greater than or equal to 1")
	}
	return nil
}

// anthropicBudget holds the thinking's budget against the reply's, and asks for
// the thinking that a tool loop began with.
func anthropicBudget(b object) error {
	thinking := obj(b, "thinking")
	if str(thinking, "type") != "enabled" {
		return nil
	}
	budget, ok := whole(thinking["budget_tokens"])
	if !ok {
		return refuseAnthropic("thinking.enabled.budget_tokens: Field required")
	}
	if budget < 1024 {
		return refuseAnthropic("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
	}
	if limit, ok := whole(b["max_tokens"]); ok && budget >= limit {
		return refuseAnthropic("`max_tokens` must be greater than `thinking.budget_tokens`")
	}
	i, last := lastAssistant(b)
	blocks := objects(list(last, "content"))
	if len(blocks) == 0 || !slices.ContainsFunc(blocks, func(o object) bool { return str(o, "type") == "tool_use" }) {
		return nil
	}
	if kind := str(blocks[0], "type"); !isThinking(kind) {
		return refuseAnthropic("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).", i, kind) //nolint:misspell // the API's own spelling
	}
	return nil
}

func lastAssistant(b object) (int, object) {
	messages := objects(list(b, "messages"))
	for i, m := range slices.Backward(messages) {
		if str(m, "role") == "assistant" {
			return i, m
		}
	}
	return -1, nil
}

func isThinking(kind string) bool { return kind == "thinking" || kind == "redacted_thinking" }

func anthropicSystem(b object) error {
	v, ok := b["system"]
	if !ok {
		return nil
	}
	blocks, isList := v.([]any)
	if _, isText := v.(string); !isText && !isList {
		return refuseAnthropic("system: Input should be a valid list")
	}
	for i, block := range objects(blocks) {
		if kind := str(block, "type"); kind != "text" {
			return refuseAnthropic("system.%d.type: Input should be 'text'", i)
		}
		if err := anthropicText(fmt.Sprintf("system.%d", i), "system", block); err != nil {
			return err
		}
	}
	return nil
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)

func anthropicTools(b object) error {
	seen := map[string]bool{}
	for i, tool := range objects(list(b, "tools")) {
		if err := anthropicTool(fmt.Sprintf("tools.%d", i), tool); err != nil {
			return err
		}
		name := str(tool, "name")
		if name == "" { // a set of tools that a server names
			continue
		}
		if seen[name] {
			return refuseAnthropic("tools: Tool names must be unique.")
		}
		seen[name] = true
	}
	return nil
}

func anthropicTool(path string, tool object) error {
	kind := str(tool, "type")
	if kind == "mcp_toolset" {
		return nil
	}
	if _, ok := tool["input_schema"].(object); !ok && (kind == "" || kind == "custom") {
		return refuseAnthropic("%s.custom.input_schema: Field required", path)
	}
	if !toolName.MatchString(str(tool, "name")) {
		return refuseAnthropic("%s.custom.name: String should match pattern '%s'", path, toolName)
	}
	return nil
}

// anthropicMarks counts the cache marks, in the order in which the prefix is
// made: tools, system, messages.
func anthropicMarks(b object) error {
	marks, short := 0, false
	all := marked(b)
	if v := b["cache_control"]; v != nil { // one that the API places itself, behind all others
		all = append(all, mark{"", v})
	}
	for _, at := range all {
		if at.path != "" {
			at.path += "."
		}
		mark, ok := at.mark.(object)
		if !ok || str(mark, "type") != "ephemeral" {
			return refuseAnthropic("%scache_control.type: Input should be 'ephemeral'", at.path)
		}
		switch ttl := str(mark, "ttl"); ttl {
		case "", "5m":
			short = true
		case "1h":
			if short {
				return refuseAnthropic("%scache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.", at.path)
			}
		default:
			return refuseAnthropic("%scache_control.ephemeral.ttl: Input should be '5m' or '1h'", at.path)
		}
		marks++
	}
	if marks > maxMarks {
		return refuseAnthropic("A maximum of %d blocks with cache_control may be provided. Found %d.", maxMarks, marks)
	}
	return nil
}

const maxMarks = 4

// mark is a cache mark and where it stands.
type mark struct {
	path string
	mark any
}

func marked(b object) []mark {
	var all []mark
	add := func(path string, o object) {
		if m := o["cache_control"]; m != nil {
			all = append(all, mark{path, m})
		}
	}
	for i, o := range objects(list(b, "tools")) {
		add(fmt.Sprintf("tools.%d", i), o)
	}
	for i, o := range objects(list(b, "system")) {
		add(fmt.Sprintf("system.%d", i), o)
	}
	var blocks func(path string, content []any) // of a message, a result, a document
	blocks = func(path string, content []any) {
		for i, o := range objects(content) {
			at := fmt.Sprintf("%s.content.%d", path, i)
			blocks(at, list(o, "content"))
			blocks(at+".source", list(obj(o, "source"), "content"))
			add(at+".tool.definition", obj(obj(o, "tool"), "definition"))
			add(at, o)
		}
	}
	for i, m := range objects(list(b, "messages")) {
		blocks(fmt.Sprintf("messages.%d", i), list(m, "content"))
	}
	return all
}

// extra returns a key that is none of the allowed ones, the first by name.
func extra(o object, allowed ...string) string {
	for _, k := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(allowed, k) {
			return k
		}
	}
	return ""
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
