package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/trimtab/trimtab"
)

// TestG5_AReplyThatEndsTheTurnIsToldAtOnce: hooks, status and whoever looks at the
// session see it without waiting for a request that may never come.
func TestG5_AReplyThatEndsTheTurnIsToldAtOnce(t *testing.T) {
	up := newProvider(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"reply 1"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":4}}`)
	})
	r := newRig(t, parts{up: up.URL, still: true})
	header := http.Header{"X-Trimtab-Session": {"s"}}
	r.do(http.MethodPost, "/v1/messages", header, turns(1))
	until(t, "the reply is told", func() bool {
		s, err := r.service.Session(context.Background(), "s")
		return err == nil && s.Step == 1
	})
	r.do(http.MethodPost, "/v1/messages", header, turns(2)) // sends it back
	r.settle()
	said := r.said("s")
	if len(said) != 4 || said[1].Role != trimtab.RoleAssistant || said[1].Text() != "reply 1" || said[1].Usage == nil {
		t.Errorf("the session has %d messages: %+v", len(said), said)
	}
	if s := r.session("s"); s.Step != 2 {
		t.Errorf("%d steps, want 2: what came back was counted again", s.Step)
	}
}
