package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/chat"
	"github.com/trimtab/trimtab/export/sessiontext"
	"github.com/trimtab/trimtab/host/launch"
	"github.com/trimtab/trimtab/host/promptfile"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/agentrun"
	"github.com/trimtab/trimtab/surface/gateway"
	"github.com/trimtab/trimtab/surface/hook/install"
	"github.com/trimtab/trimtab/surface/inside"
	"github.com/trimtab/trimtab/surface/server"
)

func runCommand(a *app) *cobra.Command {
	var opt runOptions
	var upstreams []string
	c := &cobra.Command{
		Use: "run [flags] AGENT [ARGS…]", Short: "Run an agent that you have, steered, for this run only",
		Long: `Starts a gateway on a free loopback port and the agent with the flags and the
environment that point it there: claude, codex, opencode, gemini, qwen, goose or
pi; or, after --, any command that reads ANTHROPIC_BASE_URL, OPENAI_BASE_URL or
GOOGLE_GEMINI_BASE_URL. With --hooks it is also kept from stopping with work left
and its tools are refused where the mode says so; with --mcp it is also offered
trimtab mcp. Nothing is written to the agent's own files.`,
		Example: "  trimtab run claude\n  trimtab run --hooks --mcp claude\n  trimtab run --mode planning codex exec \"what is this?\"\n  trimtab run --dry-run gemini\n  trimtab run -- my-agent --flag",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return misused("say which agent: trimtab run claude")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if opt.upstreams, err = parseUpstreams(upstreams); err != nil {
				return err
			}
			return a.run(c.Context(), args, c.ArgsLenAtDash() == 0, opt)
		},
	}
	c.Flags().SetInterspersed(false) // what comes after the agent's name is the agent's
	c.Flags().BoolVar(&opt.dry, "dry-run", false, "only say what would be run")
	c.Flags().BoolVar(&opt.hooks, "hooks", false, "also answer the agent's hooks, where it takes them for one run")
	c.Flags().BoolVar(&opt.mcp, "mcp", false, "also offer the agent trimtab mcp, where it takes servers for one run")
	c.Flags().StringVar(&opt.mode, "mode", "", "start new sessions in this mode")
	c.Flags().StringArrayVar(&upstreams, "upstream", nil, "where a provider's requests go, as in anthropic=URL (repeatable)")
	return c
}

type runOptions struct {
	dry       bool
	hooks     bool
	mcp       bool
	mode      string
	upstreams map[string]string
}

// exitCode is how the agent ended; it is handed on as it is.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("the agent exited with code %d", int(e)) }

func (a *app) run(ctx context.Context, args []string, anything bool, opt runOptions) error {
	dir, err := setting.Folder()
	if err != nil {
		return err
	}
	want, err := a.wanted(install.Parts{MCP: opt.mcp})
	if err != nil {
		return err
	}
	want.Few = !opt.hooks // then only those by which the agent adds notes itself
	agent, err := agentrun.Find(agentrun.Options{
		Name: args[0], Anything: anything, Args: args[1:], Upstreams: opt.upstreams, Getenv: a.getenv, Dir: dir, Tell: a.progress,
		Want: want, Asked: opt.hooks || opt.mcp, Place: func() (install.Place, error) { return a.place(args[0]) },
	})
	if err != nil {
		return misusedRun(err)
	}
	if opt.dry {
		return agent.Describe(answers{a})
	}
	engine, err := a.engine()
	if err != nil {
		return err
	}
	opening, err := agentrun.Opening(engine, opt.mode, a.clock())
	if err != nil {
		return misusedRun(err)
	}
	log := slog.New(slog.DiscardHandler) // the terminal is the agent's
	tracer, untrace, err := a.tracer(log)
	if err != nil {
		return err
	}
	defer untrace()
	data, err := a.dataDir()
	if err != nil {
		return err
	}
	begun, err := inside.Begin(data, inside.Facts{ID: chat.NewID(a.clock()), Host: agent.Host, Project: dir, Started: a.clock()})
	if err != nil {
		a.wrong("%s\n", err)
	}
	defer func() { _ = begun.End() }() // the next run removes what is left
	backend := func(l net.Listener, secret string) (agentrun.Server, func() int64, func() int64, error) {
		g, err := a.gateway(ctx, agent.Upstreams, gateway.Options{FromFile: promptfile.Of(agent.Host, dir, a.getenv("HOME"), agent.Args).Hold, Project: dir, Host: agent.Host, Model: agent.Model, Named: agent.Named, Opening: opening, Run: begun, Log: log, Tracer: tracer})
		if err != nil {
			return nil, nil, nil, err
		}
		passed := func() int64 { return g.Stats.Side.Load() + g.Stats.Faults.Load() }
		s, err := a.server(ctx, server.Options{Gateway: g, Metrics: &g.Stats, Hosts: server.AllowedHosts(l.Addr()), Known: address.Only(secret), Bare: true, Log: log})
		return s, g.Stats.Main.Load, passed, err
	}
	if cfg, err := a.config(); err == nil && a.terminal.out && cfg.Run.Shown(agent.Host) {
		defer inside.Title{Out: a.out, Line: func() string { return a.titled(ctx, begun) }, Every: time.Second, Again: 10 * time.Second}.Start()()
	}
	code, err := agent.Run(ctx, backend, launch.Process{
		Session: begun.ID, Data: data, Environ: slices.Concat(a.environ, config.Environ[Settings](a.flag.sets), setting.Named(a.flag.config)), In: a.in, Out: a.out, Err: a.err, Terminal: a.terminal.in,
	})
	if err == nil && code != 0 {
		return exitCode(code)
	}
	return err
}

// titled is the status of a run's session in one line.
func (a *app) titled(ctx context.Context, run *inside.Run) string {
	if a.service == nil {
		return ""
	}
	s, err := a.service.Session(ctx, run.Session())
	if err != nil {
		s = trimtab.Session{} // it has none yet
	}
	return sessiontext.StatusLine(s, a.service.Engine().Status(s), inside.Place{Run: run}.Words()...)
}

// misusedRun is an error of package agentrun, told as one of usage where it is one.
func misusedRun(err error) error {
	if wrong := (agentrun.UsageError{}); errors.As(err, &wrong) {
		return misused("%w", wrong)
	}
	return err
}
