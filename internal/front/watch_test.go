package front

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// TestAClientThatHangsUpEndsItsRequest: before the first byte, between two events,
// with a body that was read and with one that was not.
func TestAClientThatHangsUpEndsItsRequest(t *testing.T) {
	for name, in := range map[string]string{
		"no body":         get("/"),
		"a body":          post("/", "some body"),
		"events":          get("/events"),
		"a late body":     post("/late", "some body"),
		"an ignored body": post("/events", "some body"),
	} {
		for way, leave := range map[string]func(*net.TCPConn){
			"closes":        func(c *net.TCPConn) { _ = c.Close() },
			"resets":        func(c *net.TCPConn) { _ = c.SetLinger(0); _ = c.Close() },
			"ends its side": func(c *net.TCPConn) { _ = c.CloseWrite() },
		} {
			t.Run(name+", "+way, func(t *testing.T) {
				t.Parallel()
				begun, gone := make(chan struct{}), make(chan struct{})
				var s *Server
				s = ours(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/late" { // when it is known that it lasts
						until(t, "it lasts", func() bool { return s.lasting() })
					}
					if r.URL.Path != "/events" {
						_, _ = io.Copy(io.Discard, r.Body)
					} else {
						fmt.Fprint(w, "event")
						_ = http.NewResponseController(w).Flush()
					}
					if err := r.Context().Err(); err != nil {
						t.Error(err)
					}
					close(begun)
					<-r.Context().Done()
					close(gone)
				})).(*Server)
				c := dial(t, open(t, s))
				if _, err := io.WriteString(c, in); err != nil {
					t.Fatal(err)
				}
				<-begun
				leave(c)
				select {
				case <-gone:
				case <-time.After(20 * time.Second):
					t.Fatal("the request goes on")
				}
				_ = c.Close()
				until(t, "the connection ends", func() bool { return s.count() == 0 })
			})
		}
	}
}

// lasting reports whether there is a request that lasts.
func (s *Server) lasting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.watch.mu.Lock()
		defer c.watch.mu.Unlock()
		return c.watch.late
	}
	return false
}

// TestAContextEndsWithItsRequest, and not before: also where a client sends the
// next one early.
func TestAContextEndsWithItsRequest(t *testing.T) {
	contexts := make(chan context.Context, 3)
	going := make(chan struct{})
	s := ours(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			<-going
		}
		if err := r.Context().Err(); err != nil {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		if a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); !ok || a.String() == "" || r.RemoteAddr == "" {
			t.Error("the addresses are not told")
		}
		contexts <- r.Context()
		fmt.Fprint(w, r.URL.Path)
	})).(*Server)
	c := dial(t, open(t, s))
	watched := func(how func(*watch) bool) func() bool {
		return func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			for c := range s.conns {
				c.watch.mu.Lock()
				defer c.watch.mu.Unlock()
				return how(&c.watch)
			}
			return false
		}
	}
	if _, err := io.WriteString(c, get("/wait")); err != nil {
		t.Fatal(err)
	}
	until(t, "it is watched", watched(func(w *watch) bool { return w.ended != nil }))
	if _, err := io.WriteString(c, get("/early")+post("/last", "x")); err != nil {
		t.Fatal(err)
	}
	until(t, "the next one is seen", watched(func(w *watch) bool { return w.has }))
	close(going)
	from := bufio.NewReader(c)
	for _, want := range []string{"/wait", "/early", "/last"} {
		if a, err := receive(from, &http.Request{Method: http.MethodGet}); err != nil || a.Body != want {
			t.Errorf("%+v, %v", a, err)
		}
		<-(<-contexts).Done()
	}
}

// TestWhoCannotBeWrittenToIsGone: a write that fails ends the context.
func TestWhoCannotBeWrittenToIsGone(t *testing.T) {
	gone := make(chan struct{})
	s := ours(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(gone)
		_, _ = io.ReadFull(r.Body, make([]byte, 3))
		for line := make([]byte, 1<<20); ; {
			if _, err := w.Write(line); err != nil {
				break
			}
		}
		<-r.Context().Done()
	}))
	c := dial(t, open(t, s))
	if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\nabc"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	_ = c.SetLinger(0)
	_ = c.Close()
	<-gone
}
