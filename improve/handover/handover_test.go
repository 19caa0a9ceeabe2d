package handover_test

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve/decide"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/forgetest"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/github"
	"github.com/trimtab/trimtab/forge/local"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/assembly"
	"github.com/trimtab/trimtab/improve/handover"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/steps/stepstest"
	"github.com/trimtab/trimtab/improve/worker"
	"github.com/trimtab/trimtab/internal/identity"
	"github.com/trimtab/trimtab/store/postgres"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/store/storetest"
)

// team is what several machines share: a repository, a store and a forge.
type team struct {
	git    git.Program
	origin string // the repository that all clone
	first  string // the clone in which the trouble was seen
	queue  improve.Queue
	engine worker.Config // where the engine has its records: with the store
	lease  float64       // seconds; 20 where it is 0
	forge  func(login string) forge.Forge
	count  func() (issues, pulls int)
	now    func() time.Time
	wait   func(context.Context, time.Duration) error
	repo   func(folder string) string
}

var logins = []string{"ada", "bob", "carol"}

// newTeam makes the repository. Item is the one that waits.
func newTeam(t *testing.T, queue improve.Queue) *team {
	t.Helper()
	g := &team{git: stepstest.Program(os.Environ()), origin: filepath.Join(t.TempDir(), "ship.git"), first: filepath.Join(t.TempDir(), "ship"), queue: queue}
	g.repo = identity.NewFinder(os.Environ(), false).Repository
	if err := stepstest.Project(t.Context(), g.git, g.first); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"clone", "--quiet", "--bare", ".", g.origin}, {"remote", "add", "origin", g.origin}} {
		if _, err := g.git.In(g.first).Run(t.Context(), args[0], args[1:]...); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func (g *team) item(n int) improve.Item {
	it := stepstest.Item(g.first, n)
	it.Repo, it.Remote = g.repo(g.first), g.origin
	return it
}

// onLocal has the team work at a forge in a folder that all of them have.
func (g *team) onLocal(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	open := func(login string) *local.Forge {
		f, err := local.New(t.Context(), local.Config{Folder: folder, Self: login, Base: "main"}, local.Options{Git: g.git})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	g.forge = func(login string) forge.Forge { return open(login).Roles() }
	g.count = func() (issues, pulls int) { return counted(t, g) }
}

// onHub has the team work at a strict fake of GitHub, each under an account of their own.
func (g *team) onHub(t *testing.T) {
	t.Helper()
	hub := forgetest.GitHub(t)
	g.now, g.wait = hub.Clock.Now, hub.Clock.Wait
	g.forge = func(login string) forge.Forge {
		f, err := github.New(github.Config{URL: hub.URL, Repo: hub.Repo}, github.Options{Token: hub.Token(login), Now: hub.Clock.Now, Wait: hub.Clock.Wait})
		if err != nil {
			t.Fatal(err)
		}
		return f.Roles()
	}
	tree := g.git.In(g.first)
	head, err := tree.Commit(t.Context(), "HEAD")
	if err == nil {
		err = tree.Push(t.Context(), g.forge("ada").Remote(), git.Update{Branch: "main", To: head})
	}
	if err != nil {
		t.Fatal(err)
	}
	g.count = func() (int, int) { issues, pulls, _ := hub.Count(); return issues, pulls }
}

// machine is a data folder with a worker, under an account.
type machine struct {
	team   *team
	login  string
	data   string
	stop   string // moment of a step at which it is gone, as in "commit after"
	left   *handover.Handover
	ran    []string
	ahead  time.Duration               // of its clock
	before func(step improve.StepName) // called before each step
	cancel context.CancelCauseFunc
}

func (g *team) machine(t *testing.T, login string) *machine {
	m := &machine{team: g, login: login, data: t.TempDir()}
	m.left = handover.New(handover.Options{Folder: filepath.Join(m.data, "work"), Clones: filepath.Join(m.data, "clones"), Files: g.queue, Git: g.git, Repo: m.repo})
	return m
}

// repo is what this machine sees: the first clone is on the first one only.
func (m *machine) repo(folder string) string {
	if folder == m.team.first && m.login != logins[0] {
		return ""
	}
	return m.team.repo(folder)
}

// keys are those of the store, as the program has them.
func (m *machine) keys(ctx context.Context) ([][]byte, error) {
	a, err := assembly.New(assembly.Options{Data: m.data, Redact: strings.Clone, Queue: func(context.Context) (improve.Queue, error) { return m.team.queue, nil }})
	if err != nil {
		return nil, err
	}
	return a.MarkerKeys(ctx)
}

func (m *machine) env(ctx context.Context, it improve.Item) (*steps.Env, error) {
	keys, err := m.keys(ctx)
	if err != nil {
		return nil, err
	}
	folder, err := m.left.Checkout(ctx, it)
	if err != nil {
		return nil, err
	}
	hub := m.team.forge(m.login)
	if err := m.left.Restore(ctx, it, folder, hub.Remote()); err != nil {
		return nil, err
	}
	opt := stepstest.Options(hub, m.team.queue, m.team.git, stepstest.NewAgent())
	opt.Keys, opt.Authors, opt.Project, opt.Now, opt.Wait = keys, logins, folder, m.team.now, m.team.wait
	return steps.New(steps.Config{Folder: filepath.Join(m.data, "work")}, opt)
}

// steps are all of them; the machine is gone at its moment.
func (m *machine) steps() []steps.Step {
	list := m.left.Steps(steps.Steps())
	for i, s := range list {
		do := s.Do
		list[i].Do = func(ctx context.Context, j *steps.Job) (improve.Evidence, error) {
			if m.stop == string(s.Name)+" before" {
				m.cancel(errors.New("gone"))
				return improve.Evidence{}, ctx.Err()
			}
			m.ran = append(m.ran, string(s.Name))
			if m.before != nil {
				m.before(s.Name)
			}
			e, err := do(ctx, j)
			if m.stop == string(s.Name)+" after" { // what it made is made, and nobody was told
				m.cancel(errors.New("gone"))
			}
			return e, err
		}
	}
	return list
}

// work works until nothing is left, or the machine is gone.
func (m *machine) work(ctx context.Context) error {
	ctx, m.cancel = context.WithCancelCause(ctx)
	defer m.cancel(nil)
	cfg := m.team.engine
	cfg.Folder, cfg.Poll, cfg.Lease = filepath.Join(m.data, "worker"), 0.02, cmp.Or(m.team.lease, 20)
	w, err := worker.New(ctx, cfg, worker.Options{
		Queue: m.team.queue, Env: m.env, Steps: m.steps(), Worker: func() string { return "worker-" + m.login },
		Now:  func() time.Time { return time.Now().Add(m.ahead) },
		Able: func(ctx context.Context, it improve.Item) error { _, err := m.left.Checkout(ctx, it); return err },
	})
	if err != nil {
		return err
	}
	err = w.Drain(ctx)
	if cause := context.Cause(ctx); cause != nil {
		err = nil
	}
	return errors.Join(err, w.Close())
}

// places runs a test on each store and each forge.
func places(t *testing.T, test func(t *testing.T, g *team)) {
	stores := map[string]func(t *testing.T) (improve.Queue, worker.Config){
		"SQLite": func(t *testing.T) (improve.Queue, worker.Config) {
			folder := t.TempDir()
			st, err := sqlite.Open(t.Context(), filepath.Join(folder, "trimtab.db"), sqlite.Config{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = st.Close() })
			return st.Queue(), worker.Config{File: filepath.Join(folder, "flow.db")}
		},
		"PostgreSQL": func(t *testing.T) (improve.Queue, worker.Config) {
			at := storetest.EmptySchema(t)
			st, err := postgres.Open(t.Context(), at, postgres.Config{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = st.Close() })
			return st.Queue(), worker.Config{URL: at}
		},
	}
	for name, open := range stores {
		for kind, on := range map[string]func(*team, *testing.T){"local forge": (*team).onLocal, "GitHub": (*team).onHub} {
			t.Run(name+", "+kind, func(t *testing.T) {
				queue, engine := open(t)
				g := newTeam(t, queue)
				g.engine = engine
				on(g, t)
				test(t, g)
			})
		}
	}
}

// whole fails unless the item is done and there is one of each.
func (g *team) whole(t *testing.T, id string) {
	t.Helper()
	it, err := g.queue.Item(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if it.State != improve.Done || len(it.Evidence) != 13 {
		t.Errorf("%s after %d steps: %s", it.State, len(it.Evidence), it.Why)
	}
	if issues, pulls := g.count(); issues != 1 || pulls != 1 {
		t.Errorf("%d issues and %d pull requests of one trouble", issues, pulls)
	}
}

// TestX3_ThreeMachinesDoOneItem: at every step the machine that works is gone, before it
// or with what it made unrecorded, and the next one goes on at that step with what is in
// the store. Each has an account of its own.
func TestX3_ThreeMachinesDoOneItem(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, g *team) {
		it := g.item(1)
		if err := g.queue.Add(t.Context(), it); err != nil {
			t.Fatal(err)
		}
		var machines []*machine
		for _, login := range logins {
			machines = append(machines, g.machine(t, login))
		}
		turn := 0
		for _, s := range steps.Steps() {
			for _, moment := range []string{" before", " after"} {
				m := machines[turn%3]
				turn++
				m.stop, m.ran = string(s.Name)+moment, nil
				if err := m.work(t.Context()); err != nil {
					t.Fatalf("%s: %v", m.stop, err)
				}
				now, err := g.queue.Item(t.Context(), it.ID)
				if err != nil || now.State != improve.Queued {
					t.Fatalf("%s, %s: it is %s: %s, %v", m.login, m.stop, now.State, now.Why, err)
				}
				if len(m.ran) > 2 {
					t.Errorf("%s, %s: it did %q again", m.login, m.stop, m.ran)
				}
			}
		}
		last := machines[turn%3]
		last.stop = ""
		if err := last.work(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.whole(t, it.ID)
	})
}

// TestX3_ALostDataFolderFilesNothingTwice: the machine is gone with all that it had after
// it opened the issue and the pull request, and nobody was told.
func TestX3_ALostDataFolderFilesNothingTwice(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, g *team) {
		it := g.item(1)
		if err := g.queue.Add(t.Context(), it); err != nil {
			t.Fatal(err)
		}
		for _, stop := range []string{"issue after", "commit after", "pull request after", "review after", ""} {
			m := g.machine(t, logins[1]) // a data folder that is new each time
			m.stop = stop
			if err := m.work(t.Context()); err != nil {
				t.Fatalf("%s: %v", stop, err)
			}
			if err := os.RemoveAll(m.data); err != nil {
				t.Fatal(err)
			}
		}
		g.whole(t, it.ID)
	})
}

