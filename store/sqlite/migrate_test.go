package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	_ "embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	driver "modernc.org/sqlite"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/row"
	"github.com/trimtab/trimtab/store/storetest"
)

//go:embed testdata/v1.sql
var version1 string

// old makes a file as the first version left it.
func old(t *testing.T) string {
	t.Helper()
	path := fresh(t)
	if err := private(path); err != nil {
		t.Fatal(err)
	}
	db := raw(t, path)
	if _, err := db.ExecContext(t.Context(), version1); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := pool(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestP18_OldFilesOpen(t *testing.T) {
	path := old(t)
	for range 2 { // brought up to date, then as it is
		store := opened(t, path)
		if got, want := said(t, store, "ship"), []string{"Fix the rudder", "I will look at it."}; !slices.Equal(got, want) {
			t.Errorf("said %q, want %q", got, want)
		}
		s, err := store.Load(t.Context(), "ship")
		if err != nil || s.Title != "Fix the rudder" || s.Version != 2 || s.Seq != 2 {
			t.Errorf("session %+v, %v", s, err)
		}
		var kinds []string
		for e, err := range store.Journal(t.Context(), "ship", 0) {
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, row.Kind(e.Event))
		}
		if want := []string{"said", "calling", "said"}; !slices.Equal(kinds, want) {
			t.Errorf("journal %q, want %q", kinds, want)
		}
		if got, want := versionOf(t, store), latest(t); got != want {
			t.Errorf("schema %d, want %d", got, want)
		}
		if err := store.Check(t.Context()); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
	storetest.MustSay(t, opened(t, path), "ship", "and goes on")
}

func latest(t *testing.T) int64 {
	t.Helper()
	n, err := newest(migrations())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func versionOf(t *testing.T, store *Store) (n int64) {
	t.Helper()
	if err := store.write.QueryRowContext(t.Context(), "SELECT max(version_id) FROM goose_db_version").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestP18_AFileOfANewerVersionIsLeftAlone(t *testing.T) {
	path := fresh(t)
	store := opened(t, path)
	storetest.MustSay(t, store, "ship", "hello")
	if _, err := store.write.ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)"); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	before := bytesOf(t, path)
	_, err := Open(t.Context(), path, Config{})
	is(t, err, ErrNewer)
	for _, word := range []string{path, "999", "not changed", "update trimtab"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not say %q", err, word)
		}
	}
	if !bytes.Equal(bytesOf(t, path), before) {
		t.Error("the file was changed")
	}
}

func TestAFileOfAnotherProgramIsLeftAlone(t *testing.T) {
	path := fresh(t)
	if err := private(path); err != nil {
		t.Fatal(err)
	}
	db := raw(t, path)
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE bookmarks (url TEXT)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before := bytesOf(t, path)
	_, err := Open(t.Context(), path, Config{})
	if err == nil || !strings.Contains(err.Error(), "another program") || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	if !bytes.Equal(bytesOf(t, path), before) {
		t.Error("the file was changed")
	}
}

// next is the schema of a version to come, whose migration waits in its middle.
func next(t fs.FS, middle string) fs.FS {
	out := fstest.MapFS{"00900_next.sql": &fstest.MapFile{Data: []byte(`
-- +goose Up
CREATE TABLE half (n BIGINT NOT NULL, body TEXT NOT NULL);
INSERT INTO half WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3000) SELECT n, hex(zeroblob(500)) FROM c;
UPDATE sessions SET title = 'half done';
` + middle + `
DELETE FROM half WHERE n > 10;
UPDATE sessions SET title = 'done';
-- +goose Down
DROP TABLE half;
`)}}
	names, _ := fs.Glob(t, "*.sql")
	for _, name := range names {
		b, _ := fs.ReadFile(t, name)
		out[name] = &fstest.MapFile{Data: b}
	}
	return out
}

// playMigrate stops in the middle of a migration and waits to be killed.
func playMigrate(ctx context.Context, path string, _ []string) error {
	err := driver.RegisterScalarFunction("wait_here", 0, func(*driver.FunctionContext, []sqldriver.Value) (sqldriver.Value, error) {
		fmt.Println("in the middle")
		select {}
	})
	if err != nil {
		return err
	}
	_, err = open(ctx, path, Config{}, next(migrations(), "SELECT wait_here();"), false)
	return err
}

func TestP18_KilledInAMigrationTheFileStillOpens(t *testing.T) {
	path := old(t)
	for range 2 {
		p := another(t, "migrate", path)
		if line, err := p.Line(); line != "in the middle" {
			t.Fatalf("%q, %v: %s", line, err, p.Err.String())
		}
		p.Kill()
		_ = p.Wait()
	}
	store := opened(t, path)
	s, err := store.Load(t.Context(), "ship")
	if err != nil {
		t.Fatal(err)
	}
	var title string
	var half int
	if err := store.read.QueryRowContext(t.Context(), "SELECT title FROM sessions").Scan(&title); err != nil || title != s.Title {
		t.Errorf("title %q, %v: half of the migration stayed", title, err)
	}
	if err := store.read.QueryRowContext(t.Context(), "SELECT count(*) FROM sqlite_schema WHERE name = 'half'").Scan(&half); err != nil || half != 0 {
		t.Errorf("%d new tables, %v: half of the migration stayed", half, err)
	}
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}

	// The next version tries again, and gets there.
	store, err = open(t.Context(), path, Config{}, next(migrations(), ""), false)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.read.QueryRowContext(t.Context(), "SELECT title, (SELECT count(*) FROM half) FROM sessions").Scan(&title, &half); err != nil || title != "done" || half != 10 {
		t.Errorf("title %q, %d rows, %v", title, half, err)
	}
}

func TestAMigrationThatFailsLeavesTheFileAsItWas(t *testing.T) {
	path := fresh(t)
	store := opened(t, path)
	storetest.MustSay(t, store, "ship", "hello")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t.Context(), path, Config{}, next(migrations(), "SELECT no_such_function();"), false); err == nil {
		t.Fatal("a broken migration went through")
	}
	store = opened(t, path)
	if got := said(t, store, "ship"); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("said %q", got)
	}
	if got := versionOf(t, store); got != latest(t) {
		t.Errorf("schema %d", got)
	}
}

