package project

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/improve/agents/subprocess"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Config is what a person may set about a project's commands. A project may set
// none of it: its commands would run before anybody has looked.
type Config struct {
	Setup   []string `json:"setup" guard:"user" doc:"program and arguments that bring what the tests need into a fresh working tree; none stands for no command"`
	Test    []string `json:"test" guard:"user" doc:"program and arguments that test the project, where the found ones are not right"`
	Lint    []string `json:"lint" guard:"user" doc:"program and arguments that lint the project; none stands for no command"`
	Format  []string `json:"format" guard:"user" doc:"program and arguments that check the format and change nothing; none stands for no command"`
	Minutes int      `json:"minutes" guard:"user" default:"20" min:"1" max:"600" doc:"most minutes of one command"`
	Output  int      `json:"output" guard:"user" default:"32" min:"1" max:"1024" doc:"most megabytes that one command may write"`
	Env     []string `json:"env" guard:"user" doc:"further variables that the commands get; never those that open a forge"`
	Write   []string `json:"write" guard:"user" doc:"further folders that the commands may write to, such as a module cache"`
}

// Options are what commands run with.
type Options struct {
	Lookup  func(name string) (string, bool) // os.LookupEnv
	Redact  func(string) string              // of all that goes to a log
	Cache   string                           // folder for what is built, kept between commands
	Hide    []string                         // files and folders that no command may read, beside the person's secrets
	Sandbox sandbox.Config
	Self    string // this program, for the sandbox
	// Root is the person's own folder of the project. What a working tree of it lacks, its
	// virtual environment and its installed packages, is used from there; "" for none.
	Root string
}

// Project runs the commands of a project.
type Project struct {
	cfg Config
	opt Options
}

// Result is a command that came to its end.
type Result struct {
	Kind    Kind
	Command string
	From    string // what says that this is the command
	Exit    int
	Log     string // file with what it wrote
	Said    string // the end of it, redacted
	Took    time.Duration
	Boxed   string // the sandbox it ran in, "" for none
}

// The errors of a command that did not come to its end.
var (
	ErrMissing = subprocess.ErrMissing
	ErrTime    = subprocess.ErrTime
	ErrOutput  = subprocess.ErrOutput
)

// New returns a project's commands.
func New(cfg Config, opt Options) (*Project, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return nil, fmt.Errorf("project: %w", err)
	}
	if opt.Lookup == nil || opt.Redact == nil {
		return nil, errors.New("project: commands need an environment and a redactor")
	}
	for _, name := range cfg.Env {
		if subprocess.Forge(name) {
			return nil, fmt.Errorf("project.env: %s opens a forge; no command gets it", name)
		}
	}
	return &Project{cfg, opt}, nil
}

// Command returns the command of a kind for a project: the one that was set, else
// the one that was found. ok is false where there is none.
func (p *Project) Command(dir string, kind Kind) (c Command, ok bool, err error) {
	set := map[Kind][]string{Setup: p.cfg.Setup, Test: p.cfg.Test, Lint: p.cfg.Lint, Format: p.cfg.Format}[kind]
	switch {
	case len(set) == 1 && set[0] == "none":
		return Command{}, false, nil
	case len(set) > 0:
		return Command{Kind: kind, Argv: set, From: "the settings"}, true, nil
	}
	all, err := Find(dir)
	if err != nil {
		return Command{}, false, err
	}
	for _, c := range all {
		if c.Kind == kind {
			c, ok = p.fitted(dir, c)
			return c, ok, nil
		}
	}
	if kind == Test {
		c, ok = p.byEnvironment(dir)
	}
	return c, ok, nil
}

// Has reports whether a project has a command of a kind, and an error where it has
// one that could not be started here. Nothing is run.
func (p *Project) Has(kind Kind, dir string) (bool, error) {
	c, ok, err := p.Command(dir, kind)
	if err != nil || !ok {
		return false, err
	}
	if _, err := subprocess.Find(c.Argv[0], p.environ(dir, "")); err != nil {
		return true, fmt.Errorf("%s of the project, in %s: %w%s", kind, dir, err, todo(kind, err))
	}
	return true, nil
}

// Run runs the command of a kind in a folder, and writes what it says to a log. has
// is false where the project has none. That the command ends with another code than 0
// is a Result; that it is not installed, takes too long or writes too much is an error.
func (p *Project) Run(ctx context.Context, kind Kind, dir, log string) (r Result, has bool, err error) {
	c, ok, err := p.Command(dir, kind)
	if err != nil || !ok {
		return Result{}, false, err
	}
	r, err = p.run(ctx, c, dir, log)
	if err != nil {
		return r, true, fmt.Errorf("%s of the project, in %s: %w%s", kind, dir, err, todo(kind, err))
	}
	return r, true, nil
}

// todo is what a person can do about a command that did not come to its end.
func todo(kind Kind, err error) string {
	switch {
	case errors.Is(err, ErrMissing):
		return fmt.Sprintf("; install it, or set improve.checks.%s to another command, or to none", kind)
	case errors.Is(err, ErrTime):
		return fmt.Sprintf("; raise improve.checks.minutes, or set improve.checks.%s to a shorter command", kind)
	case errors.Is(err, ErrOutput):
		return "; look at its log for what it repeats"
	}
	return ""
}

func (p *Project) run(ctx context.Context, c Command, dir, name string) (Result, error) {
	r := Result{Kind: c.Kind, Command: c.String(), From: c.From, Exit: -1}
	if err := p.furnish(dir); err != nil {
		return r, fmt.Errorf("use the packages of %s: %w", p.opt.Root, err)
	}
	place, err := subprocess.Open(p.setting(dir))
	if err != nil {
		return r, err
	}
	defer place.Close()
	log, err := subprocess.Create(name, p.opt.Redact)
	if err != nil {
		return r, err
	}
	wrote := &counter{}
	end, err := place.Run(ctx, subprocess.Program{
		Argv: c.Argv, Env: p.environ(dir, place.Home),
		Time: time.Duration(p.cfg.Minutes) * time.Minute, Output: int64(p.cfg.Output) << 20, Stdout: wrote, Log: log,
	})
	r.Exit, r.Took, r.Boxed, r.Log = end.Exit, end.Took, place.Boxed(), filepath.Clean(name)
	r.Said = p.opt.Redact(end.Tail)
	if c.Silent && r.Exit == 0 && wrote.n > 0 {
		r.Exit = 1
	}
	return r, errors.Join(err, log.Close())
}

// setting is where commands run, and what they may write to.
func (p *Project) setting(dir string) subprocess.Setting {
	return subprocess.Setting{
		Dir: dir, Write: p.cfg.Write, Cache: p.opt.Cache, Sandbox: p.opt.Sandbox, Self: p.opt.Self,
		Hide: slices.Concat(subprocess.Secrets(p.opt.Lookup), p.opt.Hide),
	}
}

// environ is the environment of a command in a folder.
func (p *Project) environ(dir, home string) []string {
	env := subprocess.Environ(p.opt.Lookup, home, p.cfg.Env...)
	env = append(env, "MISE_TRUSTED_CONFIG_PATHS="+dir, "MISE_YES=1")
	return append(env, p.python(dir, env)...)
}

// counter counts what is written.
type counter struct{ n int }

func (c *counter) Write(b []byte) (int, error) { c.n += len(b); return len(b), nil }
