package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/feed"
)

// Watched is a store that can be watched, by its parts.
type Watched struct {
	trimtab.Archive
	feed.Source
	Queue improve.Queue
}

// Feed runs the suite for what stores tell of their changes. open gives an empty store,
// and again what another process would open at the same place.
func Feed(t *testing.T, open func(t *testing.T) (store Watched, again func() Watched)) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Watched, func() Watched)
	}{
		{"changes come in order, each session once", changesInOrder},
		{"improvements change too", improvementsChange},
		{"what is removed is told", removalsAreTold},
		{"a cursor of another store is refused", foreignCursors},
		{"entries after a cursor are those that came after it", entriesAfter},
		{"whoever waits hears of another process", heardElsewhere},
		{"a wait ends with its context", waitsEnd},
		{"many writers, and nothing is missed from cursor to cursor", nothingMissed},
	} {
		t.Run(test.name, func(t *testing.T) {
			store, again := open(t)
			test.run(t, store, again)
		})
	}
}

func now(t *testing.T, from feed.Source) feed.Cursor {
	t.Helper()
	at, err := from.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func changes(t *testing.T, from feed.Source, after feed.Cursor, limit int) []feed.Change {
	t.Helper()
	all, err := from.Changes(t.Context(), after, limit)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// told are changes in words.
func told(all []feed.Change) (out []string) {
	for _, c := range all {
		word := fmt.Sprintf("%s %s %d", c.Kind, c.ID, c.Version)
		if c.Removed {
			word += " removed"
		}
		out = append(out, word)
	}
	return out
}

func changesInOrder(t *testing.T, store Watched, _ func() Watched) {
	at := now(t, store)
	if all := changes(t, store, at, 0); len(all) > 0 {
		t.Errorf("an empty store tells %v", all)
	}
	a := commit(t, store, session("a"), nil)
	commit(t, store, session("b"), nil, entry("x"))
	commit(t, store, a, []trimtab.Message{say("hello")})
	if diff := cmp.Diff([]string{"session b 1", "session a 2"}, told(changes(t, store, at, 0))); diff != "" {
		t.Error(diff)
	}
	first := changes(t, store, at, 1)
	if diff := cmp.Diff([]string{"session b 1"}, told(first)); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff([]string{"session a 2"}, told(changes(t, store, first[0].Cursor, 0))); diff != "" {
		t.Error(diff)
	}
	if all := changes(t, store, now(t, store), 0); len(all) > 0 {
		t.Errorf("after the newest change come %v", told(all))
	}
	if diff := cmp.Diff([]string{"session b 1", "session a 2"}, told(changes(t, store, "", 0))); diff != "" {
		t.Errorf("from the beginning: %s", diff)
	}
}

func improvementsChange(t *testing.T, store Watched, _ func() Watched) {
	at, q := now(t, store), store.Queue
	it := Item(1)
	it.ID, it.State = "imp-1", improve.Awaiting
	if err := q.Backlog.Add(t.Context(), it); err != nil {
		t.Fatal(err)
	}
	all := changes(t, store, at, 0)
	if len(all) != 1 || all[0].Kind != feed.Improvement || all[0].ID != "imp-1" {
		t.Fatalf("told %v", told(all))
	}
	at = all[0].Cursor
	if _, err := q.Backlog.Change(t.Context(), "imp-1", 0, func(it *improve.Item) error { it.State = improve.Queued; return nil }); err != nil {
		t.Fatal(err)
	}
	if all = changes(t, store, at, 0); len(all) != 1 || all[0].ID != "imp-1" {
		t.Fatalf("told %v", told(all))
	}
	at = all[0].Cursor
	taken, ok, err := q.Leases.Take(t.Context(), "w1", start, start.Add(time.Hour), improve.Limits{All: 1})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if all = changes(t, store, at, 0); len(all) != 1 {
		t.Fatalf("told %v", told(all))
	}
	at = all[0].Cursor
	if err := q.Leases.Renew(t.Context(), taken.ID, taken.Fence, start.Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if all = changes(t, store, at, 0); len(all) > 0 {
		t.Errorf("a lease that is renewed is told as a change: %v", told(all))
	}
}

func removalsAreTold(t *testing.T, store Watched, _ func() Watched) {
	commit(t, store, session("a"), []trimtab.Message{say("hello")}, entry("x"))
	at := now(t, store)
	if err := store.Remove(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"session a 1 removed"}, told(changes(t, store, at, 0))); diff != "" {
		t.Error(diff)
	}
	for e, err := range store.Entries(t.Context(), "a", at) {
		t.Errorf("entries of a removed session: %v, %v", e, err)
	}
	commit(t, store, session("a"), nil)
	if diff := cmp.Diff([]string{"session a 1"}, told(changes(t, store, at, 0))); diff != "" {
		t.Error(diff)
	}
}

func foreignCursors(t *testing.T, store Watched, _ func() Watched) {
	for _, bad := range []feed.Cursor{"9007199254740991", "x", "-1", "1; DROP TABLE changes"} {
		if _, err := store.Changes(t.Context(), bad, 0); !errors.Is(err, feed.ErrCursor) {
			t.Errorf("%s: %v", bad, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if err := store.Wait(ctx, bad); !errors.Is(err, feed.ErrCursor) {
			t.Errorf("wait %s: %v", bad, err)
		}
		cancel()
	}
}

func entriesAfter(t *testing.T, store Watched, _ func() Watched) {
	s := commit(t, store, session("a"), nil, entry("one"), entry("two"))
	at := now(t, store)
	none := func(cursor feed.Cursor) {
		t.Helper()
		if all := all(t, store.Entries(t.Context(), "a", cursor)); len(all) > 0 {
			t.Errorf("%d entries, want none", len(all))
		}
	}
	none(at)
	s = commit(t, store, s, nil) // a change without an entry
	none(at)
	s = commit(t, store, s, nil, entry("three"))
	commit(t, store, s, nil, entry("four"))
	var got []string
	for _, e := range all(t, store.Entries(t.Context(), "a", at)) {
		got = append(got, fmt.Sprint(e.Seq, " ", e.Event.(trimtab.Asked).Command))
	}
	if diff := cmp.Diff([]string{"3 three", "4 four"}, got); diff != "" {
		t.Error(diff)
	}
	if n := len(all(t, store.Entries(t.Context(), "a", ""))); n != 4 {
		t.Errorf("%d entries from the beginning, want 4", n)
	}
	for e, err := range store.Entries(t.Context(), "nosuch", "") {
		t.Errorf("a session that is not there: %v, %v", e, err)
	}
}

func heardElsewhere(t *testing.T, store Watched, again func() Watched) {
	other, at := again(), now(t, store)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	heard := make(chan error, 1)
	go func() { heard <- store.Wait(ctx, at) }()
	select {
	case err := <-heard:
		t.Fatalf("heard something where nothing was: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	commit(t, other, session("a"), nil)
	if err := <-heard; err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"session a 1"}, told(changes(t, store, at, 0))); diff != "" {
		t.Error(diff)
	}
	if err := store.Wait(ctx, at); err != nil { // what is there already is not waited for
		t.Error(err)
	}
}

func waitsEnd(t *testing.T, store Watched, _ func() Watched) {
	ctx, cancel := context.WithCancel(t.Context())
	heard := make(chan error, 1)
	at := now(t, store)
	go func() { heard <- store.Wait(ctx, at) }()
	cancel()
	if err := <-heard; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	for range feed.Watch(ctx, store, at) {
		t.Error("a watch whose context has ended tells something")
	}
}

// nothingMissed reads from cursor to cursor while others write, and counts at the end
// that every entry came by, once.
func nothingMissed(t *testing.T, store Watched, again func() Watched) {
	const writers, each = 6, 40
	at := now(t, store)
	var wg sync.WaitGroup
	for w := range writers {
		to := again()
		wg.Go(func() {
			s := session(fmt.Sprint("s", w))
			for n := range each {
				version, err := to.Commit(context.Background(), trimtab.Commit{Session: s, Entries: []trimtab.Entry{entry(fmt.Sprint(n))}})
				if err != nil {
					t.Error(err)
					return
				}
				s.Version = version
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	seen, before := map[string]int{}, map[string]feed.Cursor{}
	total := 0
	for c, err := range feed.Watch(ctx, store, at) {
		if err != nil {
			t.Fatal(err)
		}
		from, ok := before[c.ID]
		if !ok {
			from = at
		}
		// What was added after the change was told comes again with the next one.
		for e, err := range store.Entries(ctx, c.ID, from) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Seq > seen[c.ID]+1 {
				t.Fatalf("session %s: entry %d after %d", c.ID, e.Seq, seen[c.ID])
			}
			if e.Seq == seen[c.ID]+1 {
				seen[c.ID], total = e.Seq, total+1
			}
		}
		before[c.ID] = c.Cursor
		if total == writers*each {
			break
		}
	}
	wg.Wait()
	if total != writers*each {
		t.Errorf("%d of %d entries came by", total, writers*each)
	}
}
