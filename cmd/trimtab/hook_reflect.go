package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/surface/hook"
	"github.com/trimtab/trimtab/surface/hook/hookcmd"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/all"
)

// reflectTime is how long looking back at what stopped may take in all.
const reflectTime = 5 * time.Minute

func hookReflectCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "reflect", Short: "Look back at the sessions of this folder that stopped (a stop starts this by itself)", Args: none,
		Long: `Where automation is enabled, a hook that lets an agent stop leaves a wish to look
back at the session, and starts this command beside it: nobody waits for it. Where
the trigger says yes, a request is put into the queue of trimtab improve. What was
decided is in hook/decisions in the data folder. With TRIMTAB_HOOKS=wait a stop
starts nothing, and the wishes wait until this command is run.`,
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
	wishes, err := hook.TakeReflectRequests(data, dir, a.clock(), os.Getpid())
	if err != nil {
		hookcmd.Log(data).Error("wishes to look back", "error", err)
	}
	for _, w := range wishes {
		d, why, err := a.lookBack(ctx, w)
		if err != nil {
			hookcmd.Log(data).Error("nobody looked back", "host", w.Host, "session", w.Session, "error", err)
			continue
		}
		hookcmd.Decided(data, a.clock(), w.Session, d, why)
	}
	return nil
}

// lookBack reflects on a session and asks for an improvement where the trigger
// says yes. Why says what spoke against it.
func (a *app) lookBack(ctx context.Context, w hook.ReflectRequest) (d hook.Decision, why string, err error) {
	defer func() {
		if p := recover(); p != nil { // what a file holds is not ours to choose
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	d = hook.Decision{Decision: hook.LetGo, Reason: hook.NotNeeded}
	result, ok, err := a.reflectOn(ctx, w)
	if err != nil {
		return d, "", err
	}
	project := setting.Repository(w.Project)
	if !ok || project == "" {
		return d, "there is nothing to look back at, or no repository to improve", nil
	}
	found, ok := improve.CaseOf(result, project)
	if !ok {
		return d, "nothing went wrong that we know of", nil
	}
	l := &lookedBack{project: project}
	if l.cfg, err = a.automation(project); err != nil {
		return d, "", err
	}
	// The forge is asked again before anything is made there; here only where no
	// person looks at the request in between.
	if err := a.situate(ctx, l, l.cfg.Approval != "never"); err != nil {
		return d, "", err
	}
	verdict := a.verdict(ctx, l, found)
	if !verdict.Fire {
		return d, verdict.No(), nil
	}
	id, state, err := a.fileByItself(ctx, l, found, verdict)
	if errors.Is(err, improve.ErrFiled) {
		return d, "filed by another meanwhile", nil
	}
	if err != nil {
		return d, "", err
	}
	return hook.Decision{Decision: hook.LetGo, Reason: hook.Automated, Workflow: id}, string(state), nil
}

// fileByItself puts a request into the queue that nobody asked for. Sessions may stop
// at the same moment, and each be under the caps while none is filed: so what would
// begin by itself is filed to wait, and begins only where every gate is still open
// once the others can be seen. Of two that see each other both wait.
func (a *app) fileByItself(ctx context.Context, l *lookedBack, c improve.Case, v improve.Verdict) (string, improve.State, error) {
	it := improve.NewItem("", c, l.cfg, v, a.clock().UTC())
	it.State = improve.Awaiting
	id, err := addItem(ctx, l.queue, it)
	if err != nil || v.State != improve.Queued {
		return id, improve.Awaiting, err
	}
	if l.past, err = l.queue.Items(ctx); err != nil {
		return id, improve.Awaiting, err
	}
	l.past = slices.DeleteFunc(l.past, func(other improve.Item) bool { return other.ID == id })
	again := a.verdict(ctx, l, c)
	changed, err := l.queue.Change(ctx, id, 0, func(it *improve.Item) error {
		switch {
		case !again.Fire:
			it.Why = again.No()
		case it.State == improve.Awaiting:
			it.State = improve.Queued
		}
		return nil
	})
	return id, changed.State, err
}

// reflectOn reads a session: the host's own file where it named one that we can
// read, else what the hooks told our store.
func (a *app) reflectOn(ctx context.Context, w hook.ReflectRequest) (improve.Result, bool, error) {
	r, err := improve.NewReflector(improve.Options{Session: w.Session, Redact: a.redactor(true)})
	if err != nil {
		return improve.Result{}, false, err
	}
	read, err := seeFile(ctx, r, w)
	if err != nil {
		return improve.Result{}, false, err
	}
	if !read {
		if err := a.seeStored(ctx, r, w.Session); err != nil {
			return improve.Result{}, false, err
		}
	}
	result, ok := r.Result(a.clock())
	return result, ok, nil
}

// seeFile reads a host's file. It is false where there is none to read.
func seeFile(ctx context.Context, r *improve.Reflector, w hook.ReflectRequest) (bool, error) {
	if w.Transcript == "" || all.Reader(w.Host) == nil {
		return false, nil
	}
	file, err := all.Open(ctx, w.Transcript, w.Host)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	for item, err := range file.Read(ctx, "", transcript.Options{}) {
		if errors.Is(err, trimtab.ErrDamaged) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", w.Transcript, err)
		}
		if item.Compacted {
			r.Compacted()
		}
		if !r.See(item.Message) {
			break
		}
	}
	return true, ctx.Err()
}

func (a *app) seeStored(ctx context.Context, r *improve.Reflector, session string) error {
	st, err := a.store(ctx)
	if err != nil {
		return err
	}
	for m, err := range st.Messages(ctx, session, 0) {
		if err != nil {
			return err
		}
		if !r.See(m) {
			break
		}
	}
	return nil
}
