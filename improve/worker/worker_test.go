package worker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve/decide"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/local"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/steps/stepstest"
	"github.com/trimtab/trimtab/improve/worker"
	"github.com/trimtab/trimtab/store/sqlite"
)

// port is everything that a worker needs, in one folder: it may be opened by
// several processes, one after another or at the same time.
type port struct {
	folder string
	worker string
	git    git.Program
	store  *sqlite.Store
	queue  improve.Queue
	shed   *local.Forge
	forge  forge.Forge // shed, or something around it
	agent  *stepstest.Agent
	steps  []steps.Step
	cfg    worker.Config
	events func(worker.Event)
	off    func() bool
	limit  func(string) int
	guide  string // the project's own workflow
	now    func() time.Time
	wait   func(context.Context, time.Duration) error
}

func openPort(ctx context.Context, folder, name string) (*port, error) {
	p := &port{folder: folder, worker: name, git: stepstest.Program(os.Environ()), agent: stepstest.NewAgent()}
	p.cfg = worker.Config{Folder: filepath.Join(folder, "data-"+name), Poll: 0.05, Lease: 20}
	var err error
	if p.store, err = sqlite.Open(ctx, filepath.Join(folder, "trimtab.db"), sqlite.Config{}); err != nil {
		return nil, err
	}
	if p.shed, err = local.New(ctx, local.Config{Folder: filepath.Join(folder, "forge")}, local.Options{Git: p.git}); err != nil {
		return nil, err
	}
	p.queue, p.forge = p.store.Queue(), p.shed.Roles()
	return p, nil
}

func (p *port) close() {
	_ = p.store.Close()
	_ = p.shed.Close()
}

func (p *port) project() string { return filepath.Join(p.folder, "project") }

// found makes the project and puts items into the queue.
func (p *port) found(ctx context.Context, items int) error {
	if err := stepstest.Project(ctx, p.git, p.project()); err != nil {
		return err
	}
	for n := range items {
		if err := p.queue.Add(ctx, stepstest.Item(p.project(), n+1)); err != nil {
			return err
		}
	}
	return nil
}

func (p *port) flow(ctx context.Context) (*worker.Worker, error) {
	return worker.New(ctx, p.cfg, worker.Options{
		Queue: p.queue, Steps: p.steps, Worker: func() string { return p.worker }, Progress: p.events, Disabled: p.off, Limit: p.limit,
		Env: func(context.Context, improve.Item) (*steps.Env, error) {
			opt := stepstest.Options(p.forge, p.queue, p.git, p.agent)
			opt.Now, opt.Wait, opt.Workflow = p.now, p.wait, p.guide
			return steps.New(steps.Config{Folder: filepath.Join(p.folder, "work")}, opt)
		},
	})
}

// drain works until the queue is empty.
func (p *port) drain(ctx context.Context) error {
	f, err := p.flow(ctx)
	if err != nil {
		return err
	}
	err = f.Drain(ctx)
	if failed := f.Close(); err == nil {
		err = failed
	}
	return err
}

