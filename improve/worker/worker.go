package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/internal/atomicfile"
	"github.com/trimtab/trimtab/internal/filelock"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Config says where the records are kept and how much is done at a time.
type Config struct {
	Folder  string  `json:"folder" doc:"data folder of the worker"`
	URL     string  `json:"url" doc:"PostgreSQL for the records of the engine; an SQLite file in the data folder where it is empty"`
	File    string  `json:"file" doc:"SQLite file for the records where there is no URL; flow.db in the data folder where it is empty"`
	Workers int     `json:"max_concurrent_workflows" default:"1" min:"1" max:"50" doc:"how many improvements are worked on at a time"`
	Lease   float64 `json:"lease_seconds" default:"45" min:"0.1" max:"3600" doc:"after so long without a sign of life another worker takes over"`
	Start   float64 `json:"start_seconds" default:"30" min:"0.1" max:"600" doc:"how long the database of the records is waited for"`
	Follow  float64 `json:"follow_seconds" default:"300" min:"1" max:"86400" doc:"how often open pull requests are looked at"`
	Poll    float64 `json:"poll_seconds" default:"2" min:"0.01" max:"600" doc:"how often the queue is looked at"`
}

// Options are what a Worker works with. Queue and Env are needed.
type Options struct {
	Queue    improve.Queue
	Env      func(ctx context.Context, it improve.Item) (*steps.Env, error) // for the item's project
	Steps    []steps.Step                                                   // all of them where it is nil
	Worker   func() string                                                  // a name for a new data folder, that no other has
	Disabled func() bool                                                    // the kill switch of the environment
	FollowUp func(ctx context.Context) error                                // looks at what is done, and queues again what needs it; by Run, now and then
	Limit    func(project string) int                                       // how many of a project are worked on at a time; Config.Workers of each where it is nil
	Able     func(ctx context.Context, it improve.Item) error               // why this worker cannot do an item, which then stays for another; it can do all where it is nil
	Progress func(Event)                                                    // told what happens, from several goroutines
	Log      *slog.Logger                                                   // for faults; nowhere where it is nil
	Now      func() time.Time
}

// Worker is the worker of a data folder.
type Worker struct {
	cfg    Config
	opt    Options
	worker string
	engine dbos.Context
	queue  string
	close  func() error

	closing atomic.Bool
	ahead   atomic.Int64 // nanoseconds by which the queue's clock is ahead of ours
	asked   time.Time    // when that was looked at; by the loop alone

	mu   sync.Mutex
	held map[string]*hold // by workflow id
}

var (
	// ErrBusy is a data folder for which another process works.
	ErrBusy = errors.New("another process works for this folder")
	// errStopped is work that is interrupted: nothing is wrong with it, and another
	// worker, or this one later, goes on.
	errStopped = errors.New("stopped")
	errHalted  = errors.New("the kill switch is on")
)

// version is the application's version in DBOS. It stays the same for ever: with
// another one, DBOS would leave alone what an older binary began. The list of
// steps is checked by name on replay.
const version = "trimtab-1"

