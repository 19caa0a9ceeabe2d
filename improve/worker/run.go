package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
)

// hold is an item that this worker has.
type hold struct {
	flow *Worker
	job  *steps.Job
	id   string
	it   improve.Item // as it was taken, and then as resume left it
	list []steps.Step // in the order in which its project has them done

	life context.Context // ends when the item is no longer ours, or we stop
	end  context.CancelCauseFunc
	ctx  context.Context // of the steps; ends with life, and when a person cancels
	stop context.CancelCauseFunc

	item  string // what the lease is on; it does not change
	fence int64  // under which it was taken

	mu       sync.Mutex
	until    time.Time
	settling bool
	at       steps.Step // the one that is at work, or that is cleared up after

	begun chan struct{}
	done  chan struct{}
	err   error // why it ended without an end of the item
}

// work works on an item until it ends, or is no longer ours.
func (f *Worker) work(ctx context.Context, it improve.Item, until time.Time) error {
	h := &hold{flow: f, id: workflow(it), it: it, item: it.ID, fence: it.Fence, until: until, begun: make(chan struct{}), done: make(chan struct{})}
	h.life, h.end = context.WithCancelCause(ctx)
	h.ctx, h.stop = context.WithCancelCause(h.life)
	defer h.end(nil)
	var renewing sync.WaitGroup
	renewing.Go(h.renew)
	err := h.engage()
	h.end(nil)
	renewing.Wait()
	if err != nil {
		h.release(err)
	}
	return err
}

// engage has the engine run the workflow, and waits for it.
func (h *hold) engage() error {
	f := h.flow
	before, err := h.resume()
	if err != nil {
		return err
	}
	env, err := f.opt.Env(h.life, h.it)
	if err != nil {
		return h.refuse(err)
	}
	if h.job, err = env.Job(h.it, h.guard, h.say); err != nil {
		return h.refuse(err)
	}
	h.list = h.job.Order(f.opt.Steps)
	f.mu.Lock()
	f.held[h.id] = h
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.held, h.id)
		f.mu.Unlock()
	}()
	if h.it.Cancel {
		h.stop(steps.ErrCancelled)
	}
	if err := h.begin(before); err != nil {
		return fmt.Errorf("start the workflow: %w", err)
	}
	late := time.NewTimer(time.Minute)
	defer late.Stop()
	select {
	case <-h.begun:
	case <-h.life.Done():
		return context.Cause(h.life)
	case <-late.C:
		return errors.New("the engine did not start the workflow")
	}
	<-h.done
	return h.err
}

// resume reads the run that the item was in, and has the item show what that recorded: its
// last worker may have been killed between the two. From here on the item belongs to our own
// run, also where we are killed before that begins: all it would begin with is in the item.
func (h *hold) resume() (past, error) {
	before, found, err := h.flow.past(h.it.Run)
	if err != nil {
		return past{}, fmt.Errorf("read the run before: %w", err)
	}
	var late []improve.Evidence // recorded, and not yet shown
	it, err := h.flow.change(h.life, h.it, func(it *improve.Item) {
		it.Run, late = h.id, nil
		if !found {
			return
		}
		for _, e := range before.evidence() {
			if _, shown := evidence(it.Evidence, e.Step); !shown {
				late = append(late, e)
			}
		}
		it.Evidence = before.evidence()
	})
	if err != nil {
		return past{}, err
	}
	h.it = it
	for _, e := range late {
		h.flow.opt.Progress(ended(it.ID, e))
	}
	return before, nil
}

// refuse ends an item that cannot be begun at all: its project is gone, or its
// forge is not set up.
func (h *hold) refuse(why error) error {
	_, err := h.flow.change(h.life, h.it, func(it *improve.Item) { it.State, it.Why = improve.Manual, why.Error() })
	if err == nil {
		h.flow.opt.Progress(Event{Item: h.it.ID, State: string(improve.Manual), Text: why.Error(), At: h.flow.opt.Now()})
	}
	return err
}

// improve is the workflow. One whose hold is not here belongs to a worker that is
// gone: whoever has the item now has a workflow of its own.
func (f *Worker) improve(ctx dbos.Context, first order) (string, error) {
	id, err := dbos.GetWorkflowID(ctx)
	if err != nil {
		return "", err
	}
	f.mu.Lock()
	h := f.held[id]
	f.mu.Unlock()
	if h == nil {
		return "", fmt.Errorf("%s: %w", id, improve.ErrLost)
	}
	close(h.begun)
	defer close(h.done)
	state, err := h.steps(ctx, first.Done)
	h.err = err
	return string(state), err
}

// outcome is what a step of the workflow gives to the engine to keep: the one record of what
// was done. What people see is copied from it.
type outcome struct {
	Evidence improve.Evidence `json:"evidence"`
	State    improve.State    `json:"state,omitempty"` // how the item ends, if it does
	Why      string           `json:"why,omitempty"`
}

// The names of the last step of a run, in the engine's records.
const settleStep, finishStep = "settle", "finish"

func (h *hold) steps(ctx dbos.Context, done []improve.Evidence) (improve.State, error) {
	for _, s := range h.list {
		out, err := dbos.RunAsStep(ctx, func(context.Context) (outcome, error) { return h.step(s, done) }, dbos.WithStepName(string(s.Name)))
		if err == nil {
			err = h.show(out.Evidence)
		}
		if err != nil {
			return "", h.flow.hide(err)
		}
		if out.Evidence.Error != "" {
			out, err := dbos.RunAsStep(ctx, func(context.Context) (outcome, error) { return h.settle(s, out.Evidence) }, dbos.WithStepName(settleStep))
			return h.over(out, err)
		}
	}
	out, err := dbos.RunAsStep(ctx, func(context.Context) (outcome, error) { return h.finish() }, dbos.WithStepName(finishStep))
	return h.over(out, err)
}

