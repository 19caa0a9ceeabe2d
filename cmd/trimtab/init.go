package main

import (
	"context"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/improve/report"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/replay/record"
	"github.com/trimtab/trimtab/surface/hook/install"
	"github.com/trimtab/trimtab/surface/welcome"
)

func initCommand(a *app) *cobra.Command {
	var since string
	most := welcome.Sessions
	c := &cobra.Command{
		Use: "init", Short: "See in one screen what Trimtab would do for you, and install it if you like", Args: none,
		Long: `Finds the agents that are installed here and the sessions that they have left, and
shows in one screen what went wrong in the last weeks and what Trimtab would have
said in the newest of them. On a terminal it then offers to install hooks: it shows
every change first, and without a yes nothing is written. Nothing is sent anywhere,
no model is called, and no agent is started.`,
		Example: "  trimtab init\n  trimtab init --since 7d\n  trimtab init --json",
		RunE:    func(c *cobra.Command, _ []string) error { return a.init(c.Context(), since, most) },
	}
	c.Flags().StringVar(&since, "since", "28d", "look at sessions that were active within this `time`, as in 7d or 12h")
	c.Flags().IntVarP(&most, "newest", "n", most, "play at most this many `sessions`")
	return c
}

func (a *app) init(ctx context.Context, since string, most int) error {
	age, err := setting.ParseAge(since)
	if err != nil {
		return misused("--since: %w", err)
	}
	if most < 1 {
		return misused("--newest takes at least 1")
	}
	engine, err := a.engine()
	if err != nil {
		return err
	}
	look, err := welcome.Take(ctx, welcome.Options{
		Reflect: a.scanner().Reflect, Read: record.Sessions, Engine: engine, Since: a.clock().Add(-age), Files: record.Newest(a.getenv, most), Most: most,
		Program: exec.LookPath, Steered: a.steered, Advice: report.First, Redact: a.redactor(true),
	})
	if err != nil {
		return err
	}
	if a.flag.json {
		return a.printJSON(look)
	}
	if err := look.Text(a.out, welcome.Layout{Width: a.columns(), Zone: time.Local}); err != nil || !a.terminal.in {
		return err
	}
	for _, agent := range look.Agents {
		if agent.Ready() && a.confirm("\nInstall hooks for "+agent.Name+"? The change is shown first.") {
			if err := a.install(agent.Name, install.Parts{}, false, false); err != nil {
				return err
			}
		}
	}
	return nil
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
