package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/improve/agents/subprocess"
	"github.com/trimtab/trimtab/internal/atomicfile"
	"github.com/trimtab/trimtab/internal/filelock"
	"github.com/trimtab/trimtab/internal/plainfile"
	"github.com/trimtab/trimtab/trial"
	"github.com/trimtab/trimtab/trial/container"
	"github.com/trimtab/trimtab/trial/sample"
	"github.com/trimtab/trimtab/trial/task"
)

// UsageError is a mistake in what was asked for.
type UsageError struct{ error }

// Unwrap is the error itself.
func (e UsageError) Unwrap() error { return e.error }

// ErrDeclined is a person who does not want the trial to begin.
var ErrDeclined = errors.New("nothing was run")

// Request is what a person asks for.
type Request struct {
	Dirs     []string // tasks, or folders of tasks
	Sample   bool     // the tasks that are built in
	Arms     []string // off, on, or files of settings; the first is what the others are compared with
	Agent    string
	Model    string
	Repeat   int
	Parallel int
	Seed     uint64
	Budget   float64 // dollars; 0 is no limit
	Tokens   int     // 0 is no limit
	Fresh    bool    // nothing of earlier trials counts
	Command  string  // the command line, for the report

	Container string // docker, podman or none; "" is what answers
	Install   string // a shell line that is run as root in every image, such as one that installs the agent
}

// Env is what a trial runs with.
type Env struct {
	Self     string // this program
	Linux    string // the same for Linux, where this one is not
	Data     string // the person's data folder, which no agent sees
	Trials   string // where runs are kept
	Lookup   subprocess.Lookup
	Pass     []string // further variables that agents get
	Redact   func(string) string
	Sandbox  sandbox.Config
	Settings []byte   // the person's file
	Sets     []string // settings of the command line
	Open     func(ctx context.Context, data string) (st trimtab.Archive, closing func() error, err error)
	Price    Price
	Clock    func() time.Time
	Tell     func(format string, args ...any)
	Ask      func(question string) (bool, error) // before something costs money; nil: the person has said yes
}

// trials is a trial under way.
type trials struct {
	env    Env
	req    Request
	agent  agent
	tasks  []task.Task
	arms   []arm
	plan   trial.Plan
	engine *container.Engine // nil: there is none, or no task describes a container
	images map[string]container.Image
	hidden []string
	notes  []string // for the report
}

// The limits of a plan.
const (
	maxRepeat   = 1000
	maxParallel = 64
)

// Do makes the runs that are missing and reports on all of them. Where it is stopped, by a
// budget or by the caller, the report is on what there is, and the error says why.
func Do(ctx context.Context, req Request, env Env) (trial.Report, error) {
	t, err := open(ctx, req, env)
	if err != nil {
		return trial.Report{}, err
	}
	unlock, err := t.lock()
	if err != nil {
		return trial.Report{}, err
	}
	defer unlock()
	jobs, done := t.sort()
	if err := t.announce(jobs, done); err != nil {
		return trial.Report{}, err
	}
	made, stopped := t.all(ctx, jobs, done)
	about := trial.About{Agent: t.agent.name, Version: t.agent.version, Model: t.modelName(), Command: req.Command, Notes: t.notes}
	report := trial.Sum(t.plan, about, append(done, made...))
	return report, errors.Join(stopped, t.write(report))
}

func (t *trials) modelName() string {
	if t.agent.model == "" {
		return "of its own settings"
	}
	return t.agent.model
}

func (t *trials) lock() (func(), error) {
	if err := os.MkdirAll(t.env.Trials, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for the runs: %w", err)
	}
	unlock, err := filelock.Try(filepath.Join(t.env.Trials, "lock"))
	if err != nil {
		return nil, fmt.Errorf("another trial is under way in %s: %w", t.env.Trials, err)
	}
	return unlock, nil
}

// open checks all that can be checked before anything runs.
func open(ctx context.Context, req Request, env Env) (*trials, error) {
	t := &trials{env: env, req: req}
	if req.Model == Scripted || req.Model == Deaf { // whatever the model that it stands for costs
		t.env.Price = func(string, trimtab.Usage) (float64, bool) { return 0, false }
	}
	switch {
	case req.Repeat < 1 || req.Repeat > maxRepeat:
		return nil, UsageError{fmt.Errorf("--repeat %d: it is a number from 1 to %d", req.Repeat, maxRepeat)}
	case req.Parallel < 1 || req.Parallel > maxParallel:
		return nil, UsageError{fmt.Errorf("--parallel %d: it is a number from 1 to %d", req.Parallel, maxParallel)}
	case req.Budget < 0 || req.Tokens < 0:
		return nil, UsageError{errors.New("a budget is not below zero")}
	case len(req.Arms) == 0:
		return nil, UsageError{errors.New("say what is compared: --arm off --arm on")}
	}
	var err error
	if t.tasks, err = t.readTasks(); err != nil {
		return nil, err
	}
	var names, arms []string
	for _, one := range t.tasks {
		names = append(names, one.Name)
	}
	for _, word := range req.Arms {
		a, err := openArm(word, env.Settings)
		if err != nil {
			return nil, UsageError{err}
		}
		if slices.Contains(arms, a.name) {
			return nil, UsageError{fmt.Errorf("two arms are called %s", a.name)}
		}
		arms, t.arms = append(arms, a.name), append(t.arms, a)
	}
	if err := t.engines(ctx); err != nil {
		return nil, err
	}
	// An agent that only works in containers is one of their programs.
	within := t.engine != nil && !slices.ContainsFunc(t.tasks, func(one task.Task) bool { return !one.Container.Described() })
	if t.agent, err = findAgent(ctx, req.Agent, req.Model, within, t.env); err != nil {
		return nil, err
	}
	for _, one := range t.tasks {
		if t.agent.scripted() && one.Script == "" {
			return nil, UsageError{fmt.Errorf("task %s has no %s, so no scripted model can work on it", one.Name, task.Script)}
		}
	}
	t.images = map[string]container.Image{}
	for _, one := range t.tasks {
		if t.images[one.Name], err = t.image(ctx, one); err != nil {
			return nil, err
		}
	}
	t.plan = trial.Plan{Tasks: names, Arms: arms, Repeat: req.Repeat, Seed: req.Seed}
	t.hidden = []string{env.Trials, env.Data}
	for _, one := range t.tasks {
		t.hidden = append(t.hidden, one.Dir) // of every task: one may hold the answer of another
	}
	return t, nil
}

