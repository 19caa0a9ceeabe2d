package trace_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/trace"
	"github.com/trimtab/trimtab/surface/gateway"
)

const (
	anthropicReply = `{"type":"message","role":"assistant","model":"m-2","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":4,"cache_read_input_tokens":5,"cache_creation_input_tokens":6}}`
	chatReply      = `{"id":"c","object":"chat.completion","model":"o-2","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":8}}`
	geminiReply    = `{"candidates":[{"content":{"role":"model","parts":[{"text":"hi"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2},"modelVersion":"g-2"}`
)

// TestG6_AMainTurnIsASpan with the names of the GenAI conventions, in each
// dialect, and what arrives is OTLP.
func TestG6_AMainTurnIsASpan(t *testing.T) {
	for name, c := range map[string]struct {
		path, ask, reply string
		span             string
		want             map[string]any
	}{
		"anthropic": {
			"/v1/messages", `{"model":"m","messages":[{"role":"user","content":"hello"}]}`, anthropicReply, "chat m",
			map[string]any{
				"gen_ai.provider.name": "anthropic", "gen_ai.request.model": "m", "gen_ai.response.model": "m-2", "gen_ai.response.finish_reasons": []any{"end_turn"},
				"gen_ai.usage.input_tokens": "int 14", "gen_ai.usage.output_tokens": "int 4", "gen_ai.usage.cache_read.input_tokens": "int 5", "gen_ai.usage.cache_creation.input_tokens": "int 6",
			},
		},
		"openai": {
			"/v1/chat/completions", `{"model":"o","messages":[{"role":"user","content":"hello"}]}`, chatReply, "chat o",
			map[string]any{
				"gen_ai.provider.name": "openai", "gen_ai.request.model": "o", "gen_ai.response.model": "o-2", "gen_ai.response.finish_reasons": []any{"stop"},
				"gen_ai.usage.input_tokens": "int 7", "gen_ai.usage.output_tokens": "int 8",
			},
		},
		"gemini": {
			"/v1beta/models/g:generateContent", `{"contents":[{"role":"user","parts":[{"text":"hello"}]}]}`, geminiReply, "chat g",
			map[string]any{
				"gen_ai.provider.name": "gcp.gemini", "gen_ai.request.model": "g", "gen_ai.response.model": "g-2", "gen_ai.response.finish_reasons": []any{"STOP"},
				"gen_ai.usage.input_tokens": "int 9", "gen_ai.usage.output_tokens": "int 2",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			to := newCollector(t)
			h := newHouse(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, c.reply)
			}, trace.Target{URL: to.URL + "/v1/traces", Header: http.Header{"X-Team": {"a"}}, About: []trace.Pair{{Name: "deployment.environment.name", Value: "test"}}})
			h.ask(c.path, http.Header{"X-Trimtab-Session": {"s"}}, c.ask)
			if err := h.end(); err != nil {
				t.Fatal(err)
			}
			if len(to.spans) != 1 {
				t.Fatalf("%d spans\n%s", len(to.spans), h.log)
			}
			s := to.spans[0]
			got := plain(s.Attributes)
			for _, key := range []string{"trimtab.note_tokens", "server.port"} { // they depend on the words of a note, and on chance
				if got[key] == nil || got[key] == "int 0" {
					t.Errorf("%s is %v", key, got[key])
				}
				delete(got, key)
			}
			for key, v := range map[string]any{
				"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "s", "gen_ai.request.stream": false, "server.address": "127.0.0.1", "http.response.status_code": "int 200",
				"trimtab.host": "mine", "trimtab.steered": true, "trimtab.notes": "int 1", "trimtab.cached_prefix_lost": "int 0",
			} {
				c.want[key] = v
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if s.Name != c.span || s.Kind != 3 || s.Status.Code != 0 || s.ParentSpanID != "" || len(s.TraceID) != 32 || len(s.SpanID) != 16 || s.Flags != 0x101 {
				t.Errorf("%+v", s)
			}
			if len(s.StartTimeUnixNano) != 19 || s.EndTimeUnixNano < s.StartTimeUnixNano {
				t.Errorf("from %s to %s", s.StartTimeUnixNano, s.EndTimeUnixNano)
			}
			if diff := cmp.Diff(map[string]any{"service.name": "trimtab", "service.version": "1.2.3", "deployment.environment.name": "test"}, to.about); diff != "" {
				t.Error(diff)
			}
			if to.header[0].Get("X-Team") != "a" {
				t.Errorf("the person's header did not arrive: %v", to.header[0])
			}
		})
	}
}

