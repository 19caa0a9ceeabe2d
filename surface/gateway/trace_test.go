package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/surface/gateway"
)

// scribe is a tracer that keeps what it hears.
type scribe struct {
	mu    sync.Mutex
	heard []gateway.Trace
}

func (s *scribe) Record(t gateway.Trace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = append(s.heard, t)
}

func (s *scribe) all() []gateway.Trace {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard
}

// only waits for the one trace that there must be: it is told after the client
// has its reply.
func (s *scribe) only(t *testing.T) gateway.Trace {
	t.Helper()
	until(t, "a trace", func() bool { return len(s.all()) > 0 })
	if n := len(s.all()); n != 1 {
		t.Fatalf("%d traces, want 1", n)
	}
	return s.all()[0]
}

const hiReply = `{"type":"message","role":"assistant","model":"m-2","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":4,"cache_read_input_tokens":5}}`

func answers(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func traceRig(t *testing.T, up string, p parts) (*rig, *scribe) {
	t.Helper()
	s := &scribe{}
	p.up, p.patience, p.opt.Tracer, p.opt.Host = up, 60000, s, "mine"
	return newRig(t, p), s
}

// TestG6_EachMainTurnIsTraced: with what was asked, what steering did, and what
// came back; side calls, counts and other paths are not.
func TestG6_EachMainTurnIsTraced(t *testing.T) {
	d := dialects()["anthropic"]
	up := newProvider(t, answers(http.StatusOK, hiReply))
	r, s := traceRig(t, up.URL, parts{opening: planning()})
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	header := with(d.key, "X-Trimtab-Session", "s", "Traceparent", parent)
	r.do(http.MethodPost, d.path, header, d.ask("hello", false))
	got := s.only(t)
	if got.Tokens == 0 {
		t.Error("the note has no tokens")
	}
	got.Tokens = 0
	want := gateway.Trace{
		Began: noon(), Ended: noon(), First: noon(), Parent: parent, Session: "s", Host: "mine", Provider: "anthropic", Server: strings.TrimPrefix(up.URL, "http://"), Model: "m",
		Steered: true, Notes: 1, Status: 200, Replied: "m-2", Reason: "end_turn", Usage: &trimtab.Usage{Input: 3, Output: 4, CacheRead: 5},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := up.last(t).header["Traceparent"]; len(got) != 1 || got[0] != parent {
		t.Errorf("the provider got the traceparent %q", got)
	}
	r.do(http.MethodPost, "/v1/messages/count_tokens", d.key, d.ask("hello", false))
	r.do(http.MethodGet, "/v1/models", d.key, nil)
	r.do(http.MethodPost, d.path, d.key, []byte(`{"broken`))
	r.do(http.MethodPost, d.path, http.Header{"User-Agent": {"claude-cli/2"}, "X-Claude-Code-Session-Id": {"x"}}, []byte(`{"model":"m","tools":[],"messages":[{"role":"user","content":"a title"}]}`))
	r.settle()
	if r.gate.Stats.Side.Load() == 0 || len(s.all()) != 1 {
		t.Errorf("%d side calls, %d traces", r.gate.Stats.Side.Load(), len(s.all()))
	}
}

// TestG6_TracingChangesNoByte: the request that leaves and the reply that comes
// back are the same with and without it, headers too.
func TestG6_TracingChangesNoByte(t *testing.T) {
	for name, d := range dialects() {
		t.Run(name, func(t *testing.T) {
			up := newProvider(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Date"] = nil
				fmt.Fprint(w, hiReply)
			})
			header := with(d.key, "X-Trimtab-Session", "s", "Traceparent", "nonsense", "Tracestate", "a=b")
			off := newRig(t, parts{up: up.URL, opening: planning(), patience: 60000})
			wantReply, want := off.do(http.MethodPost, d.path, header, d.ask("hello", false)), up.last(t)
			on, s := traceRig(t, up.URL, parts{opening: planning()})
			gotReply, got := on.do(http.MethodPost, d.path, header, d.ask("hello", false)), up.last(t)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(arrival{})); diff != "" || !bytes.Contains(got.body, []byte(planned)) {
				t.Error(diff)
			}
			wantReply.header.Del("Date") // a second may pass in between
			gotReply.header.Del("Date")
			if diff := cmp.Diff(wantReply, gotReply, cmp.AllowUnexported(answer{})); diff != "" {
				t.Error(diff)
			}
			if heard := s.only(t); heard.Model == "" || heard.Provider == "" {
				t.Errorf("%+v", heard)
			}
		})
	}
}

