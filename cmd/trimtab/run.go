package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/surface/gateway"
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

func (e exitCode) Error() string { return fmt.Sprintf("the agent ended with code %d", int(e)) }

func (a *app) run(ctx context.Context, args []string, anything bool, opt runOptions) error {
	launch, err := a.launch(args[0], anything)
	if err != nil {
		return err
	}
	program, err := exec.LookPath(launch.Command)
	if err != nil {
		return fmt.Errorf("%s is not installed, or not on PATH%s", launch.Command, getIt(launch))
	}
	if err := launch.Check(a.getenv); err != nil {
		return err
	}
	dir, err := setting.Folder()
	if err != nil {
		return err
	}
	if launch, err = a.withExtras(a.withStatus(launch), opt); err != nil {
		return err
	}
	if opt.dry {
		a.printDry(launch.Fill("http://127.0.0.1:PORT", "SESSION", "FILE"), program, args[1:])
		return nil
	}
	opening, err := a.opening(opt.mode)
	if err != nil {
		return err
	}
	session := newID(a)
	l, err := server.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		return err
	}
	upstreams := a.upstreamsOf(launch, opt.upstreams)
	log := slog.New(slog.DiscardHandler) // the terminal is the agent's
	tracer, untrace, err := a.tracer(log)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer untrace()
	g, err := a.gateway(ctx, upstreams, gateway.Options{Project: dir, Host: launch.Host, Opening: opening, Log: log, Tracer: tracer})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	srv, err := a.server(ctx, server.Options{Gateway: g, Metrics: &g.Stats, Hosts: server.AllowedHosts(l.Addr()), Log: log})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	end := make(chan error, 1)
	go func() { end <- srv.Serve(serving, l) }()
	err = a.runAgent(ctx, launch, "http://"+l.Addr().String(), session, program, args[1:])
	stop()
	return errors.Join(err, <-end)
}

func (a *app) launch(name string, anything bool) (gateway.Launch, error) {
	if anything {
		return gateway.Anything(name), nil
	}
	all, err := gateway.Launches()
	if err != nil {
		return gateway.Launch{}, err
	}
	if l, ok := all[name]; ok {
		return l, nil
	}
	names := slices.Sorted(maps.Keys(all))
	hint := ""
	if near := config.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return gateway.Launch{}, misused("no agent %q is known%s\nthere are %s; for any other command: trimtab run -- %s …", name, hint, strings.Join(names, ", "), name)
}

// withStatus gives the host a status line of ours, where it has one and the
// person has not set their own.
func (a *app) withStatus(l gateway.Launch) gateway.Launch {
	self, err := os.Executable()
	if l.Status == nil || err != nil {
		return l
	}
	settings, err := os.ReadFile(filepath.Join(cmp.Or(a.getenv("HOME"), a.getenv("USERPROFILE")), filepath.FromSlash(l.Status.File)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return l
	}
	return l.WithStatus(self, string(settings))
}

func getIt(l gateway.Launch) string {
	if l.Package == "" {
		return ""
	}
	return "; get it with npm install -g " + l.Package
}

// upstreamsOf keeps a base URL that the person has set already: the gateway goes
// there.
func (a *app) upstreamsOf(l gateway.Launch, given map[string]string) map[string]string {
	all := map[string]string{}
	for provider, variable := range l.Upstream {
		all[provider] = a.getenv(variable)
	}
	maps.Copy(all, given)
	return all
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

// runAgent starts the agent on this terminal and waits. Signals go to it, and its
// exit code comes back.
func (a *app) runAgent(ctx context.Context, l gateway.Launch, url, session, program string, args []string) error {
	file := ""
	if l.File != nil {
		dir, err := os.MkdirTemp("", "trimtab-run-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		file = filepath.Join(dir, l.File.Name)
	}
	l = l.Fill(url, session, file)
	if l.File != nil {
		if err := os.WriteFile(file, []byte(l.File.Text), 0o600); err != nil {
			return err
		}
	}
	cmd := exec.Command(program, append(slices.Clone(l.Args), args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.in, a.out, a.err
	data, err := a.dataDir()
	if err != nil {
		return err
	}
	cmd.Env = append(slices.Clone(a.environ), "TRIMTAB_SESSION="+session, "TRIMTAB_DATA="+data)
	for _, k := range slices.Sorted(maps.Keys(l.Env)) {
		cmd.Env = append(cmd.Env, k+"="+l.Env[k])
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			if s != os.Interrupt || !a.terminal.in { // a terminal sends it to the agent itself
				_ = cmd.Process.Signal(s)
			}
		case err := <-ended:
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return exitCode(exit.ExitCode())
			}
			return err
		}
	}
}

func (a *app) printDry(l gateway.Launch, program string, args []string) {
	for _, k := range slices.Sorted(maps.Keys(l.Env)) {
		a.printf("%s=%s\n", k, l.Env[k])
	}
	if l.File != nil {
		a.printf("FILE is %s in a folder of the run:\n%s", l.File.Name, l.File.Text)
	}
	words := []string{program}
	for _, w := range append(slices.Clone(l.Args), args...) {
		words = append(words, quoted(w))
	}
	a.printf("%s\n", strings.Join(words, " "))
}

// quoted makes a word fit to be pasted into a shell.
func quoted(w string) string {
	if w != "" && !strings.ContainsAny(w, " \t\n'\"$`\\{}[]()<>|&;*?!#~") {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
