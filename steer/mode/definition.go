package mode

import (
	"embed"
	"strings"
)

// Definition is a mode as data.
type Definition struct {
	ID          string `json:"id"`
	Name        string `json:"name"`        // as it is shown: "PLANNING"
	Description string `json:"description"` // one line
	Entry       string `json:"entryPrompt,omitempty"`
	Reminder    string `json:"reminderPrompt,omitempty"`
	ReadOnly    bool   `json:"readOnly,omitempty"` // tools that change things are out of place in it
}

// Normal is the mode in which nothing is added.
const Normal = "normal"

//go:embed prompt/*.md
var prompts embed.FS

// BuiltIn returns the five modes that a person cycles through, in that order.
// No file can change or remove them.
func BuiltIn() []Definition {
	return []Definition{
		{ID: Normal, Name: "NORMAL", Description: "the agent as it is; nothing is added"},
		builtIn("planning", "PLANNING", "architecture and a plan before any code", true),
		builtIn("research", "RESEARCH", "investigate and weigh what is found", true),
		builtIn("code-review", "CODE REVIEW", "look for bugs, risks and missing tests", true),
		builtIn("debugging", "DEBUGGING", "reproduce, narrow down, find the cause", false),
	}
}

func builtIn(id, name, description string, readOnly bool) Definition {
	return Definition{id, name, description, prompt(id), prompt(id + ".reminder"), readOnly}
}

func prompt(name string) string {
	text, err := prompts.ReadFile("prompt/" + name + ".md")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
