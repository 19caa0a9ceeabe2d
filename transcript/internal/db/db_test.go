package db_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/transcript/internal/db"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

func rows() transcripttest.Tables {
	return transcripttest.Tables{"things": {{"id": 1, "name": "a"}, {"id": 2, "name": "b"}}}
}

func TestNothingCanBeWritten(t *testing.T) {
	live := filepath.Join(t.TempDir(), "live #1?.db")
	transcripttest.Database(t, live, rows())
	for name, path := range map[string]string{"at work": live, "killed": transcripttest.Killed(t, live)} {
		f, err := db.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range []string{"INSERT INTO things VALUES (3, 'c')", "DELETE FROM things", "CREATE TABLE x (y)", "DROP TABLE things"} {
			if _, err := f.ExecContext(t.Context(), change); err == nil {
				t.Errorf("%s: %s was done", name, change)
			}
		}
		var n int
		if err := f.QueryRowContext(t.Context(), "SELECT count(*) FROM things").Scan(&n); err != nil || n != 2 {
			t.Errorf("%s: %d rows, %v", name, n, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAPrivateCopyIsRemoved(t *testing.T) {
	temp := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temp)
	}
	live := filepath.Join(t.TempDir(), "live.db")
	transcripttest.Database(t, live, rows())
	f, err := db.Open(t.Context(), transcripttest.Killed(t, live))
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "trimtab-read-*")); len(left) != 1 {
		t.Errorf("while open: %v", left)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "trimtab-read-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWhatIsNoDatabaseIsRefused(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{"empty": "", "text": "hello", "torn": "SQLite format 3\x00", "junk": "SQLite format 3\x00" + strings.Repeat("\x02", 4096)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := db.Open(t.Context(), path)
		if err != nil {
			continue
		}
		if ok, err := f.Has(t.Context(), "things", "id"); err == nil && ok {
			t.Errorf("%s was opened", name)
		}
		f.Close()
	}
}
