package postgres

import (
	"context"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/feed"
	"github.com/trimtab/trimtab/store/storetest"
)

func TestX7_Feed(t *testing.T) {
	storetest.Feed(t, func(t *testing.T) (storetest.Watched, func() storetest.Watched) {
		place := fresh(t)
		again := func() storetest.Watched {
			s := opened(t, place)
			return storetest.Watched{Archive: s, Source: s, Queue: s.Queue()}
		}
		return again(), again
	})
}

// TestX7_ATransactionThatTakesLongIsNotMissed: it began before one that has ended, and its
// changes are told when it ends.
func TestX7_ATransactionThatTakesLongIsNotMissed(t *testing.T) {
	place := fresh(t)
	store := opened(t, place)
	if _, err := store.Commit(t.Context(), trimtab.Commit{Session: trimtab.NewSession("slow", start())}); err != nil {
		t.Fatal(err)
	}
	at, err := store.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := store.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `UPDATE sessions SET version = version + 1 WHERE id = 'slow'`); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Commit(t.Context(), trimtab.Commit{Session: trimtab.NewSession("quick", start())}); err != nil {
		t.Fatal(err)
	}
	early, err := store.Changes(t.Context(), at, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range early {
		at = c.Cursor
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	missing := map[string]bool{"slow": true, "quick": true}
	for _, c := range early {
		delete(missing, c.ID)
	}
	for c, err := range feed.Watch(ctx, store, at) {
		if err != nil {
			t.Fatal(err)
		}
		if delete(missing, c.ID); len(missing) == 0 {
			break
		}
	}
	if len(missing) > 0 {
		t.Errorf("not told: %v", missing)
	}
}

// TestX7_ARestoredDatabaseTellsItsChanges though their numbers are another server's.
func TestX7_ARestoredDatabaseTellsItsChanges(t *testing.T) {
	place := fresh(t)
	store := opened(t, place)
	if _, err := store.Commit(t.Context(), trimtab.Commit{Session: trimtab.NewSession("a", start())}); err != nil {
		t.Fatal(err)
	}
	run(t, place, `UPDATE changes SET at = '9000000000000'::xid8`)
	again := opened(t, place)
	all, err := again.Changes(t.Context(), "", 0)
	if err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
}
