package fakemodel

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

func refuseChat(param, code, format string, args ...any) error {
	return refuseOpenAI(Chat, param, code, format, args...)
}

func chatFields(b object) error {
	if str(b, "model") == "" {
		return refuseChat("", "", "you must provide a model parameter")
	}
	v, ok := b["messages"]
	if !ok {
		return refuseChat("messages", "missing_required_parameter", "Missing required parameter: 'messages'.")
	}
	messages, ok := v.([]any)
	if !ok {
		return refuseChat("messages", "invalid_type", "Invalid type for 'messages': expected an array of objects.")
	}
	if len(messages) == 0 {
		return emptyArray(Chat, "messages")
	}
	if b["max_tokens"] != nil && b["max_completion_tokens"] != nil {
		return refuseChat("max_tokens", "", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	}
	if b["stream_options"] != nil && !flag(b, "stream") {
		return refuseChat("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	}
	return nil
}

func emptyArray(f Format, param string) error {
	return refuseOpenAI(f, param, "empty_array", "Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.", param)
}

var functionName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,128}$`)

func chatTools(b object) error {
	tools, ok := b["tools"].([]any)
	if ok && len(tools) == 0 {
		return emptyArray(Chat, "tools")
	}
	for i, tool := range objects(tools) {
		kind := str(tool, "type")
		if kind != "function" && kind != "custom" {
			return refuseChat(fmt.Sprintf("tools[%d].type", i), "invalid_value", "Invalid value: '%s'. Supported values are: 'function' and 'custom'.", kind)
		}
		if !functionName.MatchString(str(obj(tool, kind), "name")) {
			return refuseChat(fmt.Sprintf("tools[%d].%s.name", i, kind), "invalid_value", "Invalid 'tools[%d].%s.name': string does not match pattern.", i, kind)
		}
	}
	return nil
}

// chatRoles are the roles and the kinds of parts that their content may hold.
var chatRoles = map[string][]string{
	"system":    {"text"},
	"developer": {"text"},
	"user":      {"text", "image_url", "input_audio", "file"},
	"assistant": {"text", "refusal"},
	"tool":      {"text", "image_url"},
	"function":  {"text"},
}

// chatKeys may stand in a message. The last ones are not OpenAI's own: servers
// that speak its format send and take them.
var chatKeys = []string{
	"role", "content", "name", "tool_calls", "tool_call_id", "refusal", "audio", "function_call", "annotations",
	"reasoning_content", "reasoning", "reasoning_details",
}

func chatMessages(b object) error {
	for i, m := range objects(list(b, "messages")) {
		role := str(m, "role")
		if _, ok := chatRoles[role]; !ok {
			return refuseChat(fmt.Sprintf("messages[%d].role", i), "invalid_value", "Invalid value: '%s'. Supported values are: %s.", role, quoted(slices.Sorted(maps.Keys(chatRoles))))
		}
		if key := extra(m, chatKeys...); key != "" {
			return refuseChat(fmt.Sprintf("messages[%d].%s", i, key), "unknown_parameter", "Unknown parameter: 'messages[%d].%s'.", i, key)
		}
		if err := chatContent(i, m); err != nil {
			return err
		}
		if err := chatCalls(i, m); err != nil {
			return err
		}
	}
	return nil
}

func quoted(all []string) string { return "'" + strings.Join(all, "', '") + "'" }

func chatContent(i int, m object) error {
	role, param := str(m, "role"), fmt.Sprintf("messages[%d].content", i)
	switch content := m["content"].(type) {
	case string:
		return nil
	case nil:
		if role == "assistant" && (m["tool_calls"] != nil || m["function_call"] != nil || m["refusal"] != nil || m["audio"] != nil) {
			return nil
		}
		return refuseChat(param, "invalid_type", "Invalid value for 'content': expected a string, got null.")
	case []any:
		if len(content) == 0 {
			return emptyArray(Chat, param)
		}
		for j, part := range objects(content) {
			at := fmt.Sprintf("%s[%d]", param, j)
			kind := str(part, "type")
			if !slices.Contains(chatRoles[role], kind) {
				return refuseChat(at, "invalid_value", "Invalid value: '%s'. Supported values are: %s.", kind, quoted(chatRoles[role]))
			}
			if kind != "text" {
				continue
			}
			if _, ok := part["text"].(string); !ok {
				return refuseChat(at+".text", "missing_required_parameter", "Missing required parameter: '%s.text'.", at)
			}
			if key := extra(part, "type", "text", "cache_control"); key != "" {
				return refuseChat(at+"."+key, "unknown_parameter", "Unknown parameter: '%s.%s'.", at, key)
			}
		}
		return nil
	}
	return refuseChat(param, "invalid_type", "Invalid type for '%s': expected one of an array of objects or string.", param)
}

func chatCalls(i int, m object) error {
	v, ok := m["tool_calls"]
	if !ok || v == nil {
		return nil
	}
	param := fmt.Sprintf("messages[%d].tool_calls", i)
	if str(m, "role") != "assistant" {
		return refuseChat(param, "unknown_parameter", "Unknown parameter: '%s'.", param)
	}
	calls, ok := v.([]any)
	if !ok {
		return refuseChat(param, "invalid_type", "Invalid type for '%s': expected an array of objects.", param)
	}
	if len(calls) == 0 {
		return emptyArray(Chat, param)
	}
	for j, call := range objects(calls) {
		at, kind := fmt.Sprintf("%s[%d]", param, j), str(call, "type")
		body := map[string]string{"function": "arguments", "custom": "input"}[kind]
		if body == "" {
			return refuseChat(at+".type", "invalid_value", "Invalid value: '%s'. Supported values are: 'function' and 'custom'.", kind)
		}
		if str(call, "id") == "" || str(obj(call, kind), "name") == "" {
			return refuseChat(at, "missing_required_parameter", "Missing required parameter: '%s.id' or '%s.%s.name'.", at, at, kind)
		}
		if _, ok := obj(call, kind)[body].(string); !ok {
			return refuseChat(at, "invalid_type", "Invalid type for '%s.%s.%s': expected a string.", at, kind, body)
		}
	}
	return nil
}

// chatPairs wants every call answered by the tool messages that directly follow.
func chatPairs(b object) error {
	messages := objects(list(b, "messages"))
	var open, all []string
	for i, m := range messages {
		if str(m, "role") == "tool" {
			id := str(m, "tool_call_id")
			at := slices.Index(open, id)
			switch {
			case id == "":
				return refuseChat(fmt.Sprintf("messages[%d].tool_call_id", i), "missing_required_parameter", "Missing required parameter: 'messages[%d].tool_call_id'.", i)
			case len(all) == 0:
				return refuseChat(fmt.Sprintf("messages.[%d].role", i), "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.") //nolint:misspell // the API's own spelling
			case at < 0:
				return refuseChat(fmt.Sprintf("messages.[%d].tool_call_id", i), "", "Invalid parameter: 'tool_call_id' of '%s' not found in 'tool_calls' of previous message.", id)
			}
			open = slices.Delete(open, at, at+1)
			continue
		}
		if len(open) > 0 {
			return chatUnanswered(i, open)
		}
		open = nil
		for _, call := range objects(list(m, "tool_calls")) {
			open = append(open, str(call, "id"))
		}
		all = slices.Clone(open)
		if slices.Sort(all); len(slices.Compact(slices.Clone(all))) != len(all) {
			return refuseChat(fmt.Sprintf("messages[%d].tool_calls", i), "", "Duplicate 'id' in 'messages[%d].tool_calls'.", i)
		}
	}
	if len(open) > 0 {
		return chatUnanswered(len(messages), open)
	}
	return nil
}

func chatUnanswered(i int, ids []string) error {
	return refuseChat(fmt.Sprintf("messages.[%d].role", i), "", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(ids, ", "))
}
