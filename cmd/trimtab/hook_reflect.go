package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/surface/hook/hookcmd"
)

// reflectTime is how long looking back at what stopped may take in all.
const reflectTime = 5 * time.Minute

func hookReflectCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "reflect", Short: "Look back at the sessions of this folder that stopped (a stop starts this by itself)", Args: none,
		Long: `Where automation is enabled, a hook that lets an agent stop leaves a request to reflect
on the session, and starts this command beside it: nobody waits for it. Where
the trigger says yes, a request is put into the queue of trimtab improve. What was
decided is in hook/decisions in the data folder. With TRIMTAB_HOOKS=wait a stop
starts nothing, and the requests wait until this command is run.`,
		Example: "  trimtab hook reflect",
		RunE:    func(c *cobra.Command, _ []string) error { return a.reflectStopped(c.Context()) },
	}
}

// reflectStopped looks back at the sessions of this folder that stopped. It has
// time, and no one to tell: what comes of it is in the log.
func (a *app) reflectStopped(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reflectTime)
	defer cancel()
	giveWay()
	data, err := a.dataDir()
	if err != nil {
		return err
	}
	dir, err := setting.Folder()
	if err != nil {
		return err
	}
	p, err := a.pipeline()
	if err != nil {
		return err
	}
	hookcmd.ReflectStopped(ctx, data, dir, a.clock, func(ctx context.Context, s improve.StoppedSession) (id, why string, err error) {
		out, err := p.Stopped(ctx, s)
		if out.ID != "" {
			out.Why = string(out.State) // how the request begins
		}
		return out.ID, out.Why, err
	})
	return nil
}
