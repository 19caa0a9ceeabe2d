package postgres

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// wire is a way to the server that can be cut: the next answer to a change does
// not arrive, though the change was made.
type wire struct {
	url string
	to  string
	cut atomic.Bool
}

func newWire(t *testing.T, at string) *wire {
	t.Helper()
	u, err := url.Parse(with(at, "sslmode", "disable")) // to see what goes by
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{to: u.Host}
	u.Host = l.Addr().String()
	w.url = u.String()
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { w.carry(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait() // the store is closed by now, and its connections with it
	})
	return w
}

// carry passes bytes both ways until either side ends.
func (w *wire) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", w.to)
	if err != nil {
		return
	}
	defer server.Close()
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	})
	buf := make([]byte, 1<<16)
	for {
		n, err := server.Read(buf)
		if err != nil || w.cut.Load() && isDone(buf[:n]) && w.cut.CompareAndSwap(true, false) {
			break
		}
		if _, err := client.Write(buf[:n]); err != nil {
			break
		}
	}
	_ = client.Close()
	wg.Wait()
}

// isDone finds the server's word that it changed something: the end of a commit,
// which counts what it did, or a command's tag.
func isDone(answer []byte) bool {
	for _, tag := range []string{"INSERT 0 1\x00", "UPDATE 1\x00", "DELETE 1\x00"} {
		if bytes.Contains(answer, []byte(tag)) {
			return true
		}
	}
	return bytes.Contains(answer, []byte("SELECT 1\x00")) && bytes.Contains(answer, []byte("\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x01"))
}