func TestP18_ABackupRestores(t *testing.T) {
	store := opened(t, fresh(t))
	for i := range 50 {
		storetest.MustSay(t, store, "ship", fmt.Sprint("before ", i))
	}
	to := filepath.Join(t.TempDir(), "backup.db")
	done := make(chan error)
	go func() { // others go on meanwhile
		for i := range 20 {
			if err := storetest.Say(t.Context(), store, "boat", fmt.Sprint("meanwhile ", i)); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	if err := store.Backup(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	storetest.MustSay(t, store, "ship", "after")

	copied := bytesOf(t, to)
	is(t, store.Backup(t.Context(), to), trimtab.ErrExists)
	if !bytes.Equal(bytesOf(t, to), copied) {
		t.Error("the backup was overwritten")
	}
	path := fresh(t)
	if err := private(path); err != nil {
		t.Fatal(err)
	}
	write(t, path, copied)
	restored := opened(t, path)
	if err := restored.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if got := said(t, restored, "ship"); len(got) != 50 || got[49] != "before 49" {
		t.Errorf("said %q", got)
	}
	storetest.MustSay(t, restored, "ship", "and goes on")
	conn, err := restored.write.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if mode := ask(t, conn, "journal_mode"); mode != "wal" {
		t.Errorf("journal mode %s", mode)
	}
}

func TestABackupThatIsCutShortLeavesNoFile(t *testing.T) {
	store := opened(t, filled(t))
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := store.Backup(ctx, filepath.Join(dir, "backup.db")); err == nil {
		t.Error("a cancelled backup went through")
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := store.Backup(t.Context(), filepath.Join(dir, "no", "such", "folder")); err == nil {
		t.Error("a backup into nowhere went through")
	}
}
