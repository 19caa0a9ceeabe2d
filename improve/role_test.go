package improve_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
)

// single is a backlog with one item.
type single struct{ improve.Item }

func (o *single) Add(_ context.Context, it improve.Item) error { o.Item = it; return nil }

func (o *single) Change(_ context.Context, _ string, _ int64, change func(*improve.Item) error) (improve.Item, error) {
	next := o.Item
	if err := change(&next); err != nil {
		return improve.Item{}, err
	}
	o.Item = next
	return next, nil
}

func (o *single) Items(context.Context, ...improve.State) ([]improve.Item, error) {
	return []improve.Item{o.Item}, nil
}

// TestX4_OnlyWhoMayApproveDecidesWhatBecomesWork: whoever may not is told why, from every
// state; what a worker does, and stopping work, needs no role.
func TestX4_OnlyWhoMayApproveDecidesWhatBecomesWork(t *testing.T) {
	type way struct{ was, now improve.State }
	decisions := map[way]bool{
		{improve.Awaiting, improve.Queued}: true, {improve.Awaiting, improve.Rejected}: true, {improve.Queued, improve.Rejected}: true,
		{improve.Failed, improve.Queued}: true, {improve.Manual, improve.Queued}: true, {improve.Cancelled, improve.Queued}: true, {improve.Rejected, improve.Queued}: true,
	}
	why := errors.New(`you are bob with the role "use"`)
	for _, was := range improve.States() {
		for _, now := range improve.States() {
			o := &single{improve.Item{State: was}}
			_, err := improve.Restrict(improve.Queue{Backlog: backlog{o}}, why).Change(t.Context(), "", 0, func(it *improve.Item) error { it.State = now; return nil })
			switch decided := decisions[way{was, now}]; {
			case decided && (!errors.Is(err, improve.ErrRole) || !errors.Is(err, why) || !strings.Contains(err.Error(), "bob") || o.State != was):
				t.Errorf("%s to %s: %v", was, now, err)
			case !decided && err != nil:
				t.Errorf("%s to %s: %v", was, now, err)
			}
			if _, err := improve.Restrict(improve.Queue{Backlog: backlog{o}}, nil).Change(t.Context(), "", 0, func(it *improve.Item) error { it.State = now; return nil }); err != nil {
				t.Errorf("%s to %s by who may: %v", was, now, err)
			}
		}
	}
	q := improve.Restrict(improve.Queue{Backlog: backlog{&single{}}}, why)
	if err := q.Add(t.Context(), improve.Item{State: improve.Queued}); !errors.Is(err, improve.ErrRole) {
		t.Errorf("filed and approved at once: %v", err)
	}
	if err := q.Add(t.Context(), improve.Item{State: improve.Awaiting}); err != nil {
		t.Error(err)
	}
}

// backlog is a single as a Backlog.
type backlog struct{ *single }

func (b backlog) Item(context.Context, string) (improve.Item, error) { return b.single.Item, nil }
