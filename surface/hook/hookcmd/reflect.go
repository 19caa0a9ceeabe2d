package hookcmd

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/surface/hook"
)

// reflect queues a stopped session for reflection: it leaves a request and starts
// another process, and waits for what that decides only as long as the settings say.
// It is nil where nothing asks for improvements by itself.
func (r Run) reflect(cfg Settings, data, folder string) func(context.Context, hook.ReflectRequest) (hook.Decision, error) {
	if _, err := os.Stat(filepath.Join(setting.Repository(folder), filepath.FromSlash(improve.ProjectFile))); err != nil && !cfg.Automation.Enabled {
		return nil // whether a project's own file is trusted is looked at later
	}
	return func(ctx context.Context, w hook.ReflectRequest) (hook.Decision, error) {
		if err := w.Leave(data, os.Getpid()); err != nil {
			return hook.Decision{}, err
		}
		if r.Home.Getenv("TRIMTAB_HOOKS") == "wait" {
			return hook.Decision{}, nil
		}
		ended, err := r.startReflecting(data, w.Project)
		if err != nil {
			return hook.Decision{}, err
		}
		wait := 0
		if cfg.Automation.StopWait != nil {
			wait = *cfg.Automation.StopWait
		}
		return awaitOutcome(ctx, time.Duration(wait)*time.Millisecond, ended, func() (hook.Outcome, bool) { return hook.TakeOutcome(data, w.Session) }), nil
	}
}

// awaitOutcome waits until an outcome is there, the process that would leave it has
// ended, or the time is over. The decision is empty where there is none.
func awaitOutcome(ctx context.Context, wait time.Duration, ended <-chan struct{}, take func() (hook.Outcome, bool)) hook.Decision {
	if wait <= 0 {
		return hook.Decision{}
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	case <-ctx.Done():
	}
	o, _ := take()
	return o.Decision
}

// startReflecting starts trimtab hook reflect beside the host, with nothing of the
// host's streams: a host waits until those are closed. It tells when that has ended.
func (r Run) startReflecting(data, folder string) (ended <-chan struct{}, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{"--data", data}
	if r.Home.Config != "" {
		args = append(args, "--config", r.Home.Config)
	}
	cmd := exec.Command(self, append(args, "hook", "reflect")...) // #nosec G204 -- our own program
	cmd.Dir, cmd.Env, cmd.SysProcAttr = folder, r.Environ, apart()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("look back at the session: %w", err)
	}
	done := make(chan struct{})
	go func() { // this process may end before: that one has a session of its own
		defer close(done)
		_ = cmd.Wait()
	}()
	return done, nil
}

// ReflectStopped looks back at the sessions of a folder that stopped and were left to
// be looked back at. It returns no error of a session: nobody waits for it, and what came
// of each is in the log of the data folder.
func ReflectStopped(ctx context.Context, data, folder string, now func() time.Time, back func(context.Context, improve.StoppedSession) (id, why string, err error)) {
	requests, err := hook.TakeReflectRequests(data, folder, now(), os.Getpid())
	if err != nil {
		openLog(data).Error("requests to reflect", "error", err)
	}
	for _, r := range requests {
		d := hook.Decision{Decision: hook.LetGo, Reason: hook.NotNeeded}
		id, why, err := back(ctx, improve.StoppedSession{Session: r.Session, Host: r.Host, Project: setting.Repository(r.Project), Transcript: r.Transcript})
		if err != nil {
			openLog(data).Error("reflection failed", "host", r.Host, "session", r.Session, "error", err)
			continue
		}
		if id != "" {
			d = hook.Decision{Decision: hook.GoOn, Reason: hook.Automated, Workflow: id, Instructions: improve.Instructions(id, improve.State(why))}
			if err := (hook.Outcome{Session: r.Session, Project: r.Project, Decision: d, At: now().UTC()}).Leave(data, os.Getpid()); err != nil {
				openLog(data).Error("what was triggered cannot be told", "session", r.Session, "error", err)
			}
		}
		noteDecision(data, now(), r.Session, d, why)
	}
}
