package gateway

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// D9: two hundred connections declare 64 MB each and send nothing. Memory is for what
// has arrived.
func TestD9_SilentBodiesTakeNoMemory(t *testing.T) {
	const clients = 200
	var p bufferPool
	var reading atomic.Int32
	all := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in := &stallReader{Reader: r.Body, conn: http.NewResponseController(w)}
		if reading.Add(1) == clients {
			close(all)
		}
		_, _ = p.readBody(in, r.ContentLength, 64<<20)
	}))
	defer srv.Close()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for range clients {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", 64<<20); err != nil {
			t.Fatal(err)
		}
	}
	<-all
	if each := int64(heap()-before) / clients; each > 64<<10 {
		t.Errorf("a silent request takes %d bytes", each)
	}
}

// D9: a body that stands still is given up: each read moves a deadline that ends it,
// and a body that has come whole takes the deadline away again.
func TestD9_ABodyThatStandsStillHasADeadline(t *testing.T) {
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	in := &stallReader{Reader: io.LimitReader(zeros{}, 100), conn: http.NewResponseController(w)}
	if _, err := in.Read(make([]byte, 60)); err != nil || len(w.set) != 1 || w.set[0].Before(time.Now()) {
		t.Fatalf("the deadlines are %v, %v", w.set, err)
	}
	if _, err := io.ReadAll(in); err != nil || !w.set[len(w.set)-1].IsZero() {
		t.Errorf("the deadlines are %v, %v", w.set, err)
	}
	// What the connection says when the deadline has passed ends the request.
	if _, err := new(bufferPool).readBody(&stallReader{Reader: late{}, conn: http.NewResponseController(w)}, 10, 100); err == nil {
		t.Error("a body that never came was taken for one")
	}
}

type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error { d.set = append(d.set, t); return nil }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

type late struct{}

func (late) Read([]byte) (int, error) {
	return 0, &net.OpError{Op: "read", Err: context.DeadlineExceeded}
}

// dripping is a client that sends a byte now and then, and a connection that keeps the
// deadline that it is given.
type dripping struct {
	*httptest.ResponseRecorder
	every time.Duration
	end   time.Time
}

func (d *dripping) SetReadDeadline(t time.Time) error { d.end = t; return nil }

func (d *dripping) Read(p []byte) (int, error) {
	time.Sleep(d.every)
	if !d.end.IsZero() && time.Now().After(d.end) {
		return 0, &net.OpError{Op: "read", Err: context.DeadlineExceeded}
	}
	p[0] = 'x'
	return 1, nil
}

// TestX10_ABodyThatDripsEnds: a byte in fifty seconds would hold a connection for years,
// and one that is merely slow comes through.
func TestX10_ABodyThatDripsEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &dripping{ResponseRecorder: httptest.NewRecorder(), every: 50 * time.Second}
		if b, err := new(bufferPool).readBody(&stallReader{Reader: w, conn: http.NewResponseController(w)}, 1<<20, 1<<20); err == nil {
			t.Errorf("%d bytes came, one in %v", len(b.b), w.every)
		}
		slow := &dripping{ResponseRecorder: httptest.NewRecorder(), every: 500 * time.Microsecond} // 2 KB/s
		b, err := new(bufferPool).readBody(&stallReader{Reader: slow, conn: http.NewResponseController(slow)}, 400_000, 400_000)
		if err != nil || len(b.b) != 400_000 {
			t.Errorf("a slow body of which %v came: %v", b, err)
		}
	})
}
