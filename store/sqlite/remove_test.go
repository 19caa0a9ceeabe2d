package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
)

// TestD11_ManySessionsAreRemovedAndTheFileShrinks: it took a transaction and a
// truncation of the log for each, and the file stayed as large as it was.
func TestD11_ManySessionsAreRemovedAndTheFileShrinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trimtab.db")
	store := opened(t, path)
	text := strings.Repeat("word ", 2000)
	var ids []string
	for i := range 250 {
		s := trimtab.NewSession(fmt.Sprintf("s%03d", i), time.Unix(int64(i), 0))
		s.Seq = 1
		if _, err := store.Commit(t.Context(), trimtab.Commit{Session: s, Messages: []trimtab.Message{trimtab.Prompt(text + s.ID)}}); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			ids = append(ids, s.ID)
		}
	}
	size := func() int64 {
		t.Helper()
		if _, err := store.write.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	n, err := store.RemoveAll(t.Context(), append(ids, "never-was"))
	if err != nil || n != len(ids) {
		t.Fatalf("%d, %v", n, err)
	}
	if after := size(); after > before/3 {
		t.Errorf("%d bytes before, %d after", before, after)
	}
	left := 0
	for info, err := range store.List(t.Context(), trimtab.Query{}) {
		if err != nil || info.ID != "s000" {
			t.Errorf("%s, %v", info.ID, err)
		}
		left++
	}
	if left != 1 {
		t.Errorf("%d are left", left)
	}
}
