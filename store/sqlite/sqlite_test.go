package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/storetest"
)

func TestArchive(t *testing.T) {
	storetest.Run(t, func(t *testing.T) trimtab.Archive { return opened(t, fresh(t)) })
}

// fresh names a file that is not there yet.
func fresh(t testing.TB) string { return filepath.Join(t.TempDir(), "data", "trimtab.db") }

func opened(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, Config{})
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
