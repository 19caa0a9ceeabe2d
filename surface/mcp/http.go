package mcp

import (
	"context"
	"errors"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trimtab/trimtab/surface/address"
)

// HTTPOptions say who may come in.
type HTTPOptions struct {
	Token string          // at least 32 characters
	Hosts []string        // host:port that requests may name
	Done  <-chan struct{} // closed when the server shuts down: streams end; nil is never
}

// idle is how long the session of a client lasts that sends nothing.
const idle = time.Hour

// Handler answers MCP clients over streamable HTTP. The session and the folder
// that calls are about may stand in the address, as in /mcp?folder=/src/app, or
// in headers.
func (s *Server) Handler(opt HTTPOptions) (http.Handler, error) {
	if len(opt.Token) < 32 {
		return nil, errors.New("mcp: the token is too short")
	}
	known := address.Bearer(opt.Token)
	inner := s.dialects()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		switch {
		case !address.AllowedHost(opt.Hosts, r):
			http.Error(w, "this host name is not served here", http.StatusForbidden)
		case !address.AllowedOrigin(opt.Hosts, r):
			http.Error(w, "this origin may not come here", http.StatusForbidden)
		case !known(r):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "give the token of the data folder: Authorization: Bearer …", http.StatusUnauthorized)
		default:
			ctx, cancel := until(r.Context(), opt.Done)
			defer cancel()
			inner.ServeHTTP(w, addressed(r.WithContext(ctx)))
		}
	}), nil
}

// stateless is the version of the protocol from which on there are no sessions of
// clients: each request says who sends it.
const stateless = "2026-07-28"

// dialects answers both ages of the protocol at one address.
func (s *Server) dialects() http.Handler {
	get := func(*http.Request) *sdk.Server { return s.mcp }
	older := sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
		SessionTimeout: idle, MaxRequestBodyBytes: maxFrame, Logger: s.opt.Log, EventStore: s.events,
	})
	newer := sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: maxFrame, Logger: s.opt.Log,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= stateless {
			newer.ServeHTTP(w, r)
			return
		}
		older.ServeHTTP(w, r)
	})
}

// until ends a context when a server shuts down.
func until(ctx context.Context, done <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if done == nil {
		return ctx, cancel
	}
	go func() {
		select {
		case <-done:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// addressed moves what the address tells to where a call looks for it. r is ours
// to write to.
func addressed(r *http.Request) *http.Request {
	q := r.URL.Query()
	r.Header = r.Header.Clone()
	for key, header := range map[string]string{"session": sessionHeader, "folder": folderHeader} {
		if v := q.Get(key); v != "" && r.Header.Get(header) == "" {
			r.Header.Set(header, v)
		}
	}
	return r
}
