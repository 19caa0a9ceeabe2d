package toolset

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/steer/steertool"
)

// frameTools are the tools of the frames that our own agent has: what it needs to
// work in them, and those of their autonomy. The others are for agents that look at a
// session from outside.
var frameTools = []string{
	"flame_push", "flame_pop", "flame_plan", "flame_activate", "flame_status",
	"flame_autonomy_config", "flame_should_push", "flame_should_pop", "flame_auto_suggest", "flame_autonomy_stats",
}

// Steering are the tools by which the model gives commands to the session that it is
// in, as they are declared for agents of other hosts. What they change is the
// session and nothing else, so they count as tools that only read.
func Steering(service agent.Service) []tool.Tool {
	var all []tool.Tool
	for _, t := range steertool.Frames() {
		if slices.Contains(frameTools, t.Name) {
			all = append(all, steering(service, t))
		}
	}
	return append(all, steering(service, steertool.Criterion()))
}

func steering(service agent.Service, t steertool.Tool) tool.Tool {
	schema, _ := json.Marshal(t.Schema()) // texts and numbers: it cannot fail
	return tool.Tool{
		Tool: llm.Tool{Name: t.Name, Description: t.Description, Schema: schema, ReadOnly: true},
		Run: func(ctx context.Context, raw json.RawMessage) (string, error) {
			in, err := t.Read(raw)
			if err != nil {
				return "", fmt.Errorf("%s: %w", t.Name, err)
			}
			ev, err := t.Event(in)
			if err != nil {
				return "", fmt.Errorf("%s: %w", t.Name, err)
			}
			_, out, err := service.Handle(ctx, tool.SessionOf(ctx), ev)
			if err != nil {
				return "", fmt.Errorf("%s: %w", t.Name, err)
			}
			reply, err := out.Reply()
			if err == nil && reply.Failed {
				err = fmt.Errorf("%s: %s", t.Name, reply.Text)
			}
			return reply.Text, err
		},
	}
}

// steers reports whether a tool is one of ours that changes the session alone.
func steers(name string) bool {
	return name == steertool.CriterionMet || slices.Contains(frameTools, name) || strings.HasPrefix(name, "todo_")
}
