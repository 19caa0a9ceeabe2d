package front

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// until waits for a condition. It fails only when that never comes.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			all := make([]byte, 1<<20)
			t.Fatalf("this never came: %s\n%s", what, all[:runtime.Stack(all, true)])
		}
	}
}

func (s *Server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// ask sends a request and returns the body of its reply.
func ask(t *testing.T, c net.Conn, from *bufio.Reader, raw string) string {
	t.Helper()
	if _, err := io.WriteString(c, raw); err != nil {
		t.Fatal(err)
	}
	a, err := receive(from, &http.Request{Method: http.MethodGet})
	if err != nil {
		t.Fatal(err)
	}
	return a.Body
}

// TestForeignTonguesAreToldSo: who speaks TLS or HTTP/2 learns what is wrong.
func TestForeignTonguesAreToldSo(t *testing.T) {
	for in, want := range map[string]string{
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03":             "TLS is not spoken here",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x12\x04\x00\x00": "only HTTP/1 is spoken here",
	} {
		got := play(t, ours, []string{in}, 1, false)
		if len(got.Replies) != 1 || !strings.HasPrefix(got.Replies[0].Status, "400 ") || !strings.Contains(got.Replies[0].Body, want) || got.Open || got.Arrived != nil {
			t.Errorf("%q: %+v", in, got)
		}
	}
}

// TestAShutdownLetsRepliesFinish: connections that wait are closed at once, nobody
// new is let in, and a reply under way arrives whole.
func TestAShutdownLetsRepliesFinish(t *testing.T) {
	begun, going := make(chan struct{}), make(chan struct{})
	s := &Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stream" {
			_ = http.NewResponseController(w).Flush()
		}
		if r.URL.Path != "/" {
			begun <- struct{}{}
			<-going
		}
		fmt.Fprint(w, "whole")
	})}
	address := open(t, s)
	fresh, idle, busy, stream := dial(t, address), dial(t, address), dial(t, address), dial(t, address)
	if got := ask(t, idle, bufio.NewReader(idle), get("/")); got != "whole" {
		t.Fatalf("%q", got)
	}
	for c, path := range map[net.Conn]string{busy: "/wait", stream: "/stream"} {
		if _, err := io.WriteString(c, get(path)); err != nil {
			t.Fatal(err)
		}
		<-begun
	}
	until(t, "four connections", func() bool { return s.count() == 4 })
	end := make(chan error, 1)
	go func() { end <- s.Shutdown(context.Background()) }()
	for _, c := range []net.Conn{fresh, idle} {
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("one that waits is open: %v", err)
		}
	}
	if c, err := net.Dial("tcp", address); err == nil {
		_ = c.Close()
		t.Error("somebody new is let in")
	}
	select {
	case err := <-end:
		t.Fatalf("it does not wait for the reply: %v", err)
	default:
	}
	close(going)
	for c, told := range map[net.Conn]bool{busy: true, stream: false} { // that it is the last
		a, err := receive(bufio.NewReader(c), &http.Request{Method: http.MethodGet})
		if err != nil || a.Body != "whole" || a.Close != told {
			t.Errorf("%+v, %v", a, err)
		}
	}
	if err := <-end; err != nil {
		t.Error(err)
	}
	if err := s.Shutdown(context.Background()); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

// TestAShutdownIsGivenUp when its context ends; Close then ends what runs.
func TestAShutdownIsGivenUp(t *testing.T) {
	begun, gone := make(chan struct{}), make(chan struct{})
	s := &Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		close(gone)
	})}
	c := dial(t, open(t, s))
	if _, err := io.WriteString(c, get("/")); err != nil {
		t.Fatal(err)
	}
	<-begun
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	<-gone
	if err := s.Shutdown(context.Background()); err != nil { // all have ended
		t.Error(err)
	}
}

// TestAPanicCutsTheReply, is logged without what was said, and ends nothing else.
func TestAPanicCutsTheReply(t *testing.T) {
	var text bytes.Buffer
	var mu sync.Mutex
	s := ours(&stage{}).(*Server)
	s.Log = slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return text.Write(p)
	}), nil))
	address := open(t, s)
	for _, path := range []string{"/abort", "/panic"} {
		c := dial(t, address)
		if _, err := io.WriteString(c, post(path, "sk-body")); err != nil {
			t.Fatal(err)
		}
		if a, err := receive(bufio.NewReader(c), &http.Request{Method: http.MethodPost}); err == nil && !a.Cut {
			t.Errorf("%s: a whole reply: %+v", path, a)
		}
	}
	until(t, "both connections end", func() bool { return s.count() == 0 })
	if c := dial(t, address); ask(t, c, bufio.NewReader(c), get("/probe")) != "probe" {
		t.Error("nobody is served any more")
	}
	mu.Lock()
	defer mu.Unlock()
	if n := strings.Count(text.String(), "panicked"); n != 1 || strings.Contains(text.String(), "sk-") || !strings.Contains(text.String(), "suite_test.go") {
		t.Errorf("%d panics in the log:\n%s", n, text.String())
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestAThousandConnectionsAtOnce: each gets its own reply, and nothing is left.
func TestAThousandConnectionsAtOnce(t *testing.T) {
	const all = 1000
	var together sync.WaitGroup
	together.Add(all)
	s := ours(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/all" {
			_ = http.NewResponseController(w).Flush()
			together.Done()
			together.Wait()
		}
		for range 50 {
			_, _ = w.Write(raw)
			_ = http.NewResponseController(w).Flush()
		}
	})).(*Server)
	address := open(t, s)
	before := runtime.NumGoroutine()
	var wg sync.WaitGroup
	for n := range all {
		wg.Go(func() {
			c, err := net.Dial("tcp", address)
			if err != nil {
				t.Error(err)
				together.Done()
				return
			}
			defer c.Close()
			from := bufio.NewReader(c)
			mine := fmt.Sprintf("<%d>", n)
			for _, path := range []string{"/all", "/again"} {
				_, _ = io.WriteString(c, post(path, mine))
				a, err := receive(from, &http.Request{Method: http.MethodPost})
				if err != nil || a.Body != strings.Repeat(mine, 50) {
					t.Errorf("%s: %.100q, %v", mine, a.Body, err)
				}
			}
		})
	}
	wg.Wait()
	until(t, "nothing is left", func() bool { return s.count() == 0 && runtime.NumGoroutine() <= before })
}

