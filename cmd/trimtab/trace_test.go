package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/operate"
	"github.com/trimtab/trimtab/surface/server"
)

// screenText is what a program writes, to be read while it runs.
type screenText struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // something was written
}

func (s *screenText) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default:
	}
	return s.text.Write(p)
}

func (s *screenText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

var listening = regexp.MustCompile(`listening on (http://\S+)`)

// address waits until the server has said where it listens.
func (s *screenText) address(t *testing.T, over <-chan error) string {
	t.Helper()
	for {
		if m := listening.FindStringSubmatch(s.String()); m != nil {
			return m[1]
		}
		select {
		case <-s.more:
		case err := <-over:
			t.Fatalf("it did not serve: %v\n%s", err, s)
		}
	}
}

// ownURL is the base URL of a client of the server.
func ownURL(t *testing.T, a *app, base string) string {
	t.Helper()
	clients, err := a.clients()
	if err != nil {
		t.Fatal(err)
	}
	secret, err := clients.Secret(operate.OwnClient)
	if err != nil {
		t.Fatal(err)
	}
	return address.URL(base, secret)
}

// served starts trimtab serve with a file of settings, sends one main turn with a
// key, and stops it. It returns what was written to the terminal.
func served(t *testing.T, settings, upstream string, environ ...string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "trimtab.json")
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	said := &screenText{more: make(chan struct{}, 1)}
	a := &app{in: strings.NewReader(""), out: io.Discard, err: said, clock: time.Now}
	a.environ = append([]string{"HOME=" + dir, "TRIMTAB_DATA=" + filepath.Join(dir, "data"), "TRIMTAB_CONFIG=" + file}, environ...)
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- a.serve(ctx, server.Config{Listen: "127.0.0.1:0"}, []string{"anthropic=" + upstream}) }()
	url := ownURL(t, a, said.address(t, over))
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/messages", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"a secret word"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("X-Api-Key", "sk-secret")
	q.Header.Set("X-Trimtab-Session", "s")
	q.Close = true
	reply, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, reply.Body); err != nil || reply.StatusCode != http.StatusOK {
		t.Error(reply.Status, err)
	}
	_ = reply.Body.Close()
	stop()
	if err := <-over; err != nil {
		t.Error(err)
	}
	if err := a.close(); err != nil {
		t.Error(err)
	}
	return said.String()
}

// TestG6_TracesLeaveOnlyWhereAskedFor: none with no setting, and one span at the
// end of the program with the setting or the standard variable; a collector that is
// not there is told once, and the turn passes.
func TestG6_TracesLeaveOnlyWhereAskedFor(t *testing.T) {
	var mu sync.Mutex
	var got []string
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.Method+" "+r.URL.Path+" "+string(raw))
	}))
	defer collector.Close()
	nobody := httptest.NewServer(nil)
	nobody.Close()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"a secret answer"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":4}}`)
	}))
	defer model.Close()
	setting := func(url string) string { return fmt.Sprintf(`{"telemetry": {"traces": %q}}`, url) }
	for _, c := range []struct {
		name, settings string
		environ        []string
		spans          int
		said           string
	}{
		{"nothing", `{}`, nil, 0, ""},
		{"a setting", setting(collector.URL), nil, 1, ""},
		{"a variable", `{}`, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL}, 1, ""},
		{"our variable", `{}`, []string{"TRIMTAB_TELEMETRY_TRACES=" + collector.URL}, 1, ""},
		{"off", setting("off"), []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL}, 0, ""},
		{"grpc", `{}`, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, 0, "asks for grpc"},
		{"a collector that is not there", setting(nobody.URL), nil, 0, "traces are not taken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got = nil
			said := served(t, c.settings, model.URL, c.environ...)
			if len(got) != c.spans || c.said != "" && strings.Count(said, c.said) != 1 || c.said == "" && strings.Contains(said, "traces") {
				t.Errorf("%d spans\n%s", len(got), said)
			}
			for _, s := range got {
				if !strings.HasPrefix(s, "POST /v1/traces ") || !strings.Contains(s, `"chat m"`) || strings.Count(s, "spanId") != 1 || strings.Contains(s, "secret") {
					t.Error(s)
				}
			}
		})
	}
}

// TestG6_AProjectCannotSayWhereTracesGo: its settings are someone else's.
func TestG6_AProjectCannotSayWhereTracesGo(t *testing.T) {
	layer := config.Layer{Name: "project", File: "f", Data: []byte(`{"telemetry": {"traces": "http://elsewhere.example"}}`), Guarded: true}
	cfg, report := config.Load[Settings](config.Sources{Layers: []config.Layer{layer}})
	if cfg.Telemetry.Traces != "" || len(report.Problems) != 1 {
		t.Errorf("%q, %v", cfg.Telemetry.Traces, report.Problems)
	}
}

// TestG6_AWrongAddressIsRefusedAtTheStart, by the name of its setting.
func TestG6_AWrongAddressIsRefusedAtTheStart(t *testing.T) {
	dir := t.TempDir()
	a := &app{in: strings.NewReader(""), out: io.Discard, err: io.Discard, clock: time.Now}
	a.environ = []string{"HOME=" + dir, "TRIMTAB_DATA=" + dir, "TRIMTAB_TELEMETRY_TRACES=nowhere"}
	if err := a.serve(t.Context(), server.Config{Listen: "127.0.0.1:0"}, nil); err == nil || !strings.Contains(err.Error(), "telemetry.traces: not an http") {
		t.Error(err)
	}
}
