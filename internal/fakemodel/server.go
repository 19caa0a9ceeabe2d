package fakemodel

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Options sets how a model behaves. The zero Options echo.
type Options struct {
	Script  Script   // nil is Echo
	Models  []string // in the lists of models; nil is one of each provider
	MaxBody int64    // largest body in bytes, packed and unpacked; 0 is 32 MB
	Keep    int      // requests kept, newest; 0 is all
	Binding Binding  // what becomes of Claude's thinking behind a changed prefix; 0 refuses it

	// ThinkByDefault makes the models that bind thinking think where the request
	// says nothing about it, as they do, without showing it.
	ThinkByDefault bool

	// CacheLeast is the smallest prefix in tokens that the prompt cache keeps; 0 is
	// any, so that short tests see it work.
	CacheLeast int
	Lenient    bool // a request that breaks a rule is logged as refused, and answered all the same
}

// Model is the fake, as an http.Handler.
type Model struct {
	script  Script
	models  []string
	maxBody int64
	binding Binding
	thinks  bool
	cache   *promptCache
	log     record
	memory  *memory
	lenient bool
}

// New returns a model that is not listening yet.
func New(o Options) *Model {
	m := &Model{script: o.Script, models: o.Models, maxBody: o.MaxBody, binding: o.Binding, thinks: o.ThinkByDefault, cache: newPromptCache(o.CacheLeast), log: record{keep: o.Keep}, memory: newMemory(), lenient: o.Lenient}
	if m.script == nil {
		m.script = Echo()
	}
	if m.models == nil {
		m.models = []string{"fake-model", "claude-opus-5-5", "gpt-5.5", "gemini-3.1-pro-preview"}
	}
	if m.maxBody <= 0 {
		m.maxBody = defaultMaxBody
	}
	return m
}

// Server is a model that listens on loopback.
type Server struct {
	*Model
	URL string // http://127.0.0.1:port

	http *http.Server
	done chan error
}

// Listen starts a server on a free port of loopback. Close ends it.
func Listen(o Options) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for a fake model: %w", err)
	}
	s := &Server{Model: New(o), URL: "http://" + l.Addr().String(), done: make(chan error, 1)}
	s.http = &http.Server{Handler: s.Model, ReadHeaderTimeout: 10 * time.Second}
	go func() { s.done <- s.http.Serve(l) }()
	return s, nil
}

// Close breaks all connections and returns when nothing accepts any more.
func (s *Server) Close() error {
	err := s.http.Close()
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	s.done <- http.ErrServerClosed // so that a second Close returns too
	return err
}

// TB is what Start needs of a test; testing.TB has it.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Start starts a server that ends with the test.
func Start(t TB, o Options) *Server {
	t.Helper()
	s, err := Listen(o)
	if err != nil {
		t.Fatalf("%v", err)
		return nil
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the fake model: %v", err)
		}
	})
	return s
}

// NoneRefused fails the test for each request that was refused.
func (m *Model) NoneRefused(t TB) {
	t.Helper()
	for _, r := range m.Refused() {
		t.Errorf("request %d, %s %s: %v\n%s", r.N, r.Method, r.Path, r.Refused, r.Transcript())
	}
}
