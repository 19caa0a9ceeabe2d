package gateway

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/wire"
)

// The bugs that were seeded here and that nothing caught.

// A POST that may have arrived is not sent again on another connection: the model call
// would be billed twice. The provider answers once, so that the connection is used
// again, takes the second request whole and hangs up.
func TestSeeded_APostThatMayHaveArrivedIsSentOnce(t *testing.T) {
	var came atomic.Int32
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				in := bufio.NewReader(c)
				for {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, r.Body)
					if came.Add(1) > 1 {
						return
					}
					_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
				}
			}()
		}
	}()
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	st := memory.New()
	g, err := New(Options{Service: session.New(engine, st, session.Options{}), History: st, Config: Config{Upstreams: map[string]string{"anthropic": "http://" + l.Addr().String()}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{http.StatusOK, http.StatusBadGateway} {
		w := httptest.NewRecorder()
		g.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://x/v1/messages", strings.NewReader(`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"hello"}]}`)))
		if w.Code != want {
			t.Errorf("status %d, want %d: %s", w.Code, want, w.Body)
		}
	}
	if n := came.Load(); n != 2 {
		t.Errorf("the provider got %d requests, want 2", n)
	}
}

// A bomb is not unpacked whole before it is refused.
func TestSeeded_ABombIsUnpackedUpToTheLimit(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	bomb := bytes.Repeat(packed.Bytes(), 256) // members behind one another are one file
	g := &Steerer{}
	g.opt.MaxBody = 1 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := g.decoded("gzip", &buffer{b: bomb})
	runtime.ReadMemStats(&after)
	if !errors.Is(err, errUnpacked) {
		t.Errorf("err = %v", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
		t.Errorf("%d bytes were unpacked of 256 MB, with a limit of 1 MB", took)
	}
}

// A late reply to an older request is not taken for the reply to the newest.
func TestSeeded_ALateReplyIsNotThePendingOne(t *testing.T) {
	g := &Steerer{}
	g.opt.Patience = 1000
	l := newLedger("s")
	l.number = 2
	reply := wire.Result{Complete: true, Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "c", Name: "read"}}}}
	g.record(&turn{ledger: l, number: 1}, reply)
	if l.pending != nil {
		t.Error("the reply to the first request is pending after the second")
	}
	g.record(&turn{ledger: l, number: 2}, reply)
	if l.pending == nil {
		t.Error("the reply to the newest request is not pending")
	}
}
