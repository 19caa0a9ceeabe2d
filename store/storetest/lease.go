package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
)

// later is an end for leases that does not come in these tests.
func later() time.Time { return start.Add(time.Hour) }

// take takes an item that must be there.
func take(t *testing.T, q improve.Queue, worker string, now, until time.Time) improve.Item {
	t.Helper()
	it, ok, err := q.Take(t.Context(), worker, now, until, improve.Limits{All: 100})
	if err != nil || !ok {
		t.Fatalf("took %v, %v", ok, err)
	}
	return it
}

// nothing checks that there is nothing to take.
func nothing(t *testing.T, q improve.Queue, now time.Time, limit int) {
	t.Helper()
	if it, ok, err := q.Take(t.Context(), "nobody", now, later(), improve.Limits{All: limit}); err != nil || ok {
		t.Fatalf("took %q, %v", it.ID, err)
	}
}

func changed(t *testing.T, q improve.Queue) {
	file(t, q, Item(1), Item(2))
	got := change(t, q, Item(1).ID, 0, func(it *improve.Item) error {
		it.State, it.Why, it.Cancel, it.Attempt = improve.Awaiting, "look first", true, 2
		it.Updated = start.Add(time.Minute)
		it.Evidence = append(it.Evidence, improve.Evidence{Number: 2, Step: "issue", Began: start})
		return nil
	})
	want := Item(1)
	want.State, want.Why, want.Cancel, want.Attempt, want.Updated = improve.Awaiting, "look first", true, 2, start.Add(time.Minute)
	want.Evidence = append(want.Evidence, improve.Evidence{Number: 2, Step: "issue", Began: start})
	same(t, got, want)
	same(t, item(t, q, want.ID), want)
	same(t, item(t, q, Item(2).ID), Item(2))

	no := errors.New("no")
	_, err := q.Change(t.Context(), want.ID, 0, func(it *improve.Item) error {
		it.State, it.Evidence[0].Step = improve.Done, "changed"
		return no
	})
	is(t, err, no)
	same(t, item(t, q, want.ID), want)
	_, err = q.Change(t.Context(), "ghost", 0, to(improve.Done))
	is(t, err, improve.ErrNoItem)
	_, err = q.Change(t.Context(), want.ID, 3, to(improve.Done))
	is(t, err, improve.ErrLost)
}

