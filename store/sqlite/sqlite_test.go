package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/storetest"
)

func TestArchive(t *testing.T) {
	storetest.Run(t, func(t *testing.T) trimtab.Archive { return opened(t, fresh(t)) })
}

// TestArchiveBriefly: one connection does all that several do.
func TestArchiveBriefly(t *testing.T) {
	storetest.Run(t, func(t *testing.T) trimtab.Archive { return openedBy(t, OpenBriefly, fresh(t)) })
}

// fresh names a file that is not there yet.
func fresh(t testing.TB) string { return filepath.Join(t.TempDir(), "data", "trimtab.db") }

func opened(t testing.TB, path string) *Store {
	t.Helper()
	return openedBy(t, Open, path)
}

func openedBy(t testing.TB, open func(context.Context, string, Config) (*Store, error), path string) *Store {
	t.Helper()
	s, err := open(t.Context(), path, Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
