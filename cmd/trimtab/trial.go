package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/secret"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/store/sqlite"
	trials "github.com/trimtab/trimtab/trial/run"
)

func trialCommand(a *app) *cobra.Command {
	var req trials.Request
	var pass []string
	yes, unconfined, to := false, false, ""
	c := &cobra.Command{
		Use: "trial [TASKS…]", Short: "Find out whether steering helps, on your tasks", Long: trials.About,
		Example: "  trimtab trial --sample --model scripted\n  trimtab trial tasks --agent claude --arm off --arm on --repeat 5 --budget 20\n  trimtab trial tasks --model anthropic/claude-opus-5 --arm on --arm other.json\n  trimtab trial check tasks",
	}
	env := func() (trials.Env, error) { return a.trialEnv(to, pass, unconfined, yes) }
	c.RunE = func(c *cobra.Command, dirs []string) error {
		e, err := env()
		if err != nil {
			return err
		}
		req.Dirs, req.Command = dirs, strings.Join(append([]string{"trimtab"}, os.Args[1:]...), " ")
		report, err := trials.Do(c.Context(), req, e)
		if len(report.Arms) > 0 && a.flag.json {
			err = errors.Join(err, a.printJSON(report))
		} else if len(report.Arms) > 0 {
			a.printf("%s", report.Markdown())
		}
		return misusedTrial(err)
	}
	check := &cobra.Command{
		Use: "check [TASKS…]", Short: "Hold tasks against themselves: their tests must fail before and pass after their own solution", Example: "  trimtab trial check tasks\n  trimtab trial check --sample --json",
		RunE: func(c *cobra.Command, dirs []string) error {
			e, err := env()
			if err != nil {
				return err
			}
			req.Dirs = dirs
			all, err := trials.Check(c.Context(), req, e)
			if err != nil {
				return misusedTrial(err)
			}
			if a.flag.json {
				err = a.printJSON(all)
			} else {
				a.printf("%s", trials.CheckText(all))
			}
			return errors.Join(err, trials.Bad(all))
		},
	}
	for _, one := range []*cobra.Command{c, check} {
		p := one.Flags()
		p.BoolVar(&req.Sample, "sample", false, "the tasks that are built in")
		p.StringVar(&to, "to", "", "`folder` in which runs and reports are kept (trials in the data folder)")
		p.BoolVar(&unconfined, "unconfined", false, "run agents and tests also where this system has no sandbox for them")
	}
	f := c.Flags()
	f.StringArrayVar(&req.Arms, "arm", []string{trials.Off, trials.On}, "`settings` to compare: off, on (yours), or a file laid over yours (repeatable)")
	f.StringVar(&req.Agent, "agent", trials.Own, "who does the tasks: own, claude, codex, gemini, opencode …")
	f.StringVarP(&req.Model, "model", "m", "", "the agent's model; scripted plays the tasks' scripts, scripted-deaf heeds no note")
	f.IntVar(&req.Repeat, "repeat", 3, "runs of each task in each arm")
	f.IntVar(&req.Parallel, "parallel", 2, "runs at once")
	f.Uint64Var(&req.Seed, "seed", 1, "where chance begins")
	f.Float64Var(&req.Budget, "budget", 0, "`dollars` at which it stops")
	f.IntVar(&req.Tokens, "max-tokens", 0, "tokens at which it stops")
	f.BoolVar(&req.Fresh, "fresh", false, "make all runs anew; nothing of earlier trials counts")
	f.StringArrayVar(&pass, "env", nil, "a further `variable` that agents get (repeatable)")
	f.BoolVarP(&yes, "yes", "y", false, "begin without asking")
	c.AddCommand(check)
	return c
}

// trialEnv is what a trial runs with.
func (a *app) trialEnv(to string, pass []string, unconfined, yes bool) (trials.Env, error) {
	cfg, err1 := a.config()
	data, err2 := a.dataDir()
	self, err3 := os.Executable()
	picker, err4 := a.pickerOf()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return trials.Env{}, err
	}
	env := trials.Env{
		Self: self, Data: data, Trials: cmp.Or(to, filepath.Join(data, "trials")), Lookup: a.lookup, Pass: pass, Redact: secret.Redactor(secret.Options{Known: secret.FromEnviron(a.environ)}),
		Sandbox: trials.Confined(cfg.Tools.Sandbox, unconfined), Sets: a.flag.sets, Price: picker.Cost, Clock: a.clock, Tell: a.progress,
		Open: func(ctx context.Context, dir string) (trimtab.Archive, func() error, error) {
			st, err := sqlite.Open(ctx, filepath.Join(dir, "trimtab.db"), cfg.Store.Config)
			if err != nil {
				return nil, nil, err
			}
			return st, st.Close, nil
		},
	}
	if !yes {
		env.Ask = func(question string) (bool, error) {
			if !a.terminal.in {
				return false, misused("not a terminal; pass --yes to begin")
			}
			return a.confirm(question), nil
		}
	}
	var err error
	if env.Settings, err = setting.Read(a.loaded.User); errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return env, err
}

// misusedTrial is an error of a trial, told as one of usage where it is one.
func misusedTrial(err error) error {
	if wrong := (trials.UsageError{}); errors.As(err, &wrong) {
		return misused("%w", err)
	}
	return err
}
