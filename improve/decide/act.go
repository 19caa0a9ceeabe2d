package decide

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/trimtab/trimtab/improve"
)

// Act is what a person does to an item, by the name that surfaces have for it.
type Act struct {
	Name string // approve, reject, comment, retry or cancel
	By   string // who they are
	Text string // a comment, or why an item is rejected
	Seen string // what they were shown: see Seen; only a comment needs none
	At   time.Time
}

// ErrNoAct is a name that no act has.
var ErrNoAct = errors.New("no such act; there are approve, reject, comment, retry and cancel")

// Stale is that an item is not in the state any more that the person was shown: they
// decided about something else, and nothing was done.
type Stale struct{ Item improve.Item }

func (e *Stale) Error() string {
	return fmt.Sprintf("%s was decided meanwhile: it is %s now", e.Item.ID, e.Item.State)
}

// Seen names the state of an item, for whoever is shown it and decides later.
func Seen(it improve.Item) string { return fmt.Sprintf("%s/%d", it.State, it.Attempt) }

// Do does it, unless the item has changed since the person was shown it. Of two who decide
// at once one wins, and the other is told by Stale.
func Do(ctx context.Context, q improve.Backlog, id string, a Act) (improve.Item, error) {
	do, ok := acts[a.Name]
	if !ok {
		return improve.Item{}, fmt.Errorf("%q: %w", a.Name, ErrNoAct)
	}
	it, err := q.Item(ctx, id)
	if err != nil {
		return it, err
	}
	if a.Name != "comment" && a.Seen != Seen(it) {
		return it, &Stale{it}
	}
	next, err := do(ctx, q, id, a)
	if err != nil {
		if now, again := q.Item(ctx, id); again == nil && Seen(now) != Seen(it) {
			return now, &Stale{now}
		}
	}
	return next, err
}

var acts = map[string]func(ctx context.Context, q improve.Backlog, id string, a Act) (improve.Item, error){
	"approve": func(ctx context.Context, q improve.Backlog, id string, a Act) (improve.Item, error) {
		return Approve(ctx, q, id, a.By, a.At)
	},
	"reject": func(ctx context.Context, q improve.Backlog, id string, a Act) (improve.Item, error) {
		return Reject(ctx, q, id, a.Text, a.At)
	},
	"retry": func(ctx context.Context, q improve.Backlog, id string, a Act) (improve.Item, error) {
		return Retry(ctx, q, id, a.At)
	},
	"cancel": func(ctx context.Context, q improve.Backlog, id string, a Act) (improve.Item, error) {
		return Cancel(ctx, q, id, a.At)
	},
	"comment": func(ctx context.Context, q improve.Backlog, id string, a Act) (improve.Item, error) {
		return Remark(ctx, q, id, a.By, a.Text, a.At)
	},
}
