package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// work is a conversation of n rounds of a tool after a prompt, as Claude Code
// sends it.
func work(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"model":"claude-x","max_tokens":9,"messages":[{"role":"user","content":"build the mill"}`)
	for i := range n {
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"text","text":"round %d"},{"type":"tool_use","id":"t%d","name":"Read","input":{"path":"f%d"}}]}`, i, i, i)
		fmt.Fprintf(&b, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}`, i, strings.Repeat("line of a file ", 200))
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

// frame gives a frame command from outside, as a person does.
func (r *rig) frame(args ...string) string {
	r.t.Helper()
	_, out, err := r.service.Handle(context.Background(), "s", trimtab.Asked{Command: "frame", Args: args, By: trimtab.Person, Away: true})
	if err != nil {
		r.t.Fatal(err)
	}
	reply, err := out.Reply()
	if err != nil || reply.Failed {
		r.t.Fatalf("frame %v: %v %s", args, err, reply.Text)
	}
	return reply.Text
}

// TestF5_APoppedFrameLeavesTheRequest: its messages go, the summary stands in
// their place, pairs stay whole, and unfolding brings every byte back.
func TestF5_APoppedFrameLeavesTheRequest(t *testing.T) {
	up := newProvider(t, nil)
	r := newRig(t, parts{up: up.URL})
	send := func(n int) []byte {
		r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"s"}}, work(n))
		return up.last(t).body
	}
	send(2)
	r.frame("push", "read the files")
	send(40)
	folded := r.frame("pop", "completed", "the files describe a mill with four sails")
	got := send(42)
	if len(got) > len(work(42))/4 {
		t.Fatalf("%d of %d bytes were sent; pop said %q\n%s", len(got), len(work(42)), folded, r.log)
	}
	if err := fakemodel.Validate(fakemodel.Anthropic, got); err != nil {
		t.Errorf("the model would refuse it: %v", err)
	}
	for _, words := range []string{"build the mill", "four sails", "round 41"} {
		if !bytes.Contains(got, []byte(words)) {
			t.Errorf("%q is not in it", words)
		}
	}
	if bytes.Contains(got, []byte(`"round 20"`)) {
		t.Error("the middle of the frame is still there")
	}
	if again := send(42); !bytes.Equal(again, got) {
		t.Error("the same request left otherwise")
	}
	r.frame("unfold", "f2")
	if open := uncut(t, dialects()["anthropic"], send(42)); !bytes.Equal(open, work(42)) {
		t.Errorf("unfolded it is not as the client sent it")
	}
	if n := r.gate.Stats.Faults.Load(); n != 0 {
		t.Errorf("%d faults:\n%s", n, r.log)
	}
}
