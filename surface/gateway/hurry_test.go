package gateway_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/surface/gateway"
)

// hasty is a service that counts how often it was told to hurry.
type hasty struct {
	*session.Service
	times *atomic.Int32
}

func (h hasty) Hurry() {
	h.times.Add(1)
	h.Service.Hurry()
}

// TestF5_WhatOurOwnToolsReadIsStoredFirst: a reply that calls one of them has the
// session stored at once, because another process answers it; any other waits to be
// stored with its neighbours.
func TestF5_WhatOurOwnToolsReadIsStoredFirst(t *testing.T) {
	for tool, want := range map[string]int32{"mcp__trimtab__flame_pop": 1, "trimtab_status": 1, "flame_push": 1, "Read": 0} {
		t.Run(tool, func(t *testing.T) {
			var times atomic.Int32
			up := newProvider(t, func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprintf(w, `{"type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t1","name":%q,"input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}}`, tool)
			})
			r := newRig(t, parts{up: up.URL, service: func(h *session.Service) gateway.Service { return hasty{h, &times} }})
			r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"s"}}, turns(1))
			r.settle()
			if got := times.Load(); got != want {
				t.Errorf("hurried %d times, want %d", got, want)
			}
		})
	}
}
