package handover_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/local"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/handover"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/steps/stepstest"
	"github.com/trimtab/trimtab/improve/worker"
	"github.com/trimtab/trimtab/internal/identity"
	"github.com/trimtab/trimtab/store/postgres"
	"github.com/trimtab/trimtab/store/sqlite"
)

// What a child process is told: the folder of the team, which machine it is, and the
// step and moment at which it dies, "" for never.
const (
	teamFolder   = "HANDOVER_TEST_FOLDER"
	whichMachine = "HANDOVER_TEST_MACHINE"
	deathAt      = "HANDOVER_TEST_DEATH"
	storeAt      = "HANDOVER_TEST_STORE" // PostgreSQL; a file in the folder where it is empty
	leaseOf      = "HANDOVER_TEST_LEASE" // seconds
)

func TestMain(m *testing.M) {
	folder := os.Getenv(teamFolder)
	if folder == "" {
		os.Exit(m.Run())
	}
	if err := child(context.Background(), folder); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// openTeam opens a team whose store, forge and repository are in a folder.
func openTeam(ctx context.Context, folder, at string) (*team, func(), error) {
	g := &team{git: stepstest.Program(os.Environ()), origin: filepath.Join(folder, "ship.git"), first: filepath.Join(folder, "ship")}
	g.repo = identity.NewFinder(os.Environ(), false).Repository
	var st interface {
		Queue() improve.Queue
		Close() error
	}
	var err error
	if at != "" {
		st, err = postgres.Open(ctx, at, postgres.Config{})
		g.engine.URL = at
	} else {
		st, err = sqlite.Open(ctx, filepath.Join(folder, "trimtab.db"), sqlite.Config{})
		g.engine.File = filepath.Join(folder, "flow.db")
	}
	if err != nil {
		return nil, nil, err
	}
	g.queue = st.Queue()
	g.forge = func(login string) forge.Forge {
		f, err := local.New(ctx, local.Config{Folder: filepath.Join(folder, "forge"), Self: login, Base: "main"}, local.Options{Git: g.git})
		if err != nil {
			panic(err)
		}
		return f.Roles()
	}
	return g, func() { _ = st.Close() }, nil
}

// child is a worker on a machine, until no item is left or it dies.
func child(ctx context.Context, folder string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute) // for one that hangs
	defer cancel()
	g, done, err := openTeam(ctx, folder, os.Getenv(storeAt))
	if err != nil {
		return err
	}
	defer done()
	n, err := strconv.Atoi(os.Getenv(whichMachine))
	if err != nil {
		return err
	}
	m := &machine{team: g, login: logins[n], data: filepath.Join(folder, fmt.Sprint("data-", n))}
	m.left = handover.New(handover.Options{Folder: filepath.Join(m.data, "work"), Clones: filepath.Join(m.data, "clones"), Files: g.queue, Git: g.git, Repo: m.repo})
	lease, err := strconv.ParseFloat(cmp.Or(os.Getenv(leaseOf), "0.5"), 64)
	if err != nil {
		return err
	}
	step, moment, _ := strings.Cut(os.Getenv(deathAt), "/")
	list := m.left.Steps(steps.Steps())
	for i, s := range list {
		do := s.Do
		list[i].Do = func(ctx context.Context, j *steps.Job) (improve.Evidence, error) {
			note(folder, n, s.Number)
			if string(s.Name) == step && moment == "before" {
				die()
			}
			e, err := do(ctx, j)
			if string(s.Name) == step && moment == "after" {
				die()
			}
			return e, err
		}
	}
	cfg := g.engine
	cfg.Folder, cfg.Poll, cfg.Lease = filepath.Join(m.data, "worker"), 0.05, lease
	w, err := worker.New(ctx, cfg, worker.Options{
		Queue: g.queue, Env: m.env, Steps: list, Worker: func() string { return "worker-" + m.login },
		Able: func(ctx context.Context, it improve.Item) error { _, err := m.left.Checkout(ctx, it); return err },
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	go func() {
		defer stop()
		for range time.Tick(20 * time.Millisecond) {
			if open, err := g.queue.Items(ctx, improve.Queued, improve.Running); err != nil || len(open) == 0 {
				return
			}
		}
	}()
	if err = w.Run(ctx); errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, w.Close())
}

// note writes down that a machine begins a step, and when.
func note(folder string, machine, step int) {
	f, err := os.OpenFile(filepath.Join(folder, "begun"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(f, time.Now().UnixMilli(), machine, step)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		panic(err)
	}
}

// die ends the process as a machine does that loses its power.
func die() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		os.Exit(2)
	}
	select {}
}

