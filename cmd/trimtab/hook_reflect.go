package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/surface/hook"
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
	requests, err := hook.TakeReflectRequests(data, dir, a.clock(), os.Getpid())
	if err != nil {
		hookcmd.Log(data).Error("requests to reflect", "error", err)
	}
	for _, w := range requests {
		d, why, err := a.lookBack(ctx, w)
		if err != nil {
			hookcmd.Log(data).Error("reflection failed", "host", w.Host, "session", w.Session, "error", err)
			continue
		}
		hookcmd.Decided(data, a.clock(), w.Session, d, why)
	}
	return nil
}

// lookBack reflects on a session and asks for an improvement where every gate is
// open. Why says what spoke against it, or how the request begins.
func (a *app) lookBack(ctx context.Context, w hook.ReflectRequest) (d hook.Decision, why string, err error) {
	d = hook.Decision{Decision: hook.LetGo, Reason: hook.NotNeeded}
	p, err := a.pipeline()
	if err != nil {
		return d, "", err
	}
	out, err := p.Stopped(ctx, improve.StoppedSession{Session: w.Session, Host: w.Host, Project: setting.Repository(w.Project), Transcript: w.Transcript})
	if err != nil || out.ID == "" {
		return d, out.Why, err
	}
	return hook.Decision{Decision: hook.LetGo, Reason: hook.Automated, Workflow: out.ID}, string(out.State), nil
}
