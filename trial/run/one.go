package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/improve/agents/subprocess"
	"github.com/trimtab/trimtab/internal/atomicfile"
	"github.com/trimtab/trimtab/internal/plainfile"
	"github.com/trimtab/trimtab/trial"
	"github.com/trimtab/trimtab/trial/container"
	"github.com/trimtab/trimtab/trial/scripted"
	"github.com/trimtab/trimtab/trial/task"
)

// The parts of the folder of a run.
const (
	workDir    = "app"  // the fresh copy, and the work as it was left
	dataDir    = "data" // the session
	testsDir   = "tests"
	logsDir    = "logs"
	resultFile = "result.json" // written last: a run without it is none

	settingsFile = "settings.json" // of the arm, in dataDir
)

const (
	maxPrompt = 100 << 10 // bytes: an argument cannot be longer everywhere
	maxLog    = 64 << 20
)

// job is one run that is to be made.
type job struct {
	trial.Run
	task   task.Task
	arm    arm
	image  container.Image // without ID: a copy of the files
	key    string
	folder string
	box    *container.Box // nil: our sandbox
}

// one makes a run: a fresh copy, the agent, the tests, the measures. It is recorded when it
// is whole; an error says that it was not made at all, and leaves nothing recorded.
func (t *trials) one(ctx context.Context, j job) (trial.Result, error) {
	r := trial.Result{Run: j.Run, Key: j.key, Folder: j.folder, Began: t.env.Clock().UTC().Truncate(1e9)}
	var err error
	if j.box, err = t.prepare(ctx, j.task, j.image, j.folder); err != nil {
		return r, err
	}
	if j.box != nil {
		defer j.box.Close()
	}
	if err := t.work(ctx, j, &r); err != nil {
		return r, err
	}
	st, closing, err := t.env.Open(ctx, filepath.Join(j.folder, dataDir))
	if err != nil {
		return r, err
	}
	if err := errors.Join(measure(ctx, st, t.env.Price, &r), closing()); err != nil {
		return r, err
	}
	if err := t.verdict(ctx, j, &r); err != nil {
		return r, err
	}
	raw, err := marshal(r)
	if err != nil {
		return r, err
	}
	return r, atomicfile.Write(filepath.Join(j.folder, resultFile), raw, 0o600)
}

// prepare makes the place of a run: a fresh copy of the files, or a container.
func (t *trials) prepare(ctx context.Context, one task.Task, img container.Image, folder string) (*container.Box, error) {
	for _, dir := range []string{dataDir, logsDir, filepath.Join(logsDir, "verifier")} {
		if err := os.MkdirAll(filepath.Join(folder, dir), 0o700); err != nil {
			return nil, err
		}
	}
	if img.ID != "" {
		return t.start(ctx, one, img, folder)
	}
	return nil, one.Copy(task.Environment, filepath.Join(folder, workDir))
}

// work has the agent do the task.
func (t *trials) work(ctx context.Context, j job, r *trial.Result) error {
	if len(j.task.Instruction) > maxPrompt {
		r.Outcome, r.Why = trial.Broken, fmt.Sprintf("the instruction is over %d bytes", maxPrompt)
		return nil
	}
	url := ""
	if t.agent.scripted() {
		script, err := scripted.Parse(j.task.Script)
		if err != nil {
			return fmt.Errorf("task %s: %s: %w", j.Task, task.Script, err)
		}
		model, err := scripted.Serve(script, j.Seed, t.agent.model == Deaf)
		if err != nil {
			return err
		}
		defer model.Close()
		url = model.URL
	}
	data := filepath.Join(j.folder, dataDir)
	if err := os.WriteFile(filepath.Join(data, settingsFile), j.arm.settings, 0o600); err != nil {
		return err
	}
	log, err := subprocess.Create(filepath.Join(j.folder, logsDir, "agent.log"), t.env.Redact)
	if err != nil {
		return err
	}
	do := t.outside
	if j.box != nil {
		do = t.inside
	}
	end, box, err := do(ctx, j, url, log)
	r.Seconds, r.Exit, r.Box, r.Why = math.Round(end.Took.Seconds()*10)/10, end.Exit, box, t.env.Redact(end.Tail)
	if err = errors.Join(err, log.Close()); err == nil || ctx.Err() != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	switch {
	case errors.Is(err, subprocess.ErrTime):
		r.Outcome, r.Why = trial.TimedOut, "the agent was ended after "+j.task.AgentTime.String()
	case errors.Is(err, subprocess.ErrOutput):
		r.Outcome, r.Why = trial.Unsolved, fmt.Sprintf("the agent wrote over %d MB and was ended", maxLog>>20)
	default:
		return err
	}
	return nil
}

