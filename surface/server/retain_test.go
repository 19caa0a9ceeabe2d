package server_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
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
	stop := server.Retain(t.Context(), all, time.Nanosecond, func() time.Time { return time.Now().Add(time.Hour) }, slog.New(slog.DiscardHandler))
	for left := 1; left > 0; {
		left = 0
		for range all.List(t.Context(), trimtab.Query{}) {
			left++
		}
	}
	stop()
}
