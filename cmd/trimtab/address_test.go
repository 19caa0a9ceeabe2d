package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/operate"
	"github.com/trimtab/trimtab/surface/server"
)

// counted is a model that counts what it is asked and keeps what it was told.
type counted struct {
	*httptest.Server
	requests atomic.Int32
	mu       sync.Mutex
	heard    strings.Builder
}

func countedModel(t *testing.T) *counted {
	t.Helper()
	m := &counted{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.requests.Add(1)
		raw, _ := io.ReadAll(r.Body)
		m.mu.Lock()
		fmt.Fprintln(&m.heard, r.Method, r.RequestURI, r.Header, string(raw))
		m.mu.Unlock()
		fmt.Fprint(w, `{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"yes"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":4}}`)
	}))
	t.Cleanup(m.Close)
	return m
}

// post sends one main turn to a base URL.
func post(t *testing.T, base string, header ...string) (code int, text string) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/v1/messages", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("X-Api-Key", "sk-of-somebody")
	q.Header.Set("X-Trimtab-Session", "s")
	for _, h := range header {
		k, v, _ := strings.Cut(h, ": ")
		q.Header.Set(k, v)
	}
	q.Close = true
	reply, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(raw)
}

// TestH7_ServeAnswersItsClientsAndNobodyElse: nothing reaches a provider without a
// secret, with a wrong one, with that of another user or with a revoked one; and the
// secret is in no log, span or request that leaves.
func TestH7_ServeAnswersItsClientsAndNobodyElse(t *testing.T) {
	model, collector := countedModel(t), countedModel(t)
	said := &screenText{more: make(chan struct{}, 1)}
	dir := t.TempDir()
	a := &app{in: strings.NewReader(""), out: io.Discard, err: said, clock: time.Now}
	a.environ = []string{"HOME=" + dir, "TRIMTAB_DATA=" + filepath.Join(dir, "data"), "TRIMTAB_TELEMETRY_TRACES=" + collector.URL}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- a.serve(ctx, server.Config{Listen: "127.0.0.1:0"}, []string{"anthropic=" + model.URL}) }()
	base := said.address(t, over)
	own := ownURL(t, a, base) // made while the server runs
	_, secret := address.Split(own)
	other := &app{out: io.Discard, err: io.Discard, environ: []string{"TRIMTAB_DATA=" + t.TempDir()}, clock: time.Now}
	wrong := strings.Map(func(r rune) rune { return r ^ 1 }, secret)
	for name, url := range map[string]string{
		"none": base, "a session's": base + "/s/s", "a wrong one": address.URL(base, wrong), "another user's": ownURL(t, other, base), "a part": address.URL(base, secret[:20]),
	} {
		code, text := post(t, url, address.Header+": "+wrong)
		if code != http.StatusForbidden || !strings.Contains(text, "trimtab serve address") || model.requests.Load() > 0 {
			t.Errorf("%s: %d %s; %d requests left", name, code, text, model.requests.Load())
		}
	}
	if code, text := post(t, own); code != http.StatusOK || model.requests.Load() != 1 {
		t.Errorf("its own client: %d %s", code, text)
	}
	clients, err := a.clients()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := clients.Revoke(operate.OwnClient); err != nil {
		t.Fatal(err)
	}
	if code, _ := post(t, own); code != http.StatusForbidden || model.requests.Load() != 1 {
		t.Errorf("a client that was revoked: %d", code)
	}
	stop()
	if err := <-over; err != nil {
		t.Error(err)
	}
	if err := a.close(); err != nil {
		t.Error(err)
	}
	if collector.requests.Load() == 0 {
		t.Error("no span was sent")
	}
	for name, text := range map[string]string{"the log": said.String(), "what left for the model": model.heard.String(), "the spans": collector.heard.String()} {
		if strings.Contains(text, secret) || strings.Contains(text, "/k/") {
			t.Errorf("%s has the secret: %s", name, text)
		}
	}
}

// TestH7_TwoRunsAreApart: each is answered at its own address alone.
func TestH7_TwoRunsAreApart(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh on this system")
	}
	model := countedModel(t)
	told := regexp.MustCompile(`base (http://\S+)/s/\S+\n`)
	var urls []string
	for range 2 {
		dir := t.TempDir()
		said := &screenText{more: make(chan struct{}, 1)}
		in, typed := io.Pipe()
		a := &app{in: in, out: said, err: said, clock: time.Now}
		a.environ = []string{"HOME=" + dir, "TRIMTAB_DATA=" + filepath.Join(dir, "data")}
		over := make(chan error, 1)
		go func() {
			defer close(over)
			opt := runOptions{upstreams: map[string]string{"anthropic": model.URL}}
			over <- a.run(t.Context(), []string{"sh", "-c", `echo "base $ANTHROPIC_BASE_URL"; read line`}, true, opt)
		}()
		defer func() {
			_ = typed.Close() // the agent reads the end, and whoever hands it its input does
			if err := <-over; err != nil && !strings.Contains(err.Error(), "exited with code") {
				t.Error(err)
			}
			if err := a.close(); err != nil {
				t.Error(err)
			}
		}()
		for told.FindStringSubmatch(said.String()) == nil {
			select {
			case <-said.more:
			case err := <-over:
				t.Fatalf("it did not run: %v\n%s", err, said)
			}
		}
		urls = append(urls, told.FindStringSubmatch(said.String())[1])
	}
	first, one := address.Split(urls[0])
	second, two := address.Split(urls[1])
	if one == two || one == "" || two == "" {
		t.Fatalf("%q", urls)
	}
	for _, url := range []string{first, second, address.URL(first, two), address.URL(second, one), first + "/s/s"} {
		if code, _ := post(t, url); code != http.StatusForbidden || model.requests.Load() > 0 {
			t.Errorf("%s: %d, %d requests left", url, code, model.requests.Load())
		}
	}
	for _, path := range []string{"/healthz", "/metrics", "/readyz"} {
		reply, err := http.Get(first + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = reply.Body.Close()
		if reply.StatusCode != http.StatusForbidden {
			t.Errorf("a run answers %s to everybody: %s", path, reply.Status)
		}
	}
	for i, url := range urls {
		if code, text := post(t, url); code != http.StatusOK || int(model.requests.Load()) != i+1 {
			t.Errorf("%s: %d %s", url, code, text)
		}
	}
}
