package sandbox_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/trimtab/trimtab/agent/sandbox"
)

// TestPrivateFiles_EachDatabaseWithItsLogAndTheKey: what was written last is in the
// write-ahead log and not in the database, so a log that can be read gives it away.
func TestPrivateFiles_EachDatabaseWithItsLogAndTheKey(t *testing.T) {
	data := t.TempDir()
	all := sandbox.PrivateFiles(data)
	for _, name := range []string{
		"trimtab.db", "trimtab.db-wal", "trimtab.db-shm", "improve/flow.db", "improve/flow.db-wal", "improve/flow.db-shm", "improve/marker.key",
	} {
		if !slices.Contains(all, filepath.Join(data, filepath.FromSlash(name))) {
			t.Errorf("%s is not among %q", name, all)
		}
	}
}
