//go:build unix

package worker_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
)

// Where a worker pauses: between its look and the effect, after the effect, and
// before a record.
const (
	looked    = "looked"
	acted     = "acted"
	recording = "recording"
)

// lease is short, so that a pause past it is short too.
const lease = 1500 * time.Millisecond

// pausing is a worker whose steps each have one effect outside, which must not
// happen twice: a line in a file. It pauses itself, whole, at some of the moments
// that count.
func pausing(ctx context.Context, folder string) error {
	seed, err := strconv.Atoi(os.Getenv("FLOW_TEST_PAUSE"))
	if err != nil {
		return err
	}
	p, err := openPort(ctx, folder, fmt.Sprintf("w%d", seed))
	if err != nil {
		return err
	}
	defer p.close()
	p.cfg.Lease, p.cfg.Poll, p.cfg.Workers = lease.Seconds(), 0.1, 8
	chance := rand.New(rand.NewPCG(uint64(seed), 3))
	var mu sync.Mutex
	var window sync.RWMutex
	left := map[string]int{looked: 1, acted: 1, recording: 1} // pauses
	woken := make(chan os.Signal, 1)
	signal.Notify(woken, syscall.SIGCONT)
	pause := func(id, where string) {
		mu.Lock()
		now := left[where] > 0 && chance.IntN(3) == 0
		if now {
			left[where]--
		}
		mu.Unlock()
		if now {
			window.Lock() // not where another item has just asked: see effect
			defer window.Unlock()
			fmt.Println("paused " + id)
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			<-woken // it stops a moment after the call, and the window must be shut until then
		}
	}
	for n := range 13 {
		p.steps = append(p.steps, steps.Step{Number: n + 1, Name: improve.StepName(fmt.Sprint("step ", n+1)), Do: func(ctx context.Context, j *steps.Job) (improve.Evidence, error) {
			return improve.Evidence{Facts: map[string]string{"done": "yes"}}, effect(ctx, j, filepath.Join(folder, "effects"), n+1, &window, pause)
		}})
	}
	q := &pausingQueue{p.queue, filepath.Join(folder, "records"), pause}
	p.queue = improve.Queue{Backlog: q, Leases: q, EffectLog: q, Switch: q}
	return p.work(ctx)
}

// effect looks, asks, and acts, as all steps do. Nobody but the forge can exclude a
// pause between asking and acting, so none is made there.
func effect(ctx context.Context, j *steps.Job, file string, step int, window *sync.RWMutex, pause func(id, where string)) error {
	line := fmt.Sprintf("%s %d", j.Item.ID, step)
	raw, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if strings.Contains("\n"+string(raw), "\n"+line+"\n") {
		return nil
	}
	pause(j.Item.ID, looked)
	window.RLock()
	err = j.Guard(ctx)
	if err == nil {
		note(file, line)
	}
	window.RUnlock()
	if err != nil {
		return err
	}
	pause(j.Item.ID, acted)
	return nil
}

// pausingQueue counts what is recorded.
type pausingQueue struct {
	improve.Queue
	file  string
	pause func(id, where string)
}

func (q *pausingQueue) Change(ctx context.Context, id string, fence int64, change func(*improve.Item) error) (improve.Item, error) {
	q.pause(id, recording)
	was := 0
	it, err := q.Queue.Change(ctx, id, fence, func(it *improve.Item) error {
		was = finished(*it)
		return change(it)
	})
	if err == nil && finished(it) > was {
		note(q.file, fmt.Sprintf("%s %d", id, finished(it)))
	}
	return it, err
}

// finished counts the steps that are done.
func finished(it improve.Item) int {
	n := 0
	for _, e := range it.Evidence {
		if !e.Ended.IsZero() {
			n++
		}
	}
	return n
}

// entries is how many items the workers share.
func entries(t *testing.T, usual int) int {
	t.Helper()
	s := os.Getenv("TRIMTAB_ENTRIES")
	if s == "" {
		return usual
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 9999 {
		t.Fatalf("TRIMTAB_ENTRIES is %q; give a number up to 9999", s)
	}
	return n
}

func TestP3_WorkersPausedPastTheirLeaseDoNoStepTwice(t *testing.T) {
	n := entries(t, usualEntries)
	p := newPort(t, n)
	var team sync.WaitGroup
	var mu sync.Mutex
	pauses := 0
	for w := range 8 {
		team.Go(func() {
			k, err := paused(t.Context(), p, w+1)
			mu.Lock()
			defer mu.Unlock()
			pauses += k
			if err != nil {
				t.Errorf("worker %d: %v", w+1, err)
			}
		})
	}
	team.Wait()
	t.Logf("%d pauses", pauses)
	if pauses < 4 {
		t.Errorf("only %d pauses", pauses)
	}
	for i := range n {
		if err := complete(p.item(t, i+1)); err != nil {
			t.Error(err)
		}
	}
	for _, file := range []string{"effects", "records"} {
		raw, err := os.ReadFile(filepath.Join(p.folder, file))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		for line := range strings.Lines(string(raw)) {
			if seen[line]++; seen[line] == 2 {
				t.Errorf("%s: twice: %s", file, strings.TrimSpace(line))
			}
		}
		if len(seen) != 13*n {
			t.Errorf("%s: %d of %d", file, len(seen), 13*n)
		}
	}
}

// paused runs a worker, and wakes it when it has paused past its lease. It returns
// how often that was.
func paused(ctx context.Context, p *port, seed int) (int, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FLOW_TEST_FOLDER="+p.folder, fmt.Sprint("FLOW_TEST_PAUSE=", seed), "GORACE=atexit_sleep_ms=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	var complaint strings.Builder
	cmd.Stderr = &complaint
	if _, err := cmd.StdinPipe(); err != nil { // open as long as we live
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	n := 0
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		id, ok := strings.CutPrefix(lines.Text(), "paused ")
		if !ok {
			continue
		}
		n++
		err = errors.Join(err, past(ctx, p, id), cmd.Process.Signal(syscall.SIGCONT))
	}
	if failed := cmd.Wait(); failed != nil {
		err = errors.Join(err, failed, errors.New(complaint.String()))
	}
	return n, err
}

// past waits until an item's lease is over, and then a while for another worker
// to take it and to go on.
func past(ctx context.Context, p *port, id string) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	it, err := p.queue.Item(ctx, id)
	if err != nil {
		return err
	}
	fence, done := it.Fence, finished(it)
	for range 4 * int(lease/(10*time.Millisecond)) {
		if it, err = p.queue.Item(ctx, id); err != nil {
			return err
		}
		if it.Fence != fence && (finished(it) > done+1 || it.State.Ended()) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