// TestG6_TheClientsTraceIsTheParent: the turn belongs to the trace that the client
// names; one that it does not record is not recorded here either.
func TestG6_TheClientsTraceIsTheParent(t *testing.T) {
	to := newCollector(t)
	h := newHouse(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, anthropicReply) }, trace.Target{URL: to.URL + "/v1/traces"})
	ask := func(session, parent string) {
		h.ask("/v1/messages", http.Header{"X-Trimtab-Session": {session}, "Traceparent": {parent}}, `{"model":"m","messages":[{"role":"user","content":"hello"}]}`)
	}
	ask("child", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	ask("silent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00")
	ask("orphan", "00-00000000000000000000000000000000-b7ad6b7169203331-01")
	if err := h.end(); err != nil {
		t.Fatal(err)
	}
	got := map[string]span{}
	for _, s := range to.spans {
		got[plain(s.Attributes)["gen_ai.conversation.id"].(string)] = s
	}
	if s := got["child"]; s.TraceID != "0af7651916cd43dd8448eb211c80319c" || s.ParentSpanID != "b7ad6b7169203331" || s.SpanID == s.ParentSpanID || s.Flags != 0x301 {
		t.Errorf("%+v", s)
	}
	if s := got["orphan"]; len(s.TraceID) != 32 || s.TraceID == strings.Repeat("0", 32) || s.ParentSpanID != "" {
		t.Errorf("%+v", s)
	}
	if _, there := got["silent"]; there || len(got) != 2 {
		t.Errorf("%d spans", len(got))
	}
}

// TestG6_FailuresOfTheProviderAreErrors, with a low number of kinds, and without
// a word of what the provider wrote.
func TestG6_FailuresOfTheProviderAreErrors(t *testing.T) {
	to := newCollector(t)
	x, err := trace.New(trace.Options{Target: trace.Target{URL: to.URL + "/v1/traces"}, Pause: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []gateway.Trace{
		{Session: "429", Status: 429},
		{Session: "unreachable", Fault: gateway.FaultUnreachable},
		{Session: "timeout", Fault: gateway.FaultTimeout},
		{Session: "cut", Fault: gateway.FaultCut, Status: 200},
		{Session: "overloaded_error", Fault: "overloaded_error", Status: 200},
		{Session: "_OTHER", Fault: "your key sk-123 is wrong", Status: 200},
		{Session: "", Status: 200},
		{Session: "", Status: 200, Left: true},
	} {
		x.Record(c)
	}
	if err := x.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(to.spans) != 8 {
		t.Fatalf("%d spans", len(to.spans))
	}
	for _, s := range to.spans {
		a := plain(s.Attributes)
		if a["error.type"] != a["gen_ai.conversation.id"] || (a["error.type"] != nil) != (s.Status.Code == 2) {
			t.Errorf("%v: %+v", a, s.Status)
		}
	}
	if strings.Contains(to.raw.String(), "sk-123") {
		t.Error("the provider's words are in a span")
	}
}

// TestG6_NoWordAndNoKeyInASpan: wherever they come from.
func TestG6_NoWordAndNoKeyInASpan(t *testing.T) {
	n := 0
	canary := func() string { n++; return fmt.Sprintf("canary-%02d", n) }
	to := newCollector(t)
	h := newHouse(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "s="+canary())
		if r.Header.Get("X-Break") != "" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"type":"error","error":{"type":%q,"message":%q}}`, canary(), canary())
			return
		}
		fmt.Fprintf(w, `{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":%q},{"type":"tool_use","id":"t","name":"Read","input":{"path":%q}}],"stop_reason":"%s is no reason","usage":{"input_tokens":3,"output_tokens":4}}`, canary(), canary(), canary())
	}, trace.Target{URL: to.URL + "/v1/traces?key=" + canary(), Header: http.Header{"Authorization": {"Bearer " + canary()}}})
	for _, broken := range []string{"", "1"} {
		header := http.Header{
			"Authorization": {"Bearer " + canary()}, "X-Api-Key": {canary()}, "X-Goog-Api-Key": {canary()}, "Cookie": {canary()}, "Tracestate": {"k=" + canary()}, "Baggage": {"k=" + canary()},
			"User-Agent": {canary()}, "Traceparent": {canary()}, "X-Trimtab-Session": {"s" + broken}, "X-Break": {broken},
		}
		h.ask("/v1/messages?key="+canary(), header, fmt.Sprintf(`{"model":"m","system":%q,"metadata":{"user_id":%q},"tools":[{"name":%q}],"messages":[{"role":"user","content":%q}]}`, canary(), canary(), canary(), canary()))
	}
	if err := h.end(); err != nil {
		t.Fatal(err)
	}
	if len(to.spans) != 2 || n < 30 {
		t.Fatalf("%d spans, %d canaries", len(to.spans), n)
	}
	for where, text := range map[string]string{"a span": to.raw.String(), "the log": h.log.String()} {
		if strings.Contains(text, "canary-") || strings.Contains(text, "PLANNING MODE") {
			t.Errorf("%s holds what it may not:\n%s", where, text)
		}
	}
}

// carrier plays a collector without a socket.
type carrier func(*http.Request) (*http.Response, error)

func (c carrier) RoundTrip(r *http.Request) (*http.Response, error) { return c(r) }

