package assembly

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/registry"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/improve/project"
	"github.com/trimtab/trimtab/improve/record"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/worker"
	"github.com/trimtab/trimtab/internal/secret"
)

// Config are the settings of the work on improvements.
type Config struct {
	agents.Config
	Minutes  int            `json:"minutes" default:"20" min:"1" max:"600" guard:"user" doc:"most minutes of an agent for one step"`
	Cost     float64        `json:"cost" default:"5" min:"0.01" max:"1000" guard:"user" doc:"most dollars of an agent for one step"`
	Patience int            `json:"patienceSeconds" default:"600" min:"1" max:"86400" guard:"user" doc:"how long a rate limit of the forge, and checks that still run, are waited for"`
	Ready    string         `json:"readyLabel" default:"ready" doc:"label of a pull request that a person may merge"`
	Base     string         `json:"base" guard:"user" doc:"branch that pull requests go to; the forge's default branch where it is empty"`
	Footer   string         `json:"footer" guard:"user" doc:"last words of a pull request, in the place of ours"`
	CoAuthor string         `json:"coAuthor" guard:"user" doc:"name <address> for a Co-Authored-By trailer of commits and pull requests; none where it is empty"`
	Records  string         `json:"records" guard:"user" hide:"true" doc:"PostgreSQL for the records of the work; a file in the data folder where it is empty"`
	Checks   project.Config `json:"checks" doc:"how a project is tested, linted and its format checked"`
	Lease    int            `json:"leaseSeconds" default:"60" min:"5" max:"3600" guard:"user" doc:"after so long without a sign of life another worker takes over"`
}

// Models says which model an agent of our own asks; see llm/registry.
type Models interface {
	// Default is the model where none is named. Hint is not empty where it is only
	// the demo.
	Default(ctx context.Context) (name, hint string)
	// Means is what a name means where it is one of the person's own, and the
	// variable with its key.
	Means(name string) (text, variable string)
}

// Options are what the work is put together from. Data, Queue and Redact are needed.
type Options struct {
	Data       string                                                // the data folder
	Cache      func() (string, error)                                // folder for what agents and tests build; below Data where it is nil
	Config     Config                                                //
	Automation improve.Config                                        // the person's own
	Project    func(project string) (improve.ProjectSettings, error) // what counts for a project; Automation alone where it is nil
	Forge      registry.Config                                       //
	Sandbox    sandbox.Config                                        // of agents and of a project's commands
	Queue      func(ctx context.Context) (improve.Queue, error)      // opened when it is needed
	Models     func() (Models, error)                                // for the agent "own"; it has no model where it is nil
	Environ    []string                                              // of agents, git and forges, as in os.Environ
	Redact     func(string) string                                   // takes secrets out of logs; they stay here, so they may name folders
	Now        func() time.Time                                      // time.Now where it is nil
}

// Assembly makes what the work is done with.
type Assembly struct{ opt Options }

