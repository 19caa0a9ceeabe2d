package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/sqlite"
)

// TestSessionsAreStoredTogetherOrNotAtAll: one that was changed in the meantime
// keeps the others from being stored, too.
func TestSessionsAreStoredTogetherOrNotAtAll(t *testing.T) {
	ctx := context.Background()
	st, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "trimtab.db"), sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	a, b := trimtab.NewSession("a", now), trimtab.NewSession("b", now)
	versions, err := st.CommitAll(ctx, []trimtab.Commit{{Session: a}, {Session: b}})
	if err != nil || len(versions) != 2 || versions[0] != 1 || versions[1] != 1 {
		t.Fatalf("%v, %v", versions, err)
	}
	a.Version, a.Title, b.Version = 1, "changed", 5
	if _, err := st.CommitAll(ctx, []trimtab.Commit{{Session: a}, {Session: b}}); !errors.Is(err, trimtab.ErrConflict) {
		t.Fatalf("err = %v", err)
	}
	if got, err := st.Load(ctx, "a"); err != nil || got.Title != "" || got.Version != 1 {
		t.Errorf("%q of version %d, %v", got.Title, got.Version, err)
	}
	if _, err := st.CommitAll(ctx, []trimtab.Commit{{Session: trimtab.NewSession("c", now)}, {Session: trimtab.NewSession("../x", now)}}); !errors.Is(err, trimtab.ErrBadID) {
		t.Errorf("err = %v", err)
	}
	if _, err := st.Load(ctx, "c"); !errors.Is(err, trimtab.ErrNotFound) {
		t.Errorf("err = %v", err)
	}
}