// TestG6_FailuresAreTraced: those of the provider are told apart from a client
// that hung up, and from steering that failed.
func TestG6_FailuresAreTraced(t *testing.T) {
	d := dialects()["anthropic"]
	stream := func(end string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"model\":\"m-2\",\"content\":[],\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n",
				"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
				"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n", end)
			_ = http.NewResponseController(w).Flush()
			if end == "" {
				panic(http.ErrAbortHandler)
			}
		}
	}
	for name, c := range map[string]struct {
		reply  http.HandlerFunc // nil: nobody is there
		mood   mood
		fault  string
		status int
		usage  bool
	}{
		"unreachable":       {nil, well, gateway.FaultUnreachable, 0, false},
		"refused":           {answers(http.StatusTooManyRequests, `{"type":"error"}`), well, "", 429, false},
		"cut":               {stream(""), well, gateway.FaultCut, 200, true},
		"ended too early":   {stream(": \n\n"), well, gateway.FaultCut, 200, true},
		"error in a stream": {stream("data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"sk-test\"}}\n\n"), well, "overloaded_error", 200, true},
		"steering failed":   {answers(http.StatusOK, hiReply), failed, "", 200, true},
		"steering panicked": {answers(http.StatusOK, hiReply), panics, "", 200, true},
	} {
		t.Run(name, func(t *testing.T) {
			address := "http://" + gone(t)
			if c.reply != nil {
				address = newProvider(t, c.reply).URL
			}
			m := &moods{}
			m.set(c.mood, "")
			r, s := traceRig(t, address, parts{opening: planning(), service: func(h *session.Service) gateway.Service { return service{h, m} }})
			_, _ = r.try(http.MethodPost, d.path, d.key, bytes.NewReader(d.ask("hello", strings.Contains(name, "stream") || c.fault == gateway.FaultCut)))
			got := s.only(t)
			if got.Fault != c.fault || got.Status != c.status || (got.Usage != nil) != c.usage || got.Left || got.Steered != (c.mood == well) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestG6_AClientThatHangsUpIsNoFailure of the provider.
func TestG6_AClientThatHangsUpIsNoFailure(t *testing.T) {
	d := dialects()["anthropic"]
	for _, begun := range []bool{false, true} {
		asked := make(chan struct{})
		up := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
			if begun {
				w.Header().Set("Content-Type", "text/event-stream")
				_ = http.NewResponseController(w).Flush()
			}
			close(asked)
			<-r.Context().Done() // which ends when the gateway hangs up too
		})
		r, s := traceRig(t, up.URL, parts{})
		ctx, hangUp := context.WithCancel(t.Context())
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+d.path, bytes.NewReader(d.ask("hello", true)))
		if err != nil {
			t.Fatal(err)
		}
		if !begun {
			go func() { <-asked; hangUp() }()
		}
		reply, err := r.http.Do(q)
		if (err == nil) != begun {
			t.Fatalf("begun %v: %v", begun, err)
		}
		if begun {
			hangUp()
			_ = reply.Body.Close()
		}
		if got := s.only(t); !got.Left || got.Fault != "" {
			t.Errorf("begun %v: %+v", begun, got)
		}
		hangUp()
	}
}

type broken struct{}

func (broken) Record(gateway.Trace) { panic("a bug in the tracer") }

// TestG6_ABugInTheTracerDoesNotReachTheClient, and what it is told of a reply that
// was cut does not mend the cut.
func TestG6_ABugInTheTracerDoesNotReachTheClient(t *testing.T) {
	d := dialects()["anthropic"]
	up := newProvider(t, answers(http.StatusOK, hiReply))
	p := parts{up: up.URL}
	p.opt.Tracer = broken{}
	r := newRig(t, p)
	if a := r.do(http.MethodPost, d.path, d.key, d.ask("hello", false)); a.status != http.StatusOK || string(a.body) != hiReply || a.err != nil {
		t.Errorf("%+v", a)
	}
	until(t, "the fault", func() bool { return r.gate.Stats.Faults.Load() == 1 })
	short := newProvider(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, hiReply)
	})
	p.up = short.URL
	if a := newRig(t, p).do(http.MethodPost, d.path, d.key, d.ask("hello", false)); a.err == nil {
		t.Error("the client does not see that the reply was cut")
	}
}
