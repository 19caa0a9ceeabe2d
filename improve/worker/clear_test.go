package worker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve/decide"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/steps/stepstest"
)

// clearing is the moment at which a worker takes back what it did: it is killed at
// the nth thing that it does then, and never for 0.
const clearing = "while clearing up"

// ends has the work end at a step once that has had its effect, by a failure or
// because a person cancels, and the worker killed while it clears up.
func ends(ctx context.Context, p *port, k kill, how string) error {
	calls := 0
	q := &ending{Queue: p.queue, folder: p.folder}
	q.call = func() {
		if q.clearing {
			if calls++; calls == k.call {
				die()
			}
		}
	}
	it, err := p.queue.Item(ctx, stepstest.Item("", 1).ID)
	if err != nil {
		return err
	}
	q.look(it)
	p.wrap(steps.Steps()[k.step-1].Name, func(ctx context.Context, j *steps.Job) (improve.Evidence, error) {
		e, err := steps.Steps()[k.step-1].Do(ctx, j)
		switch {
		case err != nil:
			return e, err
		case how != "cancel":
			return e, errors.New("the mast broke")
		}
		if _, err := decide.Cancel(ctx, q, j.Item.ID, time.Now()); err != nil {
			return e, err
		}
		<-ctx.Done()
		return e, ctx.Err()
	})
	p.queue, p.forge = improve.Queue{Backlog: q, Leases: q, EffectLog: q, Switch: q}, deadly{p.forge, q.call}.roles()
	return nil
}

// ending is a queue that knows when an item is cleared up after, and notes how it
// ends.
type ending struct {
	improve.Queue
	folder   string
	clearing bool
	call     func()
}

func (e *ending) look(it improve.Item) {
	e.clearing = slices.ContainsFunc(it.Evidence, func(e improve.Evidence) bool { return e.Error != "" })
}

func (e *ending) Change(ctx context.Context, id string, fence int64, change func(*improve.Item) error) (improve.Item, error) {
	it, err := e.Queue.Change(ctx, id, fence, func(it *improve.Item) error {
		err := change(it)
		if it.State.Ended() {
			e.call()
		}
		return err
	})
	if err == nil && it.State.Ended() {
		note(filepath.Join(e.folder, "ended"), string(it.State))
		e.call()
	}
	e.look(it)
	return it, err
}

// The steps after which it is cleared up: first those that leave the most.
var clearedAt = []int{13, 9, 2, 8, 3, 11, 4, 5, 6, 7, 10, 12}

func TestP1_KilledWhileClearingUpThereIsOneOutcome(t *testing.T) {
	for how, state := range map[string]improve.State{"failure": improve.Failed, "cancel": improve.Cancelled} {
		for n := range kills(t, usualKills) {
			step := clearedAt[n%len(clearedAt)]
			t.Run(fmt.Sprintf("%s at %d, %d", how, step, n+1), func(t *testing.T) {
				t.Parallel()
				cleared(t, how, state, step)
			})
		}
	}
}

// cleared has an item end twice at a step, by workers that are killed at each thing
// that they do to clear up, and then lets it be done.
func cleared(t *testing.T, how string, state improve.State, step int) {
	p := newPort(t, 1)
	for attempt := 1; attempt <= 2; attempt++ {
		if n := p.killClearing(t, how, step); n < 3 {
			t.Errorf("attempt %d: it was killed only %d times", attempt, n)
		}
		if it := p.item(t, 1); it.State != state {
			t.Fatalf("%s: %s", it.State, it.Why)
		}
		raw, err := os.ReadFile(filepath.Join(p.folder, "ended"))
		if want := strings.Repeat(string(state)+"\n", attempt); err != nil || string(raw) != want {
			t.Errorf("attempt %d ended as %q, %v", attempt, raw, err)
		}
		got, err := p.counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range []string{"reviews", "replies", "pulls closed"} { // of attempts that ended; none is open, below
			delete(got, what)
		}
		want := map[string]int{"issues": 1, "comments on issues": attempt}
		if left := how == "failure" && step >= 8; left {
			want["branches"] = 1
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("at the forge (-want +got):\n%s", diff)
		}
		p.noneOpen(t, want["branches"] == 1)
		if _, err := decide.Retry(t.Context(), p.queue, stepstest.Item("", 1).ID, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := again(p.folder); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := complete(p.item(t, 1)); err != nil {
		t.Error(err)
	}
	want := whole(1)
	want["comments on issues"] = 2
	if step >= 9 {
		want["pulls closed"] = 2
	}
	got, err := p.counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	delete(got, "reviews") // those of the attempts that ended, too
	delete(got, "replies")
	delete(want, "reviews")
	delete(want, "replies")
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("at the forge: %v, not %v", got, want)
	}
}

// killClearing starts workers that are killed, each one thing later than the one
// before, until one comes to the end. It returns how many were killed.
func (p *port) killClearing(t *testing.T, how string, step int) int {
	t.Helper()
	for call := 1; call < 100; call++ {
		k := kill{step, clearing, call}
		out, err := again(p.folder, "FLOW_TEST_KILL="+k.String(), "FLOW_TEST_ENDS="+how)
		if err == nil {
			return call - 1
		}
		if out != "" {
			t.Fatalf("%s: it was not killed: %v\n%s", k, err, out)
		}
	}
	t.Fatal("there is no end to it")
	return 0
}

// noneOpen checks that no pull request is open at the forge, and whether a branch is left in
// the person's repository.
func (p *port) noneOpen(t *testing.T, left bool) {
	t.Helper()
	for n := 1; ; n++ {
		pull, err := p.shed.Pull(t.Context(), n)
		if errors.Is(err, forge.ErrNotFound) {
			break
		}
		if err != nil || pull.State == forge.Open {
			t.Fatalf("pull request %d is %s, %v", n, pull.State, err)
		}
	}
	if out, err := p.git.In(p.project()).Run(t.Context(), "branch", "--list", "feat/*"); err != nil || (out != "") != left {
		t.Errorf("left in the project: %s %v", out, err)
	}
}