// New opens the records of a data folder and becomes its one worker. It returns
// ErrBusy where another process is.
func New(ctx context.Context, cfg Config, opt Options) (*Worker, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return nil, fmt.Errorf("workflow: %w", err)
	}
	switch {
	case cfg.Folder == "":
		return nil, errors.New("workflow: folder: name the data folder")
	case opt.Queue.Backlog == nil || opt.Queue.Leases == nil || opt.Queue.Switch == nil || opt.Env == nil:
		return nil, errors.New("workflow: Queue and Env are needed")
	}
	if opt.Steps == nil {
		opt.Steps = steps.Steps()
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Disabled == nil {
		opt.Disabled = func() bool { return false }
	}
	if opt.Progress == nil {
		opt.Progress = func(Event) {}
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(cfg.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("workflow: %w", err)
	}
	unlock, err := filelock.Try(filepath.Join(cfg.Folder, "flow.lock"))
	if errors.Is(err, filelock.ErrLocked) {
		err = ErrBusy
	}
	if err != nil {
		return nil, fmt.Errorf("workflow: %s: %w", cfg.Folder, err)
	}
	f := &Worker{cfg: cfg, opt: opt, held: map[string]*hold{}}
	if f.worker, err = name(filepath.Join(cfg.Folder, "worker"), opt.Worker); err == nil {
		err = f.launch(ctx)
	}
	if err != nil {
		unlock()
		return nil, fmt.Errorf("workflow: %w", err)
	}
	down := f.close
	f.close = sync.OnceValue(func() error { defer unlock(); return down() })
	return f, nil
}

// Close stops the engine and lets go of the folder. Run must have returned.
func (f *Worker) Close() error { return f.close() }

// name reads the name of a data folder's worker, which stays the same for ever.
func name(file string, fresh func() string) (string, error) {
	raw, err := os.ReadFile(file)
	if s := strings.TrimSpace(string(raw)); err == nil && s != "" {
		return s, trimtab.CheckID(s)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if fresh == nil {
		return "", errors.New("a name for the worker is needed")
	}
	s := fresh()
	if err := trimtab.CheckID(s); err != nil {
		return "", err
	}
	return s, atomicfile.Write(file, []byte(s+"\n"), 0o600)
}

// Run works until the context ends. What is then at work goes back to the queue.
func (f *Worker) Run(ctx context.Context) error { return f.loop(ctx, false) }

// Drain works until nothing is left that this worker could take.
func (f *Worker) Drain(ctx context.Context) error { return f.loop(ctx, true) }

func (f *Worker) loop(ctx context.Context, drain bool) error {
	if err := f.readClock(ctx); err != nil {
		return err
	}
	if err := f.reclaim(ctx); err != nil {
		return err
	}
	var team sync.WaitGroup
	defer team.Wait()
	free := make(chan error, maxWorkers)
	busy, look := 0, true
	var followed time.Time
	for ctx.Err() == nil {
		if !drain && f.opt.Now().Sub(followed) >= seconds(f.cfg.Follow) {
			followed = f.opt.Now()
			f.followUp(ctx)
		}
		took, err := false, f.readClock(ctx)
		if look && err == nil {
			took, err = f.take(ctx, busy, &team, free)
		}
		switch {
		case took:
			busy++
			continue
		case err != nil && drain && busy == 0:
			return err
		case err != nil:
			f.opt.Log.Warn("improve: the queue", "error", err)
		case look && drain && busy == 0:
			return nil
		}
		look = f.rest(ctx, free, &busy)
	}
	return ctx.Err()
}

// clockEvery is how often the queue is asked for the time.
const clockEvery = time.Minute

// readClock looks now and then how far the queue's clock is from ours, where it has one.
func (f *Worker) readClock(ctx context.Context) error {
	c, ok := f.opt.Queue.Leases.(improve.Clock)
	if now := f.opt.Now(); !ok || !f.asked.IsZero() && now.Sub(f.asked).Abs() < clockEvery {
		return nil
	}
	at, err := c.Clock(ctx)
	if err != nil {
		return err
	}
	f.asked = f.opt.Now()
	f.ahead.Store(int64(at.Sub(f.asked)))
	return nil
}

// clock is the time that leases are counted in, the same for all who use the queue: a
// worker whose own clock is fast would take away what others are at, and what one whose
// clock is slow had would be free at once.
func (f *Worker) clock() time.Time { return f.opt.Now().Add(time.Duration(f.ahead.Load())) }

// followUp looks at what is done, unless all work is stopped.
func (f *Worker) followUp(ctx context.Context) {
	if f.opt.FollowUp == nil {
		return
	}
	if halted, err := f.halted(ctx); halted || err != nil {
		return
	}
	if err := f.opt.FollowUp(ctx); err != nil && ctx.Err() == nil {
		f.opt.Log.Warn("improve: follow up", "error", err)
	}
}

// rest waits until there is something to do, and says whether to look for it. What
// was interrupted is not taken again at once.
func (f *Worker) rest(ctx context.Context, free <-chan error, busy *int) bool {
	timer := time.NewTimer(seconds(f.cfg.Poll))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case err := <-free:
		*busy--
		return err == nil
	case <-timer.C:
		return true
	}
}

// take takes an item and has it worked on.
func (f *Worker) take(ctx context.Context, busy int, team *sync.WaitGroup, free chan<- error) (bool, error) {
	if halted, err := f.halted(ctx); halted || err != nil {
		return false, err
	}
	most, err := f.limits(ctx)
	if err != nil || busy >= most.All {
		return false, err
	}
	now := f.clock()
	it, ok, err := f.opt.Queue.Take(ctx, f.worker, now, now.Add(seconds(f.cfg.Lease)), most)
	if err != nil || !ok {
		return false, err
	}
	team.Go(func() { free <- f.work(ctx, it, now.Add(seconds(f.cfg.Lease))) })
	return true, nil
}

// maxWorkers is the most that Config.Workers may be, and that projects can ask for.
const maxWorkers = 50

// limits are how many may be worked on: of each project as many as it allows, and in all
// as many as the one that allows most.
func (f *Worker) limits(ctx context.Context) (improve.Limits, error) {
	most := improve.Limits{All: f.cfg.Workers}
	if f.opt.Limit == nil && f.opt.Able == nil {
		return most, nil
	}
	items, err := f.opt.Queue.Items(ctx, improve.Queued, improve.Running)
	if err != nil {
		return most, err
	}
	most.Projects = map[string]int{}
	for _, it := range items {
		if _, ok := most.Projects[it.Identity()]; ok || it.Damaged {
			continue
		}
		switch able, err := f.able(ctx, it); {
		case err != nil:
			return most, err
		case !able:
			most.Projects[it.Identity()] = 0 // another worker may
		case f.opt.Limit != nil:
			n := max(f.opt.Limit(it.Project), 1)
			most.Projects[it.Identity()] = n
			most.All = min(max(most.All, n), maxWorkers)
		}
	}
	return most, nil
}

// able reports whether this worker can do an item, and writes down why not.
func (f *Worker) able(ctx context.Context, it improve.Item) (bool, error) {
	if f.opt.Able == nil {
		return true, nil
	}
	why := ""
	if err := f.opt.Able(ctx, it); err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		why = err.Error()
	}
	if it.Left[f.worker] == why || it.State != improve.Queued {
		return why == "", nil
	}
	_, err := f.opt.Queue.Change(ctx, it.ID, 0, func(it *improve.Item) error {
		it.Left = maps.Clone(it.Left)
		if it.Left == nil {
			it.Left = map[string]string{}
		}
		it.Left[f.worker] = why
		if why == "" {
			delete(it.Left, f.worker)
		}
		return nil
	})
	return why == "", err
}

func (f *Worker) halted(ctx context.Context) (bool, error) {
	if f.opt.Disabled() {
		return true, nil
	}
	return f.opt.Queue.Halted(ctx)
}

// reclaim ends the leases that a killed process of this folder left: we hold its
// lock, so it is gone, and nobody need wait for them to run out.
func (f *Worker) reclaim(ctx context.Context) error {
	items, err := f.opt.Queue.Items(ctx, improve.Running)
	if err != nil {
		return err
	}
	for _, it := range items {
		if it.Worker != f.worker || it.Damaged {
			continue
		}
		if err := f.opt.Queue.Renew(ctx, it.ID, it.Fence, f.clock().Add(-time.Second)); err != nil && !errors.Is(err, improve.ErrLost) {
			return err
		}
	}
	return nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
