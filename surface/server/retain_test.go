package server_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/surface/server"
)

// X8: sessions that have not changed for as long as they are kept are removed, whoever's they
// are, and no others.
func TestX8_OldSessionsAreRemoved(t *testing.T) {
	st, err := sqlite.Open(t.Context(), t.TempDir()+"/trimtab.db", sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	now := time.Now()
	for i := range 450 {
		at := now.Add(-100 * 24 * time.Hour)
		if i%9 == 0 {
			at = now
		}
		s := trimtab.Session{Info: trimtab.Info{ID: fmt.Sprint("s", i), User: fmt.Sprint("user", i%3), Created: at, Updated: at}}
		if _, err := st.Commit(t.Context(), trimtab.Commit{Session: s}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := owned.New(st, owned.Options{User: "server", Role: owned.Steer, Show: owned.Everyone, Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := server.Prune(t.Context(), all, now.Add(-90*24*time.Hour)); n != 400 || err != nil {
		t.Errorf("%d removed, %v", n, err)
	}
	if n, err := server.Prune(t.Context(), all, now.Add(-90*24*time.Hour)); n != 0 || err != nil {
		t.Errorf("%d removed a second time, %v", n, err)
	}
	stop := server.Every(t.Context(), "sessions", slog.New(slog.DiscardHandler), func(ctx context.Context) (int, error) {
		return server.Prune(ctx, all, time.Now().Add(time.Hour))
	})
	for left := 1; left > 0; {
		left = 0
		for range all.List(t.Context(), trimtab.Query{}) {
			left++
		}
	}
	stop()
}

// X8: counts of what keys used and the audit are kept for a time too, by the day; what is of
// another kind, or of a younger day, stays.
func TestX8_OldRecordsAreRemoved(t *testing.T) {
	st, err := sqlite.Open(t.Context(), t.TempDir()+"/trimtab.db", sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	q := st.Queue()
	for _, folder := range []string{"usage-2025-12-31", "usage-2026-11-15", "usage-2026-11-16", "audit-2026-01-01", "audit-2026-11-17", "callers", "", "signin", "usage", "usages-2020-01-01"} {
		if err := q.Save(t.Context(), folder, improve.File{Name: "f", Body: []byte("x")}); err != nil {
			t.Fatal(err)
		}
	}
	n, err := server.PruneRecords(t.Context(), q, time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC), "usage-", "audit-")
	if err != nil || n != 3 {
		t.Errorf("%d, %v", n, err)
	}
	for folder, want := range map[string]int{"usage-2025-12-31": 0, "usage-2026-11-15": 0, "usage-2026-11-16": 1, "audit-2026-01-01": 0, "audit-2026-11-17": 1, "callers": 1, "": 1, "signin": 1, "usage": 1, "usages-2020-01-01": 1} {
		if files, err := q.Files(t.Context(), folder); err != nil || len(files) != want {
			t.Errorf("%q: %d files, %v", folder, len(files), err)
		}
	}
}
