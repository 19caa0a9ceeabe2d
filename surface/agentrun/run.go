// Package agentrun starts an agent that a person has beside a gateway of its own, for one
// run: it finds the agent, adds what the run needs to how it is started, serves the
// gateway on a free loopback port at a secret address, and hands the agent's exit code
// on. It reads no flags, opens no store and makes no gateway: that comes from the caller.
//
//	agent, err := agentrun.Find(agentrun.Options{Name: "claude", Args: args, Getenv: os.Getenv})
//	…
//	code, err := agent.Run(ctx, backend, launch.Process{Environ: os.Environ(), In: os.Stdin, …})
package agentrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/launch"
	"github.com/trimtab/trimtab/host/setup"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/hook/install"
	"github.com/trimtab/trimtab/surface/server"
)

// UsageError is a mistake in what was asked for.
type UsageError struct{ error }

// Unwrap is the error itself.
func (e UsageError) Unwrap() error { return e.error }

// Options say which agent is run, and with what.
type Options struct {
	Name      string   // of the agent, or of a program
	Anything  bool     // Name is a program of which nothing is known
	Args      []string // the person's own
	Upstreams map[string]string
	Getenv    func(string) string
	Dir       string                             // that the agent is started in
	Want      install.Want                       // hooks and MCP server that the agent is given for this run
	Place     func() (install.Place, error)      // the agent's own settings, which may have them already
	Asked     bool                               // the person has asked for them
	Tell      func(format string, values ...any) // what the person should know before the agent starts
}

// Agent is an agent that can be started.
type Agent struct {
	launch.Launch
	Program   string
	Args      []string          // the person's own
	Upstreams map[string]string // where the gateway sends what the agent asks
	Named     map[string]string // upstreams of the person's own, by the name in their path
	Model     string            // that it is expected to ask, where that is known
}

// Find finds an agent and says how it is started for one run.
func Find(opt Options) (Agent, error) {
	var a Agent
	l, err := findLaunch(opt.Name, opt.Anything)
	if err != nil {
		return a, err
	}
	program, err := exec.LookPath(l.Command)
	if err != nil {
		get := ""
		if l.Package != "" {
			get = "; get it with npm install -g " + l.Package
		}
		return a, fmt.Errorf("%s is not installed, or not on PATH%s", l.Command, get)
	}
	found, err := setup.Read(l.Host, setup.Env{
		Getenv: opt.Getenv, Home: cmp.Or(opt.Getenv("HOME"), opt.Getenv("USERPROFILE")), Dir: opt.Dir, Args: opt.Args, System: runtime.GOOS,
		Ours: ours,
	})
	errand := asksNothing(opt.Args)
	switch {
	case err != nil && !errand:
		return a, err
	case err != nil: // it may be how the person mends it: codex login
		found = setup.Setup{Upstreams: map[string]string{}, Named: map[string]string{}}
	}
	if self, err := os.Executable(); err == nil {
		l = l.WithStatus(self, opt.Getenv)
	}
	if l, err = withSetup(l, found); err != nil {
		return a, err
	}
	if err := l.Check(opt.Getenv); err != nil && !errand {
		return a, err
	}
	for _, note := range found.Notes {
		opt.Tell("%s\n", note)
	}
	if l, err = withExtras(l, opt); err != nil {
		return a, err
	}
	l, own, err := l.WithOwn(opt.Args)
	if err != nil {
		return a, err
	}
	a = Agent{Launch: l, Program: program, Args: own, Model: l.AsksFor(own, opt.Getenv), Upstreams: l.Upstreams(opt.Getenv, found.Upstreams), Named: found.Named}
	for name, base := range opt.Upstreams { // what is said for this run counts most
		if _, ok := a.Named[name]; ok {
			a.Named[name] = base
		} else {
			a.Upstreams[name] = base
		}
	}
	return a, nil
}

// ours reports whether a base URL is a gateway of trimtab on this machine. Others may have
// a path that begins alike.
func ours(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	_, secret := address.Split(base)
	return server.CheckLoopback(u.Host) == nil && len(secret) >= len(address.New())
}

// withSetup is the agent as the person's own set-up wants it started.
func withSetup(l launch.Launch, found setup.Setup) (launch.Launch, error) {
	if found.Args != nil {
		l.Args = found.Args
	}
	if found.HasKey {
		l.Keys = nil
	}
	if found.Main != "" {
		l.File.Text = found.Main
	}
	l.Files = append(l.Files, found.Files...)
	return l.With(launch.Extras{Settings: found.Settings, Env: found.Env})
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
	return launch.Launch{}, UsageError{fmt.Errorf("no agent %q is known%s\nthere are %s; for any other command: trimtab run -- %s …", name, hint, strings.Join(names, ", "), name)}
}

