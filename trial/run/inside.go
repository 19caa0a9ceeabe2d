package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/trimtab/trimtab/improve/agents/subprocess"
	"github.com/trimtab/trimtab/trial/container"
	"github.com/trimtab/trimtab/trial/task"
)

// The places in a container. Those of the tests and the logs are Harbor's.
const (
	insideSelf  = "/opt/trimtab/trimtab"
	insideData  = "/opt/trimtab/data"
	insideTests = "/tests"
	insideLogs  = "/logs"
	insideSolve = "/solution"
)

// NoContainers is the engine of a person who wants none.
const NoContainers = "none"

// engines finds the container engine, where a task describes a container. A task that
// needs its container is refused without one; one that only copies its files is not.
func (t *trials) engines(ctx context.Context) error {
	described, needed := false, (*task.Task)(nil)
	for i, one := range t.tasks {
		described = described || one.Container.Described()
		if one.Container.Needed != "" && needed == nil {
			needed = &t.tasks[i]
		}
	}
	if !described {
		return nil
	}
	err := errors.New("--container none was said")
	if t.req.Container != NoContainers {
		var e container.Engine
		if e, err = container.Find(ctx, t.req.Container, t.env.Lookup); err == nil {
			t.engine = &e
		} else if !errors.Is(err, container.ErrNone) || t.req.Container != "" {
			return UsageError{err}
		}
	}
	if t.engine != nil && t.env.Linux == "" && runtime.GOOS != "linux" {
		t.engine, err = nil, fmt.Errorf("this program is for %s and cannot run in a container; name one for Linux by --linux FILE", runtime.GOOS)
	}
	switch {
	case t.engine != nil:
		return t.engine.Sweep(ctx, t.owner())
	case needed != nil:
		return UsageError{fmt.Errorf("task %s needs its container (%s): %w; install docker or podman, or give it an environment/ of files only", needed.Name, needed.Container.Needed, err)}
	}
	t.env.Tell("tasks run on copies of their files in our sandbox, not in their containers: %v\n", err)
	return nil
}

// owner is whose containers ours are: those of another folder of runs may be in use.
func (t *trials) owner() string { return digest([]byte(t.env.Trials)) }

// image is the image of a task, which is made where it is not there; its ID is "" where the
// task runs outside.
func (t *trials) image(ctx context.Context, one task.Task) (container.Image, error) {
	c := one.Container
	if t.engine == nil || !c.Described() {
		return container.Image{}, nil
	}
	if c.Closed {
		return container.Image{}, fmt.Errorf("task %s: task.toml forbids the network (environment.allow_internet), and an agent inside has to reach its model", one.Name)
	}
	img, err := t.made(ctx, one.Name, cmp.Or(c.Image, "trimtab-trial:"+one.Hash), func(name string, log io.Writer) (container.Image, error) {
		if c.Image != "" {
			return t.engine.Pull(ctx, name, c.BuildTime, log)
		}
		return t.engine.Build(ctx, name, filepath.Join(one.Dir, task.Environment), c.BuildTime, log)
	})
	if err != nil || t.req.Install == "" {
		return img, err
	}
	return t.made(ctx, one.Name, "trimtab-trial:"+digest([]byte(img.ID), []byte(t.req.Install)), func(name string, log io.Writer) (container.Image, error) {
		return t.engine.Extend(ctx, name, img, t.req.Install, c.BuildTime, log)
	})
}

// made is the image of a name; where it is not there, it is made, and what is said
// meanwhile is kept.
func (t *trials) made(ctx context.Context, one, name string, do func(name string, log io.Writer) (container.Image, error)) (container.Image, error) {
	if img, ok := t.engine.Have(ctx, name); ok {
		return img, nil
	}
	file := filepath.Join(t.env.Trials, "images", digest([]byte(name))+".log")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return container.Image{}, err
	}
	log, err := subprocess.Create(file, t.env.Redact)
	if err != nil {
		return container.Image{}, err
	}
	t.env.Tell("making the image %s of task %s\n", name, one)
	img, err := do(name, log)
	if err = errors.Join(err, log.Close()); err != nil {
		return img, fmt.Errorf("image of task %s: %w; all that was said is in %s", one, err, file)
	}
	return img, nil
}

// start starts the container of a run. Its folder is the only one of this machine that
// anything in there can write to.
func (t *trials) start(ctx context.Context, one task.Task, img container.Image, folder string) (*container.Box, error) {
	for _, dir := range []string{dataDir, logsDir, filepath.Join(logsDir, "verifier")} {
		// Whoever works in there, as whatever user; the folder around it is the person's alone.
		if err := os.Chmod(filepath.Join(folder, dir), 0o777); err != nil { //nolint:gosec // see above
			return nil, err
		}
	}
	return t.engine.Start(ctx, container.Spec{
		Image: img, Owner: t.owner(), Host: t.agent.scripted(), CPUs: one.Container.CPUs, Memory: one.Container.Memory,
		Mounts: []container.Mount{
			{From: cmp.Or(t.env.Linux, t.env.Self), To: insideSelf},
			{From: filepath.Join(folder, dataDir), To: insideData, Write: true},
			{From: filepath.Join(folder, logsDir), To: insideLogs, Write: true},
		},
	})
}

// inside has the agent work in the container of a run, where it is one of the image's
// programs, or our own.
func (t *trials) inside(ctx context.Context, j job, url string, log *subprocess.Log) (subprocess.End, string, error) {
	argv, stdin := t.agent.argv(j.task.Instruction, url)
	argv[0] = insideSelf
	env, keys := t.agent.variables(insideData, insideData+"/"+settingsFile)
	end, err := j.box.Run(ctx, container.Program{
		Argv: argv, Stdin: stdin, Env: env, Keys: keys, User: j.task.Container.User, Time: j.task.AgentTime, Output: maxLog, Log: log,
	})
	return end, t.engine.Name, errors.Join(err, t.reveal(ctx, j))
}

// reveal lets us read what was written in the container as another user.
func (t *trials) reveal(ctx context.Context, j job) error {
	end, err := j.box.Run(ctx, container.Program{Argv: []string{"chmod", "-R", "a+rwX", insideData, insideLogs}, User: "0"})
	if err == nil && end.Exit != 0 {
		err = fmt.Errorf("open the session of the run: exit code %d: %s", end.Exit, lastLine(end.Tail))
	}
	return err
}

// insideShell runs a script of the task in the container of a run.
func (t *trials) insideShell(ctx context.Context, one task.Task, box *container.Box, from, to, script string, log *subprocess.Log) (subprocess.End, error) {
	if err := box.Put(ctx, from, to); err != nil {
		return subprocess.End{}, err
	}
	env := append([]string{"TRIAL_TESTS=" + insideTests, "TRIAL_LOGS=" + insideLogs}, one.Env...)
	// The folder is the one that the image names, as it is for the agent.
	return box.Run(ctx, container.Program{
		Argv: []string{"sh", "-c", `TRIAL_APP=$PWD exec sh "$0"`, to + "/" + script}, Env: env, User: one.Container.TestUser, Time: one.TestTime, Output: maxLog, Log: log,
	})
}