// show copies into the item what a step left, where that is new.
func (h *hold) show(e improve.Evidence) error {
	_, known := evidence(h.job.Item.Evidence, e.Step)
	h.job.Item.Evidence = put(h.list, h.job.Item.Evidence, e)
	if known {
		return nil
	}
	if _, err := h.flow.change(h.life, h.it, func(it *improve.Item) { it.Evidence = put(h.list, it.Evidence, e) }); err != nil {
		return err
	}
	h.flow.opt.Progress(ended(h.it.ID, e))
	return nil
}

// put puts an evidence into its place, and gives all of them the numbers of the
// list: those of an item that an older program began may be others. A step that
// the list does not have stays where it is.
func put(list []steps.Step, all []improve.Evidence, e improve.Evidence) []improve.Evidence {
	all = slices.DeleteFunc(slices.Clone(all), func(old improve.Evidence) bool { return old.Step == e.Step })
	here := steps.Place(list, e.Step)
	at := slices.IndexFunc(all, func(old improve.Evidence) bool { return steps.Place(list, old.Step) > here })
	if at < 0 {
		at = len(all)
	}
	all = slices.Insert(all, at, e)
	for i := range all {
		if n := steps.Place(list, all[i].Step); n >= 0 {
			all[i].Number = list[n].Number
		}
	}
	return all
}

// stopped is the fact by which evidence tells how the item ends.
const stopped = "stopped"

// step does one step, unless the run began with its evidence.
func (h *hold) step(s steps.Step, done []improve.Evidence) (outcome, error) {
	if e, ok := evidence(done, s.Name); ok {
		return outcome{Evidence: e}, nil
	}
	if err := h.guard(h.ctx); err != nil && !errors.Is(err, steps.ErrCancelled) {
		return outcome{}, err
	}
	now := h.flow.opt.Now().UTC()
	begin := improve.Evidence{Number: s.Number, Step: s.Name, Began: now}
	if _, err := h.flow.change(h.life, h.it, func(it *improve.Item) { it.Evidence = put(h.list, it.Evidence, begin) }); err != nil {
		return outcome{}, err
	}
	h.mu.Lock()
	h.at = s
	h.mu.Unlock()
	h.flow.opt.Progress(Event{Item: h.it.ID, Number: s.Number, Step: s.Name, State: "began", At: now})
	e, err := h.do(s, begin)
	return outcome{Evidence: e}, err
}

// do does a step. An error of the step becomes part of its evidence; the error it
// returns is that of an interruption, after which the step is done again.
func (h *hold) do(s steps.Step, begin improve.Evidence) (improve.Evidence, error) {
	e := begin
	err := context.Cause(h.ctx)
	if err == nil {
		e, err = s.Run(h.ctx, h.job)
	}
	if cause := context.Cause(h.life); cause != nil {
		return e, interrupted(cause)
	}
	switch {
	case err == nil:
		return e, nil
	case errors.Is(err, errStopped), errors.Is(err, improve.ErrLost):
		return e, err
	}
	if cause := context.Cause(h.ctx); cause != nil {
		err = cause
	}
	if e.Facts == nil {
		e.Facts = map[string]string{}
	}
	e.Facts[stopped] = string(improve.Failed)
	switch {
	case errors.Is(err, steps.ErrCancelled):
		e.Facts[stopped] = string(improve.Cancelled)
		e.Error = steps.ErrCancelled.Error()
	case errors.Is(err, steps.ErrManual):
		e.Facts[stopped] = string(improve.Manual)
	}
	e.Ended = h.flow.opt.Now().UTC()
	return e, nil
}

// settle clears up after a step that ended the work, and ends the item.
func (h *hold) settle(s steps.Step, e improve.Evidence) (outcome, error) {
	h.mu.Lock()
	h.settling, h.at = true, s
	h.mu.Unlock()
	why := errors.New(e.Error)
	switch improve.State(e.Facts[stopped]) {
	case improve.Manual:
		why = told{e.Error, steps.ErrManual}
	case improve.Cancelled:
		why = steps.ErrCancelled
	}
	state, text, err := h.job.Settle(h.life, s, why)
	if cause := context.Cause(h.life); cause != nil {
		err = interrupted(cause)
	}
	return outcome{State: state, Why: text}, err
}

// told is an error whose words were recorded, with what kind it was.
type told struct {
	text string
	kind error
}

func (t told) Error() string { return t.text }
func (t told) Unwrap() error { return t.kind }

func (h *hold) finish() (outcome, error) {
	if err := h.guard(h.life); err != nil && !errors.Is(err, steps.ErrCancelled) {
		return outcome{}, err
	}
	if err := h.job.Finish(h.life); err != nil {
		h.flow.opt.Log.Warn("improve: clear up", "item", h.it.ID, "error", err)
	}
	return outcome{State: improve.Done}, nil
}

// over ends the item as the last step of its run says.
func (h *hold) over(out outcome, err error) (improve.State, error) {
	if err != nil {
		return "", h.flow.hide(err)
	}
	it, err := h.flow.change(h.life, h.it, func(it *improve.Item) { it.State, it.Why, it.Cancel = out.State, out.Why, false })
	if err != nil {
		return "", err
	}
	h.flow.opt.Progress(Event{Item: it.ID, State: string(out.State), Text: out.Why, At: it.Updated})
	return out.State, nil
}