// TestWhoIsSlowIsClosedOn: with the head of a request, or with another request;
// never with a reply.
func TestWhoIsSlowIsClosedOn(t *testing.T) {
	const limit = 40 * time.Millisecond
	s := &Server{ReadHeaderTimeout: limit, IdleTimeout: limit, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			time.Sleep(4 * limit)
		}
		fmt.Fprint(w, "ok")
	})}
	address := open(t, s)
	for name, in := range map[string]string{"nothing": "", "half a head": "GET / HTTP/1.1\r\nHost: h\r\n", "one": get("/slow"), "one and a half": get("/") + "GET / HTT"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, address)
			began := time.Now()
			if _, err := io.WriteString(c, in); err != nil {
				t.Fatal(err)
			}
			raw, err := io.ReadAll(c)
			if took := time.Since(began); err != nil || took < limit {
				t.Errorf("closed after %v, %v", took, err)
			}
			if strings.Contains(in, "\r\n\r\n") != strings.HasSuffix(string(raw), "\r\n\r\nok") {
				t.Errorf("%q came", raw)
			}
		})
	}
}

// TestDeadlinesOfAHandlerEndWithItsReply: http.ResponseController sets them.
func TestDeadlinesOfAHandlerEndWithItsReply(t *testing.T) {
	s := ours(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		if r.URL.Path != "/first" {
			fmt.Fprint(w, "second")
			return
		}
		w.Header().Set("Content-Length", "5")
		fmt.Fprint(w, "first")
		if err := errors.Join(c.Flush(), c.SetReadDeadline(past), c.SetWriteDeadline(past)); err != nil {
			t.Error(err)
		}
		if err := c.EnableFullDuplex(); !errors.Is(err, http.ErrNotSupported) {
			t.Errorf("%v", err)
		}
	}))
	c := dial(t, open(t, s))
	from := bufio.NewReader(c)
	for _, want := range []string{"first", "second", "first", "second"} {
		if got := ask(t, c, from, get("/"+want)); got != want {
			t.Fatalf("%q", got)
		}
	}
}

// TestWhoSendsAllFirstGetsItsReply: also of a body that is not read to its end.
func TestWhoSendsAllFirstGetsItsReply(t *testing.T) {
	c := dial(t, open(t, ours(&stage{})))
	if got := ask(t, c, bufio.NewReader(c), post("/ignore", strings.Repeat("x", 12<<20))); got != "ignored" {
		t.Errorf("%q", got)
	}
}

// TestABodyMayBeReadAfterTheHead, where the connection ends with the reply.
func TestABodyMayBeReadAfterTheHead(t *testing.T) {
	s := ours(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		raw, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s, %v", raw, err)
	}))
	c := dial(t, open(t, s))
	from := bufio.NewReader(c)
	if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 4\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := from.Peek(1); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, c, from, "body"); got != "body, <nil>" {
		t.Errorf("%q", got)
	}
}

// TestNobodyWritesAfterTheReply: a goroutine that a handler left behind disturbs
// no other reply.
func TestNobodyWritesAfterTheReply(t *testing.T) {
	left := make(chan http.ResponseWriter, 1)
	bodies := make(chan io.Reader, 1)
	s := ours(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/leave" {
			left <- w
			bodies <- r.Body
		}
		fmt.Fprint(w, "mine")
		_ = http.NewResponseController(w).Flush() // so that its length is not known
	}))
	c := dial(t, open(t, s))
	from := bufio.NewReader(c)
	if got := ask(t, c, from, post("/leave", "body")); got != "mine" {
		t.Fatalf("%q", got)
	}
	w, body := <-left, <-bodies
	if _, err := w.Write(make([]byte, 10_000)); err == nil {
		t.Error("it was written")
	}
	if err := http.NewResponseController(w).Flush(); err == nil {
		t.Error("it was flushed")
	}
	if n, err := body.Read(make([]byte, 10)); n != 0 || err == nil {
		t.Error("the body was read")
	}
	if got := ask(t, c, from, get("/")); got != "mine" {
		t.Errorf("%q", got)
	}
}
