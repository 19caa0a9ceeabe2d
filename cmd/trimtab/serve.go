package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/host/promptfile"
	"github.com/trimtab/trimtab/improve/assembly"
	"github.com/trimtab/trimtab/internal/home"
	"github.com/trimtab/trimtab/internal/trace"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/gateway"
	"github.com/trimtab/trimtab/surface/server"
	"github.com/trimtab/trimtab/surface/web"
)

func serveCommand(a *app) *cobra.Command {
	var listen string
	var upstreams []string
	c := &cobra.Command{
		Use: "serve", Short: "Run the gateway: point agents at it and they are steered", Args: none,
		Long: `Listens on loopback for requests to model providers, steers the main turns of
each session, and passes everything on. Point an agent's base URL at the address
that trimtab serve address prints: nothing is answered at any other, for every user
of the machine can reach the port. Where a service manager holds the port and passes
it on (LISTEN_FDS), that one is served.
/healthz, /readyz and /metrics show its health. Where automation.approval is never,
it also works on queued improvements (automation.worker).`,
		Example: "  trimtab serve\n  trimtab serve --listen " + home.Serve + " --upstream anthropic=https://api.anthropic.com",
		RunE:    func(c *cobra.Command, _ []string) error { return a.serve(c.Context(), listen, upstreams) },
	}
	c.Flags().StringVar(&listen, "listen", home.Serve, "`address` to listen on; loopback only")
	c.Flags().StringArrayVar(&upstreams, "upstream", nil, "where a provider's requests go, as in anthropic=URL (repeatable)")
	c.AddCommand(addressCommand(a))
	return c
}

// gateway wires a gateway to the store.
func (a *app) gateway(ctx context.Context, upstreams map[string]string, opt gateway.Options) (*gateway.Gateway, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	a.passing = true
	st, err := a.store(ctx)
	if err != nil {
		return nil, err
	}
	service, err := a.sessions(ctx)
	if err != nil {
		return nil, err
	}
	opt.Config, opt.Service, opt.History = cfg.Gateway, service, st
	opt.Rested = func() { server.ReleaseMemory(ctx, service) }
	merged := map[string]string{}
	for _, from := range []map[string]string{cfg.Gateway.Upstreams, upstreams} {
		for k, v := range from {
			if v != "" {
				merged[k] = v
			}
		}
	}
	opt.Upstreams, opt.Travel, opt.Developer = merged, cfg.Steering.Travel, gateway.TakesDeveloper(merged["openai"])
	return gateway.New(opt)
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
	g, err := a.gateway(ctx, upstreams, gateway.Options{FromFile: promptfile.Of("", "", a.getenv("HOME"), nil).Hold, Log: log, Tracer: tracer})
	if err != nil {
		return err
	}
	token, file, err := a.token()
	if err != nil {
		a.wrong("nobody can manage this server: %s\n", err)
		token, file = address.New(), "no file" // one that nobody knows
	}
	if err := server.CheckLoopback(listen); err != nil {
		return misused("--listen %q: %w", listen, err)
	}
	l, err := server.Inherited(a.getenv)
	if err == nil && l == nil {
		l, err = server.Listen(ctx, listen)
	}
	if err != nil {
		return err
	}
	clients, err := a.clients()
	if err != nil {
		return errors.Join(err, l.Close())
	}
	opt := server.Options{Gateway: g, Known: clients.Known, Metrics: &g.Stats, Hosts: server.AllowedHosts(l.Addr()), FlushQuiet: time.Minute, Log: log}
	if opt.API, err = a.api(ctx, token, opt.Hosts); err != nil {
		return errors.Join(err, l.Close())
	}
	a.progress("listening on http://%[1]s\nthe base URL for an agent: trimtab serve address --listen %[1]s\nmanagement at /trimtab/api, MCP at /mcp, both with the token in %[2]s\n", l.Addr().String(), file)
	if err := a.summaries(ctx, log); err != nil {
		return errors.Join(err, l.Close())
	}
	stop, err := a.serveQueue(ctx, log)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer stop()
	if opt.MCP, err = a.mcpHandler(ctx, token, opt.Hosts); err != nil {
		return errors.Join(err, l.Close())
	}
	s, err := a.server(ctx, opt)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	return s.Serve(ctx, l)
}

// serveQueue works on queued improvements in the background, where the settings say so.
// Stop ends that and waits: what is at work goes back to the queue.
func (a *app) serveQueue(ctx context.Context, log *slog.Logger) (stop func(), err error) {
	cfg, err := a.config()
	if err != nil || !cfg.Automation.Serves() {
		return func() {}, err
	}
	work, err := a.assembly()
	if err == nil {
		err = errors.Join(a.sureOfSettings(), work.CheckAgent())
	}
	if err != nil { // the gateway serves all the same
		log.Error("improve: no work is done", "error", err)
		return func() {}, nil
	}
	return work.Start(ctx, assembly.WorkerOptions{Log: log, Disabled: func() bool { return a.automationOff() != "" }}), nil
}

// server wires a server to the store and the session service.
func (a *app) server(ctx context.Context, opt server.Options) (_ *server.Server, err error) {
	if opt.Store, err = a.store(ctx); err != nil {
		return nil, err
	}
	if opt.Sessions, err = a.sessions(ctx); err != nil {
		return nil, err
	}
	opt.Unready = a.unready
	return server.New(opt)
}

func (a *app) api(ctx context.Context, token string, hosts []string) (http.Handler, error) {
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

// token is the key to the management API and where it is kept.
func (a *app) token() (token, file string, err error) {
	dir, err := a.dataDir()
	if err != nil {
		return "", "", err
	}
	file = filepath.Join(dir, "token")
	token, err = server.Token(file)
	return token, file, err
}
