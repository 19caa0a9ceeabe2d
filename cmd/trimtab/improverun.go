package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/registry"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/improve/project"
	"github.com/trimtab/trimtab/improve/report"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/worker"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/secret"
)

// Improve are the settings of the work on improvements.
type Improve struct {
	agents.Config
	Minutes  int            `json:"minutes" default:"20" min:"1" max:"600" guard:"user" doc:"most minutes of an agent for one step"`
	Cost     float64        `json:"cost" default:"5" min:"0.01" max:"1000" guard:"user" doc:"most dollars of an agent for one step"`
	Patience int            `json:"patienceSeconds" default:"600" min:"1" max:"86400" guard:"user" doc:"how long a rate limit of the forge, and checks that still run, are waited for"`
	Ready    string         `json:"readyLabel" default:"ready" doc:"label of a pull request that a person may merge"`
	Records  string         `json:"records" guard:"user" hide:"true" doc:"PostgreSQL for the records of the work; a file in the data folder where it is empty"`
	Checks   project.Config `json:"checks" doc:"how a project is tested, linted and its format checked"`
	Lease    int            `json:"leaseSeconds" default:"60" min:"5" max:"3600" guard:"user" doc:"after so long without a sign of life another worker takes over"`
}

var forgeKinds = []string{"auto", "local", "github", "gitea", "gitlab"}

func improveRun(a *app) *cobra.Command {
	var watch, stay bool
	var agent, kind string
	c := &cobra.Command{
		Use: "run", Short: "Do what was approved, step by step", Args: none,
		Long: `Works on the approved requests until none is left. Each of the thirteen steps
is recorded before the next begins: stopped or killed at any moment, the next run
goes on at the same step, and nothing is made twice.

With --agent demo and no approved request it does a sample: a small project with
a fault, a transcript in which the fault showed, and a scripted agent that mends
it. That needs only git and Go.`,
		Example: "  trimtab improve run --watch\n  trimtab improve run --agent codex --forge local\n  trimtab improve run --stay            wait for more, until Ctrl+C\n  trimtab improve run --forge local --agent demo",
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := a.config()
			if err != nil {
				return err
			}
			if err := a.sureOfSettings(); err != nil {
				return err
			}
			if c.Flags().Changed("agent") {
				cfg.Improve.Agent = agent
			}
			if err := a.useForge(c, kind); err != nil {
				return err
			}
			if _, err := agents.New(cfg.Improve.Config, agents.Options{Lookup: a.lookup, Redact: a.redactor(false)}); err != nil {
				return misused("%w", err) // once, and not for each request that is approved
			}
			return a.improveRun(c.Context(), watch, stay)
		},
	}
	f := c.Flags()
	f.BoolVarP(&watch, "watch", "w", false, "show the steps live; where another process works, watch it")
	f.BoolVar(&stay, "stay", false, "wait for further requests until stopped")
	f.StringVar(&agent, "agent", "", "who does the steps: "+strings.Join(agents.Names(), ", ")+" (improve.agent)")
	forgeFlag(c, &kind)
	_ = c.RegisterFlagCompletionFunc("agent", fixed(agents.Names()...))
	return c
}

// forgeFlag is the flag --forge, and useForge has it count.
func forgeFlag(c *cobra.Command, kind *string) {
	c.Flags().StringVar(kind, "forge", "", "where it goes: "+strings.Join(forgeKinds, ", ")+" (forge.kind)")
	_ = c.RegisterFlagCompletionFunc("forge", fixed(forgeKinds...))
}

func (a *app) useForge(c *cobra.Command, kind string) error {
	if !c.Flags().Changed("forge") {
		return nil
	}
	if !slices.Contains(forgeKinds, kind) {
		return misused("--forge %q is not one of: %s", kind, strings.Join(forgeKinds, ", "))
	}
	cfg, err := a.config()
	if err == nil {
		cfg.Forge.Kind = kind
	}
	return err
}

// sureOfSettings refuses to work where a setting of the person's that says where and
// how is wrong. Elsewhere the default counts in its place; here it could be another
// forge than the one that was meant.
func (a *app) sureOfSettings() error {
	for _, p := range a.loaded.report.Problems {
		top, _, _ := strings.Cut(p.Key, ".")
		if p.Layer != "project" && (top == "" || slices.Contains([]string{"forge", "improve", "automation", "tools"}, top)) {
			return misused("no work begins with a setting that is wrong: %w", p)
		}
	}
	return nil
}

