package worker

import (
	"context"
	"iter"
	"time"

	"github.com/trimtab/trimtab/improve"
)

// Event is something that happened to an item.
type Event = improve.Event

// Watch yields what happens to an item, by whichever process, until it ends.
// It looks at the queue each time that tick sends.
func Watch(ctx context.Context, q improve.Backlog, id string, tick <-chan time.Time) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var last improve.Item
		for {
			it, err := q.Item(ctx, id)
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, e := range Changes(last, it) {
				if !yield(e, nil) {
					return
				}
			}
			last = it
			if it.State.Ended() {
				return
			}
			select {
			case <-ctx.Done():
				yield(Event{}, ctx.Err())
				return
			case <-tick:
			}
		}
	}
}

// WatchAll shows what happens to items, by whichever process, until all have ended.
func WatchAll(ctx context.Context, q improve.Backlog, items []improve.Item, show func(Event)) error {
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for _, it := range items {
		for e, err := range Watch(ctx, q, it.ID, tick.C) {
			if err != nil {
				return err
			}
			show(e)
		}
	}
	return nil
}

// Changes are the events that lie between two states of an item.
func Changes(before, after improve.Item) []Event {
	var out []Event
	known := map[improve.StepName]improve.Evidence{}
	if before.Attempt == after.Attempt {
		for _, e := range before.Evidence {
			known[e.Step] = e
		}
	}
	for _, e := range after.Evidence {
		old, seen := known[e.Step]
		if !seen {
			out = append(out, Event{Item: after.ID, Number: e.Number, Step: e.Step, State: "began", At: e.Began})
		}
		if !e.Ended.IsZero() && (!seen || old.Ended.IsZero()) {
			out = append(out, ended(after.ID, e))
		}
	}
	if before.State != after.State {
		out = append(out, Event{Item: after.ID, State: string(after.State), Text: after.Why, At: after.Updated})
	}
	return out
}

func ended(id string, e improve.Evidence) Event {
	out := Event{Item: id, Number: e.Number, Step: e.Step, State: "done", At: e.Ended}
	if e.Error != "" {
		out.State, out.Text = "failed", e.Error
	}
	return out
}
