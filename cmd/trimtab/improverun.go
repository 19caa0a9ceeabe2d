package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/forge/registry"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/improve/assembly"
	"github.com/trimtab/trimtab/improve/pipeline"
	"github.com/trimtab/trimtab/improve/report"
	"github.com/trimtab/trimtab/improve/worker"
	"github.com/trimtab/trimtab/internal/identity"
)

var forgeKinds = []string{"auto", "local", "github", "gitea", "gitlab"}

func improveRun(a *app) *cobra.Command {
	var watch, stay bool
	var agent, kind, of string
	c := &cobra.Command{
		Use: "run", Short: "Do what was approved, step by step", Args: none,
		Long: `Works on the approved requests until none is left. Each of the thirteen steps
is recorded before the next begins: stopped or killed at any moment, the next run
goes on at the same step, and nothing is made twice.

With --agent demo and no approved request it does a sample: a small project with
a fault, a transcript in which the fault showed, and a scripted agent that mends
it. That needs only git and Go; with --kind guidance, a sample of the other kind,
only git.`,
		Example: "  trimtab improve run --watch\n  trimtab improve run --agent codex --forge local\n  trimtab improve run --stay            wait for more, until Ctrl+C\n  trimtab improve run --forge local --agent demo\n  trimtab improve run --forge local --agent demo --kind guidance",
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
			work, err := a.assembly()
			if err != nil {
				return err
			}
			if err := work.CheckAgent(); err != nil {
				return misused("%w", err)
			}
			sample, err := pipeline.ParseKind(of)
			if err != nil {
				return misused("--kind %w", err)
			}
			return a.improveRun(c.Context(), watch, stay, sample)
		},
	}
	f := c.Flags()
	f.BoolVarP(&watch, "watch", "w", false, "show the steps live; where another process works, watch it")
	f.BoolVar(&stay, "stay", false, "wait for further requests until stopped")
	f.StringVar(&agent, "agent", "", "who does the steps: "+strings.Join(agents.Names(), ", ")+" (improve.agent)")
	forgeFlag(c, &kind)
	kindFlag(c, &of, "for --agent demo: the sample to do, code or guidance")
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
			return misused("work cannot start with an invalid setting: %w", p)
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

func (a *app) improveRun(ctx context.Context, watch, stay bool, sample improve.Kind) error {
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
	for _, n := range cfg.Automation.Notes() {
		if a.told.First(n) {
			a.progress("%s\n", n)
		}
	}
	work, err := a.assembly()
	if err != nil {
		return err
	}
	faults := slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelError}))
	if err := work.FollowUp(ctx, faults); err != nil {
		return err
	}
	if cfg.Improve.Agent == "demo" && cfg.Improve.Script == "" {
		if done, err := a.sample(ctx, sample); done || err != nil {
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
	f, err := work.Worker(ctx, assembly.WorkerOptions{
		Progress: board.Show, Disabled: func() bool { return a.automationOff() != "" }, Log: faults, Stay: stay,
	})
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
	a.answered(report.Nothing(a.out, len(waiting)))
	return nil
}

// tellEnds says what came of items.
func (a *app) tellEnds(ctx context.Context, q improve.Queue, items []improve.Item) error {
	ended, bad, err := pipeline.Ended(ctx, q, items)
	if err != nil {
		return err
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
	if err := worker.WatchAll(ctx, q, items, board.Show); err != nil {
		return err
	}
	board.Close()
	return a.tellEnds(context.WithoutCancel(ctx), q, items)
}

// assembly puts together what the work is done with, from the settings as they are
// now.
func (a *app) assembly() (*assembly.Assembly, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	data, err := a.dataDir()
	if err != nil {
		return nil, err
	}
	return assembly.New(assembly.Options{
		StoreURL: cfg.Store.URL, Repo: identity.NewFinder(a.environ, cfg.Store.URL != "").Repository, Known: assembly.Clones(ownStore{a}.Open),
		Data: data, Cache: func() (string, error) { return a.home().Dir("XDG_CACHE_HOME", ".cache", "LocalAppData") },
		Config: cfg.Improve, Automation: cfg.Automation, Project: a.projectSettings, Forge: cfg.Forge, Sandbox: cfg.Tools.Sandbox,
		Queue: a.queue, Models: func() (assembly.Models, error) { return a.pickerOf() },
		Environ: a.environ, Redact: a.redactor(false), Now: a.clock,
	})
}

// forgeOf finds the forge of a project.
func (a *app) forgeOf(ctx context.Context, project string) (registry.Found, error) {
	work, err := a.assembly()
	if err != nil {
		return registry.Found{}, err
	}
	return work.Forge(ctx, project)
}
