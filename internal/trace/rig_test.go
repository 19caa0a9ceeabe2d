package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/trace"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/gateway"
)

// exported is a request of OTLP in JSON, as the protocol has it. Fields that the
// protocol does not have are refused.
type exported struct {
	ResourceSpans []struct {
		Resource struct {
			Attributes []keyValue `json:"attributes"`
		} `json:"resource"`
		ScopeSpans []struct {
			Scope struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"scope"`
			SchemaURL string `json:"schemaUrl"`
			Spans     []span `json:"spans"`
		} `json:"scopeSpans"`
	} `json:"resourceSpans"`
}

type span struct {
	TraceID           string     `json:"traceId"`
	SpanID            string     `json:"spanId"`
	ParentSpanID      string     `json:"parentSpanId"`
	Flags             int        `json:"flags"`
	Name              string     `json:"name"`
	Kind              int        `json:"kind"`
	StartTimeUnixNano string     `json:"startTimeUnixNano"`
	EndTimeUnixNano   string     `json:"endTimeUnixNano"`
	Attributes        []keyValue `json:"attributes"`
	Status            struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"status"`
}

type keyValue struct {
	Key   string   `json:"key"`
	Value anyValue `json:"value"`
}

type anyValue struct {
	StringValue *string  `json:"stringValue"`
	BoolValue   *bool    `json:"boolValue"`
	IntValue    *string  `json:"intValue"` // 64 bits are text
	DoubleValue *float64 `json:"doubleValue"`
	ArrayValue  *struct {
		Values []anyValue `json:"values"`
	} `json:"arrayValue"`
}

func (v anyValue) plain() any {
	switch {
	case v.StringValue != nil:
		return *v.StringValue
	case v.BoolValue != nil:
		return *v.BoolValue
	case v.IntValue != nil:
		return "int " + *v.IntValue
	case v.DoubleValue != nil:
		return *v.DoubleValue
	case v.ArrayValue != nil:
		var all []any
		for _, e := range v.ArrayValue.Values {
			all = append(all, e.plain())
		}
		return all
	}
	return nil
}

func plain(all []keyValue) map[string]any {
	m := map[string]any{}
	for _, kv := range all {
		m[kv.Key] = kv.Value.plain()
	}
	return m
}

// collector takes spans over OTLP/HTTP.
type collector struct {
	*httptest.Server
	t      *testing.T
	mu     sync.Mutex
	raw    bytes.Buffer
	header []http.Header
	spans  []span
	about  map[string]any
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{t: t}
	c.Server = httptest.NewServer(http.HandlerFunc(c.take))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) take(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
		c.t.Errorf("%s %s of %q: %v", r.Method, r.URL, r.Header.Get("Content-Type"), err)
	}
	var e exported
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		c.t.Errorf("%v in\n%s", err, raw)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(raw)
	c.header = append(c.header, r.Header)
	for _, of := range e.ResourceSpans {
		c.about = plain(of.Resource.Attributes)
		for _, scope := range of.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
			if scope.Scope.Name == "" || !strings.HasPrefix(scope.SchemaURL, "https://opentelemetry.io/schemas/") {
				c.t.Errorf("scope %+v of %s", scope.Scope, scope.SchemaURL)
			}
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte("{}"))
}

// notebook is a log that many may write to.
type notebook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (n *notebook) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

func (n *notebook) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

func (n *notebook) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(n, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// house is a gateway that is traced.
type house struct {
	t     *testing.T
	trace *trace.Exporter
	front *httptest.Server
	log   *notebook
}

func newHouse(t *testing.T, up http.HandlerFunc, to trace.Target) *house {
	t.Helper()
	h := &house{t: t, log: &notebook{}}
	provider := httptest.NewServer(up)
	t.Cleanup(provider.Close)
	var err error
	if h.trace, err = trace.New(trace.Options{Target: to, Version: "1.2.3", Pause: time.Hour, Log: h.log.logger()}); err != nil {
		t.Fatal(err)
	}
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	store := memory.New()
	opt := gateway.Options{
		Service: session.New(engine, store, session.Options{}), History: store, Host: "mine", Tracer: h.trace, Log: h.log.logger(),
		Opening: []trimtab.Event{trimtab.Asked{Command: "mode", Args: []string{"planning"}, Away: true}},
	}
	opt.Upstreams = map[string]string{"anthropic": provider.URL, "openai": provider.URL, "gemini": provider.URL}
	opt.Patience = 60000
	g, err := gateway.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	h.front = httptest.NewServer(g)
	return h
}

func (h *house) ask(path string, header http.Header, body string) int {
	h.t.Helper()
	q, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.front.URL+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	q.Header = header.Clone()
	reply, err := h.front.Client().Do(q)
	if err != nil {
		h.t.Fatal(err)
	}
	defer reply.Body.Close()
	if _, err := io.Copy(io.Discard, reply.Body); err != nil {
		h.t.Fatal(err)
	}
	return reply.StatusCode
}

// end closes the gateway, and then the exporter as a program would.
func (h *house) end() error {
	h.front.Close() // waits for the requests
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	return h.trace.Close(ctx)
}