// New returns an assembly. It opens nothing.
func New(opt Options) (*Assembly, error) {
	if opt.Data == "" || opt.Queue == nil || opt.Redact == nil {
		return nil, errors.New("improve: work needs a data folder, a queue and what takes out secrets")
	}
	data, err := filepath.Abs(opt.Data) // what is hidden from commands is named by its full path
	if err != nil {
		return nil, err
	}
	opt.Data = data
	if opt.Cache == nil {
		opt.Cache = func() (string, error) { return filepath.Join(opt.Data, "cache"), nil }
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Project == nil {
		opt.Project = func(string) (improve.ProjectSettings, error) {
			return improve.ProjectSettings{Config: opt.Automation}, nil
		}
	}
	return &Assembly{opt: opt}, nil
}

// Folder is where papers, logs and working trees are.
func (a *Assembly) Folder() string { return filepath.Join(a.opt.Data, "improve") }

// CheckAgent says what is wrong with the settings of the agent, once and not for
// each request.
func (a *Assembly) CheckAgent() error {
	_, err := agents.New(a.opt.Config.Config, agents.Options{Lookup: a.lookup, Redact: a.opt.Redact})
	return err
}

// Forge finds the forge of a project. It sends nothing.
func (a *Assembly) Forge(ctx context.Context, project string) (registry.Found, error) {
	return registry.Find(ctx, a.opt.Forge, registry.Options{
		Git: git.New(a.opt.Environ), Project: project, Environ: a.opt.Environ,
		Local: filepath.Join(a.opt.Data, "forge", filepath.Base(project)+"-"+improve.Fingerprint("project", project)[:8]),
		Tool: func(ctx context.Context, name string, args ...string) (string, error) {
			ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			out, err := exec.CommandContext(ctx, name, args...).Output()
			return string(out), err
		},
	})
}

// Env is where the work on an item is done: its project, its forge, its agent.
func (a *Assembly) Env(ctx context.Context, it improve.Item) (*steps.Env, error) {
	found, err := a.Forge(ctx, it.Project)
	if err != nil {
		return nil, err
	}
	hub, err := found.Open(ctx)
	if err != nil {
		return nil, err
	}
	q, err := a.opt.Queue(ctx)
	if err != nil {
		return nil, err
	}
	key, err := a.MarkerKey()
	if err != nil {
		return nil, err
	}
	agent, commands, err := a.programs(ctx)
	if err != nil {
		return nil, err
	}
	of, err := a.opt.Project(it.Project)
	if err != nil {
		return nil, err
	}
	return steps.New(a.stepsConfig(of.Config), steps.Options{
		Forge: hub.Forge, Keys: [][]byte{key}, Log: q, Git: a.gitFor(ctx, it.Project), Agent: agent, Now: a.opt.Now, Workflow: of.Workflow,
	}.With(commands, secret.FromEnviron(a.opt.Environ)))
}

// stepsConfig is the config of the steps for a project with these settings.
func (a *Assembly) stepsConfig(auto improve.Config) steps.Config {
	cfg := a.opt.Config
	return steps.Config{
		Folder: a.Folder(), Issues: auto.Forge.Issues, Branches: auto.Forge.Branches, Pulls: auto.Forge.Pulls,
		Lines: auto.Constraints.Lines, Components: auto.Constraints.Components,
		Minutes: cfg.Minutes, Cost: cfg.Cost, Patience: cfg.Patience, Ready: cfg.Ready,
		Base: cfg.Base, Form: auto.Form, Footer: cfg.Footer, CoAuthor: cfg.CoAuthor,
	}
}

// programs are the agent and the project's own commands, in the same sandbox: what
// is private is hidden from both.
func (a *Assembly) programs(ctx context.Context) (agents.Agent, *project.Project, error) {
	cache, err := a.opt.Cache()
	if err != nil {
		return nil, nil, err
	}
	cache = filepath.Join(cache, "build") // what agents and tests build is kept from one step to the next
	hidden := sandbox.PrivateFiles(a.opt.Data)
	own, err := a.ownModel(ctx)
	if err != nil {
		return nil, nil, err
	}
	agent, err := agents.New(a.opt.Config.Config, agents.Options{Lookup: a.lookup, Redact: a.opt.Redact, Cache: cache, Sandbox: a.opt.Sandbox, Hide: hidden, Own: own})
	if err != nil {
		return nil, nil, err
	}
	commands, err := project.New(a.opt.Config.Checks, project.Options{Lookup: a.lookup, Redact: a.opt.Redact, Cache: cache, Sandbox: a.opt.Sandbox, Hide: hidden})
	return agent, commands, err
}

func (a *Assembly) lookup(name string) (string, bool) {
	for i := len(a.opt.Environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(a.opt.Environ[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// gitFor is git for a project. Where nobody has told git who commits here, it is
// trimtab.
func (a *Assembly) gitFor(ctx context.Context, project string) git.Program {
	environ := a.opt.Environ
	program := git.New(environ)
	if _, err := program.In(project).Run(ctx, "var", "GIT_AUTHOR_IDENT"); err == nil {
		return program
	}
	return git.New(append(environ[:len(environ):len(environ)],
		"GIT_AUTHOR_NAME=trimtab", "GIT_AUTHOR_EMAIL=trimtab@localhost", "GIT_COMMITTER_NAME=trimtab", "GIT_COMMITTER_EMAIL=trimtab@localhost"))
}

// ownModel is the model of the agent "own": the one that was set for it, else the one
// that a chat would have. That is never the demo by itself, which would only play.
func (a *Assembly) ownModel(ctx context.Context) (agents.Own, error) {
	if a.opt.Config.Agent != "own" || a.opt.Models == nil {
		return agents.Own{}, nil
	}
	models, err := a.opt.Models()
	if err != nil {
		return agents.Own{}, err
	}
	own := agents.Own{Name: a.opt.Config.Model}
	if own.Name == "" {
		name, hint := models.Default(ctx)
		if hint != "" {
			return agents.Own{}, nil
		}
		own.Name = name
	}
	own.Means, own.Key = models.Means(own.Name)
	return own, nil
}

// limit is how many items of a project may be worked on at a time. Where its settings
// cannot be read, Env says so when an item is begun.
func (a *Assembly) limit(project string) int {
	of, err := a.opt.Project(project)
	if err != nil {
		return a.opt.Automation.Constraints.Concurrent
	}
	return of.Config.Constraints.Concurrent
}

// Recorder writes down what happens to items, in files; see improve/record.
func (a *Assembly) Recorder(failed func(error)) *record.Recorder {
	return record.New(record.Options{
		Folder: a.Folder(), Redact: a.opt.Redact, Project: a.opt.Project, Failed: failed, Now: a.opt.Now,
		Item: func(ctx context.Context, id string) (improve.Item, error) {
			q, err := a.opt.Queue(ctx)
			if err != nil {
				return improve.Item{}, err
			}
			return q.Item(ctx, id)
		},
	})
}

// WorkerOptions are what a worker is told and tells. All may be left out.
type WorkerOptions struct {
	Progress func(worker.Event)
	Disabled func() bool // all automation is off
	Log      *slog.Logger
}

// busyWait is how long serveQueue waits for another process that works for the data folder.
const busyWait = 5 * time.Second

// serveQueue works on what is queued until the context ends. While another process works
// for the data folder it waits for that one to end. Where the worker cannot be opened it
// says so, and tries again.
func (a *Assembly) serveQueue(ctx context.Context, opt WorkerOptions) {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	show := opt.Progress
	opt.Progress = func(e worker.Event) {
		if show != nil {
			show(e)
		}
		logEnd(opt.Log, e)
	}
	last := ""
	for ctx.Err() == nil {
		err := a.serve(ctx, opt)
		if err != nil && ctx.Err() == nil && !errors.Is(err, worker.ErrBusy) && err.Error() != last {
			opt.Log.Error("improve: no work is done", "error", err)
			last = err.Error()
		}
		timer := time.NewTimer(busyWait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// Start works on what is queued in the background. Stop ends that and waits: what is at
// work goes back to the queue.
func (a *Assembly) Start(ctx context.Context, opt WorkerOptions) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.serveQueue(ctx, opt)
	}()
	return func() { cancel(); <-done }
}

// logEnd says how an item ended.
func logEnd(log *slog.Logger, e worker.Event) {
	switch state := improve.State(e.State); {
	case e.Number > 0 || !state.Ended() && state != improve.Queued:
	case state == improve.Done:
		log.Info("Workflow " + e.Item + " completed successfully")
	default:
		log.Warn("Workflow "+e.Item+" failed or pending", "state", e.State, "why", e.Text)
	}
}

func (a *Assembly) serve(ctx context.Context, opt WorkerOptions) (err error) {
	w, err := a.Worker(ctx, opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	return w.Run(ctx)
}

// Worker opens the worker of the data folder. Close it.
func (a *Assembly) Worker(ctx context.Context, opt WorkerOptions) (*worker.Worker, error) {
	q, err := a.opt.Queue(ctx)
	if err != nil {
		return nil, err
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	files := a.Recorder(func(err error) { opt.Log.Error(err.Error()) })
	progress := func(e worker.Event) {
		files.Event(ctx, e)
		if opt.Progress != nil {
			opt.Progress(e)
		}
	}
	return worker.New(ctx, worker.Config{
		Folder: a.Folder(), URL: a.opt.Config.Records, Workers: a.opt.Automation.Constraints.Concurrent, Lease: float64(a.opt.Config.Lease), Poll: 0.5,
	}, worker.Options{
		Queue: q, Env: a.Env, Progress: progress, Now: a.opt.Now, Disabled: opt.Disabled, Log: opt.Log, Limit: a.limit,
		Worker: func() string { return strings.ToLower(rand.Text()[:12]) },
	})
}
