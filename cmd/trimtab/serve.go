package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/host/promptfile"
	"github.com/trimtab/trimtab/improve/assembly"
	"github.com/trimtab/trimtab/internal/home"
	"github.com/trimtab/trimtab/internal/identity"
	"github.com/trimtab/trimtab/internal/peer"
	"github.com/trimtab/trimtab/internal/trace"
	"github.com/trimtab/trimtab/internal/version"
	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/llm/price"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/store/postgres"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/audit"
	"github.com/trimtab/trimtab/surface/caller"
	"github.com/trimtab/trimtab/surface/gateway"
	"github.com/trimtab/trimtab/surface/metrics"
	"github.com/trimtab/trimtab/surface/operate"
	"github.com/trimtab/trimtab/surface/server"
	"github.com/trimtab/trimtab/surface/signin"
	"github.com/trimtab/trimtab/surface/web"
)

func serveCommand(a *app) *cobra.Command {
	var at server.Config
	var upstreams []string
	c := &cobra.Command{
		Use: "serve", Short: "Run the gateway: point agents at it and they are steered", Args: none,
		Long: `Listens for requests to model providers, steers the main turns of each session, and
passes everything on. Point an agent's base URL at the address that trimtab serve
address prints: nothing is answered at any other. It listens on loopback, or where the
section serve of the settings or a flag says; what other machines can reach is encrypted,
by a certificate or by a proxy before it. Where a service manager holds the port and
passes it on (LISTEN_FDS), that one is served.
/healthz, /readyz and /metrics show its health. Where automation.approval is never,
it also works on queued improvements (automation.worker).`,
		Example: `  trimtab serve
  trimtab serve --upstream anthropic=https://api.anthropic.com
  trimtab serve --listen 0.0.0.0:8443 --tls-cert chain.pem --tls-key key.pem --host gateway.example:8443
  trimtab serve --listen 0.0.0.0:8787 --trust-proxy --host gateway.example`,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := a.config()
			if err != nil {
				return err
			}
			return a.serve(c.Context(), cfg.Serve.With(at), upstreams)
		},
	}
	c.Flags().StringVar(&at.Listen, "listen", "", "`address` to listen on (default "+home.Serve+")")
	c.Flags().StringVar(&at.Cert, "tls-cert", "", "`file` with the certificate chain; read again when it changes")
	c.Flags().StringVar(&at.Key, "tls-key", "", "`file` with its key")
	c.Flags().BoolVar(&at.TrustProxy, "trust-proxy", false, "a proxy before it ends TLS")
	c.Flags().StringArrayVar(&at.Hosts, "host", nil, "`name` under which it is called, with its port unless that is 443 or 80 (repeatable)")
	c.Flags().StringArrayVar(&upstreams, "upstream", nil, "where a provider's requests go, as in anthropic=URL (repeatable)")
	c.AddCommand(operate.Commands(a.operation())...)
	return c
}

// operation is what the commands below serve need of the program.
func (a *app) operation() operate.Env {
	return operate.Env{
		Out: answers{a}, Told: a.progress, JSON: func() bool { return a.flag.json }, Misused: misused, Clients: a.clients, Clock: a.clock, Data: a.dataDir,
		Key: func(where string) (key.Key, error) { return caller.Find(where, a.getenv, key.System()) },
		Settings: func() (server.Config, error) {
			cfg, err := a.config()
			if err != nil {
				return server.Config{}, err
			}
			return cfg.Serve, nil
		},
		Files: func(ctx context.Context) (caller.Files, string, error) {
			st, err := a.store(ctx)
			if err != nil {
				return nil, "", err
			}
			return st.Queue(), cmp.Or(st.User(), identity.Account()), nil
		},
	}
}

// clients are those that trimtab serve answers.
func (a *app) clients() (*address.Clients, error) {
	data, err := a.dataDir()
	if err != nil {
		return nil, err
	}
	return address.Open(filepath.Join(data, "clients")), nil
}