// fixed completes from a list.
func fixed(names ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func (a *app) improveRun(ctx context.Context, watch, stay bool) error {
	q, err := a.queue(ctx)
	if err != nil {
		return err
	}
	if why, err := a.halted(ctx); err != nil || why != "" {
		return errors.Join(err, misusedIf(why != "", "no work begins: %s", why))
	}
	if err := a.takeSpool(ctx); err != nil {
		a.progress("%s\n", err)
	}
	cfg, err := a.config()
	if err != nil {
		return err
	}
	if cfg.Improve.Agent == "demo" && cfg.Improve.Script == "" {
		if done, err := a.sample(ctx, q); done || err != nil {
			return err
		}
	}
	todo, err := q.Items(ctx, improve.Queued, improve.Running)
	if err != nil {
		return err
	}
	if len(todo) == 0 && !stay {
		return a.nothingToDo(ctx, q)
	}
	board := a.newBoard(watch && !a.flag.json, todo)
	defer board.Close()
	f, err := a.flow(ctx, q, board.Show)
	switch {
	case errors.Is(err, worker.ErrBusy) && watch && len(todo) > 0:
		a.progress("another process is at work; watching it\n")
		return a.watchItems(ctx, q, todo, board)
	case errors.Is(err, worker.ErrBusy):
		return fmt.Errorf("%w; trimtab improve run --watch watches it", err)
	case err != nil:
		return err
	}
	defer f.Close()
	if stay {
		err = f.Run(ctx)
	} else {
		err = f.Drain(ctx)
	}
	board.Close()
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return a.tellEnds(context.WithoutCancel(ctx), q, todo)
}

// newBoard shows the steps on stderr, redrawn in place where that is a terminal.
func (a *app) newBoard(live bool, items []improve.Item) *report.Board {
	opt := report.BoardOptions{Out: a.err, Live: live && a.terminal.err && !a.flag.quiet, Columns: a.columns, Now: a.clock}
	if a.flag.quiet {
		opt.Out = io.Discard
	}
	return report.NewBoard(opt, items)
}

// misusedIf is an error of use where there is one.
func misusedIf(is bool, format string, args ...any) error {
	if !is {
		return nil
	}
	return misused(format, args...)
}

func (a *app) nothingToDo(ctx context.Context, q improve.Queue) error {
	waiting, err := q.Items(ctx, improve.Awaiting)
	if err != nil {
		return err
	}
	if a.flag.json {
		return a.printJSON([]improve.Item{})
	}
	if len(waiting) > 0 {
		a.printf("nothing is approved; %s: trimtab improve preview ID, then trimtab improve approve ID\n", plural.Irregular(len(waiting), "request waits", "requests wait"))
		return nil
	}
	a.printf("nothing to do; trimtab improve new makes a request\n")
	return nil
}

// tellEnds says what came of items.
func (a *app) tellEnds(ctx context.Context, q improve.Queue, items []improve.Item) error {
	ended, bad := []improve.Item{}, 0
	for _, it := range items {
		it, err := q.Item(ctx, it.ID)
		if err != nil {
			return err
		}
		ended = append(ended, it)
		if it.State != improve.Done && it.State != improve.Cancelled {
			bad++
		}
	}
	if a.flag.json {
		if err := a.printJSON(ended); err != nil || bad == 0 {
			return err
		}
		return errShown
	}
	for _, it := range ended {
		a.answered(report.Outcome(a.out, it, a.clock()))
	}
	if bad > 0 {
		return errShown
	}
	return nil
}

// watchItems follows what another process does.
func (a *app) watchItems(ctx context.Context, q improve.Queue, items []improve.Item, board *report.Board) error {
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for _, it := range items {
		for e, err := range worker.Watch(ctx, q, it.ID, tick.C) {
			if err != nil {
				return err
			}
			board.Show(e)
		}
	}
	board.Close()
	return a.tellEnds(context.WithoutCancel(ctx), q, items)
}

// improveFolder is where papers, logs and working trees are.
func (a *app) improveFolder() (string, error) {
	dir, err := a.dataDir()
	return filepath.Join(dir, "improve"), err
}

// flow opens the worker of the data folder.
func (a *app) flow(ctx context.Context, q improve.Queue, progress func(worker.Event)) (*worker.Worker, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	dir, err := a.improveFolder()
	if err != nil {
		return nil, err
	}
	return worker.New(ctx, worker.Config{Folder: dir, URL: cfg.Improve.Records, Workers: cfg.Automation.Constraints.Concurrent, Lease: float64(cfg.Improve.Lease), Poll: 0.5}, worker.Options{
		Queue: q, Env: a.yard, Progress: progress, Now: a.clock,
		Disabled: func() bool { return a.automationOff() != "" },
		Worker:   func() string { return strings.ToLower(rand.Text()[:12]) },
		Log:      slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelError})),
	})
}

