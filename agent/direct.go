package agent

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
)

// Direct runs one tool for a person, without a model and without a session: what a
// person asks for themselves needs no permission.
type Direct struct {
	Tool tool.Tool
	Call trimtab.ToolCall
}

// Run runs the tool and tells what it writes and returns, as a run with a model does.
func (d Direct) Run(ctx context.Context, _ string, _ trimtab.Message) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		r := &run{Agent: &Agent{}, ctx: ctx, cancel: cancel, yield: yield}
		j := &job{call: d.Call, tool: d.Tool, ready: make(chan struct{}), live: newLiveOutput()}
		r.emit(Called{d.Call})
		go j.run(ctx, r.why)
		r.await(j)
		<-j.ready
		r.emit(Returned{d.Call, j.result, j.effects})
		if ctx.Err() != nil {
			r.emit(Stopped{Cancelled})
			return
		}
		r.emit(Stopped{Ended})
	}
}

// maxOwn is how much of a command's output the model reads.
const maxOwn = 16 << 10

// OwnCommand tells a model, with the next prompt, of a command that the person ran themselves.
func OwnCommand(command, output string) trimtab.Text {
	if n := len(output) - maxOwn; n > 0 {
		output = "[…]" + strings.ToValidUTF8(output[n:], "")
	}
	return trimtab.Text{By: trimtab.Host, Text: fmt.Sprintf("The person ran a command themselves: %s\n%s", command, output)}
}
