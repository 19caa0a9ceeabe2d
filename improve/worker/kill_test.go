package worker_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/steps/stepstest"
)

// The moments at which a worker is killed.
const (
	before      = "before the step"
	during      = "during the effect"
	afterEffect = "after the effect"
	afterRecord = "after the record, before it is shown"
	afterShown  = "after it is shown"
)

// theEnd is the number after that of the last step, for the end of the item.
const theEnd = 14

// kill is where a worker is killed: at a moment of a step, for "during" at the
// nth of its calls.
type kill struct {
	step   int
	moment string
	call   int
}

func (k kill) String() string { return fmt.Sprintf("%d/%s/%d", k.step, k.moment, k.call) }

func readKill(s string) (k kill, err error) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 {
		return k, nil
	}
	k.moment = parts[1]
	if k.step, err = strconv.Atoi(parts[0]); err == nil {
		k.call, err = strconv.Atoi(parts[2])
	}
	return k, err
}

// die ends the process as kill -9 does: nothing is cleared up.
func die() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		_ = p.Kill()
	}
	select {}
}

// TestMain is also the worker that is killed, or paused.
func TestMain(m *testing.M) {
	if code, ours := sandbox.Main(os.Args, os.Stderr); ours { // the project's commands run confined by this program
		os.Exit(code)
	}
	folder := os.Getenv("FLOW_TEST_FOLDER")
	if folder == "" {
		os.Exit(m.Run())
	}
	go func() { // a worker does not outlive its test
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	if err := child(context.Background(), folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func child(ctx context.Context, folder string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute+usualEntries*time.Second) // for one that hangs
	defer cancel()
	if os.Getenv("FLOW_TEST_PAUSE") != "" {
		return pausing(ctx, folder)
	}
	k, err := readKill(os.Getenv("FLOW_TEST_KILL"))
	if err != nil {
		return err
	}
	p, err := openPort(ctx, folder, cmp.Or(os.Getenv("FLOW_TEST_WORKER"), "one"))
	if err != nil {
		return err
	}
	defer p.close()
	p.cfg.URL = os.Getenv("FLOW_TEST_URL")
	if s := os.Getenv("FLOW_TEST_LEASE"); s != "" {
		if p.cfg.Lease, err = strconv.ParseFloat(s, 64); err != nil {
			return err
		}
	}
	if k.moment == clearing {
		if err := ends(ctx, p, k, os.Getenv("FLOW_TEST_ENDS")); err != nil {
			return err
		}
	} else {
		arm(p, k)
	}
	return p.work(ctx)
}

// arm has the worker killed.
func arm(p *port, k kill) {
	at, calls := 0, 0
	call := func() {
		if at == k.step && k.moment == during {
			if calls++; calls == k.call {
				die()
			}
		}
	}
	p.steps = steps.Steps()
	for i, s := range p.steps {
		do := s.Do
		p.steps[i].Do = func(ctx context.Context, j *steps.Job) (improve.Evidence, error) {
			at = s.Number
			if at == k.step && k.moment == before {
				die()
			}
			e, err := do(ctx, j)
			if at == k.step && (k.moment == afterEffect || k.moment == during) && err == nil {
				die()
			}
			return e, err
		}
	}
	p.agent.Hook = func(step, moment string) {
		if moment == "before" {
			note(filepath.Join(p.folder, "asked"), step)
		}
		call()
	}
	p.forge = deadly{p.forge, call}.roles()
	q := &dying{p.queue, k}
	p.queue = improve.Queue{Backlog: q, Leases: q, EffectLog: q, Switch: q}
}

// note adds a line to a file.
func note(name, line string) {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := f.WriteString(line + "\n"); err != nil {
		panic(err)
	}
}

// dying is a queue whose process is killed when the engine has recorded a step and the
// item does not show it yet, or just does.
type dying struct {
	improve.Queue
	kill
}

func (d *dying) Change(ctx context.Context, id string, fence int64, change func(*improve.Item) error) (improve.Item, error) {
	at := func(it improve.Item, moment string) {
		if d.moment == moment && d.step == theEnd && it.State.Ended() {
			die()
		}
		for _, e := range it.Evidence {
			if d.moment == moment && e.Number == d.step && !e.Ended.IsZero() {
				die()
			}
		}
	}
	it, err := d.Queue.Change(ctx, id, fence, func(it *improve.Item) error {
		err := change(it)
		at(*it, afterRecord)
		return err
	})
	if err == nil {
		at(it, afterShown)
	}
	return it, err
}

// deadly is a forge that counts calls, before and after what they do.
type deadly struct {
	forge.Forge
	call func()
}

func (d deadly) roles() forge.Forge {
	return forge.Forge{Repository: d, Issues: d, Pulls: d, Talk: d}
}

func (d deadly) Remote() git.Remote { d.call(); return d.Forge.Remote() }

func (d deadly) OpenIssue(ctx context.Context, t forge.Text) (forge.Issue, error) {
	d.call()
	defer d.call()
	return d.Forge.OpenIssue(ctx, t)
}

func (d deadly) OpenPull(ctx context.Context, p forge.Proposal) (forge.Pull, error) {
	d.call()
	defer d.call()
	return d.Forge.OpenPull(ctx, p)
}

func (d deadly) ClosePull(ctx context.Context, number int) error {
	d.call()
	defer d.call()
	return d.Forge.ClosePull(ctx, number)
}

func (d deadly) Comment(ctx context.Context, on forge.Ref, body string) (forge.Comment, error) {
	d.call()
	defer d.call()
	return d.Forge.Comment(ctx, on, body)
}

func (d deadly) Review(ctx context.Context, number int, r forge.Review) (forge.Comment, error) {
	d.call()
	defer d.call()
	return d.Forge.Review(ctx, number, r)
}

func (d deadly) Label(ctx context.Context, on forge.Ref, labels []string) ([]string, error) {
	d.call()
	defer d.call()
	return d.Forge.Label(ctx, on, labels)
}

// again runs a worker as a process of its own.
func again(folder string, env ...string) (string, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FLOW_TEST_FOLDER="+folder, "GORACE=atexit_sleep_ms=0")
	cmd.Env = append(cmd.Env, env...)
	if _, err := cmd.StdinPipe(); err != nil { // open as long as we live
		return "", err
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// kills is how often a worker is killed at each moment of each step.
func kills(t *testing.T, usual int) int {
	t.Helper()
	s := os.Getenv("TRIMTAB_KILLS")
	if s == "" && testing.Short() {
		return 1
	}
	if s == "" {
		return usual
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		t.Fatalf("TRIMTAB_KILLS is %q; give a number", s)
	}
	return n
}

func TestP1_KilledAtAnyMomentExactlyOneOfEach(t *testing.T) {
	for _, moment := range []string{before, during, afterEffect, afterRecord, afterShown} {
		for n := range kills(t, usualKills) {
			t.Run(fmt.Sprintf("%s %d", moment, n+1), func(t *testing.T) {
				t.Parallel()
				killed(t, moment, rand.New(rand.NewPCG(uint64(n), 7)))
			})
		}
	}
}

// killed has one item worked on by workers that are killed at each of the steps,
// one after the other.
func killed(t *testing.T, moment string, chance *rand.Rand) {
	p := newPort(t, 1)
	last := 13
	if moment == afterRecord {
		last = theEnd
	}
	for step := 1; step <= last; step++ {
		k := kill{step, moment, 1 + chance.IntN(8)}
		out, err := again(p.folder, "FLOW_TEST_KILL="+k.String())
		if err == nil || out != "" {
			t.Fatalf("%s: it was not killed: %v\n%s", k, err, out)
		}
		if moment == afterShown {
			if it := p.item(t, 1); len(it.Evidence) != step || it.Evidence[step-1].Ended.IsZero() {
				t.Fatalf("%s: the evidence is %+v", k, it.Evidence)
			}
		}
	}
	if out, err := again(p.folder); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := complete(p.item(t, 1)); err != nil {
		t.Error(err)
	}
	p.check(t, whole(1))
	asked := map[string]int{}
	raw, err := os.ReadFile(filepath.Join(p.folder, "asked"))
	if err != nil {
		t.Fatal(err)
	}
	for step := range strings.Lines(string(raw)) {
		asked[strings.TrimSpace(step)]++
	}
	for step := range stepstest.NewAgent().Behaviors {
		most := 2 // once for the worker that was killed, once for the one that went on
		if moment == before || moment == afterRecord || moment == afterShown {
			most = 1
		}
		needless := step == "check" || step == "second look" || step == "comments" // nothing asks for them
		if asked[step] > most || asked[step] == 0 && !needless {
			t.Errorf("the agent was asked %d times for %s", asked[step], step)
		}
	}
}
