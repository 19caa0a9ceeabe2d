package server

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// ServeHTTP checks host and origin before any route but MCP, which checks them
// itself and answers in its own words.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.opt.MCP != nil && r.URL.Path == "/mcp":
		s.opt.MCP.ServeHTTP(w, r)
	case !s.allowed(r):
		http.Error(w, "this host name or origin is not served here", http.StatusForbidden)
	default:
		s.routes(w, r)
	}
}

// allowed reports whether a request names this machine as its host and comes from
// no other origin: else a page in a browser could reach the server by a host name
// of its own that resolves to loopback.
func (s *Server) allowed(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	return slices.Contains(s.opt.Hosts, r.Host) && (origin == "" || slices.Contains(s.opt.Hosts, strings.TrimPrefix(origin, "http://")))
}

// routes is a switch since http.ServeMux would redirect paths that are not clean,
// and a request to a provider must pass as it came.
func (s *Server) routes(w http.ResponseWriter, r *http.Request) {
	get := !s.opt.Bare && (r.Method == http.MethodGet || r.Method == http.MethodHead)
	switch path := r.URL.Path; {
	case path == "/healthz" && get:
		fmt.Fprintln(w, "ok")
	case path == "/readyz" && get:
		s.ready(w, r)
	case path == "/metrics" && get:
		s.metrics(w)
	case s.opt.API != nil && strings.HasPrefix(path, "/trimtab/"):
		s.opt.API.ServeHTTP(w, r)
	default:
		s.gateway.ServeHTTP(w, r)
	}
}

// ready says whether requests are steered and what is steered is stored.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if _, err := s.opt.Store.Load(r.Context(), "readyz"); err != nil && !errors.Is(err, trimtab.ErrNotFound) {
		http.Error(w, "the store does not answer; requests still pass, unsteered", http.StatusServiceUnavailable)
		return
	}
	if s.opt.Unready != nil || s.opt.Sessions.Backlog().Err != nil {
		http.Error(w, "the store takes nothing; requests are steered from memory", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// metrics writes the counters in the text format of Prometheus.
func (s *Server) metrics(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	_, _ = s.opt.Metrics.WriteTo(w) // the client is gone, and nobody is left to tell
	b := s.opt.Sessions.Backlog()
	for _, m := range []struct {
		name, kind, help string
		value            int
	}{
		{"trimtab_store_failures_total", "counter", "commits that the store did not take", b.Failures},
		{"trimtab_store_waiting_sessions", "gauge", "sessions of which something waits to be stored", b.Sessions},
		{"trimtab_store_waiting_bytes", "gauge", "bytes that wait to be stored", b.Bytes},
	} {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n%s %d\n", m.name, m.help, m.name, m.kind, m.name, m.value)
	}
}
