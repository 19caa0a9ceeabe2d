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
// another process, and waits for neither. It is nil where nothing asks for
// improvements by itself.
func (r Run) reflect(cfg Settings, data, folder string) func(context.Context, hook.ReflectRequest) error {
	if _, err := os.Stat(filepath.Join(setting.Repository(folder), filepath.FromSlash(improve.ProjectFile))); err != nil && !cfg.Automation.Enabled {
		return nil // whether a project's own file is trusted is looked at later
	}
	return func(_ context.Context, w hook.ReflectRequest) error {
		if err := w.Leave(data, os.Getpid()); err != nil {
			return err
		}
		if r.Home.Getenv("TRIMTAB_HOOKS") == "wait" {
			return nil
		}
		return r.startReflecting(data, w.Project)
	}
}

// startReflecting starts trimtab hook reflect beside the host, with nothing of the
// host's streams: a host waits until those are closed.
func (r Run) startReflecting(data, folder string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{"--data", data}
	if r.Home.Config != "" {
		args = append(args, "--config", r.Home.Config)
	}
	cmd := exec.Command(self, append(args, "hook", "reflect")...) // #nosec G204 -- our own program
	cmd.Dir, cmd.Env, cmd.SysProcAttr = folder, r.Environ, apart()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("look back at the session: %w", err)
	}
	return cmd.Process.Release()
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
			d.Reason, d.Workflow = hook.Automated, id
		}
		noteDecision(data, now(), r.Session, d, why)
	}
}
