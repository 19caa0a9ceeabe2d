package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/home"
	"github.com/trimtab/trimtab/internal/trace"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/surface/gateway"
	"github.com/trimtab/trimtab/surface/web"
)

func serveCommand(a *app) *cobra.Command {
	var listen string
	var upstreams []string
	c := &cobra.Command{
		Use: "serve", Short: "Run the gateway: point agents at it and they are steered", Args: none,
		Long: `Listens on loopback for requests to model providers, steers the main turns of
each session, and passes everything on. Point an agent's base URL at it.
/healthz, /readyz and /metrics say how it stands.`,
		Example: "  trimtab serve\n  trimtab serve --listen " + home.Serve + " --upstream anthropic=https://api.anthropic.com",
		RunE:    func(c *cobra.Command, _ []string) error { return a.serve(c.Context(), listen, upstreams) },
	}
	c.Flags().StringVar(&listen, "listen", home.Serve, "`address` to listen on; loopback only")
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
	service, err := a.sessions(ctx)
	if err != nil {
		return nil, err
	}
	opt.Config, opt.Service, opt.History = cfg.Gateway, service, st
	opt.Rested = func() { releaseMemory(ctx, service) }
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

// releaseMemory returns to the system what a burst of requests took, which the
// runtime puts off for minutes: a gateway runs all day beside other programs. What
// waits to be stored comes first, for storing it takes memory.
func releaseMemory(ctx context.Context, service *session.Service) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if service.Flush(ctx) == nil { // else there is trouble with the store, and another time
		debug.FreeOSMemory()
	}
}

// tracer sends the gateway's main turns to a collector, where the person asks for
// that; else it is nil. end sends what waits.
func (a *app) tracer(log *slog.Logger) (t gateway.Tracer, end func(), err error) {
	cfg, err := a.config()
	if err != nil {
		return nil, nil, err
	}
	to, err := trace.Find(cfg.Telemetry, a.getenv)
	if errors.Is(err, trace.ErrVariable) { // it may be meant for other programs
		log.Warn(err.Error())
		return nil, func() {}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if to.URL == "" {
		return nil, func() {}, nil
	}
	x, err := trace.New(trace.Options{Target: to, Version: versionOf().Version, Log: log})
	if err != nil {
		return nil, nil, err
	}
	return x, func() {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		if err := x.Close(ctx); err != nil {
			log.Warn(err.Error())
		}
	}, nil
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
	tracer, untrace, err := a.tracer(log)
	if err != nil {
		return err
	}
	defer untrace()
	g, err := a.gateway(ctx, upstreams, gateway.Options{Log: log, Tracer: tracer})
	if err != nil {
		return err
	}
	token, file, err := a.token()
	if err != nil {
		return err
	}
	l, err := loopback(ctx, listen)
	if err != nil {
		return err
	}
	api, err := a.api(ctx, token, hostsOf(l))
	if err != nil {
		return errors.Join(err, l.Close())
	}
	a.progress("listening on http://%s\nmanagement at /trimtab/api, MCP at /mcp, both with the token in %s\n", l.Addr().String(), file)
	if err := a.summaries(ctx, log); err != nil {
		return errors.Join(err, l.Close())
	}
	go a.flushing(ctx, g)
	h, err := a.withMCP(ctx, token, hostsOf(l), a.doors(g, hostsOf(l), api))
	if err != nil {
		return errors.Join(err, l.Close())
	}
	err = serveUntil(ctx, l, h, log)
	g.Flush(context.WithoutCancel(ctx), 0)
	return err
}

func (a *app) api(ctx context.Context, token string, hosts []string) (*web.API, error) {
	st, err := a.store(ctx)
	if err != nil {
		return nil, err
	}
	service, err := a.sessions(ctx)
	if err != nil {
		return nil, err
	}
	return web.New(web.Options{Service: service, Archive: st, Token: token, Hosts: hosts, Done: ctx.Done()})
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
		return nil, misused("--listen %q: only loopback addresses, as in %s, are listened on", address, home.Serve)
	}
	var lc net.ListenConfig
	return lc.Listen(ctx, "tcp", address)
}

// doors are the paths of a server: health and counts beside the gateway, and the
// management API where there is one. Only requests that name this machine are
// let in: a page in a browser cannot get here by a name of its own.
func (a *app) doors(g *gateway.Gateway, hosts []string, api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		if !slices.Contains(hosts, r.Host) || origin != "" && !slices.Contains(hosts, strings.TrimPrefix(origin, "http://")) {
			http.Error(w, "this host name or origin is not served here", http.StatusForbidden)
			return
		}
		look := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch path := r.URL.Path; { // http.ServeMux would redirect paths that are not clean
		case path == "/healthz" && look:
			fmt.Fprintln(w, "ok")
		case path == "/readyz" && look:
			a.ready(w, r)
		case path == "/metrics" && look:
			a.metrics(w, r, g)
		case api != nil && strings.HasPrefix(path, "/trimtab/"):
			api.ServeHTTP(w, r)
		default:
			g.ServeHTTP(w, r)
		}
	})
}

// ready says whether requests are steered and what is steered is stored.
func (a *app) ready(w http.ResponseWriter, r *http.Request) {
	st, err := a.store(r.Context())
	if err == nil {
		_, err = st.Load(r.Context(), "readyz")
	}
	if err != nil && !errors.Is(err, trimtab.ErrNotFound) {
		http.Error(w, "the store does not answer; requests still pass, unsteered", http.StatusServiceUnavailable)
		return
	}
	if service, err := a.sessions(r.Context()); err == nil && service.Backlog().Err != nil {
		http.Error(w, "the store takes nothing; requests are steered from memory", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

func (a *app) metrics(w http.ResponseWriter, r *http.Request, g *gateway.Gateway) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	_, _ = g.Stats.WriteTo(w)
	service, err := a.sessions(r.Context())
	if err != nil {
		return
	}
	b := service.Backlog()
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

// hostsOf are the names under which a server on loopback may be called.
func hostsOf(l net.Listener) []string {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return []string{l.Addr().String(), "127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port}
}

// token is the key to the management API, made once and kept in the data folder.
func (a *app) token() (token, file string, err error) {
	dir, err := a.dataDir()
	if err != nil {
		return "", "", err
	}
	file = filepath.Join(dir, "token")
	for range 2 {
		raw, err := os.ReadFile(file)
		if err == nil {
			if token = strings.TrimSpace(string(raw)); len(token) < 32 {
				return "", file, fmt.Errorf("%s holds no token; remove it, and a new one is made", file)
			}
			return token, file, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", file, err
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", file, err
		}
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue // another process was faster
		}
		if err != nil {
			return "", file, err
		}
		key := make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		_, err = fmt.Fprintln(f, hex.EncodeToString(key))
		if err := errors.Join(err, f.Close()); err != nil {
			return "", file, err
		}
	}
	return "", file, fmt.Errorf("%s could not be read", file)
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

// serveUntil serves until the context ends, then lets replies finish.
func serveUntil(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	srv := newServer(h, log)
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