// withExtras gives the agent hooks and an MCP server for this run, where it takes them
// so and its own settings do not have them. What was asked for and is left out is told.
func withExtras(l launch.Launch, opt Options) (launch.Launch, error) {
	want := opt.Want
	if place, err := opt.Place(); err == nil { // an agent whose settings we know
		lacks, there, err := place.Lacks(want)
		if err != nil && opt.Asked {
			return l, err
		}
		if want = lacks; err != nil { // settings that we cannot read are no reason not to run it
			want.Hooks = ""
		}
		for _, text := range there {
			if opt.Asked {
				opt.Tell("%s\n", text)
			}
		}
	}
	extra, err := install.ForRun(l.Host, want, opt.Getenv)
	if err != nil {
		return l, err
	}
	for _, left := range extra.Left {
		opt.Tell("%s\n", left)
	}
	for name, text := range extra.Env {
		if have, ok := l.Env[name]; ok { // settings in a variable: both count
			extra.Env[name] = setup.MergeJSON(have, text)
		}
	}
	return l.With(launch.Extras{Settings: extra.Settings, Args: extra.Args, Env: extra.Env, File: extra.File})
}

// Describe writes what would be run, with words in place of what each run makes anew.
func (a Agent) Describe(w io.Writer) error {
	l := a.Fill(address.URL("http://127.0.0.1:PORT", "SECRET"), "SESSION", "FILE")
	var text strings.Builder
	for _, k := range slices.Sorted(maps.Keys(l.Env)) {
		fmt.Fprintf(&text, "%s=%s\n", k, l.Env[k])
	}
	if l.File.Name != "" {
		fmt.Fprintf(&text, "FILE is %s in a folder of the run:\n%s", l.File.Name, l.File.Text)
	}
	if l.Inline.Name != "" {
		fmt.Fprintf(&text, "%s joins %s\n", l.Inline.Name, l.Inline.Value)
	}
	for _, f := range l.Files {
		fmt.Fprintf(&text, "FOLDER has %s\n", f.Name)
	}
	text.WriteString(a.Program)
	for _, word := range slices.Concat(l.Args, a.Args) {
		text.WriteString(" " + install.ShellQuote(word))
	}
	return termsafe.Fprintf(w, "%s\n", text.String())
}

// Opening is what each session of the run begins with: the mode, if one was given. A
// mode that does not exist is refused before anything starts.
func Opening(engine *trimtab.Engine, mode string, now time.Time) ([]trimtab.Event, error) {
	if mode == "" {
		return nil, nil
	}
	ev := trimtab.Asked{Command: "mode", Args: []string{mode}, Away: true}
	_, out := engine.Step(trimtab.NewSession("try", now), ev, now)
	if reply, err := out.Reply(); err != nil || reply.Failed {
		return nil, UsageError{errors.New(reply.Text)}
	}
	return []trimtab.Event{ev}, nil
}

// Server is what answers the agent's requests.
type Server interface {
	Serve(ctx context.Context, l net.Listener) error
}

// Backend makes the server for an address that only this run knows. Turns is how many
// requests of the agent were steered, and passed how many were not.
type Backend func(l net.Listener, secret string) (s Server, turns, passed func() int64, err error)

// Run serves the agent's requests, runs it on this terminal and returns its exit code.
// That nothing of it was steered is told at the end: on the terminal of an agent that
// works as ever nobody would notice.
func (a Agent) Run(ctx context.Context, backend Backend, p launch.Process) (code int, err error) {
	secret := address.New()
	l, err := server.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	srv, turns, passed, err := backend(l, secret)
	if err != nil {
		return 0, errors.Join(err, l.Close())
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	end := make(chan error, 1)
	go func() { end <- srv.Serve(serving, l) }()
	p.Program, p.Args, p.URL = a.Program, a.Args, address.URL("http://"+l.Addr().String(), secret)
	code, err = a.Launch.Run(p)
	stop()
	err = errors.Join(err, <-end)
	if text := a.unsteered(turns(), passed()); text != "" && err == nil {
		_ = termsafe.Fprintf(p.Err, "trimtab: %s\n", text) // there is nobody left to tell
	}
	return code, err
}

// unsteered is what to say of a run in which nothing was steered, or "".
func (a Agent) unsteered(turns, passed int64) string {
	switch {
	case turns > 0 || asksNothing(a.Args):
		return ""
	case passed > 0:
		return fmt.Sprintf("%s of %s came through the gateway and none was steered: they were side calls, or could not be read; see trimtab doctor", plural.Count(int(passed), "request"), a.Command)
	}
	return fmt.Sprintf("no request of %s came through the gateway, so nothing was steered. If you asked it something, a setting or login of its own leads elsewhere: trimtab run --dry-run %s shows what it was told, docs/reference/hosts.md what is possible", a.Command, a.Host)
}

// asksNothing reports whether an agent is started for something else than to ask a
// model: to say its version, or to see to its own settings.
func asksNothing(args []string) bool {
	for i, arg := range args {
		switch {
		case arg == "--":
			return false
		case slices.Contains([]string{"--help", "-h", "--version", "-V"}, arg), len(args) == 1 && arg == "-v":
			return true
		case i == 0 && slices.Contains(errands, arg):
			return true
		}
	}
	return false
}

// errands are commands of agents that ask no model.
var errands = []string{
	"auth", "completion", "config", "configure", "doctor", "extensions", "features", "help", "hooks", "info", "install", "list", "login", "logout", "mcp",
	"models", "plugin", "plugins", "providers", "remove", "session", "setup-token", "skills", "stats", "uninstall", "update", "upgrade", "version",
}
