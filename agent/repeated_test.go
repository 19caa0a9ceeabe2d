package agent_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/llm"
)

// TestChat_B13_FailedPromptsAreOneMessage: after three failures the model hears what was
// asked, once.
func TestChat_B13_FailedPromptsAreOneMessage(t *testing.T) {
	h := newHarness(t)
	var last llm.Request
	tries := 0
	m := model(func(_ context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
		last = r
		if tries++; tries < 4 {
			return func(yield func(llm.Chunk, error) bool) { yield(nil, errors.New("401: no such key")) }
		}
		return says(trimtab.Text{Text: "end"})
	})
	a := agent.New(h, m, agent.Options{History: h, Tools: []tool.Tool{}})
	for i, prompt := range []string{"build a mill", "build a mill", "go on", "and paint it"} {
		for _, err := range a.Run(t.Context(), "s1", prompted(prompt)) {
			if err != nil && i == 3 {
				t.Fatal(err)
			}
		}
	}
	if len(last.Messages) != 1 || len(last.Messages[0].Parts) != 2 || last.Messages[0].Text() != "build a mill\nand paint it" {
		t.Errorf("the model heard %+v", last.Messages)
	}
}
