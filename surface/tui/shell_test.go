package tui

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/llm"
)

// TestChat_6_ACommandOfThePerson runs without a model, and the next prompt tells of it.
func TestChat_6_ACommandOfThePerson(t *testing.T) {
	on(t, setup{options: func(o *Options) {
		o.Shell = func(command string) (agent.Runner, error) {
			run := tool.Tool{Tool: llm.Tool{Name: "bash"}, Run: func(context.Context, json.RawMessage) (string, error) { return "output of " + command, nil }}
			return agent.Direct{Tool: run, Call: trimtab.ToolCall{ID: "shell", Name: "bash"}}, nil
		}
	}}, func(b *bench) {
		b.press("!git status", "enter")
		b.rest()
		b.sees("!git status", "output of git status")
		if len(b.asked) != 0 {
			t.Error("a model was asked")
		}
		b.say("what does it mean?")
		if m := b.asked[0].Messages; !strings.Contains(m[len(m)-1].Text(), "The person ran a command themselves: git status\noutput of git status") || m[len(m)-1].Typed() != "what does it mean?" {
			t.Errorf("the model reads %+v", m)
		}
		b.say("and now?")
		if m := b.asked[1].Messages; strings.Contains(m[len(m)-1].Text(), "git status") {
			t.Error("it is told twice")
		}
	})
}
