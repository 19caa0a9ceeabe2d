package assembly

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/registry"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/improve/guidance"
	"github.com/trimtab/trimtab/improve/handover"
	"github.com/trimtab/trimtab/improve/project"
	"github.com/trimtab/trimtab/improve/read"
	"github.com/trimtab/trimtab/improve/record"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/worker"
	"github.com/trimtab/trimtab/internal/secret"
)

// Config are the settings of the work on improvements.
type Config struct {
	agents.Config
	Minutes   int            `json:"minutes" default:"20" min:"1" max:"600" guard:"user" doc:"most minutes of an agent for one step"`
	Cost      float64        `json:"cost" default:"5" min:"0.01" max:"1000" guard:"user" doc:"most dollars of an agent for one step"`
	Patience  int            `json:"patienceSeconds" default:"600" min:"1" max:"86400" guard:"user" doc:"how long a rate limit of the forge, and checks that still run, are waited for"`
	Reproduce string         `json:"reproduce" default:"auto" enum:"auto,off" guard:"user" doc:"auto: the command that failed in the sessions is run before the change and with it, confined and without a network, where it may be"`
	Ready     string         `json:"readyLabel" default:"ready" doc:"label of a pull request that a person may merge"`
	Base      string         `json:"base" guard:"user" doc:"branch that pull requests go to; the forge's default branch where it is empty"`
	Footer    string         `json:"footer" guard:"user" doc:"last words of a pull request, in the place of ours"`
	CoAuthor  string         `json:"coAuthor" guard:"user" doc:"name <address> for a Co-Authored-By trailer of commits and pull requests; none where it is empty"`
	Records   string         `json:"records" guard:"user" hide:"true" doc:"PostgreSQL for the records of the work, the same for all machines; where it is empty they are with the sessions: in store.url, else in a file of the data folder"`
	Checks    project.Config `json:"checks" doc:"how a project is tested, linted and its format checked"`
	Lease     int            `json:"leaseSeconds" default:"45" min:"5" max:"3600" guard:"user" doc:"after so long without a sign of life another worker takes over"`
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
	StoreURL   string                                                // PostgreSQL that other machines have their queue in, too: what this one cannot do stays for them; "" is a file of one person
	Repo       func(folder string) string                            // the repository in a folder, "" where none is known; nil knows none
	Known      func(ctx context.Context, repo string) []string       // folders of this machine that may hold a repository; may be nil
	Models     func() (Models, error)                                // for the agent "own"; it has no model where it is nil
	Environ    []string                                              // of agents, git and forges, as in os.Environ
	Redact     func(string) string                                   // takes secrets out of logs; they stay here, so they may name folders
	Now        func() time.Time                                      // time.Now where it is nil
}

