package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
)

// renew keeps the lease while the item is worked on, and ends the work when the
// item is no longer ours, when a person cancels it, and when the kill switch is
// set.
func (h *hold) renew() {
	lease := seconds(h.flow.cfg.Lease)
	tick := time.NewTicker(min(lease/6, max(seconds(h.flow.cfg.Poll), 10*time.Millisecond)))
	defer tick.Stop()
	for {
		select {
		case <-h.life.Done():
			return
		case <-tick.C:
		}
		if err := h.prolong(lease); errors.Is(err, improve.ErrLost) {
			h.end(err)
			return
		}
		err := h.guard(h.ctx)
		switch {
		case errors.Is(err, steps.ErrCancelled):
			h.stop(steps.ErrCancelled)
		case errors.Is(err, improve.ErrLost), errors.Is(err, errHalted):
			h.end(err)
			return
		}
	}
}

// prolong moves the end of the lease once a third of it has passed.
func (h *hold) prolong(lease time.Duration) error {
	now := h.flow.clock()
	h.mu.Lock()
	fresh := now.Before(h.until.Add(-lease * 2 / 3))
	h.mu.Unlock()
	if fresh {
		return nil
	}
	err := h.flow.opt.Queue.Renew(h.life, h.item, h.fence, now.Add(lease))
	if err == nil {
		h.mu.Lock()
		h.until = now.Add(lease)
		h.mu.Unlock()
	}
	return err
}

// guard refuses when the item is not ours any more, or shall not be worked on.
// All its errors are interruptions, but for that of a person who cancels.
func (h *hold) guard(ctx context.Context) error {
	h.mu.Lock()
	until, settling := h.until, h.settling
	h.mu.Unlock()
	if cause := context.Cause(h.life); cause != nil {
		return interrupted(cause)
	}
	if !h.flow.clock().Before(until) {
		return interrupted(improve.ErrLost)
	}
	it, err := h.flow.opt.Queue.Item(ctx, h.item)
	if err != nil {
		if errors.Is(context.Cause(ctx), steps.ErrCancelled) {
			return steps.ErrCancelled
		}
		return interrupted(err)
	}
	halted, err := h.flow.halted(ctx)
	switch {
	case err != nil:
		return interrupted(err)
	case it.Fence != h.fence, it.State != improve.Running:
		return interrupted(improve.ErrLost)
	case halted:
		return interrupted(errHalted)
	case it.Cancel && !settling:
		return steps.ErrCancelled
	}
	return nil
}

// interrupted is an error as an interruption. It says so once.
func interrupted(why error) error {
	if errors.Is(why, errStopped) {
		return why
	}
	return fmt.Errorf("%w: %w", errStopped, why)
}

// say tells what is going on.
func (h *hold) say(text string) {
	h.mu.Lock()
	at := h.at
	h.mu.Unlock()
	h.flow.opt.Progress(Event{Item: h.it.ID, Number: at.Number, Step: at.Name, State: "says", Text: text, At: h.flow.opt.Now()})
}

// change changes an item under our fence.
func (f *Worker) change(ctx context.Context, it improve.Item, change func(*improve.Item)) (improve.Item, error) {
	out, err := f.opt.Queue.Change(ctx, it.ID, it.Fence, func(it *improve.Item) error {
		change(it)
		it.Updated = f.opt.Now().UTC()
		return nil
	})
	if err != nil {
		err = interrupted(err)
	}
	return out, err
}

// release gives an item back whose work was interrupted. One that was lost is
// another's already.
func (h *hold) release(why error) {
	h.flow.opt.Log.Warn("improve: interrupted", "item", h.it.ID, "error", why)
	if errors.Is(why, improve.ErrLost) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(h.life), 5*time.Second)
	defer cancel()
	_, err := h.flow.change(ctx, h.it, func(it *improve.Item) { it.State, it.Why = improve.Queued, "interrupted: "+why.Error() })
	if err != nil {
		h.flow.opt.Log.Warn("improve: give it back", "item", h.it.ID, "error", err)
		return
	}
	h.flow.opt.Progress(Event{Item: h.it.ID, State: string(improve.Queued), Text: why.Error(), At: h.flow.opt.Now()})
}
