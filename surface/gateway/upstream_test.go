package gateway_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trimtab/trimtab/surface/gateway"
)

// rawProvider is a server whose every connection the test plays.
func rawProvider(t *testing.T, play func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = c.Close() })
			go play(c)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return "http://" + l.Addr().String()
}

// TestG4_AReplyMayComeBeforeTheBodyIsTaken: a provider that refuses a body does not
// read it first. Its reply reaches the client whole, whether it hangs up or not.
func TestG4_AReplyMayComeBeforeTheBodyIsTaken(t *testing.T) {
	const refusal = "HTTP/1.1 413 Too Large\r\nContent-Length: 9\r\n\r\ntoo large"
	end := make(chan struct{})
	defer close(end)
	for name, hold := range map[string]bool{"and holds on": true, "and ends its side": false} {
		t.Run(name, func(t *testing.T) {
			up := rawProvider(t, func(c net.Conn) {
				_, _ = io.ReadFull(c, make([]byte, 1000))
				_, _ = io.WriteString(c, refusal)
				if hold {
					<-end
				} else if tcp, ok := c.(*net.TCPConn); ok {
					_ = tcp.CloseWrite()
				}
			})
			r := newRig(t, parts{up: up, still: true})
			a := r.do(http.MethodPost, "/v1/messages", nil, bytes.Repeat([]byte("x"), 24<<20))
			if a.status != http.StatusRequestEntityTooLarge || string(a.body) != "too large" || a.err != nil {
				t.Errorf("%d, %q, %v", a.status, a.body, a.err)
			}
		})
	}
}

// TestG4_AHeadWithoutEndIsGivenUp: a provider cannot fill the memory with it.
func TestG4_AHeadWithoutEndIsGivenUp(t *testing.T) {
	up := rawProvider(t, func(c net.Conn) {
		_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n")
		for line := []byte("X-More: " + strings.Repeat("x", 1000) + "\r\n"); err == nil; {
			_, err = c.Write(line)
		}
	})
	r := newRig(t, parts{up: up, still: true})
	if a := r.do(http.MethodPost, "/v1/messages", nil, []byte("{}")); a.status != http.StatusBadGateway {
		t.Errorf("%d, %q", a.status, a.body)
	}
}

// TestP10_WhoSendsNothingIsHungUpOn: a client that announces a body and sends no
// more is given up, and its request goes nowhere.
func TestP10_WhoSendsNothingIsHungUpOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &inbox{}
		rig := newRig(t, parts{up: "http://provider.example", still: true, near: true, carrier: b.carry})
		near, far := net.Pipe()
		srv := &http.Server{Handler: rig.gate, ReadHeaderTimeout: time.Minute}
		ended := make(chan struct{})
		go func() {
			_ = srv.Serve(&onePipe{conn: far})
			close(ended)
		}()
		go func() {
			_, _ = io.WriteString(near, "POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{\"mod")
		}()
		began := time.Now()
		reply, _ := io.ReadAll(near)
		if took := time.Since(began); took < time.Minute || took > 2*time.Minute {
			t.Errorf("it was hung up on after %v", took)
		}
		if !strings.HasPrefix(string(reply), "HTTP/1.1 400") || len(b.all) != 0 {
			t.Errorf("the client got %q, the provider %d requests", reply, len(b.all))
		}
		_ = near.Close()
		_ = srv.Close()
		<-ended
	})
}

// TestP10_WhoTakesNothingIsHungUpOn: a client that does not read its reply does not
// hold the provider's stream for ever.
func TestP10_WhoTakesNothingIsHungUpOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan struct{})
		endless := func(q *http.Request) (*http.Response, error) {
			r, w := io.Pipe()
			go func() {
				defer close(closed)
				for err := error(nil); err == nil; {
					_, err = io.WriteString(w, "data: {}\n\n")
				}
			}()
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: r, ContentLength: -1}, nil
		}
		rig := newRig(t, parts{up: "http://provider.example", still: true, near: true, carrier: endless, opt: gateway.Options{}})
		near, far := net.Pipe()
		srv := &http.Server{Handler: rig.gate}
		ended := make(chan struct{})
		go func() {
			_ = srv.Serve(&onePipe{conn: far})
			close(ended)
		}()
		began := time.Now()
		if _, err := io.WriteString(near, "POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
			t.Fatal(err)
		}
		<-closed
		if took := time.Since(began); took < time.Minute || took > time.Hour {
			t.Errorf("the stream ended after %v", took)
		}
		_ = near.Close()
		_ = srv.Close()
		<-ended
	})
}

// onePipe is a listener for one connection in memory.
type onePipe struct {
	conn net.Conn
	done chan struct{}
}

func (l *onePipe) Accept() (net.Conn, error) {
	if l.conn == nil {
		<-l.done
		return nil, net.ErrClosed
	}
	c := l.conn
	l.conn, l.done = nil, make(chan struct{})
	return c, nil
}

func (l *onePipe) Close() error {
	if l.done != nil {
		select {
		case <-l.done:
		default:
			close(l.done)
		}
	}
	return nil
}

func (l *onePipe) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
