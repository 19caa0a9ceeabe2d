package fakemodel

import (
	"fmt"
	"slices"
	"strings"
)

func refuseResponses(param, code, format string, args ...any) error {
	return refuseOpenAI(Responses, param, code, format, args...)
}

func responsesFields(b object) error {
	if str(b, "model") == "" {
		return refuseResponses("model", "missing_required_parameter", "Missing required parameter: 'model'.")
	}
	switch input := b["input"].(type) {
	case nil:
		if b["previous_response_id"] == nil && b["prompt"] == nil && b["conversation"] == nil {
			return refuseResponses("input", "missing_required_parameter", "Missing required parameter: 'input'.")
		}
	case string:
	case []any:
		for i, item := range objects(input) {
			if item == nil {
				return refuseResponses(fmt.Sprintf("input[%d]", i), "invalid_type", "Invalid type for 'input[%d]': expected an object.", i)
			}
		}
	default:
		return refuseResponses("input", "invalid_type", "Invalid type for 'input': expected one of an array of objects or string.")
	}
	return nil
}

// responsesCalls are the calls that a client answers, with their outputs.
var responsesCalls = map[string]string{
	"function_call":    "function_call_output",
	"custom_tool_call": "custom_tool_call_output",
	"local_shell_call": "local_shell_call_output",
	"shell_call":       "shell_call_output",
	"apply_patch_call": "apply_patch_call_output",
	"computer_call":    "computer_call_output",
}

// responsesOther are the items that need no partner. A tool_search_call is
// answered by the server or by the client, so its output is not asked for.
var responsesOther = []string{
	"message", "reasoning", "item_reference", "compaction", "context_compaction", "compaction_trigger",
	"web_search_call", "file_search_call", "image_generation_call", "code_interpreter_call",
	"mcp_call", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response",
	"tool_search_call", "tool_search_output", "additional_tools", "agent_message", "configuration_update",
}

func itemType(item object) string {
	if t := str(item, "type"); t != "" {
		return t
	}
	if str(item, "role") != "" {
		return "message"
	}
	return ""
}

// isCall reports whether a kind of item is a call, and isOutput whether it
// answers one; they return the kind of the partner.
func isCall(kind string) (output string, ok bool) {
	output, ok = responsesCalls[kind]
	return output, ok
}

func isOutput(kind string) (call string, ok bool) {
	call, ok = strings.CutSuffix(kind, "_output")
	return call, ok && responsesCalls[call] == kind
}

// itemPrefix is how the ids of an item begin.
var itemPrefix = map[string]string{"message": "msg", "reasoning": "rs", "function_call": "fc", "custom_tool_call": "ctc"}

func responsesItems(b object) error {
	seen := map[string]bool{}
	for i, item := range objects(list(b, "input")) {
		kind, at := itemType(item), fmt.Sprintf("input[%d]", i)
		_, call := isCall(kind)
		_, output := isOutput(kind)
		if !call && !output && !slices.Contains(responsesOther, kind) {
			return refuseResponses(at, "invalid_value", "Invalid value: '%s'. Supported values are: 'message', 'reasoning', 'function_call', 'function_call_output' and others.", kind)
		}
		if id := str(item, "id"); id != "" && kind != "item_reference" {
			if p := itemPrefix[kind]; !strings.HasPrefix(id, p) {
				return refuseResponses(at+".id", "invalid_value", "Invalid '%s.id': '%s'. Expected an ID that begins with '%s'.", at, id, p)
			}
			if seen[id] {
				return refuseResponses("input", "", "Duplicate item found with id %s. Remove duplicate items from your input and try again.", id)
			}
			seen[id] = true
		}
		if err := responsesItem(at, kind, item); err != nil {
			return err
		}
	}
	return nil
}

// responsesNeeds are the fields of an item that are strings.
var responsesNeeds = map[string][]string{
	"function_call":           {"call_id", "name", "arguments"},
	"custom_tool_call":        {"call_id", "name", "input"},
	"function_call_output":    {"call_id"},
	"custom_tool_call_output": {"call_id"},
	"item_reference":          {"id"},
}

