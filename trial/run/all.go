package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab/trial"
)

// errBudget is a budget that is used up.
var errBudget = errors.New("the budget is used up")

// announce says what the trial will take and asks, where it may cost money.
func (t *trials) announce(jobs []job, done []trial.Result) error {
	if len(jobs) == 0 {
		t.env.Tell("all %d runs are there; nothing is left to be run\n", len(done))
		return nil
	}
	text := fmt.Sprintf("%d runs of %s: %d tasks, %d arms, %d repeats", len(jobs), t.agent.name, len(t.tasks), len(t.arms), t.req.Repeat)
	if len(done) > 0 {
		text += fmt.Sprintf("; %d more are there already", len(done))
	}
	t.env.Tell("%s\n%s\n", text, t.estimate(jobs, done))
	if t.agent.scripted() || t.env.Ask == nil {
		return nil
	}
	yes, err := t.env.Ask("Begin?")
	if err == nil && !yes {
		err = ErrDeclined
	}
	return err
}

// estimate tells time and cost from runs of before, and limits where there are none.
func (t *trials) estimate(jobs []job, done []trial.Result) string {
	longest := time.Duration(0)
	for _, j := range jobs {
		longest += j.task.AgentTime + j.task.TestTime
	}
	longest /= time.Duration(t.req.Parallel)
	budget := "no budget is set"
	switch {
	case t.agent.scripted():
		budget = "no cost: the model is scripted"
	case t.req.Budget > 0:
		budget = fmt.Sprintf("at most $%.2f, where it is stopped", t.req.Budget)
	case t.req.Tokens > 0:
		budget = fmt.Sprintf("at most %d tokens, where it is stopped", t.req.Tokens)
	}
	if len(done) == 0 {
		return fmt.Sprintf("time: at most %s by the tasks' limits, known better after the first runs; %s", longest.Round(time.Minute), budget)
	}
	seconds, cost, priced := 0.0, 0.0, true
	for _, r := range done {
		seconds += r.Seconds
		if priced = priced && r.Cost != nil; priced {
			cost += *r.Cost
		}
	}
	share := float64(len(jobs)) / float64(len(done))
	text := fmt.Sprintf("time: about %s by the runs that are there", time.Duration(seconds*share/float64(t.req.Parallel)*float64(time.Second)).Round(time.Second))
	if priced && !t.agent.scripted() {
		text += fmt.Sprintf("; cost: about $%.2f", cost*share)
	}
	return text + "; " + budget
}

// ledger is what was made and spent so far.
type ledger struct {
	mu      sync.Mutex
	made    []trial.Result
	running map[string]job
	broken  int // in a row, from the first run on
	began   time.Time
}

// all makes the runs, several at once, in the order of the plan. The error says why it
// was stopped.
func (t *trials) all(ctx context.Context, jobs []job, done []trial.Result) ([]trial.Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	l := &ledger{running: map[string]job{}, began: t.env.Clock()}
	queue := make(chan job)
	var workers sync.WaitGroup
	for range min(t.req.Parallel, max(len(jobs), 1)) {
		workers.Go(func() {
			for j := range queue {
				if err := t.entry(ctx, l, j, len(jobs)); err != nil {
					stop(err)
				}
			}
		})
	}
	watched := make(chan struct{})
	watching, unwatch := context.WithCancel(ctx)
	go func() { defer close(watched); t.watch(watching, l, stop) }()
feed:
	for _, j := range jobs {
		select {
		case queue <- j:
		case <-ctx.Done():
			break feed
		}
	}
	close(queue)
	workers.Wait()
	unwatch()
	<-watched
	err := context.Cause(ctx)
	if err != nil && errors.Is(err, errBudget) {
		t.notes = append(t.notes, "stopped: "+err.Error())
	}
	return l.made, err
}

