package tui

import (
	"context"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// A job that the result of the last one adds is done once: done twice, its second
// result was taken for the job behind it, and a prompt that was sent while a resumed
// session's model was slow to come was never sent.
func TestAJobThatAJobAddsIsDoneOnce(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		times := 0
		count := job{what: "count", do: func(context.Context, place) (tea.Msg, error) { times++; return nil, nil }}
		b.do(b.chat.enqueue(job{
			what: "add", once: true,
			do:   func(context.Context, place) (tea.Msg, error) { return nil, context.Canceled },
			fail: func() tea.Cmd { return b.chat.enqueue(count) },
		}))
		b.rest()
		if times != 1 {
			t.Errorf("it was done %d times", times)
		}
	})
}
