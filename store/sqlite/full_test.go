package sqlite

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/storetest"
)

// TestP6_DiskFull lets SQLite run into a real SQLITE_FULL.
func TestP6_DiskFull(t *testing.T) {
	store := opened(t, fresh(t))
	storetest.MustSay(t, store, "ship", "before")
	before, err := store.Load(t.Context(), "ship")
	if err != nil {
		t.Fatal(err)
	}
	var pages int
	if err := store.write.QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limit := func(n int) {
		t.Helper()
		if _, err := store.write.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", n)); err != nil {
			t.Fatal(err)
		}
	}
	limit(pages + 1)
	for range 3 {
		err := storetest.Say(t.Context(), store, "ship", strings.Repeat("x", 4*pageSize))
		is(t, err, ErrFull)
		for _, word := range []string{"disk full", store.Path(), "free some space", "nothing was lost"} {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("error %q does not say %q", err, word)
			}
		}
		is(t, storetest.Say(t.Context(), store, "new", strings.Repeat("x", 4*pageSize)), ErrFull)
	}
	if got := said(t, store, "ship"); !slices.Equal(got, []string{"before"}) {
		t.Errorf("half-written: %d messages", len(got))
	}
	after, err := store.Load(t.Context(), "ship")
	if err != nil || after.Version != before.Version {
		t.Errorf("version %d after %d, %v", after.Version, before.Version, err)
	}
	_, err = store.Load(t.Context(), "new")
	is(t, err, trimtab.ErrNotFound)

	limit(1 << 30)
	storetest.MustSay(t, store, "ship", "after")
	if got := said(t, store, "ship"); !slices.Equal(got, []string{"before", "after"}) {
		t.Errorf("said %q", got)
	}
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestP6_ReadOnly(t *testing.T) {
	store := opened(t, fresh(t))
	storetest.MustSay(t, store, "ship", "before")
	if _, err := store.write.ExecContext(t.Context(), "PRAGMA query_only = 1"); err != nil {
		t.Fatal(err)
	}
	err := storetest.Say(t.Context(), store, "ship", "lost?")
	is(t, err, ErrReadOnly)
	if !strings.Contains(err.Error(), "writable") {
		t.Errorf("error %q does not say what to do", err)
	}
	if got := said(t, store, "ship"); len(got) != 1 {
		t.Errorf("said %q", got)
	}
	if _, err := store.write.ExecContext(t.Context(), "PRAGMA query_only = 0"); err != nil {
		t.Fatal(err)
	}
	storetest.MustSay(t, store, "ship", "after")
}

// TestAWaitForAnotherWriterEnds holds the lock that a commit needs.
func TestAWaitForAnotherWriterEnds(t *testing.T) {
	path := fresh(t)
	other := opened(t, path)
	storetest.MustSay(t, other, "ship", "before")
	tx, err := other.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	store, err := Open(t.Context(), path, Config{BusyTimeout: 30})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	is(t, storetest.Say(t.Context(), store, "ship", "busy"), ErrBusy)

	patient, err := Open(t.Context(), path, Config{BusyTimeout: 600_000})
	if err != nil {
		t.Fatal(err)
	}
	defer patient.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Millisecond)
	defer cancel()
	is(t, storetest.Say(ctx, patient, "ship", "late"), context.DeadlineExceeded)
	ctx, cancel = context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- storetest.Say(ctx, patient, "ship", "never mind") }()
	cancel()
	is(t, <-done, context.Canceled)

	go func() { done <- storetest.Say(t.Context(), patient, "ship", "in the end") }()
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := said(t, store, "ship"); !slices.Equal(got, []string{"before", "in the end"}) {
		t.Errorf("said %q", got)
	}
}

func TestAFileThatIsMovedAwayIsNotWrittenTo(t *testing.T) {
	path := fresh(t)
	store := opened(t, path)
	storetest.MustSay(t, store, "ship", "before")
	if err := os.Rename(path, path+".old"); err != nil {
		t.Skipf("a file in use cannot be moved here: %v", err)
	}
	is(t, storetest.Say(t.Context(), store, "ship", "into the void"), ErrMoved)
	write(t, path, nil)
	err := storetest.Say(t.Context(), store, "ship", "into the void")
	is(t, err, ErrMoved)
	if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "start again") {
		t.Errorf("error %q does not say what to do", err)
	}
	if err := os.Rename(path+".old", path); err != nil {
		t.Fatal(err)
	}
	storetest.MustSay(t, store, "ship", "after")
}

// TestOpenWaitsForAnotherProcess holds the whole file for longer than SQLite
// waits by itself.
func TestOpenWaitsForAnotherProcess(t *testing.T) {
	for name, path := range map[string]string{"up to date": filled(t), "to be updated": old(t)} {
		t.Run(name, func(t *testing.T) {
			db := raw(t, path)
			for _, text := range []string{"PRAGMA journal_mode = DELETE", "BEGIN EXCLUSIVE"} {
				if _, err := db.ExecContext(t.Context(), text); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 8*slice)
			defer cancel()
			_, err := Open(ctx, path, Config{BusyTimeout: 600_000})
			is(t, err, context.DeadlineExceeded) // it would have gone on waiting
			_, err = Open(t.Context(), path, Config{BusyTimeout: 60})
			is(t, err, ErrBusy)

			done := make(chan error)
			go func() {
				store, err := Open(t.Context(), path, Config{})
				if err == nil {
					err = store.Close()
				}
				done <- err
			}()
			if _, err := db.ExecContext(t.Context(), "ROLLBACK"); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}
