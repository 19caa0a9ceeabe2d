// Package trialcmd is the commands around a trial: flags, and what is printed.
//
//	root.AddCommand(trialcmd.Command(program))
//
// It runs nothing itself: see trial/run.
package trialcmd

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/trial/run"
)

// Use is how a trial is to be run, as the flags say.
type Use struct {
	To         string   // folder of runs and reports; "" is the usual one
	Pass       []string // further variables that agents get
	Unconfined bool
	Linux      string // this program for Linux, for containers on another system
	Yes        bool   // begin without asking
}

// Program is the program that the commands are part of.
type Program struct {
	Env     func(Use) (run.Env, error)
	JSON    func() bool
	Print   func(any) error // as JSON
	Text    func(string)
	Misused func(format string, args ...any) error // an error of use
}

// misused is an error of a trial, told as one of use where it is one.
func (p Program) misused(err error) error {
	if wrong := (run.UsageError{}); errors.As(err, &wrong) {
		return p.Misused("%w", err)
	}
	return err
}

// Command is trimtab trial with what is below it.
func Command(p Program) *cobra.Command {
	var req run.Request
	var use Use
	c := &cobra.Command{
		Use: "trial [TASKS…]", Short: "Find out whether steering helps, on your tasks", Long: run.About,
		Example: "  trimtab trial --sample --model scripted\n  trimtab trial tasks --agent claude --arm off --arm on --repeat 5 --budget 20\n  trimtab trial tasks --model anthropic/claude-opus-5 --arm on --arm other.json\n  trimtab trial check tasks",
	}
	env := func() (_ run.Env, err error) {
		if use.To != "" { // a sandbox knows no folder that we are in
			if use.To, err = filepath.Abs(use.To); err != nil {
				return run.Env{}, err
			}
		}
		if use.Linux != "" {
			if use.Linux, err = filepath.Abs(use.Linux); err != nil {
				return run.Env{}, err
			}
		}
		return p.Env(use)
	}
	c.RunE = func(c *cobra.Command, dirs []string) error {
		e, err := env()
		if err != nil {
			return err
		}
		req.Dirs, req.Command = dirs, strings.Join(append([]string{"trimtab"}, os.Args[1:]...), " ")
		report, err := run.Do(c.Context(), req, e)
		if len(report.Arms) > 0 && p.JSON() {
			err = errors.Join(err, p.Print(report))
		} else if len(report.Arms) > 0 {
			p.Text(report.Markdown())
		}
		return p.misused(err)
	}
	check := &cobra.Command{
		Use: "check [TASKS…]", Short: "Hold tasks against themselves: their tests must fail before and pass after their own solution", Example: "  trimtab trial check tasks\n  trimtab trial check --sample --json",
		RunE: func(c *cobra.Command, dirs []string) error {
			e, err := env()
			if err != nil {
				return err
			}
			req.Dirs = dirs
			all, err := run.Check(c.Context(), req, e)
			if err != nil {
				return p.misused(err)
			}
			if p.JSON() {
				err = p.Print(all)
			} else {
				p.Text(run.CheckText(all))
			}
			return errors.Join(err, run.Bad(all))
		},
	}
	for _, one := range []*cobra.Command{c, check} {
		f := one.Flags()
		f.BoolVar(&req.Sample, "sample", false, "the tasks that are built in")
		f.StringVar(&use.To, "to", "", "`folder` in which runs and reports are kept (trials in the data folder)")
		f.StringVar(&req.Container, "container", "", "`engine` for tasks that describe a container: docker, podman or none (what answers)")
		f.StringVar(&use.Linux, "linux", "", "`file` of this program for Linux, for containers on another system")
		f.BoolVar(&use.Unconfined, "unconfined", false, "run agents and tests also where this system has no sandbox for them")
	}
	f := c.Flags()
	f.StringArrayVar(&req.Arms, "arm", []string{run.Off, run.On}, "`settings` to compare: off, on (yours), or a file laid over yours (repeatable)")
	f.StringVar(&req.Agent, "agent", run.Own, "who does the tasks: own, claude, codex, gemini, opencode …")
	f.StringVarP(&req.Model, "model", "m", "", "the agent's model; scripted plays the tasks' scripts, scripted-deaf heeds no note")
	f.IntVar(&req.Repeat, "repeat", 3, "runs of each task in each arm")
	f.IntVar(&req.Parallel, "parallel", 2, "runs at once")
	f.Uint64Var(&req.Seed, "seed", 1, "where chance begins")
	f.Float64Var(&req.Budget, "budget", 0, "`dollars` at which it stops")
	f.IntVar(&req.Tokens, "max-tokens", 0, "tokens at which it stops")
	f.BoolVar(&req.Fresh, "fresh", false, "make all runs anew; nothing of earlier trials counts")
	f.StringVar(&req.Install, "install", "", "shell `line` that installs the agent, run as root in every image once")
	f.StringArrayVar(&use.Pass, "env", nil, "a further `variable` that agents get (repeatable)")
	f.BoolVarP(&use.Yes, "yes", "y", false, "begin without asking")
	c.AddCommand(check)
	return c
}
