package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/chat"
	"github.com/trimtab/trimtab/host/launch"
	"github.com/trimtab/trimtab/host/promptfile"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/gateway"
	"github.com/trimtab/trimtab/surface/hook/install"
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
	agent, err := findLaunch(args[0], anything)
	if err != nil {
		return err
	}
	program, err := exec.LookPath(agent.Command)
	if err != nil {
		return fmt.Errorf("%s is not installed, or not on PATH%s", agent.Command, getIt(agent))
	}
	if err := agent.Check(a.getenv); err != nil {
		return err
	}
	dir, err := setting.Folder()
	if err != nil {
		return err
	}
	if self, err := os.Executable(); err == nil {
		agent = agent.WithStatus(self, a.getenv)
	}
	if agent, err = a.withExtras(agent, opt); err != nil {
		return err
	}
	own := args[1:]
	if agent, own, err = agent.WithOwn(own); err != nil {
		return err
	}
	if opt.dry {
		a.printDry(agent.Fill(address.URL("http://127.0.0.1:PORT", "SECRET"), "SESSION", "FILE"), program, own)
		return nil
	}
	opening, err := a.opening(opt.mode)
	if err != nil {
		return err
	}
	session, secret := chat.NewID(a.clock()), address.New()
	l, err := server.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		return err
	}
	upstreams := agent.Upstreams(a.getenv, opt.upstreams)
	log := slog.New(slog.DiscardHandler) // the terminal is the agent's
	tracer, untrace, err := a.tracer(log)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer untrace()
	files := promptfile.Of(agent.Host, dir, a.getenv("HOME"), own)
	g, err := a.gateway(ctx, upstreams, gateway.Options{FromFile: files.Hold, Project: dir, Host: agent.Host, Model: agent.AsksFor(own, a.getenv), Opening: opening, Log: log, Tracer: tracer})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	srv, err := a.server(ctx, server.Options{Gateway: g, Metrics: &g.Stats, Hosts: server.AllowedHosts(l.Addr()), Known: address.Only(secret), Bare: true, Log: log})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	end := make(chan error, 1)
	go func() { end <- srv.Serve(serving, l) }()
	err = a.runAgent(agent, address.URL("http://"+l.Addr().String(), secret), session, program, own)
	stop()
	return errors.Join(err, <-end)
}

func findLaunch(name string, anything bool) (launch.Launch, error) {
	if anything {
		return launch.Anything(name), nil
	}
	if l, ok := launch.Find(name); ok {
		return l, nil
	}
	names := launch.Names()
	hint := ""
	if near := config.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return launch.Launch{}, misused("no agent %q is known%s\nthere are %s; for any other command: trimtab run -- %s …", name, hint, strings.Join(names, ", "), name)
}

func getIt(l launch.Launch) string {
	if l.Package == "" {
		return ""
	}
	return "; get it with npm install -g " + l.Package
}

// opening is what each session of the run begins with: the mode, if one was
// given. A mode that does not exist is refused before anything starts.
func (a *app) opening(mode string) ([]trimtab.Event, error) {
	if mode == "" {
		return nil, nil
	}
	engine, err := a.engine()
	if err != nil {
		return nil, err
	}
	ev := trimtab.Asked{Command: "mode", Args: []string{mode}, Away: true}
	_, out := engine.Step(trimtab.NewSession("try", a.clock()), ev, a.clock())
	if reply, err := out.Reply(); err != nil || reply.Failed {
		return nil, misused("%s", reply.Text)
	}
	return []trimtab.Event{ev}, nil
}

// runAgent runs the agent on this terminal. Its exit code is ours.
func (a *app) runAgent(l launch.Launch, url, session, program string, args []string) error {
	data, err := a.dataDir()
	if err != nil {
		return err
	}
	code, err := l.Run(launch.Process{
		Program: program, Args: args, URL: url, Session: session, Data: data,
		Environ: a.environ, In: a.in, Out: a.out, Err: a.err, Terminal: a.terminal.in,
	})
	if err == nil && code != 0 {
		return exitCode(code)
	}
	return err
}

func (a *app) printDry(l launch.Launch, program string, args []string) {
	for _, k := range slices.Sorted(maps.Keys(l.Env)) {
		a.printf("%s=%s\n", k, l.Env[k])
	}
	if l.File.Name != "" {
		a.printf("FILE is %s in a folder of the run:\n%s", l.File.Name, l.File.Text)
	}
	words := []string{program}
	for _, w := range append(slices.Clone(l.Args), args...) {
		words = append(words, install.ShellQuote(w))
	}
	a.printf("%s\n", strings.Join(words, " "))
}
