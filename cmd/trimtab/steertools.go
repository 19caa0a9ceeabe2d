package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/llm"
)

// order is a command of steering that the model of our own chat may give, under the
// name that agents behind the gateway know it by.
type order struct {
	name, about string
	command     []string // and the arguments that stand before the model's own
	schema      string
}

var orders = []order{
	{
		"flame_push", "Opens a frame for a piece of work of its own. When it is popped its messages leave your context and only the summary stays.",
		[]string{"frame", "push"},
		`{"type":"object","properties":{"goal":{"type":"string","description":"what the work is for, in one line"},"successCriteria":{"type":"string","description":"how you will know that it is done"}},"required":["goal"],"additionalProperties":false}`,
	},
	{
		"flame_pop", "Ends the active frame. Its messages fold into the summary: say what came of it, the files, the decisions and what is still open.",
		[]string{"frame", "pop"},
		`{"type":"object","properties":{"status":{"type":"string","enum":["completed","failed","blocked"]},"summary":{"type":"string"}},"required":["summary"],"additionalProperties":false}`,
	},
	{
		"flame_plan", "Adds planned frames below the active one, to be worked on later.",
		[]string{"frame", "plan"},
		`{"type":"object","properties":{"goals":{"type":"array","items":{"type":"string"},"minItems":1}},"required":["goals"],"additionalProperties":false}`,
	},
	{
		"flame_activate", "Starts work on a planned frame.",
		[]string{"frame", "activate"},
		`{"type":"object","properties":{"id":{"type":"string","description":"as in f3"}},"required":["id"],"additionalProperties":false}`,
	},
	{
		"flame_status", "Shows the tree of frames, which one is active, and what folding saves.",
		[]string{"frame", "status"},
		`{"type":"object","properties":{},"additionalProperties":false}`,
	},
	{
		"criterion_met", "Says that a criterion of the session's mode is met, with the evidence. It is checked: a claim alone is not enough where a check is set.",
		[]string{"criterion_met"},
		`{"type":"object","properties":{"id":{"type":"string"},"evidence":{"type":"string","description":"where it can be seen"}},"required":["id","evidence"],"additionalProperties":false}`,
	},
}

const criterionMet = "criterion_met"

// steering are the tools by which the model gives commands to the session that it
// is in. What they change is the session and nothing else.
func (t *talk) steering() (all []tool.Tool) {
	for _, o := range orders {
		all = append(all, tool.Tool{
			Tool: llm.Tool{Name: o.name, Description: o.about, Schema: json.RawMessage(o.schema), ReadOnly: true},
			Run: func(ctx context.Context, input json.RawMessage) (string, error) {
				args := o.command[1:]
				if text := strings.TrimSpace(string(input)); text != "" && text != "{}" {
					args = append(args[:len(args):len(args)], text)
				}
				_, out, err := t.service.Handle(ctx, tool.SessionOf(ctx), trimtab.Asked{Command: o.command[0], Args: args, By: trimtab.Model})
				if err != nil {
					return "", fmt.Errorf("%s: %w", o.name, err)
				}
				reply, err := out.Reply()
				if err == nil && reply.Failed {
					err = fmt.Errorf("%s: %s", o.name, reply.Text)
				}
				return reply.Text, err
			},
		})
	}
	return all
}

// steers reports whether a tool is one of ours that changes the session alone.
func steers(name string) bool {
	return slices.ContainsFunc(orders, func(o order) bool { return o.name == name }) || strings.HasPrefix(name, "todo_")
}

// hasGoal reports whether the session's mode has criteria to be met.
func hasGoal(s trimtab.Session) bool {
	raw, err := s.Memory("mode")
	var memory struct {
		Focus json.RawMessage `json:"focus"`
	}
	return err == nil && json.Unmarshal(raw, &memory) == nil && len(memory.Focus) > 2
}
