package hook

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/steer/stop"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// input is what hosts write, under all the names that they have for it. A host
// leaves most of it out.
type input struct {
	Cwd        string          `json:"cwd"`
	WorkingDir string          `json:"working_dir"` // goose
	Model      string          `json:"model"`
	Transcript string          `json:"transcript_path"`
	Source     string          `json:"source"` // of a start
	Prompt     string          `json:"prompt"`
	Submitted  string          `json:"submitted_prompt"` // qwen: as it was typed, before commands were expanded
	Message    string          `json:"message"`          // goose, of a prompt
	ToolName   string          `json:"tool_name"`
	ToolInput  json.RawMessage `json:"tool_input"`
	ToolID     string          `json:"tool_use_id"`
	CallID     string          `json:"tool_call_id"`
	Response   json.RawMessage `json:"tool_response"`
	Calls      []struct {
		Name     string          `json:"tool_name"`
		Input    json.RawMessage `json:"tool_input"`
		ID       string          `json:"tool_use_id"`
		Response json.RawMessage `json:"tool_response"`
	} `json:"tool_calls"` // claude
	Active     *bool             `json:"stop_hook_active"`
	Last       string            `json:"last_assistant_message"`
	Answer     string            `json:"prompt_response"`  // gemini
	Background []json.RawMessage `json:"background_tasks"` // claude, qwen
	requestInput

	prompt  string // what a person typed, if this call tells a prompt
	vouched bool   // the host says what was typed, and not what it made of it
}

func decode(c spool.Call) (input, error) {
	var in input
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return in, fmt.Errorf("hook %s %s: %w", c.Host.Name, c.Event.Name, err)
	}
	if c.Event.Kind == spool.Prompt {
		if in.Prompt == "" {
			in.Prompt = in.Message
		}
		if words := in.submitted(c.Host.Hooks.Typed); words != "" {
			in.Prompt, in.vouched = words, true
		}
		in.prompt = typed(in.Prompt)
	}
	return in, nil
}

// submitted is what was typed, as the host's member of this name has it.
func (in input) submitted(name string) string {
	switch name {
	case "prompt":
		return in.Prompt
	case "submitted_prompt":
		return in.Submitted
	}
	return ""
}

func (in input) folder() string {
	if in.Cwd != "" {
		return in.Cwd
	}
	return in.WorkingDir
}

// last is what the agent said before it stopped.
func (in input) last() string {
	if in.Last != "" {
		return in.Last
	}
	return in.Answer
}

// typed is what a person typed of a prompt. Hosts call the hook for their own
// continuations, too: with nothing, or with the reason that we gave them. A command of
// the host is typed, but what the model reads of it is not.
func typed(prompt string) string {
	words := strings.Fields(prompt)
	if len(words) == 0 || strings.HasPrefix(strings.TrimSpace(prompt), stop.Opening) || isCommand(words[0]) {
		return ""
	}
	return strings.TrimSpace(message(prompt).Typed())
}

// isCommand reports whether the first word of a prompt names a command of the host, whose
// text the model is sent in its place. A path is none.
func isCommand(word string) bool {
	name, ok := strings.CutPrefix(word, "/")
	return ok && name != "" && !strings.ContainsAny(name, "/.")
}

// message is a prompt with each word given to who wrote it.
func message(prompt string) trimtab.Message {
	var d markup.Divider
	return trimtab.Message{Role: trimtab.RoleUser, Parts: d.Divide(prompt)}
}

// used is a tool that has run.
type used struct {
	call   trimtab.ToolCall
	result trimtab.ToolResult
}

func (in input) tools() []used {
	var all []used
	for i, c := range in.Calls {
		all = append(all, tool(c.ID, i, c.Name, c.Input, c.Response))
	}
	if in.ToolName != "" {
		id := in.ToolID
		if id == "" {
			id = in.CallID
		}
		all = append(all, tool(id, 0, in.ToolName, in.ToolInput, in.Response))
	}
	return all
}

func tool(id string, n int, name string, given, response json.RawMessage) used {
	if id == "" {
		id = "call" + strconv.Itoa(n+1)
	}
	text, failed := result(response)
	return used{trimtab.ToolCall{ID: id, Name: name, Input: given}, trimtab.ToolResult{ID: id, Text: text, Failed: failed}}
}

// maxResult is how much of a tool's result is kept, in bytes.
const maxResult = 64 << 10

// result is the text of a tool's response, in any of the forms it comes in, and
// whether the response itself says that the tool failed.
func result(raw json.RawMessage) (text string, failed bool) {
	if json.Unmarshal(raw, &text) == nil {
		return trimtab.Clip(text, maxResult), false
	}
	var r struct {
		LLM     any    `json:"llmContent"` // gemini, qwen
		Stdout  string `json:"stdout"`     // claude
		Stderr  string `json:"stderr"`
		IsError bool   `json:"is_error"`
		Error   any    `json:"error"`
	}
	if json.Unmarshal(raw, &r) != nil {
		return trimtab.Clip(string(raw), maxResult), false
	}
	if words, ok := r.LLM.(string); ok {
		text = words
	} else {
		text = strings.TrimSuffix(r.Stdout+"\n"+r.Stderr, "\n")
	}
	if strings.TrimSpace(text) == "" {
		text = string(raw)
	}
	return trimtab.Clip(text, maxResult), r.IsError || r.Error != nil && r.Error != false && r.Error != ""
}
