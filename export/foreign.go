package export

import (
	"encoding/json"

	"github.com/trimtab/trimtab"
)

// known reads the tool calls and results of documents that are not ours. Those that the
// form of our documents comes from hold the messages of the AI SDK, whose parts have
// other names; a call that stayed unread would leave its result without one.
func known(m trimtab.Message) trimtab.Message {
	for i, p := range m.Parts {
		if o, ok := p.(trimtab.Opaque); ok {
			m.Parts[i] = toolPart(o)
		}
	}
	return m
}

func toolPart(o trimtab.Opaque) trimtab.Part {
	var in struct {
		ID     string          `json:"toolCallId"`
		Name   string          `json:"toolName"`
		Input  json.RawMessage `json:"input"`
		Args   json.RawMessage `json:"args"` // of older versions
		Output json.RawMessage `json:"output"`
		Result json.RawMessage `json:"result"` // of older versions
		Failed bool            `json:"isError"`
	}
	if o.Kind != "tool-call" && o.Kind != "tool-result" || json.Unmarshal(o.Raw, &in) != nil || in.ID == "" {
		return o
	}
	if o.Kind == "tool-call" {
		if in.Input == nil {
			in.Input = in.Args
		}
		return trimtab.ToolCall{ID: in.ID, Name: in.Name, Input: in.Input}
	}
	if in.Output == nil {
		in.Output = in.Result
	}
	text, failed := output(in.Output)
	return trimtab.ToolResult{ID: in.ID, Text: text, Failed: in.Failed || failed}
}

// output is what a tool returned: a text, or an object that says of which type its
// value is. What is neither stays JSON.
func output(raw json.RawMessage) (text string, failed bool) {
	if json.Unmarshal(raw, &text) == nil {
		return text, false
	}
	var typed struct {
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
	}
	if json.Unmarshal(raw, &typed) != nil || typed.Value == nil {
		return string(raw), false
	}
	failed = typed.Type == "error-text" || typed.Type == "error-json"
	if json.Unmarshal(typed.Value, &text) != nil {
		text = string(typed.Value)
	}
	return text, failed
}
