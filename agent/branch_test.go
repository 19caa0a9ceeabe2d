package agent_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/llm"
)

// TestChat_6_ATaskRunsOnABranch: it has a history of its own, nothing of which joins the
// session but the report; what it changed and used belongs to the call; what the mode of
// its caller refuses is refused to it, and it cannot give tasks itself.
func TestChat_6_ATaskRunsOnABranch(t *testing.T) {
	h := newHarness(t)
	var requests []llm.Request
	replies := [][]trimtab.Part{
		{trimtab.ToolCall{ID: "t", Name: "task", Input: json.RawMessage(`{"title":"look","prompt":"find the mill"}`)}},
		{trimtab.Text{Text: "I look"}, trimtab.ToolCall{ID: "a", Name: "change", Input: json.RawMessage(`{}`)}, trimtab.ToolCall{ID: "b", Name: "no", Input: json.RawMessage(`{}`)}},
		{trimtab.Text{Text: "It stands by the pond."}},
		{trimtab.Text{Text: "end"}},
	}
	m := model(func(_ context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
		requests = append(requests, r)
		return says(replies[len(requests)-1]...)
	})
	change := tool.Tool{Tool: llm.Tool{Name: "change"}, Run: func(ctx context.Context, _ json.RawMessage) (string, error) {
		if tool.SessionOf(ctx) != "s1" {
			t.Errorf("the branch works for session %q", tool.SessionOf(ctx))
		}
		tool.ObserverOf(ctx).Done(tool.Effect{Files: []tool.FileChange{{Path: "mill.go"}}})
		return "changed", nil
	}}
	no := plain("no", false, func(context.Context) (string, error) { t.Error("it ran"); return "", nil })
	opt := agent.Options{History: h, System: "sys", Tools: []tool.Tool{change, no}, Refuse: func(s trimtab.Session, tl llm.Tool) string {
		if tl.Name == "no" && s.Seq == 1 {
			return "not in this mode"
		}
		return ""
	}}
	own := opt
	own.Tools = append(own.Tools, agent.Task(m, opt))
	events := run(t, agent.New(h, m, own), "where is the mill?")
	has(t, events, "returned task failed=false It stands by the pond.", "stopped ended")
	if len(requests) != 4 {
		t.Fatalf("%d requests", len(requests))
	}
	sub := requests[1]
	if len(sub.Messages) != 1 || sub.Messages[0].Text() != "find the mill" || len(sub.Tools) != 2 || !strings.HasPrefix(sub.System, "sys\n") {
		t.Errorf("the branch begins with %+v", sub)
	}
	if results := requests[2].Messages[2]; !strings.Contains(results.Parts[1].(trimtab.ToolResult).Text, "not in this mode") {
		t.Errorf("%+v", results)
	}
	files, spent, live := 0, false, ""
	for _, ev := range events {
		switch ev := ev.(type) {
		case agent.Returned:
			for _, e := range ev.Effects {
				files += len(e.Files)
				spent = spent || e.Spent != nil
			}
		case agent.Output:
			live += ev.Text
		}
	}
	if files != 1 {
		t.Errorf("%d files belong to the call", files)
	}
	if n := len(h.said); n != 4 {
		t.Errorf("%d messages joined the session", n)
	}
	_ = live // whether it was looked at in time is chance
}
