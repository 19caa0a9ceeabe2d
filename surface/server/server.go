package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/surface/address"
)

// Gateway takes every request that no other route takes. Flush stores the last
// replies of sessions that have been quiet for so long.
type Gateway interface {
	http.Handler
	Flush(ctx context.Context, quiet time.Duration)
}

// Sessions is the part of session.Service that readiness and metrics report on.
type Sessions interface {
	Backlog() session.Backlog
}

// Store is the part of a store that readiness asks.
type Store interface {
	Load(ctx context.Context, id string) (trimtab.Session, error)
}

// Options are what a Server is made of.
type Options struct {
	Gateway  Gateway
	Metrics  io.WriterTo // the gateway's counters, in the text format of Prometheus
	Sessions Sessions
	Store    Store
	Unready  error                    // why it is not the store that it should be; the server is then not ready
	API      http.Handler             // the management API, at /trimtab/; nil leaves the path to the gateway
	Pages    http.Handler             // for people in a browser; nil leaves their paths to the gateway
	IsPage   func(*http.Request) bool // whether a request is for them
	MCP      http.Handler             // at /mcp; it checks hosts and origins itself; nil leaves the path to the gateway
	Hosts    []string                 // host:port that requests may name: see AllowedHosts

	// Known reports whether a secret is part of an address that was handed out. The
	// gateway is asked only at such an address: see package address.
	Known func(secret string) bool
	// Callers passes requests with a caller's key on to the gateway, and all others to
	// other; nil knows no callers. See package caller.
	Callers func(other, gateway http.Handler) http.Handler
	Bare    bool // health, readiness and metrics are not served

	// Viewer reports whether a request may see the metrics; nil leaves them to everyone
	// who names one of the hosts.
	Viewer     func(*http.Request) bool
	TrustProxy bool          // X-Forwarded-Host is the host that the client named
	Drain      time.Duration // how long requests are taken after the end was asked for

	// FlushQuiet is how long a session must be quiet until its last reply is stored
	// while the server runs; 0 stores it at the session's next request or at shutdown.
	FlushQuiet time.Duration
	Log        *slog.Logger // nil is none
}

// Server is an http.Handler for all routes, and serves it on a listener.
type Server struct {
	opt     Options
	gateway http.Handler // behind its addresses
	ending  atomic.Bool  // the end was asked for
	secured atomic.Pointer[secured]
}

// New returns a server.
func New(opt Options) (*Server, error) {
	if opt.Gateway == nil || opt.Metrics == nil || opt.Sessions == nil || opt.Store == nil || opt.Known == nil {
		return nil, errors.New("server: a gateway, its metrics, its addresses, sessions and a store are needed")
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{opt: opt, gateway: address.Handler(opt.Known, opt.Gateway)}
	if opt.Callers != nil {
		s.gateway = opt.Callers(s.gateway, opt.Gateway)
	}
	return s, nil
}

// Serve answers requests until the context ends, lets the replies under way finish,
// and then stores the last replies of all sessions. It closes the listener.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if by, ok := l.(secured); ok {
		s.secured.Store(&by)
	}
	if s.opt.FlushQuiet > 0 {
		flushing, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.flushQuiet(flushing)
		}()
		defer func() { <-done }()
		defer stop()
	}
	err := s.serveUntil(ctx, l)
	s.opt.Gateway.Flush(context.WithoutCancel(ctx), 0)
	return err
}

// shutdownTimeout limits how long replies may go on after the context ended.
const shutdownTimeout = 5 * time.Minute

func (s *Server) serveUntil(ctx context.Context, l net.Listener) error {
	srv := newServer(s, s.opt.Log)
	end := make(chan error, 1)
	go func() { end <- srv.Serve(l) }()
	select {
	case err := <-end:
		return err
	case <-ctx.Done():
	}
	if s.ending.Store(true); s.opt.Drain > 0 { // so that a balancer sends nothing more
		s.opt.Log.Info("ending; requests are taken for a while", "for", s.opt.Drain)
		select {
		case err := <-end:
			return err
		case <-time.After(s.opt.Drain):
		}
	}
	return shutdown(context.WithoutCancel(ctx), srv, end)
}

// shutdown stops listening, waits for replies under way, and then for Serve itself.
func shutdown(ctx context.Context, srv *http.Server, end <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, shutdownTimeout)
	defer cancel()
	err := srv.Shutdown(ctx)
	if serving := <-end; !errors.Is(serving, http.ErrServerClosed) {
		err = errors.Join(err, serving)
	}
	return err
}

// newServer limits how long a client may take for the head of a request and how
// long an idle connection stays. Bodies and replies have no limit as a whole, for a
// reply may stream for hours; the gateway limits how long one may stand still.
func newServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 30 * time.Second, IdleTimeout: 5 * time.Minute, MaxHeaderBytes: 1 << 20,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// flushInterval is how often quiet sessions are looked for.
const flushInterval = 30 * time.Second

// flushQuiet stores the last replies of quiet sessions until the context ends: a
// host sends a reply back only with its next request, and there may be none.
func (s *Server) flushQuiet(ctx context.Context) {
	tick := time.NewTicker(flushInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.opt.Gateway.Flush(ctx, s.opt.FlushQuiet)
		case <-ctx.Done():
			return
		}
	}
}
