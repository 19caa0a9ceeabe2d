package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/assembly"
	"github.com/trimtab/trimtab/improve/decide"
	"github.com/trimtab/trimtab/llm/price"
	"github.com/trimtab/trimtab/replay/policy"
	"github.com/trimtab/trimtab/replay/record"
	"github.com/trimtab/trimtab/surface/dashboard"
	"github.com/trimtab/trimtab/surface/dashboard/demo"
	"github.com/trimtab/trimtab/surface/improvement"
	"github.com/trimtab/trimtab/surface/insight"
)

func openCommand(a *app) *cobra.Command {
	var sample, quiet bool
	c := &cobra.Command{
		Use: "open", Short: "Look at the sessions in a browser: what steers them, why, and was it heeded", Args: none,
		Long: `Opens a page of the newest sessions, whichever agent they are of, and of each what
happened with every message of ours at its place; and the improvements, which can be
approved there. The link works once; the page is served on loopback until you press
Ctrl+C.

With --demo it shows sample sessions and an improvement that waits for you. When you
approve it, a scripted agent does it step by step, in a folder that is removed at the
end. Nothing of yours is read or changed; git is needed.`,
		Example: "  trimtab open\n  trimtab open --demo\n  trimtab open --no-browser",
		RunE: func(c *cobra.Command, _ []string) error {
			if !sample {
				return a.openPages(c.Context(), !quiet, false)
			}
			dir, err := os.MkdirTemp("", "trimtab-demo-")
			if err != nil {
				return err
			}
			b := a.sampleApp(dir)
			return errors.Join(b.openPages(c.Context(), !quiet, true), b.close(), os.RemoveAll(dir))
		},
	}
	c.Flags().BoolVar(&sample, "demo", false, "show a sample instead of your own sessions")
	c.Flags().BoolVar(&quiet, "no-browser", false, "print the link and open nothing")
	return c
}

// sampleApp is the program in a folder of its own, where no setting, session or key of the
// person's is found.
func (a *app) sampleApp(dir string) *app {
	b := newApp()
	b.in, b.out, b.err, b.clock, b.terminal = a.in, a.out, a.err, a.clock, a.terminal
	b.environ = demo.Environ(a.getenv, dir)
	b.flag.data, b.flag.json = filepath.Join(dir, "data"), a.flag.json
	b.flag.sets = []string{"improve.agent=demo", "forge.kind=local"}
	return b
}

func (a *app) openPages(ctx context.Context, browser, sample bool) error {
	opt, work, err := a.pages(ctx)
	if err != nil {
		return err
	}
	if opt.Sample, opt.Improvements.Works = sample, sample; sample {
		if err := a.fillSample(ctx, work, opt); err != nil {
			return err
		}
		defer work.Start(ctx, assembly.WorkerOptions{})()
	}
	return dashboard.Run(ctx, opt, func(link string) { a.printf("%s\n", link); a.progress("the link works once; Ctrl+C ends\n") }, browser)
}

// pages are made of the person's sessions, and of what works on improvements.
func (a *app) pages(ctx context.Context) (opt dashboard.Options, work *assembly.Assembly, err error) {
	st, err := a.store(ctx)
	if err != nil {
		return opt, nil, err
	}
	service, err := a.sessions(ctx)
	if err != nil {
		return opt, nil, err
	}
	own, err := a.modes()
	if err != nil {
		return opt, nil, err
	}
	work, err = a.assembly()
	p, unfiled := a.pipeline()
	prices, unpriced := price.New(a.settings.Models.Prices)
	if err = errors.Join(err, unfiled, unpriced); err != nil {
		return opt, nil, err
	}
	opt = dashboard.Options{Service: service, Archive: st, Feed: st, Owner: a.who(), Clock: a.clock}
	for _, m := range own.All() {
		opt.Modes = append(opt.Modes, dashboard.Mode{ID: m.ID, Name: m.Name})
	}
	opt.Improvements = improvement.Source{Queue: st.Queue(), Sends: work.Preview, Environ: a.environ, Folder: work.Folder(), Decided: a.recordItem}
	opt.Insight = insight.New(insight.Options{Engine: service.Engine(), Reflect: a.scanner().Reflect, Make: p.Offer, Impact: p.OutcomeOf, Said: decide.Findings{Files: st.Queue()}, Cost: prices.Cost, Clock: a.clock, Done: ctx.Done()})
	opt.Lab.Policy, opt.Lab.Recorded = policy.New(a.settings.Config, own.Definitions()), record.Stored
	opt.Lab.Labels, opt.Debates.Goal, err = a.labelsAndGoal()
	return opt, work, err
}

// labelsAndGoal are the file of what people think of messages, and what debates are held by.
func (a *app) labelsAndGoal() (file string, goal deliberate.Goal, err error) {
	dir, err1 := a.dataDir()
	goal, err2 := deliberate.NewGoal(a.modeDefinitions())
	return filepath.Join(dir, "labels.json"), goal, errors.Join(err1, err2)
}

// fillSample makes the sample sessions, and the improvement that waits.
func (a *app) fillSample(ctx context.Context, work *assembly.Assembly, opt dashboard.Options) error {
	engine, err := a.engine()
	if err != nil {
		return err
	}
	if err := errors.Join(demo.Play(ctx, engine, a.opened, a.clock()), demo.Debate(ctx, engine, a.opened, opt.Debates.Goal, a.clock()), dashboard.SampleLabels(opt.Lab.Labels)); err != nil {
		return err
	}
	p, err := a.pipeline()
	if err != nil {
		return err
	}
	return p.OfferSample(ctx, improve.Guidance, work)
}
