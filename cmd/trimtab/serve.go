package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/surface/gateway"
)

func serveCommand(a *app) *cobra.Command {
	var listen string
	var upstreams []string
	c := &cobra.Command{
		Use: "serve", Short: "Run the gateway: point agents at it and they are steered", Args: none,
		Long: `Listens on loopback for requests to model providers, steers the main turns of
each session, and passes everything on. Point an agent's base URL at it.
/healthz, /readyz and /metrics say how it stands.`,
		Example: "  trimtab serve\n  trimtab serve --listen 127.0.0.1:8787 --upstream anthropic=https://api.anthropic.com",
		RunE:    func(c *cobra.Command, _ []string) error { return a.serve(c.Context(), listen, upstreams) },
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:8787", "`address` to listen on; loopback only")
	c.Flags().StringArrayVar(&upstreams, "upstream", nil, "where a provider's requests go, as in anthropic=URL (repeatable)")
	return c
}

// gateway wires a gateway to the store.
func (a *app) gateway(ctx context.Context, upstreams map[string]string, opt gateway.Options) (*gateway.Gateway, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	st, err := a.store(ctx)
	if err != nil {
		return nil, err
	}
	door, err := a.helm(ctx)
	if err != nil {
		return nil, err
	}
	opt.Config, opt.Door, opt.History = cfg.Gateway, door, st
	merged := map[string]string{}
	for _, from := range []map[string]string{cfg.Gateway.Upstreams, upstreams} {
		for k, v := range from {
			if v != "" {
				merged[k] = v
			}
		}
	}
	opt.Upstreams = merged
	return gateway.New(opt)
}

func parseUpstreams(list []string) (map[string]string, error) {
	all := map[string]string{}
	for _, one := range list {
		name, address, ok := strings.Cut(one, "=")
		if !ok || name == "" || address == "" {
			return nil, misused("--upstream %q: give a provider and its URL, as in anthropic=https://…", one)
		}
		all[name] = address
	}
	return all, nil
}

func (a *app) serve(ctx context.Context, listen string, list []string) error {
	upstreams, err := parseUpstreams(list)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(a.err, nil))
	g, err := a.gateway(ctx, upstreams, gateway.Options{Log: log})
	if err != nil {
		return err
	}
	l, err := loopback(ctx, listen)
	if err != nil {
		return err
	}
	a.progress("listening on http://%s\n", l.Addr().String())
	go a.flushing(ctx, g)
	err = serveUntil(ctx, l, a.doors(g, l.Addr().String()))
	g.Flush(context.WithoutCancel(ctx), 0)
	return err
}

// flushing tells the last replies of sessions that have gone quiet, until the
// context ends.
func (a *app) flushing(ctx context.Context, g *gateway.Gateway) {
	tick := time.NewTicker(30 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			g.Flush(ctx, time.Minute)
		case <-ctx.Done():
			return
		}
	}
}

// loopback listens, but never to the outside.
func loopback(ctx context.Context, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, misused("--listen %q: %w", address, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, misused("--listen %q: only loopback addresses, as in 127.0.0.1:8787, are listened on", address)
	}
	var lc net.ListenConfig
	return lc.Listen(ctx, "tcp", address)
}

// doors are the paths of the server: health and counts beside the gateway. Only
// requests that name this machine are let in: a page in a browser cannot get here
// by a name of its own.
func (a *app) doors(g *gateway.Gateway, address string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		st, err := a.store(r.Context())
		if err == nil {
			_, err = st.Load(r.Context(), "readyz")
		}
		if err != nil && !isNotFound(err) {
			http.Error(w, "the store does not answer; requests still pass, unsteered", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		_, _ = g.Stats.WriteTo(w)
	})
	mux.Handle("/", g)
	_, port, _ := net.SplitHostPort(address)
	allowed := map[string]bool{"127.0.0.1:" + port: true, "localhost:" + port: true, "[::1]:" + port: true, address: true}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !allowed[r.Host] || r.Header.Get("Origin") != "" && !allowed[strings.TrimPrefix(r.Header.Get("Origin"), "http://")] {
			http.Error(w, "this host name or origin is not served here", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// serveUntil serves until the context ends, then lets replies finish.
func serveUntil(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 30 * time.Second, IdleTimeout: 5 * time.Minute, MaxHeaderBytes: 1 << 20}
	end := make(chan error, 1)
	go func() { end <- srv.Serve(l) }()
	select {
	case err := <-end:
		return err
	case <-ctx.Done():
	}
	graceful, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Minute)
	defer cancel()
	err := srv.Shutdown(graceful)
	if serving := <-end; !errors.Is(serving, http.ErrServerClosed) {
		err = errors.Join(err, serving)
	}
	return err
}