// runs is how often something is tried: TRIMTAB_KILLS where that is set.
func runs(t *testing.T, usual int) int {
	t.Helper()
	s := os.Getenv("TRIMTAB_KILLS")
	if s == "" {
		return usual
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		t.Fatalf("TRIMTAB_KILLS is %q; give a number", s)
	}
	return n
}

// TestX3_MachinesKilledAtRandomFileOnce: three workers on three data folders, each killed
// at a step and moment of chance, now and then with its data folder lost, until the work is
// done. TRIMTAB_KILLS is how many runs.
func TestX3_MachinesKilledAtRandomFileOnce(t *testing.T) {
	runs := runs(t, 2)
	kills, lost := 0, 0
	for run := range runs {
		chance := rand.New(rand.NewPCG(22, uint64(run)))
		folder := t.TempDir()
		g, done, err := openTeam(t.Context(), folder, "")
		if err != nil {
			t.Fatal(err)
		}
		it := g.filed(t)
		list := steps.Steps()
		for at := 0; at < len(list); at += 1 + chance.IntN(3) {
			n := chance.IntN(3)
			death := string(list[at].Name) + "/" + []string{"before", "after"}[chance.IntN(2)]
			if out, err := another(folder, n, death); err == nil || out != "" {
				t.Fatalf("run %d: %s on machine %d: it was not killed: %v\n%s", run, death, n, err, out)
			}
			kills++
			if chance.IntN(4) == 0 {
				lost++
				if err := os.RemoveAll(filepath.Join(folder, fmt.Sprint("data-", n))); err != nil {
					t.Fatal(err)
				}
			}
		}
		if out, err := another(folder, chance.IntN(3), ""); err != nil {
			t.Fatalf("run %d: %v\n%s", run, err, out)
		}
		end, err := g.queue.Item(t.Context(), it.ID)
		if err != nil || end.State != improve.Done || len(end.Evidence) != 13 {
			t.Errorf("run %d: %s after %d steps: %s, %v", run, end.State, len(end.Evidence), end.Why, err)
		}
		if issues, pulls := counted(t, g); issues != 1 || pulls != 1 {
			t.Errorf("run %d: %d issues and %d pull requests of one trouble", run, issues, pulls)
		}
		done()
	}
	t.Logf("%d runs, %d kills, %d lost data folders", runs, kills, lost)
}

// filed makes the repository, and an item that is about it.
func (g *team) filed(t *testing.T) improve.Item {
	t.Helper()
	if err := stepstest.Project(t.Context(), g.git, g.first); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"clone", "--quiet", "--bare", ".", g.origin}, {"remote", "add", "origin", g.origin}} {
		if _, err := g.git.In(g.first).Run(t.Context(), args[0], args[1:]...); err != nil {
			t.Fatal(err)
		}
	}
	it := g.item(1)
	if err := g.queue.Add(t.Context(), it); err != nil {
		t.Fatal(err)
	}
	return it
}

// another runs a machine until it dies or all is done.
func another(folder string, n int, death string) (string, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), teamFolder+"="+folder, whichMachine+"="+fmt.Sprint(n), deathAt+"="+death)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

func counted(t *testing.T, g *team) (issues, pulls int) {
	t.Helper()
	hub := g.forge("ada")
	for _, login := range logins {
		for _, err := range hub.IssuesBy(t.Context(), login) {
			if err != nil {
				t.Fatal(err)
			}
			issues++
		}
	}
	out, err := g.git.In(hub.Remote().URL).Run(t.Context(), "for-each-ref", "--format=%(refname:short)", "refs/heads/feat")
	if err != nil {
		t.Fatal(err)
	}
	for branch := range strings.FieldsSeq(out) {
		for range hub.PullsFrom(t.Context(), branch) {
			pulls++
		}
	}
	return issues, pulls
}