// readTasks reads the tasks that were named, and those that are built in.
func (t *trials) readTasks() ([]task.Task, error) {
	dirs := slices.Clone(t.req.Dirs)
	if t.req.Sample {
		dir, err := sample.Extract(filepath.Join(t.env.Trials, "sample"))
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, dir)
	}
	if len(dirs) == 0 {
		return nil, UsageError{errors.New("say which tasks: a folder in Harbor's format, or --sample for those that are built in")}
	}
	return task.Find(dirs...)
}

// depends is all that a result depends on.
type depends struct {
	Task     string `json:"task"`
	Settings string `json:"settings"`
	Agent    string `json:"agent"`
	Model    string `json:"model"`
	Program  string `json:"program"` // this one
	Seed     string `json:"seed"`
}

// sort tells the runs that are to be made from those that are there already, and says what
// has changed where a run was there under other circumstances.
func (t *trials) sort() (jobs []job, done []trial.Result) {
	program, err := fileDigest(t.env.Self)
	if err != nil {
		program = "unknown"
	}
	index := t.readIndex()
	changed := map[string]int{}
	for _, r := range t.plan.Runs() {
		one := t.tasks[slices.IndexFunc(t.tasks, func(x task.Task) bool { return x.Name == r.Task })]
		a := t.arms[slices.IndexFunc(t.arms, func(x arm) bool { return x.name == r.Arm })]
		d := depends{
			Task: one.Hash, Settings: digest(a.settings, []byte(strings.Join(t.env.Sets, "\n"))), Agent: t.agent.name + " " + t.agent.version, Model: t.agent.model,
			Program: program, Seed: fmt.Sprint(r.Seed),
		}
		img := t.images[one.Name]
		if img.ID != "" { // what the agent is depends on what was installed there
			d.Agent = t.agent.name + " in " + img.ID
			if t.agent.name == Own {
				d.Agent = t.agent.name + " " + t.agent.version + " in " + img.ID
			}
		}
		raw, _ := json.Marshal(d) // strings always encode
		key := digest(raw, []byte(r.Arm), []byte(fmt.Sprint(r.Repeat)))
		j := job{Run: r, task: one, arm: a, image: img, key: key, folder: filepath.Join(t.env.Trials, "runs", key)}
		if x, ok := readResult(j); ok && !t.req.Fresh {
			done = append(done, x)
			continue
		}
		name := strings.Join([]string{r.Task, r.Arm, t.agent.name, t.agent.model, fmt.Sprint(r.Repeat)}, "\n")
		if before, ok := index[name]; ok && before != d {
			changed[differs(before, d)]++
		}
		index[name] = d
		jobs = append(jobs, j)
	}
	for _, what := range sortedKeys(changed) {
		t.env.Tell("%d runs of before do not count, since %s changed\n", changed[what], what)
	}
	if raw, err := marshal(index); err == nil {
		_ = atomicfile.Write(filepath.Join(t.env.Trials, "index.json"), raw, 0o600) // it only says why
	}
	return jobs, done
}

func sortedKeys(m map[string]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// differs names what is not as it was.
func differs(a, b depends) string {
	var out []string
	for _, c := range []struct{ name, a, b string }{
		{"the task", a.Task, b.Task},
		{"the settings of the arm", a.Settings, b.Settings},
		{"the agent", a.Agent, b.Agent},
		{"this program", a.Program, b.Program},
		{"the seed", a.Seed, b.Seed},
	} {
		if c.a != c.b {
			out = append(out, c.name)
		}
	}
	return strings.Join(out, " and ")
}

const maxIndex = 64 << 20

// readIndex is what the newest runs depended on, by their names. One that cannot be read
// explains nothing, and no more.
func (t *trials) readIndex() map[string]depends {
	index := map[string]depends{}
	raw, err := plainfile.Read(filepath.Join(t.env.Trials, "index.json"), maxIndex)
	if err != nil || json.Unmarshal(raw, &index) != nil || index == nil {
		return map[string]depends{}
	}
	return index
}

// readResult is the result of a run that was made before. One that is broken is made again.
func readResult(j job) (trial.Result, bool) {
	var r trial.Result
	raw, err := plainfile.Read(filepath.Join(j.folder, resultFile), 1<<20)
	if err != nil || raw == nil || json.Unmarshal(raw, &r) != nil || r.Run != j.Run || r.Key != j.key || !r.Counts() {
		return r, false
	}
	r.Folder = j.folder
	return r, true
}

// write leaves the report in files for people and programs.
func (t *trials) write(r trial.Report) error {
	var page strings.Builder
	if err := r.HTML(&page); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	raw, err := marshal(r)
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	for name, text := range map[string]string{"report.md": r.Markdown(), "report.html": page.String(), "report.json": string(raw)} {
		if err := atomicfile.Write(filepath.Join(t.env.Trials, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	t.env.Tell("report: %s, and .html and .json beside it\n", filepath.Join(t.env.Trials, "report.md"))
	return nil
}
