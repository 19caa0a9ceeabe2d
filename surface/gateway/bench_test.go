package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/surface/gateway"
)

// BenchmarkTurn is what a request costs beside its way through the network, with
// steering on and sessions on the disk: the same request again, and one of a
// session that grows. bench/gateway compares with others; this is for looking
// into it.
func BenchmarkTurn(b *testing.B) {
	for _, size := range []int{10 << 10, 200 << 10, 2 << 20} {
		for _, grows := range []bool{false, true} {
			b.Run(fmt.Sprintf("%dKB/grows=%v", size>>10, grows), func(b *testing.B) { benchTurns(b, size, grows) })
		}
	}
}

// asks is a reply that calls the tool whose result a session's next turn brings back.
func asks(i int) string {
	return fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Read","input":{"path":"a%d"}}],"stop_reason":"tool_use","usage":{"input_tokens":10,"output_tokens":2}}`, i, i)
}

func benchTurns(b *testing.B, size int, grows bool) {
	store, err := sqlite.Open(context.Background(), filepath.Join(b.TempDir(), "trimtab.db"), sqlite.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	engine, err := steer.New(steer.Config{})
	if err != nil {
		b.Fatal(err)
	}
	service := session.New(engine, store, session.Options{})
	defer func() { _ = service.Flush(context.Background()) }()
	opt := gateway.Options{Service: service, History: store}
	next := 0 // the turn that comes next
	opt.Transport = carrier(func(q *http.Request) (*http.Response, error) {
		_, _ = io.Copy(io.Discard, q.Body)
		reply := asks(next)
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(reply)), Body: io.NopCloser(strings.NewReader(reply))}, nil
	})
	gate, err := gateway.New(opt)
	if err != nil {
		b.Fatal(err)
	}
	turn := func(i int) string {
		return fmt.Sprintf(`,{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Read","input":{"path":"a%d"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}`, i, i, i, strings.Repeat("word ", 100))
	}
	var fill strings.Builder
	fill.WriteString(`{"model":"m","max_tokens":10,"messages":[{"role":"user","content":"automata: do it"}`)
	for i := 0; fill.Len() < size; i++ {
		fill.WriteString(turn(i))
	}
	body := append(make([]byte, 0, 2*size+128<<10), fill.String()...)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if grows {
			if len(body) > size+size/4+64<<10 {
				body, n = append(body[:0], fill.String()...), n+1
			}
			body = append(body, turn(1e6+len(body))...)
		}
		next = 1e6 + len(body)
		q := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/v1/messages", bytes.NewReader(append(body, "]}"...)))
		q.Header.Set("X-Trimtab-Session", fmt.Sprintf("s%d", n))
		w := httptest.NewRecorder()
		gate.ServeHTTP(w, q)
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}
