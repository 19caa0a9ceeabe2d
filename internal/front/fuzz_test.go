package front

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// script is a connection of which all that the client says is known.
type script struct {
	mu   sync.Mutex
	in   *bytes.Reader
	out  bytes.Buffer
	once sync.Once
	done chan struct{}
}

func newScript(raw []byte) *script {
	return &script{in: bytes.NewReader(raw), done: make(chan struct{})}
}

func (c *script) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.in.Read(p)
}

func (c *script) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.Write(p)
}

func (c *script) Close() error {
	c.once.Do(func() { close(c.done) })
	return nil
}

func (c *script) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (c *script) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *script) SetDeadline(time.Time) error      { return nil }
func (c *script) SetReadDeadline(time.Time) error  { return nil }
func (c *script) SetWriteDeadline(time.Time) error { return nil }

// once is a listener for one connection.
type once struct{ conns chan net.Conn }

func (l once) Accept() (net.Conn, error) {
	if c := <-l.conns; c != nil {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l once) Close() error   { return nil }
func (l once) Addr() net.Addr { return &net.TCPAddr{} }

// perform has a server answer a script to its end.
func perform(t *testing.T, newServer func(http.Handler) server, raw []byte) exchange {
	s := &stage{plain: true}
	c := newScript(raw)
	conns, end := make(chan net.Conn, 1), make(chan error, 1)
	conns <- c
	srv := newServer(s)
	go func() { end <- srv.Serve(once{conns}) }()
	select {
	case <-c.done:
	case <-time.After(20 * time.Second):
		t.Fatalf("it hangs on %q", raw)
	}
	close(conns)
	<-end
	s.mu.Lock()
	defer s.mu.Unlock()
	from := bufio.NewReader(&c.out)
	for i := 0; ; {
		q := &http.Request{Method: http.MethodGet}
		if i < len(s.saw.Arrived) {
			q.Method = s.saw.Arrived[i].Method
		}
		a, err := receive(from, q)
		if err != nil {
			return s.saw
		}
		if s.saw.Replies = append(s.saw.Replies, a); !strings.HasPrefix(a.Status, "1") {
			i++
		}
	}
}

// FuzzConnection: whatever comes on a connection, the handler gets the requests
// that the standard server would have given it, and the client the same replies.
func FuzzConnection(f *testing.F) {
	for _, r := range rows() {
		if in := strings.Join(r.in, ""); len(in) < 10_000 {
			f.Add([]byte(in))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if bytes.Contains(raw, []byte("PRI")) || len(raw) > 0 && raw[0] == tlsHello {
			_ = perform(t, ours, raw) // it is told what is wrong
			return
		}
		want, got := perform(t, theirs, raw), perform(t, ours, raw)
		for _, e := range []*exchange{&want, &got} {
			for i, a := range e.Replies { // whether the connection lasts, and what is wrong, may be told otherwise
				e.Replies[i] = answered{Status: a.Status[:3], Proto: a.Proto, Body: a.Body, Cut: a.Cut}
				if a.Status[0] == '4' {
					e.Replies[i].Body = ""
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q\nthe standard server, and ours:\n%.4000s", raw, diff)
		}
	})
}
