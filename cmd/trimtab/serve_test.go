package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/gateway"
	"github.com/trimtab/trimtab/surface/server"
)

// provider answers in OpenAI's format and keeps what it was sent.
type provider struct{ bodies []string }

func (p *provider) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	p.bodies = append(p.bodies, string(raw))
	reply := `{"id":"r","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(reply)), Request: r}, nil
}

// TestH2_H3_TheGatewayFollowsTheSettings: steering.travel says whether a note of an
// earlier turn stays where it was sent, and the upstream whether notes are developer
// messages.
func TestH2_H3_TheGatewayFollowsTheSettings(t *testing.T) {
	for _, c := range []struct {
		travel, upstream, role string
		reminders              int // in the request of the third prompt
	}{
		{"auto", "", "developer", 1},
		{"append", "", "developer", 2},
		{"tail", "https://chatgpt.com/backend-api/codex", "developer", 1},
		{"auto", "https://models.example", "user", 1},
	} {
		dir := t.TempDir()
		a := &app{in: strings.NewReader(""), out: io.Discard, err: io.Discard, clock: time.Now}
		a.environ = []string{"HOME=" + dir, "TRIMTAB_DATA=" + dir, "TRIMTAB_STEERING_TRAVEL=" + c.travel}
		p := &provider{}
		g, err := a.gateway(t.Context(), map[string]string{"openai": c.upstream}, gateway.Options{
			Transport: p, Opening: []trimtab.Event{trimtab.Asked{Command: "mode", Args: []string{"planning"}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		type message struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		}
		var history []message
		for _, prompt := range []string{"one", "two", "three"} {
			history = append(history, message{"user", prompt})
			body, err := json.Marshal(map[string]any{"model": "m", "messages": history})
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/v1/chat/completions", bytes.NewReader(body))
			r.Header.Set("X-Trimtab-Session", "s")
			g.ServeHTTP(httptest.NewRecorder(), r)
			history = append(history, message{"assistant", "ok"})
		}
		last := p.bodies[len(p.bodies)-1]
		if n := strings.Count(last, "Remember: You are still"); len(p.bodies) != 3 || n != c.reminders {
			t.Errorf("%+v: %d requests, %d reminders in the last: %s", c, len(p.bodies), n, last)
		}
		if strings.Contains(last, `"developer"`) != (c.role == "developer") {
			t.Errorf("%+v: %s", c, last)
		}
		if err := a.close(); err != nil {
			t.Error(err)
		}
	}
}

// D11, P6 at the start: with a damaged database the gateway steers from memory and
// passes everything, and readiness says that it is not ready.
func TestP6_TrafficPassesWhereTheStoreCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "trimtab.db"), bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	a := &app{in: strings.NewReader(""), out: io.Discard, err: &said, clock: time.Now, environ: []string{"HOME=" + dir, "TRIMTAB_DATA=" + dir}}
	p := &provider{}
	g, err := a.gateway(t.Context(), nil, gateway.Options{Transport: p, Opening: []trimtab.Event{trimtab.Asked{Command: "mode", Args: []string{"planning"}}}})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/v1/chat/completions", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"hello"}]}`))
	g.ServeHTTP(httptest.NewRecorder(), r)
	if len(p.bodies) != 1 || !strings.Contains(p.bodies[0], "PLANNING") || !strings.Contains(said.String(), "not stored") {
		t.Errorf("it sent %q and said %q", p.bodies, said.String())
	}
	s, err := a.server(t.Context(), server.Options{Gateway: g, Metrics: &g.Stats, Known: func(string) bool { return false }, Hosts: []string{"127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	ready := httptest.NewRecorder()
	s.ServeHTTP(ready, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:1/readyz", nil))
	if ready.Code != http.StatusServiceUnavailable {
		t.Errorf("readiness is %d: %s", ready.Code, ready.Body)
	}
	if err := a.close(); err != nil {
		t.Error(err)
	}
}