func says(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

func exporter(t *testing.T, log *notebook, c carrier) *trace.Exporter {
	t.Helper()
	x, err := trace.New(trace.Options{Target: trace.Target{URL: "http://collector.example/v1/traces"}, Carrier: c, Log: log.logger()})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestG6_ACollectorThatIsDownIsLoggedOnce, is tried again ever more seldom, and gets
// what waited when it is back.
func TestG6_ACollectorThatIsDownIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries, got atomic.Int64
		var up atomic.Bool
		log := &notebook{}
		x := exporter(t, log, func(r *http.Request) (*http.Response, error) {
			tries.Add(1)
			raw, err := io.ReadAll(r.Body)
			if !up.Load() {
				return nil, errors.Join(errors.New("connection refused"), err)
			}
			got.Add(int64(strings.Count(string(raw), `"spanId"`)))
			return says(http.StatusOK, ""), err
		})
		for range 100 {
			x.Record(gateway.Trace{})
			time.Sleep(time.Second) // of the bubble
		}
		synctest.Wait()
		if n := tries.Load(); n < 3 || n > 6 {
			t.Errorf("%d tries", n)
		}
		if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "connection refused") {
			t.Errorf("%d lines:\n%s", n, log)
		}
		up.Store(true)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if got.Load() != 100 || strings.Count(log.String(), "\n") != 2 {
			t.Errorf("%d spans arrived\n%s", got.Load(), log)
		}
		if err := x.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestG6_ASlowCollectorMakesNobodyWait: what does not fit into the queue is lost,
// and Close ends when its time is over.
func TestG6_ASlowCollectorMakesNobodyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := exporter(t, &notebook{}, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		begun := time.Now()
		for range 10000 {
			x.Record(gateway.Trace{})
		}
		if time.Since(begun) != 0 { // in the bubble time passes only where all wait
			t.Error("Record waited")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if err := x.Close(ctx); err == nil || !strings.Contains(err.Error(), "10000 spans") || strings.Contains(err.Error(), "v1/traces") {
			t.Errorf("Close: %v", err)
		}
		if took := time.Since(begun); took > 3*time.Second {
			t.Errorf("it took %v", took)
		}
		if x.Close(t.Context()) == nil {
			t.Error("a second Close has forgotten what was lost")
		}
	})
}

// TestG6_WhatTheCollectorRefusesIsNotSentAgain, but what it cannot take now is.
func TestG6_WhatTheCollectorRefusesIsNotSentAgain(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		tries  int
		lost   string
	}{
		{200, `{}`, 1, ""},
		{202, ``, 1, ""},
		{200, `{"partialSuccess":{"rejectedSpans":"2","errorMessage":"x"}}`, 1, "2 spans"},
		{200, `{"partialSuccess":{"rejectedSpans":1}}`, 1, "1 spans"},
		{200, `{"partialSuccess":{"rejectedSpans":-1}}`, 1, ""},
		{200, `nonsense`, 1, ""},
		{301, ``, 1, "3 spans"},
		{400, ``, 1, "3 spans"},
		{415, ``, 1, "3 spans"},
		{500, ``, 1, "3 spans"},
		{429, ``, 4, "3 spans"},
		{503, ``, 4, "3 spans"},
	} {
		synctest.Test(t, func(t *testing.T) {
			tries := 0
			log := &notebook{}
			x := exporter(t, log, func(*http.Request) (*http.Response, error) { tries++; return says(c.status, c.body), nil })
			for range 3 {
				x.Record(gateway.Trace{})
			}
			time.Sleep(40 * time.Second) // of the bubble: tries after 5, 15 and 35
			err := x.Close(t.Context())
			if tries != c.tries || (err == nil) != (c.lost == "") || err != nil && !strings.Contains(err.Error(), c.lost) {
				t.Errorf("%d %s: %d tries, %v", c.status, c.body, tries, err)
			}
			if n := strings.Count(log.String(), "\n"); n > 1 || (n == 1) != (c.lost != "") {
				t.Errorf("%d %s: %d lines\n%s", c.status, c.body, n, log)
			}
		})
	}
}

// TestG6_ManySpansLeaveInBatches, at once when one is full.
func TestG6_ManySpansLeaveInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var all []int
		seen := func() []int {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(all)
		}
		x := exporter(t, &notebook{}, func(r *http.Request) (*http.Response, error) {
			raw, err := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, strings.Count(string(raw), `"spanId"`))
			return says(http.StatusOK, ""), err
		})
		for range 600 {
			x.Record(gateway.Trace{Model: strings.Repeat("é", 1000)})
		}
		synctest.Wait()
		if diff := cmp.Diff([]int{256, 256}, seen()); diff != "" {
			t.Error(diff)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if diff := cmp.Diff([]int{256, 256, 88}, seen()); diff != "" {
			t.Error(diff)
		}
		if err := x.Close(t.Context()); err != nil || len(seen()) != 3 {
			t.Errorf("%v, %v", seen(), err)
		}
	})
}