// gate lets those with keys to the gateway.
func (a *app) gate(ctx context.Context, at server.Config, log *slog.Logger) (*caller.Gate, *metrics.Metrics, error) {
	a.passing = true
	st, err := a.store(ctx)
	if err != nil {
		return nil, nil, err
	}
	prices, err := price.New(a.settings.Models.Prices)
	if err != nil {
		return nil, nil, err
	}
	held, err := caller.Hold(at.ProviderKeys, a.getenv, key.System())
	return caller.NewGate(caller.NewBook(st.Queue(), a.clock), caller.Options{Held: held, Prices: prices, Replica: server.Replica(at.Listen), Log: log, Clock: a.clock}), metrics.New(metrics.Options{Prices: prices}), err
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

// peers are the other gateways on the store. On a server there may always be some.
func (a *app) peers(ctx context.Context) (*peer.Group, error) {
	a.passing = true
	st, err := a.store(ctx)
	if err != nil || a.unready != nil {
		return peer.Always(), err
	}
	if postgres.IsURL(st.Path()) {
		return peer.Always(), nil
	}
	return peer.Join(ctx, st.Path())
}

// tracer sends the gateway's main turns to a collector, where the person asks for
// that; else it is nil. end sends what waits.
func (a *app) tracer(log *slog.Logger) (t gateway.Tracer, end func(), err error) {
	cfg, err := a.config()
	if err != nil {
		return nil, nil, err
	}
	return trace.Start(cfg.Telemetry, a.getenv, version.Read().Version, log)
}

func parseUpstreams(list []string) (map[string]string, error) {
	all, err := gateway.ParseUpstreams(list)
	if err != nil {
		return nil, misused("--upstream %w", err)
	}
	return all, nil
}

func (a *app) serve(ctx context.Context, at server.Config, list []string) error {
	upstreams, err := parseUpstreams(list)
	if err != nil {
		return err
	}
	if err := at.Check(); err != nil {
		return misused("serve: %w", err)
	}
	log := slog.New(slog.NewTextHandler(a.err, nil))
	tracer, untrace, err := a.tracer(log)
	if err != nil {
		return err
	}
	defer untrace()
	group, err := a.peers(ctx)
	if err != nil {
		return err
	}
	gate, counters, err := a.gate(ctx, at, log)
	if err != nil {
		return err
	}
	defer gate.Start(ctx)()
	g, err := a.gateway(ctx, upstreams, gateway.Options{Guard: gate, Calls: counters.Count, Shared: group.Shared, FromFile: promptfile.Of("", "", a.getenv("HOME"), nil).Hold, Log: log, Tracer: tracer})
	if err != nil {
		return err
	}
	defer group.Start(ctx, g.Share)()
	token, file, err := a.token()
	if err != nil {
		a.wrong("nobody can manage this server: %s\n", err)
		token, file = address.New(), "no file" // one that nobody knows
	}
	l, err := at.Open(ctx, a.getenv, log)
	if err != nil {
		return err
	}
	clients, err := a.clients()
	if err != nil {
		return errors.Join(err, l.Close())
	}
	opt := server.Options{Gateway: g, Known: clients.Known, Callers: gate.Handler, Metrics: counters.With(&g.Stats), Hosts: at.Names(l.Addr()), TrustProxy: at.TrustProxy, Drain: time.Duration(at.Drain) * time.Second, FlushQuiet: time.Minute, Log: log}
	if !at.Loopback() {
		opt.Viewer = address.Bearer(token)
	}
	if opt.API, err = a.api(ctx, token, opt.Hosts, gate, at); err != nil {
		return errors.Join(err, l.Close())
	}
	a.progress("listening on %[3]s://%[1]s\nthe base URL for an agent: trimtab serve address %[4]s\nmanagement at /trimtab/api, MCP at /mcp, both with the token in %[2]s\n", l.Addr().String(), file, at.Scheme(), at.Flag(l.Addr()))
	if err := a.summaries(ctx, log); err != nil {
		return errors.Join(err, l.Close())
	}
	if err := a.retain(ctx, at.Keep, log); err != nil {
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

// retain removes old sessions of everyone in the background, where the settings say so.
func (a *app) retain(ctx context.Context, days int, log *slog.Logger) error {
	st, err := a.store(ctx)
	if err != nil {
		return err
	}
	all, err := owned.New(st.Store.Archive, owned.Options{User: st.User(), Role: owned.Steer, Show: owned.Everyone})
	if err == nil {
		server.Retain(ctx, all, time.Duration(days)*24*time.Hour, a.clock, log)
	}
	return err
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

func (a *app) api(ctx context.Context, token string, hosts []string, gate *caller.Gate, at server.Config) (http.Handler, error) {
	st, err := a.store(ctx)
	if err != nil {
		return nil, err
	}
	service, err := a.sessions(ctx)
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(a.err, nil))
	did := audit.Log{Files: st.Queue(), Clock: a.clock}.Did(log)
	labels, goal, err := a.labelsAndGoal()
	if err != nil {
		return nil, err
	}
	api, err := web.New(web.Options{Did: did, Labels: labels, Debates: goal, Service: service, Archive: st, Everyone: st.Store.Archive, Feed: st, Improvements: st.Queue(), Token: token, Who: gate.Person, Policy: at.Policy, Hosts: hosts, Done: ctx.Done()})
	if err != nil || a.settings.SignIn.Issuer == "" {
		return api, err
	}
	secret, err := caller.Find(a.settings.SignIn.Secret, a.getenv, key.System())
	if err != nil {
		return nil, fmt.Errorf("signIn.secret: %w", err)
	}
	in, err := signin.New(signin.Options{Config: a.settings.SignIn, ClientSecret: secret, URL: at.URL(at.Listen), Hosts: hosts, Files: st.Queue(), Clock: a.clock, Log: log, Did: did})
	if err != nil {
		return nil, err
	}
	return in.Handler(api), nil
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