// contended counts to a number, eight at a time.
func contended(t *testing.T, q improve.Queue) {
	const each = 10
	file(t, q, Item(1))
	before := item(t, q, Item(1).ID).Attempt
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range each {
				_, err := q.Change(t.Context(), Item(1).ID, 0, func(it *improve.Item) error {
					it.Attempt++
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := item(t, q, Item(1).ID).Attempt; got != before+8*each {
		t.Errorf("counted to %d, want %d", got, before+8*each)
	}
}

// reentrant changes an item that is changed, and then taken, meanwhile.
func reentrant(t *testing.T, q improve.Queue) {
	file(t, q, Item(1))
	id, calls := Item(1).ID, 0
	got := change(t, q, id, 0, func(it *improve.Item) error {
		if calls++; calls == 1 {
			change(t, q, id, 0, func(it *improve.Item) error { it.Why = "meanwhile"; return nil })
		}
		it.Why += ", and then"
		return nil
	})
	if got.Why != "meanwhile, and then" || calls != 2 {
		t.Errorf("why %q after %d calls", got.Why, calls)
	}
	mine := take(t, q, "slow", start, start)
	calls = 0
	_, err := q.Change(t.Context(), id, mine.Fence, func(it *improve.Item) error {
		if calls++; calls == 1 {
			take(t, q, "fast", start, later())
		}
		it.State = improve.Done
		return nil
	})
	is(t, err, improve.ErrLost)
	if got := item(t, q, id); got.State != improve.Running || got.Worker != "fast" {
		t.Errorf("%s by %q", got.State, got.Worker)
	}
}

func leased(t *testing.T, q improve.Queue) {
	file(t, q, Item(1))
	mine := take(t, q, "w", start, later())
	for _, fence := range []int64{mine.Fence, 0} {
		got := change(t, q, mine.ID, fence, func(it *improve.Item) error {
			it.Worker, it.Until, it.Fence, it.Why = "thief", start, 99, "at work"
			if fence == 0 { // it is renewed meanwhile
				return q.Renew(t.Context(), mine.ID, mine.Fence, later().Add(time.Hour))
			}
			return nil
		})
		until := later()
		if fence == 0 {
			until = until.Add(time.Hour)
		}
		for _, it := range []improve.Item{got, item(t, q, mine.ID)} {
			if it.Worker != "w" || !it.Until.Equal(until) || it.Fence != mine.Fence || it.Why != "at work" {
				t.Errorf("worker %q until %v, fence %d, %q", it.Worker, it.Until, it.Fence, it.Why)
			}
		}
	}
}

func ended(t *testing.T, q improve.Queue) {
	for n, s := range []improve.State{improve.Done, improve.Failed, improve.Queued, improve.Awaiting} {
		it := Item(n)
		file(t, q, it)
		mine := take(t, q, "w", start, later())
		if mine.ID != it.ID {
			t.Fatalf("took %s", mine.ID)
		}
		got := change(t, q, it.ID, mine.Fence, to(s))
		for _, it := range []improve.Item{got, item(t, q, it.ID)} {
			if it.State != s || it.Worker != "" || !it.Until.IsZero() || it.Fence != mine.Fence {
				t.Errorf("%s: worker %q until %v, fence %d", it.State, it.Worker, it.Until, it.Fence)
			}
		}
		is(t, q.Renew(t.Context(), it.ID, mine.Fence, later()), improve.ErrLost)
		if s == improve.Queued { // and can be taken again at once
			if again := take(t, q, "other", start, later()); again.ID != it.ID || again.Fence != mine.Fence+1 {
				t.Errorf("took %s with fence %d", again.ID, again.Fence)
			}
		}
	}
}

func identity(t *testing.T, q improve.Queue) {
	file(t, q, Item(1), Item(2))
	for name, spoil := range map[string]func(*improve.Item){
		"id":          func(it *improve.Item) { it.ID = "other" },
		"project":     func(it *improve.Item) { it.Project = "/other" },
		"fingerprint": func(it *improve.Item) { it.Fingerprint = Item(2).Fingerprint },
		"created":     func(it *improve.Item) { it.Created = start.Add(-time.Hour) },
	} {
		if _, err := q.Change(t.Context(), Item(1).ID, 0, func(it *improve.Item) error { spoil(it); return nil }); err == nil {
			t.Errorf("another %s was stored", name)
		}
	}
	same(t, item(t, q, Item(1).ID), Item(1))
}

func takenOldest(t *testing.T, q improve.Queue) {
	nothing(t, q, start, 10)
	tie := Item(1)
	tie.ID, tie.Fingerprint = "workflow_0001a", "other"
	file(t, q, Item(3), Item(1), Item(2), tie)
	now := start.Add(time.Minute)
	for _, want := range []string{Item(1).ID, tie.ID, Item(2).ID, Item(3).ID} {
		got := take(t, q, "w-"+want, now, later())
		if got.ID != want {
			t.Fatalf("took %s, want %s", got.ID, want)
		}
		if got.State != improve.Running || got.Worker != "w-"+want || !got.Until.Equal(later()) || got.Fence != 1 || !got.Updated.Equal(now) {
			t.Errorf("%s by %q until %v, fence %d, updated %v", got.State, got.Worker, got.Until, got.Fence, got.Updated)
		}
		if got.Request.Title != Item(1).Request.Title || len(got.Evidence) != 1 {
			t.Errorf("took only a part of it: %+v", got)
		}
		same(t, item(t, q, want), got)
	}
	nothing(t, q, start, 10)
}

func takeable(t *testing.T, q improve.Queue) {
	for n, s := range []improve.State{improve.Awaiting, improve.Done, improve.Failed, improve.Manual, improve.Rejected, improve.Cancelled} {
		it := Item(n)
		it.State = s
		file(t, q, it)
	}
	nothing(t, q, start, 10)
	file(t, q, Item(10), Item(20))
	until := start.Add(time.Minute)
	old := take(t, q, "a", start, until)
	take(t, q, "b", start, later())
	nothing(t, q, start, 10)
	nothing(t, q, until.Add(-1), 10)
	again := take(t, q, "c", until, later())
	if again.ID != old.ID || again.Fence != old.Fence+1 || again.Worker != "c" {
		t.Errorf("took %s by %q, fence %d after %d", again.ID, again.Worker, again.Fence, old.Fence)
	}
	nothing(t, q, until, 10)

	// One that runs under nobody's lease would never end.
	stray := Item(30)
	stray.State = improve.Running
	file(t, q, stray)
	if got := take(t, q, "d", start, later()); got.ID != stray.ID {
		t.Errorf("took %s", got.ID)
	}
}

func limited(t *testing.T, q improve.Queue) {
	for n := range 6 {
		file(t, q, Item(n))
	}
	nothing(t, q, start, 0)
	nothing(t, q, start, -1)
	until := start.Add(time.Minute)
	first := take(t, q, "a", start, until)
	nothing(t, q, start, 1)
	if _, ok, err := q.Take(t.Context(), "b", start, until, improve.Limits{All: 2}); err != nil || !ok {
		t.Fatal(ok, err)
	}
	nothing(t, q, start, 2)
	change(t, q, first.ID, first.Fence, to(improve.Done))
	if _, ok, err := q.Take(t.Context(), "c", start, until, improve.Limits{All: 2}); err != nil || !ok {
		t.Fatal(ok, err)
	}
	nothing(t, q, start, 2)
	// A lease that ended holds no place.
	if got, ok, err := q.Take(t.Context(), "d", until, later(), improve.Limits{All: 1}); err != nil || !ok || got.ID != Item(1).ID {
		t.Fatal(got.ID, ok, err)
	}
}

// limitedByProject: a project at its own limit holds back its items and no others.
func limitedByProject(t *testing.T, q improve.Queue) {
	for n := range 4 {
		it := Item(n)
		it.Project = "/a project's \"own\" & é"
		if n == 3 {
			it.Project = "/other"
		}
		file(t, q, it)
	}
	most := improve.Limits{All: 10, Projects: map[string]int{Item(0).Project: 9, "/a project's \"own\" & é": 2}}
	until := start.Add(time.Minute)
	var took []improve.Item
	for range 3 {
		it, ok, err := q.Take(t.Context(), "a", start, until, most)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		took = append(took, it)
	}
	if took[0].ID != Item(0).ID || took[1].ID != Item(1).ID || took[2].ID != Item(3).ID {
		t.Fatalf("took %s, %s, %s", took[0].ID, took[1].ID, took[2].ID)
	}
	if it, ok, err := q.Take(t.Context(), "a", start, until, most); err != nil || ok {
		t.Fatalf("took %s over the limit of its project: %v", it.ID, err)
	}
	change(t, q, took[0].ID, took[0].Fence, to(improve.Done))
	if it, ok, err := q.Take(t.Context(), "a", start, until, most); err != nil || !ok || it.ID != Item(2).ID {
		t.Fatal(it.ID, ok, err)
	}
	// Of leases that ended, too, no more than the limit are taken over.
	for n := range 3 {
		if _, ok, err := q.Take(t.Context(), "b", until, later(), most); err != nil || !ok {
			t.Fatal(n, ok, err)
		}
	}
	if it, ok, err := q.Take(t.Context(), "b", until, later(), most); err != nil || ok {
		t.Fatalf("took %s over the limit of its project: %v", it.ID, err)
	}
}

func racedLimit(t *testing.T, q improve.Queue) {
	const most = 3
	for round := range 10 {
		for i := range 8 {
			file(t, q, Item(8*round+i))
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		var took []improve.Item
		ready := make(chan struct{})
		for w := range 8 {
			wg.Go(func() {
				<-ready
				it, ok, err := q.Take(t.Context(), fmt.Sprint("w", w), start, later(), improve.Limits{All: most})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				} else if ok {
					took = append(took, it)
				}
			})
		}
		close(ready)
		wg.Wait()
		if len(took) != most {
			t.Errorf("round %d: %d run, the limit is %d", round, len(took), most)
		}
		for _, it := range took {
			change(t, q, it.ID, it.Fence, to(improve.Done))
		}
	}
}

func racedTake(t *testing.T, q improve.Queue) {
	const n, most = 40, 3
	for i := range n {
		file(t, q, Item(i))
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	got, running, peak := map[string]int{}, 0, 0
	for w := range 8 {
		wg.Go(func() {
			for {
				it, ok, err := q.Take(t.Context(), fmt.Sprint("w", w), start, later(), improve.Limits{All: most})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if ok {
					got[it.ID]++
					running++
					peak = max(peak, running)
				}
				left := n - len(got)
				mu.Unlock()
				if ok {
					mu.Lock()
					running--
					mu.Unlock()
					change(t, q, it.ID, it.Fence, to(improve.Done))
				} else if left == 0 {
					return
				}
			}
		})
	}
	wg.Wait()
	for i := range n {
		if id := Item(i).ID; got[id] != 1 {
			t.Errorf("%s was given %d times", id, got[id])
		}
	}
	if peak > most {
		t.Errorf("%d at once, the limit was %d", peak, most)
	}
}

func fenced(t *testing.T, q improve.Queue) {
	file(t, q, Item(1))
	paused := take(t, q, "paused", start, start.Add(time.Second))
	now := start.Add(time.Minute)
	fast := take(t, q, "fast", now, later())
	if fast.ID != paused.ID || fast.Fence <= paused.Fence {
		t.Fatalf("fence %d after %d", fast.Fence, paused.Fence)
	}
	_, err := q.Change(t.Context(), paused.ID, paused.Fence, to(improve.Failed))
	is(t, err, improve.ErrLost)
	is(t, q.Renew(t.Context(), paused.ID, paused.Fence, later()), improve.ErrLost)
	change(t, q, fast.ID, fast.Fence, to(improve.Done))
	_, err = q.Change(t.Context(), paused.ID, paused.Fence, to(improve.Failed))
	is(t, err, improve.ErrLost)
	if got := item(t, q, fast.ID); got.State != improve.Done {
		t.Errorf("state %s", got.State)
	}
}

func renewed(t *testing.T, q improve.Queue) {
	file(t, q, Item(1))
	mine := take(t, q, "w", start, start.Add(time.Second))
	is(t, q.Renew(t.Context(), mine.ID, mine.Fence, start.Add(time.Minute)), nil)
	nothing(t, q, start.Add(time.Minute-1), 10)
	if got := item(t, q, mine.ID); !got.Until.Equal(start.Add(time.Minute)) || got.Fence != mine.Fence || got.Worker != "w" {
		t.Errorf("worker %q until %v, fence %d", got.Worker, got.Until, got.Fence)
	}
	is(t, q.Renew(t.Context(), mine.ID, mine.Fence+1, later()), improve.ErrLost)
	is(t, q.Renew(t.Context(), "ghost", 1, later()), improve.ErrNoItem)
	// Nobody took it, so a late worker may go on.
	is(t, q.Renew(t.Context(), mine.ID, mine.Fence, later()), nil)
	change(t, q, mine.ID, mine.Fence, to(improve.Done))
	is(t, q.Renew(t.Context(), mine.ID, mine.Fence, later()), improve.ErrLost)

	file(t, q, Item(2))
	is(t, q.Renew(t.Context(), Item(2).ID, 0, later()), improve.ErrLost)
}
