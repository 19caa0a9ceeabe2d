package mcp

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Prompt is a text that a person can put into the conversation: a mode. Getting
// it changes nothing in a session.
type Prompt struct {
	Name  string
	Title string
	Short string // one line
	Text  string
}

const maxTask = 32 << 10

func (p Prompt) declared() *sdk.Prompt {
	return &sdk.Prompt{
		Name: p.Name, Title: p.Title, Description: p.Short,
		Arguments: []*sdk.PromptArgument{{Name: "task", Title: "Task", Description: "what to do in this mode"}},
	}
}

func (p Prompt) get(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	text, task := p.Text, req.Params.Arguments["task"]
	if len(task) > maxTask {
		return nil, fmt.Errorf("prompt %s: the task has %d bytes; give at most %d", p.Name, len(task), maxTask)
	}
	if task != "" {
		text += "\n\n" + task
	}
	return &sdk.GetPromptResult{
		Description: p.Short,
		Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}},
	}, nil
}