// Assembly makes what the work is done with.
type Assembly struct {
	opt  Options
	once sync.Once
	left *handover.Handover // made once: one at a time changes a clone
}

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
	if opt.Repo == nil {
		opt.Repo = func(string) string { return "" }
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

// Programs are the programs of an item's change, where it is one of what agents are told,
// in full; "" for none.
func (a *Assembly) Programs(it improve.Item) string {
	raw, err := os.ReadFile(filepath.Join(a.Folder(), it.ID, steps.ProgramsPaper))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

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

// Env is where work on an item is done: with its forge, an agent and the project's own
// commands, in a clone of its repository on this machine. What a worker on another one
// left is there, too.
func (a *Assembly) Env(ctx context.Context, it improve.Item) (*steps.Env, error) {
	return a.env(ctx, it, false)
}

// Preview is exactly what would be sent for an item.
func (a *Assembly) Preview(ctx context.Context, it improve.Item) ([]improve.Outgoing, error) {
	env, err := a.Env(ctx, it)
	if err != nil {
		return nil, err
	}
	return env.Preview(it)
}

func (a *Assembly) env(ctx context.Context, it improve.Item, stay bool) (*steps.Env, error) {
	q, err := a.opt.Queue(ctx)
	if err != nil {
		return nil, err
	}
	left := a.handover(ctx, q)
	folder := it.Project
	if a.team() {
		if folder, err = left.Checkout(ctx, it); err != nil {
			return nil, err
		}
	}
	found, err := a.Forge(ctx, folder)
	if err != nil {
		return nil, err
	}
	hub, err := found.Open(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := a.MarkerKeys(ctx)
	if err != nil {
		return nil, err
	}
	agent, reviewer, commands, err := a.programs(ctx, folder)
	if err != nil {
		return nil, err
	}
	of, err := a.opt.Project(folder)
	if err != nil {
		return nil, err
	}
	if a.team() {
		if err := left.Restore(ctx, it, folder, hub.Remote()); err != nil {
			return nil, err
		}
	}
	cfg := a.stepsConfig(of.Config)
	cfg.Stay = stay
	return steps.New(cfg, steps.Options{
		Forge: hub.Forge, Keys: keys, Authors: a.opt.Forge.Authors, Project: folder,
		Log: q, Git: a.gitFor(ctx, folder), Agent: agent, Reviewer: reviewer, Now: a.opt.Now, Workflow: of.Workflow, Replay: guidance.Replayer{},
	}.With(commands, secret.FromEnviron(a.opt.Environ)))
}

// team reports whether other machines work for the same queue.
func (a *Assembly) team() bool { return a.opt.StoreURL != "" }

// handover takes items over from other machines, and leaves them to others.
func (a *Assembly) handover(ctx context.Context, q improve.Queue) *handover.Handover {
	a.once.Do(func() {
		a.left = handover.New(handover.Options{
			Folder: a.Folder(), Clones: filepath.Join(a.Folder(), "clones"), Files: q, Git: a.gitFor(ctx, a.opt.Data), Repo: a.opt.Repo, Known: a.opt.Known,
		})
	})
	return a.left
}

// ableFor is how long it is remembered that an item can be done here, or cannot.
const ableFor = 30 * time.Second

// able reports why an item cannot be done on this machine, as far as can be said without
// beginning: its repository, the agent, the key of its forge.
func (a *Assembly) able(q improve.Queue) func(context.Context, improve.Item) error {
	type answer struct {
		err error
		at  time.Time
	}
	known := map[string]answer{} // the worker asks from one goroutine
	return func(ctx context.Context, it improve.Item) error {
		if was, ok := known[it.ID]; ok && a.opt.Now().Sub(was.at) < ableFor {
			return was.err
		}
		err := a.canDo(ctx, q, it)
		if err != nil {
			machine, _ := os.Hostname() // a reason without a place is one, too
			err = fmt.Errorf("on %s: %w", cmp.Or(machine, "one machine"), err)
		}
		known[it.ID] = answer{err, a.opt.Now()}
		return err
	}
}

func (a *Assembly) canDo(ctx context.Context, q improve.Queue, it improve.Item) error {
	if err := a.CheckAgent(); err != nil {
		return err
	}
	folder, err := a.handover(ctx, q).Checkout(ctx, it)
	if err != nil {
		return err
	}
	agent, reviewer, _, err := a.programs(ctx, folder)
	if err != nil {
		return err
	}
	for _, one := range []agents.Agent{agent, reviewer} {
		if program, ok := one.(interface{ Ready() error }); ok {
			if err := program.Ready(); err != nil {
				return err
			}
		}
	}
	found, err := a.Forge(ctx, folder)
	if err != nil {
		return err
	}
	return found.HasToken(ctx)
}

// stepsConfig is the config of the steps for a project with these settings.
func (a *Assembly) stepsConfig(auto improve.Config) steps.Config {
	cfg := a.opt.Config
	return steps.Config{
		Folder: a.Folder(), Issues: auto.Forge.Issues, Branches: auto.Forge.Branches, Pulls: auto.Forge.Pulls,
		Lines: auto.Constraints.Lines, Components: auto.Constraints.Components,
		Minutes: cfg.Minutes, Cost: cfg.Cost, Patience: cfg.Patience, Ready: cfg.Ready, Reproduce: cfg.Reproduce,
		Base: cfg.Base, Form: auto.Form, Footer: cfg.Footer, CoAuthor: cfg.CoAuthor,
	}
}

// programs are the agent, the reviewer where it is another, and the project's own commands,
// in the same sandbox: what is private is hidden from all of them.
func (a *Assembly) programs(ctx context.Context, folder string) (agent, reviewer agents.Agent, commands *project.Project, err error) {
	cache, err := a.opt.Cache()
	if err != nil {
		return nil, nil, nil, err
	}
	cache = filepath.Join(cache, "build") // what agents and tests build is kept from one step to the next
	hidden := sandbox.PrivateFiles(a.opt.Data)
	named := func(name string) (agents.Agent, error) {
		cfg := a.opt.Config.Config
		if name != cfg.Agent {
			cfg.Agent, cfg.Model = name, "" // a model's name is in the words of its agent
		}
		own, err := a.ownModel(ctx, cfg)
		if err != nil {
			return nil, err
		}
		return agents.New(cfg, agents.Options{Lookup: a.lookup, Redact: a.opt.Redact, Cache: cache, Sandbox: a.opt.Sandbox, Hide: hidden, Own: own})
	}
	if agent, err = named(a.opt.Config.Agent); err != nil {
		return nil, nil, nil, err
	}
	if r := a.opt.Automation.Reviewer; r != "" && r != "same" {
		if reviewer, err = named(r); err != nil {
			return nil, nil, nil, err
		}
	}
	commands, err = project.New(a.opt.Config.Checks, project.Options{Lookup: a.lookup, Redact: a.opt.Redact, Cache: cache, Sandbox: a.opt.Sandbox, Hide: hidden, Root: folder})
	return agent, reviewer, commands, err
}

// Reader has sessions read by the agent of the settings. What it needs beside the agent, the
// folder and the cost is in opt.
func (a *Assembly) Reader(ctx context.Context, opt read.Options) (*read.Reader, error) {
	agent, _, _, err := a.programs(ctx, "")
	if err != nil {
		return nil, err
	}
	own, err := a.ownModel(ctx, a.opt.Config.Config)
	if err != nil {
		return nil, err
	}
	opt.Agent, opt.Model, opt.Folder, opt.Cost, opt.Now = agent, cmp.Or(own.Name, a.opt.Config.Model), filepath.Join(a.opt.Data, "read"), a.opt.Config.Cost, a.opt.Now
	return read.New(opt)
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
func (a *Assembly) ownModel(ctx context.Context, cfg agents.Config) (agents.Own, error) {
	if cfg.Agent != "own" || a.opt.Models == nil {
		return agents.Own{}, nil
	}
	models, err := a.opt.Models()
	if err != nil {
		return agents.Own{}, err
	}
	own := agents.Own{Name: cfg.Model}
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

// Record writes down that an item has a new state, and tells the person of it where it
// waits for them. failed is told what did not work.
func (a *Assembly) Record(ctx context.Context, it improve.Item, failed func(error)) {
	a.recorder(failed).Changed(it)
	if err := a.notify(ctx, it); err != nil {
		failed(err)
	}
}

// recorder writes down what happens to items, in files; see improve/record.
func (a *Assembly) recorder(failed func(error)) *record.Recorder {
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
	Stay     bool // it works until it is stopped: a forge that is away is waited for
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
	opt.Stay = true
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
	files := a.recorder(func(err error) { opt.Log.Error(err.Error()) })
	progress := func(e worker.Event) {
		files.Event(ctx, e)
		if e.Number == 0 && e.State == string(improve.Manual) {
			if err := a.notifyOf(context.WithoutCancel(ctx), e.Item); err != nil {
				opt.Log.Error(err.Error())
			}
		}
		if opt.Progress != nil {
			opt.Progress(e)
		}
	}
	all := worker.Options{
		Queue: q, Progress: progress,
		Env:      func(ctx context.Context, it improve.Item) (*steps.Env, error) { return a.env(ctx, it, opt.Stay) },
		FollowUp: func(ctx context.Context) error { return a.FollowUp(ctx, opt.Log) }, Now: a.opt.Now, Disabled: opt.Disabled, Log: opt.Log, Limit: a.limit,
		Worker: func() string { return strings.ToLower(rand.Text()[:12]) },
	}
	if a.team() {
		all.Able, all.Steps = a.able(q), a.handover(ctx, q).Steps(steps.Steps())
	}
	return worker.New(ctx, worker.Config{
		Folder: a.Folder(), URL: cmp.Or(a.opt.Config.Records, a.opt.StoreURL), Workers: a.opt.Automation.Constraints.Concurrent, Lease: float64(a.opt.Config.Lease), Poll: 0.5,
	}, all)
}
