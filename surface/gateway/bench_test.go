package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/helm"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/surface/gateway"
)

// BenchmarkTurn is a request through the gateway to a model without latency, with
// steering on and sessions on the disk: the same one again, and one of a session
// that grows. bench/gateway compares with others; this is for looking into it.
func BenchmarkTurn(b *testing.B) {
	for _, size := range []int{10 << 10, 200 << 10, 2 << 20} {
		for _, grows := range []bool{false, true} {
			b.Run(fmt.Sprintf("%dKB/grows=%v", size>>10, grows), func(b *testing.B) { benchTurns(b, size, grows) })
		}
	}
}

func benchTurns(b *testing.B, size int, grows bool) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"type":"message","role":"assistant","content":[{"type":"text","text":"fine"}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":2}}`))
	}))
	defer up.Close()
	store, err := sqlite.Open(context.Background(), filepath.Join(b.TempDir(), "trimtab.db"), sqlite.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	engine, err := steer.New(steer.Config{})
	if err != nil {
		b.Fatal(err)
	}
	door := helm.New(engine, store, helm.Options{})
	defer func() { _ = door.Flush(context.Background()) }()
	opt := gateway.Options{Door: door, History: store, Log: slog.New(slog.DiscardHandler)}
	opt.Upstreams = map[string]string{"anthropic": up.URL}
	gate, err := gateway.New(opt)
	if err != nil {
		b.Fatal(err)
	}
	front := httptest.NewServer(gate)
	defer front.Close()
	turn := func(i int) string {
		return fmt.Sprintf(`,{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Read","input":{"path":"a%d"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}`, i, i, i, strings.Repeat("word ", 100))
	}
	fill := strings.Builder{}
	fill.WriteString(`{"model":"m","max_tokens":10,"messages":[{"role":"user","content":"automata: do it"}`)
	for i := 0; fill.Len() < size; i++ {
		fill.WriteString(turn(i))
	}
	body := []byte(fill.String())
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if grows {
			if len(body) > size+size/4+64<<10 {
				body, n = []byte(fill.String()), n+1
			}
			body = append(body, turn(1e6+len(body))...)
		}
		q, err := http.NewRequestWithContext(b.Context(), http.MethodPost, front.URL+"/v1/messages", bytes.NewReader(append(body[:len(body):len(body)], "]}"...)))
		if err != nil {
			b.Fatal(err)
		}
		q.Header.Set("X-Trimtab-Session", fmt.Sprintf("s%d", n))
		reply, err := http.DefaultClient.Do(q)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, reply.Body)
		_ = reply.Body.Close()
		if reply.StatusCode != http.StatusOK {
			b.Fatal(reply.Status)
		}
	}
}