// entry makes one run and notes it.
func (t *trials) entry(ctx context.Context, l *ledger, j job, of int) error {
	if ctx.Err() != nil {
		return nil
	}
	// What a run that was cut short left goes before anybody counts what this one spends.
	if err := os.RemoveAll(j.folder); err != nil {
		return fmt.Errorf("run %s: %w", j.Run, err)
	}
	l.mu.Lock()
	l.running[j.key] = j
	l.mu.Unlock()
	r, err := t.one(ctx, j)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, j.key)
	if err != nil {
		if ctx.Err() != nil {
			return nil // said once, by whoever stopped it
		}
		return fmt.Errorf("run %s: %w", j.Run, err)
	}
	l.made = append(l.made, r)
	t.env.Tell("%s\n", l.progress(r, of, t.env.Clock()))
	if r.Counts() {
		l.broken = -1
		return nil
	}
	if l.broken >= 0 {
		l.broken++
	}
	if l.broken == mostBroken {
		return fmt.Errorf("the first %d runs could not be made, so the rest is not tried: %s", mostBroken, r.Why)
	}
	return nil
}

// mostBroken is how many broken runs at the beginning show that none will work.
const mostBroken = 2

// progress is a line about a run that ended.
func (l *ledger) progress(r trial.Result, of int, now time.Time) string {
	text := fmt.Sprintf("[%d/%d] %s: %s, %d steps, %d notes, %.1f s", len(l.made), of, r.Run, r.Outcome, r.Steps, r.Notes, r.Seconds)
	if r.Outcome == trial.Broken {
		text += ": " + strings.ReplaceAll(r.Why, "\n", " ")
	}
	if left := of - len(l.made); left > 0 {
		took := now.Sub(l.began) / time.Duration(len(l.made))
		text += fmt.Sprintf("; about %s left", (took * time.Duration(left)).Round(time.Second))
	}
	return text
}

// every is how often the budget is looked at while runs are under way.
const every = 500 * time.Millisecond

// watch stops the trial where its budget is used up, also in the middle of a run.
func (t *trials) watch(ctx context.Context, l *ledger, stop context.CancelCauseFunc) {
	if t.req.Budget == 0 && t.req.Tokens == 0 {
		return
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := t.spent(ctx, l); err != nil {
			stop(err)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// spent says whether the runs so far, those under way included, are over the budget.
func (t *trials) spent(ctx context.Context, l *ledger) error {
	l.mu.Lock()
	all, running := append([]trial.Result(nil), l.made...), make([]job, 0, len(l.running))
	for _, j := range l.running {
		running = append(running, j)
	}
	l.mu.Unlock()
	for _, j := range running {
		data := filepath.Join(j.folder, dataDir)
		if _, err := os.Stat(filepath.Join(data, "trimtab.db")); err != nil {
			continue // it has not begun
		}
		st, closing, err := t.env.Open(ctx, data)
		if err != nil {
			continue // it is counted when it has ended
		}
		var r trial.Result
		if errors.Join(measure(ctx, st, t.env.Price, &r), closing()) == nil && r.Tokens() > 0 {
			all = append(all, r)
		}
	}
	tokens, dollars := 0, 0.0
	for _, r := range all {
		tokens += r.Tokens()
		if r.Cost != nil {
			dollars += *r.Cost
		} else if t.req.Budget > 0 && r.Tokens() > 0 {
			return fmt.Errorf("%w: the price of model %s is not known, so a budget in dollars cannot hold; set models.prices, or give --max-tokens", errBudget, t.modelName())
		}
	}
	switch {
	case t.req.Budget > 0 && dollars >= t.req.Budget:
		return fmt.Errorf("%w: $%.4f of $%.4f; the same command with a larger one goes on", errBudget, dollars, t.req.Budget)
	case t.req.Tokens > 0 && tokens >= t.req.Tokens:
		return fmt.Errorf("%w: %d of %d tokens; the same command with a larger one goes on", errBudget, tokens, t.req.Tokens)
	}
	return nil
}
