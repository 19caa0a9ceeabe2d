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
	key    string
	folder string
}

// one makes a run: a fresh copy, the agent, the tests, the measures. It is recorded when it
// is whole; an error says that it was not made at all, and leaves nothing recorded.
func (t *trials) one(ctx context.Context, j job) (trial.Result, error) {
	r := trial.Result{Run: j.Run, Key: j.key, Folder: j.folder, Began: t.env.Clock().UTC().Truncate(1e9)}
	if err := j.task.Copy(task.Environment, filepath.Join(j.folder, workDir)); err != nil {
		return r, err
	}
	for _, dir := range []string{dataDir, logsDir} {
		if err := os.MkdirAll(filepath.Join(j.folder, dir), 0o700); err != nil {
			return r, err
		}
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
		return err
	}
	defer place.Close()
	if private {
		home = place.Home
		if err := t.agent.furnish(home); err != nil {
			return err
		}
	}
	settings := filepath.Join(data, "settings.json")
	if err := os.WriteFile(settings, j.arm.settings, 0o600); err != nil {
		return err
	}
	log, err := subprocess.Create(filepath.Join(j.folder, logsDir, "agent.log"), t.env.Redact)
	if err != nil {
		return err
	}
	argv, stdin := t.agent.argv(j.task.Instruction, url)
	end, err := place.Run(ctx, subprocess.Program{Argv: argv, Stdin: stdin, Env: t.agent.environ(home, data, settings), Time: j.task.AgentTime, Output: maxLog, Log: log})
	r.Seconds, r.Exit, r.Box, r.Why = math.Round(end.Took.Seconds()*10)/10, end.Exit, place.Boxed(), t.env.Redact(end.Tail)
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

// verdict asks the tests, unless it is known already how the run ended.
func (t *trials) verdict(ctx context.Context, j job, r *trial.Result) error {
	if r.Outcome != "" {
		return nil
	}
	if r.Steps == 0 {
		r.Outcome, r.Why = trial.Broken, t.agent.refused(r.Exit, r.Why)
		return nil
	}
	got, err := t.test(ctx, j.task, j.folder)
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
func (t *trials) test(ctx context.Context, one task.Task, folder string) (tested, error) {
	tests, logs := filepath.Join(folder, testsDir), filepath.Join(folder, logsDir)
	if err := one.Copy(task.Tests, tests); err != nil {
		return tested{}, err
	}
	if err := os.MkdirAll(filepath.Join(logs, "verifier"), 0o700); err != nil {
		return tested{}, err
	}
	end, err := t.shell(ctx, one, folder, filepath.Join(tests, "test.sh"))
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
func (t *trials) shell(ctx context.Context, one task.Task, folder, script string) (subprocess.End, error) {
	logs := filepath.Join(folder, logsDir)
	place, err := subprocess.Open(subprocess.Setting{
		Dir: filepath.Join(folder, workDir), Write: []string{logs}, Sandbox: t.env.Sandbox, Self: t.env.Self,
		Cache: filepath.Join(t.env.Trials, "cache"), Hide: subprocess.Secrets(t.env.Lookup),
	})
	if err != nil {
		return subprocess.End{}, err
	}
	defer place.Close()
	log, err := subprocess.Create(filepath.Join(logs, filepath.Base(script)+".log"), t.env.Redact)
	if err != nil {
		return subprocess.End{}, err
	}
	env := append(subprocess.Environ(t.env.Lookup, place.Home),
		"TRIAL_APP="+filepath.Join(folder, workDir), "TRIAL_TESTS="+filepath.Join(folder, testsDir), "TRIAL_LOGS="+logs)
	end, err := place.Run(ctx, subprocess.Program{Argv: []string{"sh", script}, Env: append(env, one.Env...), Time: one.TestTime, Output: maxLog, Log: log})
	return end, errors.Join(err, log.Close())
}