// TestX3_AWorkerLeavesWhatItCannotCheckOut, with a reason, and another one takes it.
func TestX3_AWorkerLeavesWhatItCannotCheckOut(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, g *team) {
		it := g.item(1)
		it.Remote = filepath.Join(t.TempDir(), "gone.git")
		if err := g.queue.Add(t.Context(), it); err != nil {
			t.Fatal(err)
		}
		bob := g.machine(t, "bob")
		for range 2 {
			if err := bob.work(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		now, err := g.queue.Item(t.Context(), it.ID)
		if err != nil || now.State != improve.Queued || !strings.Contains(now.Left["worker-bob"], "cannot be cloned") {
			t.Fatalf("%s, left: %q, %v", now.State, now.Left, err)
		}
		if issues, _ := g.count(); issues != 0 {
			t.Errorf("%d issues", issues)
		}
		if err := g.machine(t, "ada").work(t.Context()); err != nil { // who has it
			t.Fatal(err)
		}
		g.whole(t, it.ID)
	})
}

// TestX3_NobodyIsLedElsewhere: an item whose address is not that of its repository, or
// would be a command, is not cloned.
func TestX3_NobodyIsLedElsewhere(t *testing.T) {
	t.Parallel()
	g := newTeam(t, improve.Queue{})
	m := g.machine(t, "bob")
	for _, remote := range []string{"", "https://elsewhere.example/a/b", "ext::sh -c true", "--upload-pack=x", "../ship.git", "file://" + g.origin + "x"} {
		it := g.item(1)
		it.Repo, it.Remote = "git.example.org/ann/ship", remote
		if folder, err := m.left.Checkout(t.Context(), it); err == nil {
			t.Errorf("%q was cloned to %s", remote, folder)
		}
	}
	it := g.item(1)
	it.Repo = "git.example.org/ann/ship" // and the clone of an address that is a folder is of another one
	if folder, err := m.left.Checkout(t.Context(), it); err == nil || !strings.Contains(err.Error(), "is one of") {
		t.Errorf("%s, %v", folder, err)
	}
	if left, err := os.ReadDir(filepath.Join(m.data, "clones")); err == nil && len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
	it = g.item(1)
	it.Repo, it.Project = "", "/nowhere"
	if _, err := m.left.Checkout(t.Context(), it); err == nil || !strings.Contains(err.Error(), "remote origin") {
		t.Errorf("%v", err)
	}
}

// TestX3_TwoWhoApproveAtOnce: one wins, and the others are told who.
func TestX3_TwoWhoApproveAtOnce(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, g *team) {
		it := g.item(1)
		it.State = improve.Awaiting
		if err := g.queue.Add(t.Context(), it); err != nil {
			t.Fatal(err)
		}
		results := make(chan error, len(logins))
		for _, login := range logins {
			go func() {
				_, err := decide.Approve(t.Context(), g.queue, it.ID, login, time.Now())
				results <- err
			}()
		}
		var told []string
		for range logins {
			if err := <-results; err != nil {
				told = append(told, err.Error())
			}
		}
		now, err := g.queue.Item(t.Context(), it.ID)
		if err != nil || now.Approved == nil || !slices.Contains(logins, now.Approved.By) || now.Approved.At.IsZero() || now.State != improve.Queued {
			t.Fatalf("%+v, %v", now.Approved, err)
		}
		if len(told) != 2 {
			t.Errorf("told: %q", told)
		}
		for _, text := range told {
			if !strings.Contains(text, "approved by "+now.Approved.By) {
				t.Errorf("told %q, and %s approved", text, now.Approved.By)
			}
		}
	})
}
