package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

type quietGateway struct {
	http.Handler
	flushed []time.Duration
}

func (g *quietGateway) Flush(_ context.Context, quiet time.Duration) {
	g.flushed = append(g.flushed, quiet)
}

// TestQuietSessionsAreFlushed again and again, until the context ends.
func TestQuietSessionsAreFlushed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &quietGateway{}
		s := &Server{opt: Options{Gateway: g, FlushQuiet: time.Minute}}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); s.flushQuiet(ctx) }()
		time.Sleep(2*flushInterval + time.Second)
		stop()
		<-done
		time.Sleep(10 * flushInterval)
		if want := []time.Duration{time.Minute, time.Minute}; !slices.Equal(g.flushed, want) {
			t.Errorf("flushed %v; want %v", g.flushed, want)
		}
	})
}

func TestServerHasLimits(t *testing.T) {
	s, err := New(Options{Gateway: &quietGateway{}, Metrics: struct{ io.WriterTo }{}, Sessions: struct{ Sessions }{}, Store: struct{ Store }{}, Known: func(string) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	srv := newServer(s, s.opt.Log)
	if srv.ReadHeaderTimeout == 0 || srv.IdleTimeout == 0 || srv.MaxHeaderBytes == 0 {
		t.Errorf("a client may hold a connection forever: %+v", srv)
	}
	if srv.ReadTimeout != 0 || srv.WriteTimeout != 0 {
		t.Errorf("a reply that streams for hours would be cut: %+v", srv)
	}
}

// TestMemoryIsReleasedAfterWhatWaits is stored, and not for longer than a while.
func TestMemoryIsReleasedAfterWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		ReleaseMemory(t.Context(), flusherFunc(func(context.Context) error { calls++; return nil }))
		var ended error
		ReleaseMemory(t.Context(), flusherFunc(func(ctx context.Context) error { // a store that hangs
			calls++
			<-ctx.Done()
			ended = ctx.Err()
			return ended
		}))
		if calls != 2 || !errors.Is(ended, context.DeadlineExceeded) {
			t.Errorf("%d calls, %v", calls, ended)
		}
	})
}

type flusherFunc func(context.Context) error

func (f flusherFunc) Flush(ctx context.Context, _ ...string) error { return f(ctx) }