// outside has the agent work on the copy of the files, in our sandbox.
func (t *trials) outside(ctx context.Context, j job, url string, log *subprocess.Log) (subprocess.End, string, error) {
	private, home := t.agent.home()
	data := filepath.Join(j.folder, dataDir)
	setting := subprocess.Setting{Dir: filepath.Join(j.folder, workDir), Write: []string{data}, Sandbox: t.env.Sandbox, Self: t.env.Self}
	setting.Hide = slices.Concat(t.agent.secrets(private), t.hidden)
	if !private {
		for _, dir := range t.agent.row.State {
			setting.Write = append(setting.Write, filepath.Join(home, filepath.FromSlash(dir)))
		}
	}
	place, err := subprocess.Open(setting)
	if err != nil {
		return subprocess.End{}, "", err
	}
	defer place.Close()
	if private {
		home = place.Home
		if err := t.agent.furnish(home); err != nil {
			return subprocess.End{}, "", err
		}
	}
	argv, stdin := t.agent.argv(j.task.Instruction, url)
	env := t.agent.environ(home, data, filepath.Join(data, settingsFile))
	end, err := place.Run(ctx, subprocess.Program{Argv: argv, Stdin: stdin, Env: env, Time: j.task.AgentTime, Output: maxLog, Log: log})
	return end, place.Boxed(), err
}

// verdict asks the tests, unless it is known already how the run ended.
func (t *trials) verdict(ctx context.Context, j job, r *trial.Result) error {
	if r.Outcome != "" {
		return nil
	}
	if r.Steps == 0 {
		r.Outcome, r.Why = trial.Broken, t.agent.refused(r.Exit, r.Why)
		return nil
	}
	got, err := t.test(ctx, j.task, j.folder, j.box)
	if err != nil {
		return err
	}
	r.Outcome, r.Reward, r.Why = got.outcome, got.reward, got.said
	return nil
}

// tested is what the tests of a task say.
type tested struct {
	outcome trial.Outcome
	reward  float64
	said    string
}

// test copies the hidden tests beside the work and runs them there.
func (t *trials) test(ctx context.Context, one task.Task, folder string, box *container.Box) (tested, error) {
	tests, logs := filepath.Join(folder, testsDir), filepath.Join(folder, logsDir)
	if err := one.Copy(task.Tests, tests); err != nil {
		return tested{}, err
	}
	end, err := t.shell(ctx, one, folder, box, filepath.Join(tests, "test.sh"))
	switch {
	case ctx.Err() != nil:
		return tested{}, context.Cause(ctx)
	case errors.Is(err, subprocess.ErrTime), errors.Is(err, subprocess.ErrOutput):
		return tested{outcome: trial.Broken, said: fmt.Sprintf("the tests did not come to an end: %v", err)}, nil
	case err != nil:
		return tested{}, err
	}
	out := tested{outcome: trial.Unsolved, said: lastLine(t.env.Redact(end.Tail))}
	return out.rewarded(end.Exit, filepath.Join(logs, "verifier", "reward.txt")), nil
}

// rewarded is the verdict by the reward that the tests wrote, or by their exit code.
func (out tested) rewarded(exit int, file string) tested {
	reward, err := readReward(file)
	switch {
	case err != nil:
		return tested{outcome: trial.Broken, said: err.Error()}
	case reward != nil:
		out.reward = *reward
	case exit == 0:
		out.reward = 1
	}
	if out.reward >= 1 {
		out.outcome = trial.Solved
	}
	return out
}

// readReward is what the tests wrote as their reward; nil where they wrote none, and the
// exit code counts.
func readReward(file string) (*float64, error) {
	raw, err := plainfile.Read(file, 1<<10)
	if err != nil || raw == nil {
		return nil, err
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(string(raw)), 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 1 {
		return nil, fmt.Errorf("reward.txt of the tests is no number from 0 to 1: %.40q", raw)
	}
	return &v, nil
}

// shell runs a script of the task in the work folder of a run: its tests, or its solution.
func (t *trials) shell(ctx context.Context, one task.Task, folder string, box *container.Box, script string) (subprocess.End, error) {
	logs := filepath.Join(folder, logsDir)
	log, err := subprocess.Create(filepath.Join(logs, filepath.Base(script)+".log"), t.env.Redact)
	if err != nil {
		return subprocess.End{}, err
	}
	if box != nil {
		to := map[string]string{testsDir: insideTests, task.Solution: insideSolve}[filepath.Base(filepath.Dir(script))]
		end, err := t.insideShell(ctx, one, box, filepath.Dir(script), to, filepath.Base(script), log)
		return end, errors.Join(err, log.Close())
	}
	place, err := subprocess.Open(subprocess.Setting{
		Dir: filepath.Join(folder, workDir), Write: []string{logs}, Sandbox: t.env.Sandbox, Self: t.env.Self,
		Cache: filepath.Join(t.env.Trials, "cache"), Hide: subprocess.Secrets(t.env.Lookup),
	})
	if err != nil {
		return subprocess.End{}, err
	}
	defer place.Close()
	env := append(subprocess.Environ(t.env.Lookup, place.Home),
		"TRIAL_APP="+filepath.Join(folder, workDir), "TRIAL_TESTS="+filepath.Join(folder, testsDir), "TRIAL_LOGS="+logs)
	end, err := place.Run(ctx, subprocess.Program{Argv: []string{"sh", script}, Env: append(env, one.Env...), Time: one.TestTime, Output: maxLog, Log: log})
	return end, errors.Join(err, log.Close())
}
