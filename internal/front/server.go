package front

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Server serves one handler. Its fields are set before it serves.
type Server struct {
	Handler           http.Handler
	ReadHeaderTimeout time.Duration // for the head of a request; 0 is no limit
	IdleTimeout       time.Duration // between two requests; 0 is no limit
	MaxHeader         int           // bytes of a head; 1 MB if 0
	Log               *slog.Logger  // nil is none

	mu        sync.Mutex
	listeners map[net.Listener]bool
	conns     map[*conn]bool
	empty     chan struct{} // closed when the last connection has ended; nil where nobody waits
	ending    atomic.Bool
	looking   atomic.Bool // somebody looks for long requests soon
	sweeping  bool        // and for connections that are late
	readers   sync.Pool   // of *bufio.Reader
	sheets    sync.Pool   // of *sheet
	stamp     atomic.Pointer[stamp]
}

// Serve accepts connections until the server is shut down or the listener fails.
// It always returns an error; http.ErrServerClosed is the good one.
func (s *Server) Serve(l net.Listener) error {
	defer l.Close()
	if !s.listen(l, true) {
		return http.ErrServerClosed
	}
	defer s.listen(l, false)
	var pause time.Duration
	for {
		rwc, err := l.Accept()
		var passing interface{ Temporary() bool }
		switch {
		case err == nil:
		case s.ending.Load():
			return http.ErrServerClosed
		case errors.As(err, &passing) && passing.Temporary(): // as where there are too many open files
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			s.log().Warn("a connection was not accepted", "error", err)
			time.Sleep(pause)
			continue
		default:
			return err
		}
		pause = 0
		c := newConn(s, rwc)
		if !s.track(c) {
			_ = rwc.Close()
			return http.ErrServerClosed
		}
		go c.serve()
	}
}

// Shutdown lets nobody new in, closes connections that wait for a request, and
// waits for replies under way, or for the end of the context.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	err := s.close()
	for c := range s.conns {
		c.dismiss()
	}
	if s.empty == nil {
		s.empty = make(chan struct{})
		if len(s.conns) == 0 {
			close(s.empty)
		}
	}
	empty := s.empty
	s.mu.Unlock()
	select {
	case <-empty:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close closes all listeners and connections, also those with a reply under way.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.close()
	for c := range s.conns {
		_ = c.rwc.Close()
	}
	return err
}

// close closes the listeners. The lock is held.
func (s *Server) close() error {
	s.ending.Store(true)
	var all []error
	for l := range s.listeners {
		all = append(all, l.Close())
	}
	clear(s.listeners)
	return errors.Join(all...)
}

// listen keeps a listener for who shuts down, or forgets it.
func (s *Server) listen(l net.Listener, on bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending.Load() {
		return false
	}
	if s.listeners == nil {
		s.listeners, s.conns = map[net.Listener]bool{}, map[*conn]bool{}
	}
	if on {
		s.listeners[l] = true
	} else {
		delete(s.listeners, l)
	}
	return true
}

// track keeps a connection, unless the server is ending.
func (s *Server) track(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending.Load() {
		return false
	}
	s.conns[c] = true
	s.sweepSoon()
	return true
}

// forget is called when a connection has ended.
func (s *Server) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	if s.empty != nil && s.ending.Load() && len(s.conns) == 0 {
		close(s.empty)
	}
}

func (s *Server) log() *slog.Logger {
	if s.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Log
}

func (s *Server) maxHeader() int {
	if s.MaxHeader > 0 {
		return s.MaxHeader
	}
	return http.DefaultMaxHeaderBytes
}

// reader returns a reader that reads from a connection.
func (s *Server) reader(c *conn) *bufio.Reader {
	if in, ok := s.readers.Get().(*bufio.Reader); ok {
		in.Reset(c)
		return in
	}
	return bufio.NewReaderSize(c, readSize)
}

// readSize is what is read of a request at once; a large piece of a body is read
// to where the handler wants it.
const readSize = 4 << 10

// sheet is a piece of memory to write in.
type sheet struct{ b []byte }

// largeSheet is one that is not kept.
const largeSheet = 16 << 10

func (s *Server) sheet() *sheet {
	if p, ok := s.sheets.Get().(*sheet); ok {
		p.b = p.b[:0]
		return p
	}
	return &sheet{make([]byte, 0, hold+1<<10)}
}

func (s *Server) giveBack(p *sheet) {
	if p != nil && cap(p.b) <= largeSheet {
		s.sheets.Put(p)
	}
}

// stamp is the Date of replies for one second.
type stamp struct {
	second int64
	text   string
}

func (s *Server) date() string {
	now := time.Now()
	if d := s.stamp.Load(); d != nil && d.second == now.Unix() {
		return d.text
	}
	d := &stamp{now.Unix(), now.UTC().Format(http.TimeFormat)}
	s.stamp.Store(d)
	return d.text
}