// work works until no item is left, also none that another worker had.
func (p *port) work(ctx context.Context) error {
	f, err := p.flow(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		for range time.Tick(20 * time.Millisecond) {
			if left, err := p.queue.Items(ctx, improve.Queued, improve.Running); err != nil || len(left) == 0 {
				return
			}
		}
	}()
	err = f.Run(ctx)
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

func newPort(t *testing.T, items int) *port {
	t.Helper()
	p, err := openPort(t.Context(), t.TempDir(), "one")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	if err := p.found(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *port) item(t *testing.T, n int) improve.Item {
	t.Helper()
	it, err := p.queue.Item(t.Context(), stepstest.Item("", n).ID)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

// retry begins a new attempt, and works on it.
func (p *port) retry(t *testing.T, n int) {
	t.Helper()
	if _, err := decide.Retry(t.Context(), p.queue, stepstest.Item("", n).ID, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// paper reads a paper of an item.
func (p *port) paper(t *testing.T, n int, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.folder, "work", stepstest.Item("", n).ID, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// asked are the jobs that the agent had for a step.
func (p *port) asked(step string) []agents.Job {
	return slices.DeleteFunc(slices.Clone(p.agent.Asked), func(j agents.Job) bool { return j.Step != step })
}

// counts says what is at the forge.
func (p *port) counts(ctx context.Context) (map[string]int, error) {
	n := map[string]int{}
	for one, err := range p.shed.IssuesBy(ctx, "trimtab") {
		if err != nil {
			return nil, err
		}
		n["issues"]++
		for range p.shed.Comments(ctx, one.Ref()) {
			n["comments on issues"]++
		}
	}
	out, err := p.git.In(p.shed.Remote().URL).Run(ctx, "for-each-ref", "--format=%(refname:short)", "refs/heads/feat")
	if err != nil {
		return nil, err
	}
	for branch := range strings.FieldsSeq(out) {
		n["branches"]++
		for one, err := range p.shed.PullsFrom(ctx, branch) {
			if err != nil {
				return nil, err
			}
			n["pulls "+string(one.State)]++
			for c, err := range p.shed.Comments(ctx, one.Ref()) {
				switch {
				case err != nil:
					return nil, err
				case c.Review:
					n["reviews"]++
				default:
					n["replies"]++
				}
			}
		}
	}
	return n, nil
}

// whole is what n finished items leave at the forge: each thing once.
func whole(n int) map[string]int {
	return map[string]int{"issues": n, "branches": n, "pulls open": n, "reviews": 2 * n, "replies": n}
}

func (p *port) check(t *testing.T, want map[string]int) {
	t.Helper()
	got, err := p.counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("at the forge (-want +got):\n%s", d)
	}
}

// complete checks that an item is done with all its evidence.
func complete(it improve.Item) error {
	if it.State != improve.Done {
		return fmt.Errorf("%s is %s: %s", it.ID, it.State, it.Why)
	}
	if len(it.Evidence) != 13 {
		return fmt.Errorf("%s has %d pieces of evidence", it.ID, len(it.Evidence))
	}
	for i, e := range it.Evidence {
		if e.Number != i+1 || e.Ended.IsZero() || e.Error != "" || len(e.Facts) == 0 {
			return fmt.Errorf("%s: evidence %d is %+v", it.ID, i+1, e)
		}
	}
	return nil
}

func TestAQueueIsWorkedOffWithEvidenceForEachStep(t *testing.T) {
	t.Parallel()
	p := newPort(t, 2)
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if err := complete(p.item(t, n+1)); err != nil {
			t.Error(err)
		}
	}
	p.check(t, whole(2))
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.check(t, whole(2))
}

// until waits for the state of an item, as a person who looks at it would.
func (p *port) until(t *testing.T, n int, state improve.State) improve.Item {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if it := p.item(t, n); it.State == state {
			return it
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}

// hang has the agent wait in a step until its context ends, and says when it does.
func (p *port) hang(step improve.StepName) <-chan struct{} {
	there := make(chan struct{}, 10)
	p.wrap(step, func(ctx context.Context, _ *steps.Job) (improve.Evidence, error) {
		there <- struct{}{}
		<-ctx.Done()
		return improve.Evidence{}, ctx.Err()
	})
	return there
}

func (p *port) wrap(step improve.StepName, do func(context.Context, *steps.Job) (improve.Evidence, error)) {
	p.steps = steps.Steps()
	for i, s := range p.steps {
		if s.Name == step {
			p.steps[i].Do = do
		}
	}
}

// start runs a worker until the test stops it.
func (p *port) start(t *testing.T) (stop func()) {
	t.Helper()
	f, err := p.flow(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = f.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCancelStopsWithinAStepAndClearsUp(t *testing.T) {
	t.Parallel()
	p := newPort(t, 1)
	there := p.hang("review")
	stop := p.start(t)
	<-there
	if _, err := decide.Cancel(t.Context(), p.queue, stepstest.Item("", 1).ID, time.Now()); err != nil {
		t.Fatal(err)
	}
	it := p.until(t, 1, improve.Cancelled)
	stop()
	if it.Cancel || it.Until.After(time.Now()) {
		t.Errorf("%+v", it)
	}
	p.check(t, map[string]int{"issues": 1, "comments on issues": 1})
	// A new attempt has the same issue, and each thing once more.
	p.steps = nil
	p.retry(t, 1)
	if err := complete(p.item(t, 1)); err != nil {
		t.Error(err)
	}
	want := whole(1)
	want["comments on issues"], want["pulls closed"] = 1, 1 // of the first attempt
	p.check(t, want)
	if it := p.item(t, 1); it.Attempt != 2 {
		t.Errorf("attempt %d", it.Attempt)
	}
}

func TestR8_WhatAwaitsApprovalIsNotTaken(t *testing.T) {
	t.Parallel()
	p := newPort(t, 0)
	it := stepstest.Item(p.project(), 1)
	it.State = improve.Awaiting
	if err := p.queue.Add(t.Context(), it); err != nil {
		t.Fatal(err)
	}
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.check(t, map[string]int{})
	if len(p.agent.Asked) > 0 || p.item(t, 1).State != improve.Awaiting {
		t.Error("it was begun")
	}
	if _, err := decide.Approve(t.Context(), p.queue, it.ID, "ada", time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.check(t, whole(1))
}

func TestR9_TheKillSwitchStopsWithinAStep(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*port, *atomic.Bool, bool) error{
		"in the queue":       func(p *port, _ *atomic.Bool, on bool) error { return p.queue.Halt(context.Background(), on) },
		"in the environment": func(_ *port, off *atomic.Bool, on bool) error { off.Store(on); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPort(t, 1)
			var off atomic.Bool
			p.off = off.Load
			there := p.hang("implement")
			stop := p.start(t)
			<-there
			if err := set(p, &off, true); err != nil {
				t.Fatal(err)
			}
			it := p.until(t, 1, improve.Queued)
			stop()
			if len(there) > 0 || !strings.Contains(it.Why, "kill switch") {
				t.Errorf("taken again, or no reason: %s", it.Why)
			}
			p.steps = nil
			if err := p.drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			if it := p.item(t, 1); it.State != improve.Queued {
				t.Errorf("taken while the switch is on: %s", it.State)
			}
			if err := set(p, &off, false); err != nil {
				t.Fatal(err)
			}
			if err := p.drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := complete(p.item(t, 1)); err != nil {
				t.Error(err)
			}
			p.check(t, whole(1))
			if n := len(p.asked("design")); n != 1 {
				t.Errorf("the design was made %d times", n)
			}
		})
	}
}

func TestAWorkerThatStopsGivesItsItemBack(t *testing.T) {
	t.Parallel()
	p := newPort(t, 1)
	there := p.hang("simplify")
	stop := p.start(t)
	<-there
	stop()
	it := p.item(t, 1)
	if it.State != improve.Queued || it.Until.After(time.Now()) {
		t.Errorf("%s until %s", it.State, it.Until)
	}
	p.steps = nil
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := complete(p.item(t, 1)); err != nil {
		t.Error(err)
	}
	if n := len(p.asked("implement")); n != 1 {
		t.Errorf("it was implemented %d times", n)
	}
}

func TestOneProcessWorksForAFolder(t *testing.T) {
	t.Parallel()
	p := newPort(t, 0)
	f, err := p.flow(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.flow(t.Context()); !errors.Is(err, worker.ErrBusy) {
		t.Errorf("a second one: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if f, err = p.flow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestTheRecordsAreForTheirUserAlone(t *testing.T) {
	t.Parallel()
	p := newPort(t, 1)
	stop := p.start(t)
	defer stop()
	files, err := filepath.Glob(filepath.Join(p.cfg.Folder, "*"))
	if err != nil || len(files) < 4 {
		t.Fatalf("%v %v", files, err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %s", filepath.Base(f), info.Mode())
		}
	}
}

func TestTheEnginesOwnVariablesAreRefused(t *testing.T) {
	for _, name := range []string{"DBOS__CLOUD", "DBOS__APPVERSION", "DBOS__VMID"} {
		p := newPort(t, 0)
		t.Setenv(name, "true")
		if _, err := p.flow(t.Context()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
}

func TestProgressIsToldAndCanBeWatched(t *testing.T) {
	t.Parallel()
	p := newPort(t, 1)
	var mu sync.Mutex
	var told []string
	p.events = func(e worker.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.State != "says" {
			told = append(told, fmt.Sprint(e.Number, " ", e.State))
		} else if e.Step == "" || fmt.Sprint(e.Number, " began") != told[len(told)-1] {
			t.Errorf("%q is said by step %d, %s, after %s", e.Text, e.Number, e.Step, told[len(told)-1])
		}
	}
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	var want []string
	for n := range 13 {
		want = append(want, fmt.Sprint(n+1, " began"), fmt.Sprint(n+1, " done"))
	}
	want = append(want, "0 done")
	if d := cmp.Diff(want, told); d != "" {
		t.Errorf("told (-want +got):\n%s", d)
	}
	var seen []string
	for e, err := range worker.Watch(t.Context(), p.queue, stepstest.Item("", 1).ID, nil) {
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, fmt.Sprint(e.Number, " ", e.State))
	}
	if d := cmp.Diff(want, seen); d != "" {
		t.Errorf("watched (-want +got):\n%s", d)
	}
}

func TestWhatCannotBeBegunWaitsForAPerson(t *testing.T) {
	t.Parallel()
	p := newPort(t, 1)
	f, err := worker.New(t.Context(), p.cfg, worker.Options{
		Queue: p.queue, Worker: func() string { return "one" },
		Env: func(context.Context, improve.Item) (*steps.Env, error) { return nil, errors.New("no forge is set up") },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Drain(t.Context()), f.Close()); err != nil {
		t.Fatal(err)
	}
	if it := p.item(t, 1); it.State != improve.Manual || !strings.Contains(it.Why, "no forge") {
		t.Errorf("%s: %s", it.State, it.Why)
	}
}

// TestRecordsThatAreDamagedAreNamedAndTheQueueGoesOn: the error says which file and
// what to do, and that works.
func TestRecordsThatAreDamagedAreNamedAndTheQueueGoesOn(t *testing.T) {
	t.Parallel()
	p := newPort(t, 1)
	file := filepath.Join(p.cfg.Folder, "flow.db")
	if err := os.MkdirAll(p.cfg.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Repeat("no database ", 400)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.drain(t.Context()); err == nil || !strings.Contains(err.Error(), file+": ") || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("%v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := complete(p.item(t, 1)); err != nil {
		t.Error(err)
	}
}

// TestR24_WhatIsDoneGoesOnWhereSomebodyWrote: work that is done is queued again at its last
// step, taken up by the engine there, and done once more; a pull request that is over is
// looked at no more.
func TestR24_WhatIsDoneGoesOnWhereSomebodyWrote(t *testing.T) {
	t.Parallel()
	p := newPort(t, 1)
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	it := p.item(t, 1)
	if !worker.Followed(it) {
		t.Fatalf("%+v", it)
	}
	pull, err := p.shed.Pull(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(pull.URL), "comment-1.md"), []byte("Please say 20.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := worker.Reopen(t.Context(), p.queue, it, "somebody wrote", time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := worker.Reopen(t.Context(), p.queue, it, "somebody wrote", time.Now()); err == nil {
		t.Error("it is reopened twice")
	}
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	it = p.item(t, 1)
	if err := complete(it); err != nil {
		t.Fatal(err)
	}
	after, err := p.shed.Pull(t.Context(), 1)
	if err != nil || after.Commit == pull.Commit || it.Evidence[12].Facts["comments_answered"] != "1 of at most 3 rounds" || it.Evidence[12].Facts["commit"] != after.Commit {
		t.Errorf("%v %+v", err, it.Evidence[12].Facts)
	}
	asked := map[string]int{}
	for _, job := range p.agent.Asked {
		asked[job.Step]++
	}
	if asked["clarify"] != 1 || asked["implement"] != 1 || asked["comments"] != 1 {
		t.Errorf("%v", asked)
	}
	if _, err := worker.Unfollow(t.Context(), p.queue, it, "merged"); err != nil || worker.Followed(p.item(t, 1)) {
		t.Errorf("it is still looked at: %v", err)
	}
}