func responsesItem(at, kind string, item object) error {
	for _, key := range responsesNeeds[kind] {
		if _, ok := item[key].(string); !ok {
			return refuseResponses(at+"."+key, "missing_required_parameter", "Missing required parameter: '%s.%s'.", at, key)
		}
	}
	switch kind {
	case "function_call_output", "custom_tool_call_output":
		switch item["output"].(type) {
		case string, []any:
		default:
			return refuseResponses(at+".output", "missing_required_parameter", "Missing required parameter: '%s.output'.", at)
		}
	case "message":
		return responsesMessage(at, item)
	}
	return nil
}

func responsesMessage(at string, item object) error {
	role := str(item, "role")
	if !slices.Contains([]string{"user", "assistant", "system", "developer"}, role) {
		return refuseResponses(at+".role", "invalid_value", "Invalid value: '%s'. Supported values are: 'assistant', 'system', 'developer', and 'user'.", role)
	}
	allowed := []string{"input_text", "input_image", "input_file", "input_audio"}
	if role == "assistant" {
		allowed = []string{"output_text", "refusal"}
	}
	switch content := item["content"].(type) {
	case string:
		return nil
	case []any:
		for i, part := range objects(content) {
			kind := str(part, "type")
			if !slices.Contains(allowed, kind) {
				return refuseResponses(fmt.Sprintf("%s.content[%d]", at, i), "invalid_value", "Invalid value: '%s'. Supported values are: %s.", kind, quoted(allowed))
			}
			if _, ok := part["text"].(string); !ok && strings.HasSuffix(kind, "_text") {
				return refuseResponses(fmt.Sprintf("%s.content[%d].text", at, i), "missing_required_parameter", "Missing required parameter: '%s.content[%d].text'.", at, i)
			}
		}
		return nil
	}
	return refuseResponses(at+".content", "missing_required_parameter", "Missing required parameter: '%s.content'.", at)
}

// responsesReasoning wants each piece of reasoning followed by what came of it.
func responsesReasoning(b object) error {
	items := objects(list(b, "input"))
	for i, item := range items {
		if itemType(item) != "reasoning" {
			continue
		}
		if i+1 < len(items) && fromModel(items[i+1]) {
			continue
		}
		return refuseResponses("input", "", "Item '%s' of type 'reasoning' was provided without its required following item.", str(item, "id"))
	}
	return nil
}

// fromModel reports whether the model wrote an item.
func fromModel(item object) bool {
	kind := itemType(item)
	if kind == "message" {
		return str(item, "role") == "assistant"
	}
	if _, output := isOutput(kind); output {
		return false
	}
	return !slices.Contains([]string{"additional_tools", "tool_search_output", "mcp_approval_response", "compaction_trigger", "configuration_update"}, kind)
}

// responsesPairs wants an output after every call, and a call before every
// output. With previous_response_id the call may be in what the server keeps.
func responsesPairs(b object) error {
	kept := b["previous_response_id"] != nil || b["conversation"] != nil
	open, done := map[string]string{}, map[string]bool{} // call_id → kind of its output
	for _, item := range objects(list(b, "input")) {
		kind, id := itemType(item), str(item, "call_id")
		if output, ok := isCall(kind); ok {
			if open[id] != "" || done[id] {
				return refuseResponses("input", "", "Duplicate call_id %s in input.", id)
			}
			open[id] = output
		} else if call, ok := isOutput(kind); ok {
			if open[id] != kind && (!kept || done[id]) {
				return refuseResponses("input", "", "No tool call found for %s output with call_id %s.", strings.ReplaceAll(call, "_", " "), id)
			}
			delete(open, id)
			done[id] = true
		}
	}
	for _, item := range objects(list(b, "input")) {
		if kind, id := itemType(item), str(item, "call_id"); open[id] != "" && responsesCalls[kind] != "" {
			return refuseResponses("input", "", "No tool output found for %s %s.", strings.ReplaceAll(kind, "_", " "), id)
		}
	}
	return nil
}
