package main

import (
	"context"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/improve/report"
	"github.com/trimtab/trimtab/replay/record"
	"github.com/trimtab/trimtab/surface/hook/install"
	"github.com/trimtab/trimtab/surface/welcome"
)

func initCommand(a *app) *cobra.Command {
	return welcome.Command(func(ctx context.Context, since time.Duration, most int) error {
		engine, err := a.engine()
		if err != nil {
			return err
		}
		look, err := welcome.Take(ctx, welcome.Options{
			Reflect: a.lookBack, Read: record.Sessions, Engine: engine, Since: a.clock().Add(-since), Files: record.Newest(a.getenv, most), Most: most,
			Program: exec.LookPath, Steered: a.steered, Advice: report.First, Redact: a.redactor(true),
		})
		switch {
		case err != nil:
			return err
		case a.flag.json:
			return a.printJSON(look)
		}
		if err := look.Text(a.out, welcome.Layout{Width: a.columns(), Zone: time.Local}); err != nil || !a.terminal.in || !a.terminal.out {
			return err
		}
		return look.Offer(a.out, a.confirm, func(host string) error { return a.install(host, install.Parts{}, false, false) })
	}, misused)
}

// steered reports whether an agent's settings have our hooks, and whether it takes any.
func (a *app) steered(host string) (hooks, known bool) {
	place, err := a.place(host)
	if err != nil {
		return false, false
	}
	state, err := place.State()
	return err == nil && len(state.Commands)+len(state.PluginCommands) > 0, true
}