// yard is where the work on an item is done: its project, its forge, its agent.
func (a *app) yard(ctx context.Context, it improve.Item) (*steps.Env, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	dir, err := a.improveFolder()
	if err != nil {
		return nil, err
	}
	found, err := a.forgeOf(ctx, it.Project)
	if err != nil {
		return nil, err
	}
	hub, err := found.Open(ctx)
	if err != nil {
		return nil, err
	}
	q, err := a.queue(ctx)
	if err != nil {
		return nil, err
	}
	key, err := a.markerKey(dir)
	if err != nil {
		return nil, err
	}
	cache, err := a.home().Dir("XDG_CACHE_HOME", ".cache", "LocalAppData")
	if err != nil {
		return nil, err
	}
	cache = filepath.Join(cache, "build") // what agents and tests build is kept from one step to the next
	hidden := ownFiles(filepath.Dir(dir))
	keyless := a.redactor(false) // logs stay here, so they may name folders
	own, err := a.ownModel(ctx, cfg.Improve.Config)
	if err != nil {
		return nil, err
	}
	agent, err := agents.New(cfg.Improve.Config, agents.Options{Lookup: a.lookup, Redact: keyless, Cache: cache, Sandbox: cfg.Tools.Sandbox, Hide: hidden, Own: own})
	if err != nil {
		return nil, err
	}
	commands, err := project.New(cfg.Improve.Checks, project.Options{Lookup: a.lookup, Redact: keyless, Cache: cache, Sandbox: cfg.Tools.Sandbox, Hide: hidden})
	if err != nil {
		return nil, err
	}
	auto := cfg.Automation
	return steps.New(steps.Config{
		Folder: dir, Issues: auto.Forge.Issues, Branches: auto.Forge.Branches, Pulls: auto.Forge.Pulls,
		Lines: auto.Constraints.Lines, Components: auto.Constraints.Components,
		Minutes: cfg.Improve.Minutes, Cost: cfg.Improve.Cost, Patience: cfg.Improve.Patience, Ready: cfg.Improve.Ready,
	}, steps.Options{
		Forge: hub, Keys: [][]byte{key}, Log: q, Git: a.gitFor(ctx, it.Project), Agent: agent, Now: a.clock,
	}.With(commands, secret.FromEnviron(a.environ)))
}

func (a *app) lookup(name string) (string, bool) {
	for i := len(a.environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(a.environ[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// ownFiles are our files that no agent and no test of a project may read.
func ownFiles(data string) []string {
	var all []string
	for _, name := range []string{"trimtab.db", filepath.Join("improve", "flow.db")} {
		for _, end := range []string{"", "-wal", "-shm"} {
			all = append(all, filepath.Join(data, name+end))
		}
	}
	return append(all, filepath.Join(data, "improve", "marker.key"))
}

// gitFor is git for a project. Where nobody has told git who commits here, it is
// trimtab.
func (a *app) gitFor(ctx context.Context, project string) git.Program {
	program := git.New(a.environ)
	if _, err := program.In(project).Run(ctx, "var", "GIT_AUTHOR_IDENT"); err == nil {
		return program
	}
	return git.New(append(a.environ[:len(a.environ):len(a.environ)],
		"GIT_AUTHOR_NAME=trimtab", "GIT_AUTHOR_EMAIL=trimtab@localhost", "GIT_COMMITTER_NAME=trimtab", "GIT_COMMITTER_EMAIL=trimtab@localhost"))
}

// forgeOf finds the forge of a project.
func (a *app) forgeOf(ctx context.Context, project string) (registry.Found, error) {
	cfg, err := a.config()
	if err != nil {
		return registry.Found{}, err
	}
	dir, err := a.dataDir()
	if err != nil {
		return registry.Found{}, err
	}
	return registry.Find(ctx, cfg.Forge, registry.Options{
		Git: git.New(a.environ), Project: project, Environ: a.environ,
		Local: filepath.Join(dir, "forge", filepath.Base(project)+"-"+improve.Fingerprint("project", project)[:8]),
		Tool: func(ctx context.Context, name string, args ...string) (string, error) {
			ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			out, err := exec.CommandContext(ctx, name, args...).Output()
			return string(out), err
		},
	})
}

// markerKey is the key that signs what we file, so that we know it again. Who has
// it could make us take their issue for ours, so it stays here.
func (a *app) markerKey(dir string) ([]byte, error) {
	file := filepath.Join(dir, "marker.key")
	for range 2 {
		key, err := os.ReadFile(file)
		switch {
		case err == nil && len(key) == 32:
			return key, nil
		case err == nil:
			return nil, fmt.Errorf("%s has %d bytes and not 32: put the right one back, or issues that were filed are not known again", file, len(key))
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		key = make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		if err := writeOnce(file, key); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s cannot be read back", file)
}

// writeOnce makes a file that is there whole or not at all, and never replaces one.
func writeOnce(file string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(file), ".new-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Link(temp.Name(), file)
}

// ownModel is the model of the agent "own": the one that was set for it, else the one
// that a chat would have. That is never the demo by itself, which would only play.
func (a *app) ownModel(ctx context.Context, cfg agents.Config) (agents.Own, error) {
	if cfg.Agent != "own" {
		return agents.Own{}, nil
	}
	picker, err := a.pickerOf()
	if err != nil {
		return agents.Own{}, err
	}
	own := agents.Own{Name: cfg.Model}
	if own.Name == "" {
		name, hint := picker.Default(ctx)
		if hint != "" {
			return agents.Own{}, nil
		}
		own.Name = name
	}
	own.Means, own.Key = picker.Means(own.Name)
	return own, nil
}
