package sqlite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/trimtab/trimtab/store/storetest"
)

// TestP6_DiskReallyFull uses a disk of 2 MB.
func TestP6_DiskReallyFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m,mode=0700"); err != nil {
		t.Skipf("cannot mount a small disk (%v); TestP6_DiskFull and TestP6_WritesThatFailAreNoSuccess do without", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	write(t, ballast, make([]byte, 1<<20))
	store := opened(t, filepath.Join(dir, "trimtab.db"))
	storetest.MustSay(t, store, "ship", "before")
	for range 3 {
		is(t, storetest.Say(t.Context(), store, "ship", strings.Repeat("x", 1<<20)), ErrFull)
	}
	if got := said(t, store, "ship"); !slices.Equal(got, []string{"before"}) {
		t.Errorf("half-written: %d messages", len(got))
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	storetest.MustSay(t, store, "ship", "after")
	if got := said(t, store, "ship"); !slices.Equal(got, []string{"before", "after"}) {
		t.Errorf("said %d things", len(got))
	}
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
