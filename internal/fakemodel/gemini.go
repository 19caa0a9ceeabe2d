package fakemodel

import (
	"fmt"
	"slices"
	"strings"
)

// geminiKeys are what the API knows at the top, in both spellings.
var geminiKeys = []string{
	"model", "contents", "systemInstruction", "system_instruction", "tools", "toolConfig", "tool_config",
	"safetySettings", "safety_settings", "generationConfig", "generation_config", "cachedContent", "cached_content",
	"labels", "serviceTier", "service_tier", "store",
}

// partData are the fields of a part of which it has exactly one; partMore are
// those that may stand beside it.
var (
	partData = []string{
		"text", "inlineData", "inline_data", "fileData", "file_data", "functionCall", "function_call",
		"functionResponse", "function_response", "executableCode", "executable_code",
		"codeExecutionResult", "code_execution_result", "toolCall", "tool_call", "toolResponse", "tool_response",
	}
	partMore = []string{
		"thought", "thoughtSignature", "thought_signature", "videoMetadata", "video_metadata",
		"mediaResolution", "media_resolution", "partMetadata", "part_metadata",
	}
)

func unknownName(key, at string) error {
	return refuseGemini("Invalid JSON payload received. Unknown name %q at '%s': Cannot find field.", key, at)
}

func geminiFields(b object) error {
	if key := extra(b, geminiKeys...); key != "" {
		return unknownName(key, "")
	}
	if len(list(b, "contents")) == 0 {
		return refuseGemini("* GenerateContentRequest.contents: contents is not specified\n")
	}
	if v := either(b, "systemInstruction", "system_instruction"); v != nil {
		o, ok := v.(object)
		if !ok {
			return refuseGemini("Invalid value at 'system_instruction', a content was expected")
		}
		return geminiParts("system_instruction", o)
	}
	return nil
}

func geminiContents(b object) error {
	contents := objects(list(b, "contents"))
	for i, c := range contents {
		at := fmt.Sprintf("contents[%d]", i)
		if key := extra(c, "role", "parts"); key != "" {
			return unknownName(key, at)
		}
		if role := str(c, "role"); !slices.Contains([]string{"", "user", "model", "function"}, role) {
			return refuseGemini("Please use a valid role: user, model.")
		}
		if err := geminiParts(at, c); err != nil {
			return err
		}
	}
	if last := contents[len(contents)-1]; str(last, "role") == "model" {
		return refuseGemini("Please ensure that multiturn requests end with a user turn or a function response.")
	}
	return nil
}

func geminiParts(at string, content object) error {
	parts := list(content, "parts")
	if len(parts) == 0 {
		return refuseGemini("* GenerateContentRequest.%s.parts: contents.parts must not be empty.\n", at)
	}
	for i, part := range objects(parts) {
		where := fmt.Sprintf("%s.parts[%d]", at, i)
		if key := extra(part, append(slices.Clone(partData), partMore...)...); key != "" {
			return unknownName(key, where)
		}
		data := ""
		for _, key := range partData {
			if _, ok := part[key]; !ok {
				continue
			}
			if data != "" {
				return refuseGemini("Invalid value at '%s' (oneof), oneof field 'data' is already set. Cannot set '%s'", where, key)
			}
			data = key
		}
		signature := either(part, "thoughtSignature", "thought_signature")
		_, isObject := part[data].(object)
		switch {
		case !isObject && strings.HasPrefix(data, "function"):
			return refuseGemini("Invalid value at '%s.%s': a message was expected", where, data)
		case data == "" && signature == nil:
			return refuseGemini("* GenerateContentRequest.%s.data: required oneof field 'data' must have one initialized field\n", where)
		case data == "text" && part["text"] == "" && signature == nil:
			return refuseGemini("Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again.")
		case signature != nil && str(content, "role") != "model":
			return refuseGemini("Invalid value at '%s': a thought signature can only be in a model turn", where)
		}
	}
	return nil
}

// calls and answers return the function calls and responses of a content.
func geminiCalls(c object) []object { return partsOf(c, "functionCall", "function_call") }

func geminiAnswers(c object) []object { return partsOf(c, "functionResponse", "function_response") }

func partsOf(c object, keys ...string) []object {
	var all []object
	for _, part := range objects(list(c, "parts")) {
		if o, ok := either(part, keys...).(object); ok {
			all = append(all, o)
		}
	}
	return all
}

// geminiPairs wants as many responses in the turn after a call as it has calls,
// before anything else that the turn holds.
func geminiPairs(b object) error {
	var open []object
	for i, c := range objects(list(b, "contents")) {
		calls, answers := geminiCalls(c), geminiAnswers(c)
		if len(calls) > 0 && str(c, "role") != "model" {
			return refuseGemini("Please ensure that function call turn is of the role model.")
		}
		if len(calls) > 0 && (i == 0 || str(objects(list(b, "contents"))[i-1], "role") == "model") {
			return refuseGemini("Please ensure that function call turn comes immediately after a user turn or after a function response turn.")
		}
		if len(answers) > 0 && str(c, "role") == "model" {
			return refuseGemini("Please ensure that function response turn is of the role user or function.")
		}
		if len(answers) > 0 && len(open) == 0 {
			return refuseGemini("Please ensure that function response turn comes immediately after a function call turn.")
		}
		if len(answers) != len(open) {
			return refuseGemini("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.")
		}
		for j, part := range objects(list(c, "parts"))[:len(answers)] {
			if either(part, "functionResponse", "function_response") == nil {
				return refuseGemini("Please ensure that the function response parts come first in the turn after the function call turn: part %d of contents[%d] is something else.", j, i)
			}
		}
		if err := geminiMatch(i, open, answers); err != nil {
			return err
		}
		open = calls
	}
	if len(open) > 0 {
		return refuseGemini("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.")
	}
	return nil
}

// geminiMatch holds each response against its call, by id where there is one and
// by name in any case.
func geminiMatch(i int, open, answers []object) error {
	left := slices.Clone(open)
	for _, a := range answers {
		at := slices.IndexFunc(left, func(call object) bool {
			ids := str(call, "id") == "" || str(a, "id") == "" || str(call, "id") == str(a, "id")
			return ids && str(call, "name") == str(a, "name")
		})
		if at < 0 {
			return refuseGemini("contents[%d]: function response %q (id %q) answers no function call of the turn before.", i, str(a, "name"), str(a, "id"))
		}
		left = slices.Delete(left, at, at+1)
	}
	return nil
}
