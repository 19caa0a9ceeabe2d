package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/surface/gateway"
)

// slow is a service that counts the events it is told, and takes all the patience there
// is for the first of each request.
type slow struct {
	*session.Service
	events, calls *atomic.Int32
	waits         *atomic.Bool
}

func (s slow) Steer(ctx context.Context, id string, tell func(trimtab.Session) []trimtab.Event) (trimtab.Session, trimtab.Outcome, error) {
	s.calls.Add(1)
	next, out, err := s.Service.Steer(ctx, id, func(now trimtab.Session) []trimtab.Event {
		events := tell(now)
		s.events.Add(int32(len(events)))
		return events
	})
	if s.waits.Load() {
		<-ctx.Done()
	}
	return next, out, err
}

// TestD9_WorkEndsWithPatience: a request whose steering takes longer than its patience goes
// out as it came, and no more is read of it than the messages of one step; the next one
// goes on from there, until all is told and it is steered again.
func TestD9_WorkEndsWithPatience(t *testing.T) {
	const step, steps = 256, 4
	synctest.Test(t, func(t *testing.T) { // a loaded machine would take the patience by itself
		var events, calls atomic.Int32
		var waits atomic.Bool
		r, b := nearby(t, parts{service: func(h *session.Service) gateway.Service { return slow{h, &events, &calls, &waits} }})
		body := long(step * steps) // a first request with a long history
		send := func() []byte {
			r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"s"}}, body)
			return b.last()
		}
		waits.Store(true)
		for n := range steps {
			before := calls.Load()
			if got := send(); !bytes.Equal(got, body) {
				t.Fatalf("request %d did not go out as it came", n+1)
			}
			if made := calls.Load() - before; made != 1 {
				t.Errorf("request %d: the engine was called %d times, and patience was over after the first", n+1, made)
			}
			if told, want := events.Load(), int32(step*(n+1)+1); told != want {
				t.Errorf("request %d: %d events, want %d", n+1, told, want)
			}
		}
		waits.Store(false)
		if got := send(); !bytes.Contains(got, []byte("PLANNING MODE")) {
			t.Errorf("it is not steered again: %.200s", got)
		}
		if told, all := events.Load(), int32(step*steps+3); told != all {
			t.Errorf("%d events, want %d: each message once, the opening and the call", told, all)
		}
		r.settle()
		if s := r.session("s"); s.Step != step*steps/2 || s.Seq != step*steps+1 {
			t.Errorf("step %d, %d messages", s.Step, s.Seq)
		}
	})
}

// TestD9_ALongHistoryThatChangedIsToldInSteps: the change is told with the first, and the
// session is as if all had been told at once.
func TestD9_ALongHistoryThatChangedIsToldInSteps(t *testing.T) {
	up := newProvider(t, nil)
	r := newRig(t, parts{up: up.URL, opening: planning(), patience: 60000})
	send := func(body []byte) {
		r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"s"}}, body)
	}
	send(long(10))
	send(bytes.ReplaceAll(long(1000), []byte("prompt 0"), []byte("another beginning")))
	r.settle()
	if n := r.gate.Stats.Faults.Load(); n != 0 {
		t.Errorf("%d faults: %s", n, r.log)
	}
	if got := up.last(t).body; !bytes.Contains(got, []byte("PLANNING MODE")) {
		t.Errorf("it is not steered: %.300s", got)
	}
	send(bytes.ReplaceAll(long(1002), []byte("prompt 0"), []byte("another beginning")))
	r.settle()
	if s := r.session("s"); s.Prompt.ID != s.Last.ID || s.Step != 5 { // the replies of a history that changed came from somewhere else
		t.Errorf("step %d, the newest prompt is %v of %v", s.Step, s.Prompt.Ref, s.Last.Ref)
	}
}

// long is a conversation of n messages, the last of which is a prompt.
func long(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"model":"claude-x","max_tokens":9,"messages":[`)
	for i := range n {
		if i > 0 {
			b.WriteString(",")
		}
		switch {
		case i%2 == 0 && i < n-1:
			fmt.Fprintf(&b, `{"role":"user","content":"prompt %d"}`, i)
		case i < n-1:
			fmt.Fprintf(&b, `{"role":"assistant","content":"reply %d"}`, i)
		default:
			fmt.Fprintf(&b, `{"role":"assistant","content":"reply %d"},{"role":"user","content":"go on"}`, i)
		}
	}
	return []byte(b.String() + "]}")
}

// TestD9_HostileBodiesPass: deep ones, many tiny blocks, large ones. Each is read once,
// and goes to the provider whatever becomes of its steering.
func TestD9_HostileBodiesPass(t *testing.T) {
	size := 30 << 20
	if testing.Short() {
		size = 3 << 20
	}
	tiny := `{"type":"text","text":"a"}`
	for name, content := range map[string]string{
		"deep":        strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20),
		"deep blocks": `[` + strings.Repeat(`{"type":"tool_result","tool_use_id":"t","content":[`, 5000) + strings.Repeat("]}", 5000) + `]`,
		"tiny blocks": "[" + strings.Repeat(tiny+",", size/len(tiny)) + tiny + "]",
		"tags":        `"` + strings.Repeat("<system-reminder>", size/17) + `"`,
		"openings":    "[" + strings.Repeat(`{"type":"text","text":"[read_file for"},`, size/40) + tiny + "]",
		"escapes":     `"` + strings.Repeat(`\u0061`, size/6) + `"`,
	} {
		t.Run(name, func(t *testing.T) {
			up := newProvider(t, nil)
			var events, calls atomic.Int32
			var waits atomic.Bool
			r := newRig(t, parts{up: up.URL, service: func(h *session.Service) gateway.Service { return slow{h, &events, &calls, &waits} }})
			body := []byte(`{"model":"claude-x","max_tokens":9,"messages":[{"role":"user","content":` + content + `}]}`)
			r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"s"}}, body)
			if got := up.last(t).body; !bytes.Equal(got, body) {
				t.Errorf("%d bytes arrived of %d", len(got), len(body))
			}
			if calls.Load() > 1 || events.Load() > 2 {
				t.Errorf("one message was told in %d calls and %d events", calls.Load(), events.Load())
			}
		})
	}
}
