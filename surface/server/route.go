package server

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/address"
)

// ServeHTTP checks host and origin before any route but MCP, which checks them
// itself and answers in its own words.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if name := r.Header.Get("X-Forwarded-Host"); name != "" && s.opt.TrustProxy {
		r.Host = name
	}
	switch {
	case s.probed(w, r):
	case s.opt.MCP != nil && r.URL.Path == "/mcp":
		s.opt.MCP.ServeHTTP(w, r)
	case !s.allowed(r):
		http.Error(w, "this host name or origin is not served here", http.StatusForbidden)
	default:
		s.routes(w, r)
	}
}

func (s *Server) allowed(r *http.Request) bool {
	return address.AllowedHost(s.opt.Hosts, r) && address.AllowedOrigin(s.opt.Hosts, r)
}

// probed answers those who ask whether the server lives. They call it by any name, such
// as the address of a container, and learn nothing else. Whoever counts calls it so too,
// and shows that they may where others can reach the server.
func (s *Server) probed(w http.ResponseWriter, r *http.Request) bool {
	if s.opt.Bare || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	switch {
	case r.URL.Path == "/healthz":
		fmt.Fprintln(w, "ok")
	case r.URL.Path == "/readyz":
		s.ready(w, r)
	case r.URL.Path == "/metrics" && s.opt.Viewer != nil:
		if !s.opt.Viewer(r) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "metrics are for those with the token: Authorization: Bearer …", http.StatusUnauthorized)
			return true
		}
		s.metrics(w)
	default:
		return false
	}
	return true
}

// routes is a switch since http.ServeMux would redirect paths that are not clean,
// and a request to a provider must pass as it came.
func (s *Server) routes(w http.ResponseWriter, r *http.Request) {
	get := !s.opt.Bare && (r.Method == http.MethodGet || r.Method == http.MethodHead)
	switch path := r.URL.Path; {
	case path == "/metrics" && get:
		s.metrics(w)
	case s.opt.API != nil && strings.HasPrefix(path, "/trimtab/"):
		s.opt.API.ServeHTTP(w, r)
	case s.opt.Pages != nil && s.opt.IsPage(r):
		s.opt.Pages.ServeHTTP(w, r)
	default:
		s.gateway.ServeHTTP(w, r)
	}
}

// ready says whether requests are steered and what is steered is stored.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.ending.Load() {
		http.Error(w, "the server is ending; requests still pass", http.StatusServiceUnavailable)
		return
	}
	// A balancer that takes out gateways whose store is away stops what would pass without it.
	if r.URL.Query().Get("exclude") == "store" {
		fmt.Fprintln(w, "ok")
		return
	}
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
	if by := s.secured.Load(); by != nil {
		const name = "trimtab_certificate_expiry_timestamp_seconds"
		fmt.Fprintf(w, "# HELP %s when the certificate that is used now expires\n# TYPE %s gauge\n%s %d\n", name, name, name, by.expires().Unix())
	}
}
