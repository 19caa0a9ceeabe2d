package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/surface/dashboard"
)

func openCommand(a *app) *cobra.Command {
	var sample, quiet bool
	c := &cobra.Command{
		Use: "open", Short: "Look at the sessions in a browser: what steers them, why, and was it heeded", Args: none,
		Long: `Opens a page of the newest sessions, whichever agent they are of, and of each what
happened with every message of ours at its place. The link works once; the page is
served on loopback until you press Ctrl+C.`,
		Example: "  trimtab open\n  trimtab open --demo\n  trimtab open --no-browser",
		RunE:    func(c *cobra.Command, _ []string) error { return a.openPages(c.Context(), sample, !quiet) },
	}
	c.Flags().BoolVar(&sample, "demo", false, "show sample sessions instead of your own")
	c.Flags().BoolVar(&quiet, "no-browser", false, "print the link and open nothing")
	return c
}

func (a *app) openPages(ctx context.Context, sample, browser bool) error {
	opt, err := a.pages(ctx, sample)
	if err != nil {
		return err
	}
	own, err := a.modes()
	if err != nil {
		return err
	}
	for _, m := range own.All() {
		opt.Modes = append(opt.Modes, dashboard.Mode{ID: m.ID, Name: m.Name})
	}
	return dashboard.Run(ctx, opt, func(link string) { a.printf("%s\n", link); a.progress("the link works once; Ctrl+C ends\n") }, browser)
}

func (a *app) pages(ctx context.Context, sample bool) (dashboard.Options, error) {
	if sample {
		engine, err := a.engine()
		if err != nil {
			return dashboard.Options{}, err
		}
		return dashboard.Sample(ctx, engine, a.clock())
	}
	st, err := a.store(ctx)
	if err != nil {
		return dashboard.Options{}, err
	}
	service, err := a.sessions(ctx)
	return dashboard.Options{Service: service, Archive: st, Feed: st}, err
}
