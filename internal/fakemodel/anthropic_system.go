package fakemodel

import (
	"fmt"
	"slices"
	"strings"
)

// anthropicBeta are the rules that depend on the features asked for.
var anthropicBeta = []func(object, betas) error{anthropicBinding, anthropicClearAt, anthropicToolChanges}

// clears reports whether a message is shown only until the next user message.
func clears(m object) bool { return str(m, "clear_at") == "next_user_message" }

// cleared returns the positions of the messages that are in the list and are not
// shown: a user message, be it one of tool results, came after them.
func cleared(messages []object) map[int]bool {
	gone, later := map[int]bool{}, false
	for i, m := range slices.Backward(messages) {
		if later && str(m, "role") == "system" && clears(m) {
			gone[i] = true
		}
		later = later || str(m, "role") == "user"
	}
	return gone
}

// anthropicSystemTurns allows messages of the role system where a model takes
// them: behind a user turn or a server tool's result, before an assistant turn or
// the end. Several in a row are one section. A section without content, which
// only sets the effort, may stand anywhere. That a message clears itself changes
// nothing about its place.
func anthropicSystemTurns(b object) error {
	messages := objects(list(b, "messages"))
	for i := 0; i < len(messages); i++ {
		if str(messages[i], "role") != "system" {
			continue
		}
		if !claudeOf(str(b, "model")).systemTurns() {
			return refuseAnthropic("messages.%d.role: role 'system' is not supported on this model", i)
		}
		start, said := i, false
		for ; i < len(messages) && str(messages[i], "role") == "system"; i++ {
			said = said || len(spoken(messages[i]["content"])) > 0
		}
		if !said {
			continue
		}
		if start == 0 || str(messages[start-1], "role") != "user" && !serverResultEnds(messages[start-1]) {
			return refuseAnthropic("messages.%d: a `system` message must directly follow a `user` message, or an `assistant` message that ends in a server tool result", start)
		}
		if i < len(messages) && str(messages[i], "role") != "assistant" {
			return refuseAnthropic("messages.%d: a `system` message must be followed by an `assistant` message or end the conversation", i-1)
		}
	}
	return nil
}

// serverResultEnds reports whether an assistant turn ends in a server tool's
// result.
func serverResultEnds(m object) bool {
	blocks := spoken(m["content"])
	return str(m, "role") == "assistant" && len(blocks) > 0 && strings.HasSuffix(str(blocks[len(blocks)-1], "type"), "_tool_result")
}

// anthropicClearAt holds messages that clear themselves to what they may be: of
// the role system, of text, and without cache marks.
func anthropicClearAt(b object, asked betas) error {
	for i, m := range objects(list(b, "messages")) {
		v, ok := m["clear_at"]
		switch {
		case !ok:
			continue
		case !asked.has(BetaClearAt):
			return refuseAnthropic("messages.%d.clear_at: Extra inputs are not permitted", i)
		case str(m, "role") != "system":
			return refuseAnthropic("messages.%d.clear_at: clear_at is only permitted on role 'system' messages", i)
		case v != "next_user_message" && v != "never":
			return refuseAnthropic("messages.%d.clear_at: Input should be 'next_user_message' or 'never'", i)
		case v == "never":
			continue
		case m["output_config"] != nil:
			return refuseAnthropic("messages.%d: output_config is not permitted on a turn-scoped system message (clear_at: 'next_user_message')", i)
		}
		for j, block := range spoken(m["content"]) {
			if str(block, "type") != "text" {
				return refuseAnthropic("messages.%d: a turn-scoped system message supports text blocks only (clear_at: 'next_user_message')", i)
			}
			if block["cache_control"] != nil {
				return refuseAnthropic("messages.%d.content.%d: cache_control is not permitted on a turn-scoped system message (clear_at: 'next_user_message')", i, j)
			}
		}
	}
	return nil
}

// isToolChange reports whether a block offers or withdraws a tool.
func isToolChange(block object) bool {
	return str(block, "type") == "tool_addition" || str(block, "type") == "tool_removal"
}

// anthropicToolChanges holds the blocks that offer and withdraw tools to the
// tools that are declared. A paused turn takes none.
func anthropicToolChanges(b object, asked betas) error {
	declared := map[string]bool{}
	for _, tool := range objects(list(b, "tools")) {
		declared[str(tool, "name")] = true
	}
	messages := objects(list(b, "messages"))
	for i, m := range messages {
		for j, block := range spoken(m["content"]) {
			if !isToolChange(block) {
				continue
			}
			path := fmt.Sprintf("messages.%d.content.%d", i, j)
			if !asked.has(BetaToolChanges, BetaInlineTools) {
				return refuseAnthropic("%s: Input tag '%s' found using 'type' does not match any of the expected tags", path, str(block, "type"))
			}
			if i > 0 && serverResultEnds(messages[i-1]) {
				return refuseAnthropic("%s: `%s` blocks cannot directly follow a paused `assistant` turn", path, str(block, "type"))
			}
			if err := anthropicToolChange(path, block, declared, asked.has(BetaInlineTools)); err != nil {
				return err
			}
		}
	}
	return nil
}

func anthropicToolChange(path string, block object, declared map[string]bool, inline bool) error {
	kind, tool := str(block, "type"), obj(block, "tool")
	if key := extra(block, "type", "tool", "cache_control"); key != "" {
		return refuseAnthropic("%s.%s.%s: Extra inputs are not permitted", path, kind, key)
	}
	switch ref := str(tool, "type"); {
	case ref == "tool_reference":
		if !declared[str(tool, "name")] {
			return refuseAnthropic("%s.%s.tool: tool reference '%s' is not declared in `tools`", path, kind, str(tool, "name"))
		}
	case ref == "mcp_tool_reference" || ref == "mcp_toolset_reference":
		if str(tool, "server_name") == "" {
			return refuseAnthropic("%s.%s.tool.server_name: Field required", path, kind)
		}
	case ref == "tool_definition" && kind == "tool_addition" && inline:
		definition := obj(tool, "definition")
		if err := anthropicTool(path+".tool_addition.tool.definition", definition); err != nil {
			return err
		}
		declared[str(definition, "name")] = true
	default:
		return refuseAnthropic("%s.%s.tool: Input tag '%s' found using 'type' does not match any of the expected tags", path, kind, ref)
	}
	return nil
}

// anthropicBinding takes the switch that says what becomes of thinking behind a
// changed prefix only where the header asks for it and thinking is on.
func anthropicBinding(b object, asked betas) error {
	thinking := obj(b, "thinking")
	v, ok := thinking["block_binding"]
	kind := str(thinking, "type")
	if !ok || v == nil {
		return nil
	}
	path := "thinking." + kind + ".block_binding"
	if !asked.has(BetaBinding) || kind == "disabled" {
		return refuseAnthropic("%s: Extra inputs are not permitted", path)
	}
	binding, ok := v.(object)
	if !ok {
		return refuseAnthropic("%s: Input should be a valid dictionary", path)
	}
	if key := extra(binding, "prefix_mismatch_behavior"); key != "" {
		return refuseAnthropic("%s.%s: Extra inputs are not permitted", path, key)
	}
	if s := str(binding, "prefix_mismatch_behavior"); s != "drop_block" && s != "error" {
		return refuseAnthropic("%s.prefix_mismatch_behavior: Input should be 'drop_block' or 'error'", path)
	}
	return nil
}
