package postgres

import (
	"context"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trimtab/trimtab/store/storetest"
)

func TestP18_OldDatabasesOpen(t *testing.T) {
	url := ofTheFirstVersion(t)
	for range 2 { // brought up to date, then as it is
		store := opened(t, url)
		once(t, store, []string{"hello"}, "ship")
		if got, want := versionOf(t, url), latest(t); got != want {
			t.Errorf("schema %d, want %d", got, want)
		}
	}
	if err := opened(t, url).Queue().Add(t.Context(), storetest.Item(1)); err != nil {
		t.Error(err)
	}
}

// ofTheFirstVersion is a database of schema 1 with a session as the program wrote it then:
// this one writes columns that there are not yet.
func ofTheFirstVersion(t *testing.T) string {
	t.Helper()
	url := fresh(t)
	old, err := open(t.Context(), url, Config{}, storetest.UpTo(t, migrations(), 1))
	if err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	run(t, url, `INSERT INTO sessions (id, version, host, project, model, title, parent, step, created, updated, state) VALUES ('ship', 1, '', '', '', '', '', 0,
		'2026-11-15T09:00:00.000000000Z', '2026-11-15T09:00:00.000000000Z', '{"sessionId":"ship","createdAt":"2026-11-15T09:00:00Z","updatedAt":"2026-11-15T09:00:00Z","version":1,"seq":1,"step":0,"meter":{}}')`)
	run(t, url, `INSERT INTO messages (session, seq, id, role, origin, body) VALUES ('ship', 1, 'm1', 'user', '', '{"id":"m1","role":"user","content":"hello"}')`)
	run(t, url, `INSERT INTO journal (session, seq, at, kind, body) VALUES ('ship', 1, '2026-11-15T09:00:00.000000000Z', 'said', '{"at":"2026-11-15T09:00:00Z","event":{"type":"said","message":{"id":"m1","role":"user","content":[]}}}')`)
	return url
}

func latest(t *testing.T) int64 {
	t.Helper()
	n, err := newest(migrations())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func versionOf(t *testing.T, url string) (n int64) {
	t.Helper()
	ask(t, url, "SELECT max(version_id) FROM "+versions, &n)
	return n
}

func TestP18_ADatabaseOfANewerVersionIsLeftAlone(t *testing.T) {
	url := fresh(t)
	storetest.MustSay(t, opened(t, url), "ship", "hello")
	run(t, url, "INSERT INTO "+versions+" (version_id, is_applied) VALUES (999, true)")
	_, err := Open(t.Context(), url, Config{})
	is(t, err, ErrNewer)
	for _, word := range []string{"999", "nothing was changed", "update trimtab"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not say %q", err, word)
		}
	}
}

func TestTablesOfAnotherProgramAreLeftAlone(t *testing.T) {
	url := fresh(t)
	run(t, url, "CREATE TABLE sessions (cookie TEXT)")
	run(t, url, "CREATE TABLE goose_db_version (id INT)")
	_, err := Open(t.Context(), url, Config{})
	if err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("error %v", err)
	}
	var tables int
	ask(t, url, "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema()", &tables)
	if tables != 2 {
		t.Errorf("%d tables, there were 2", tables)
	}

	url = fresh(t)
	run(t, url, "CREATE TABLE bookmarks (url TEXT)")
	run(t, url, "CREATE TABLE goose_db_version (id INT)")
	storetest.MustSay(t, opened(t, url), "ship", "both fit in")
}

func TestP18_ProcessesThatOpenANewDatabaseAtOnceAllSucceed(t *testing.T) {
	url := fresh(t)
	var all []*storetest.Player
	var want []string
	for i := range 8 {
		all = append(all, another(t, "append", url, "ship", strconv.Itoa(i), "1"))
		want = append(want, strconv.Itoa(i)+"-0")
	}
	for _, p := range all {
		p.Finish(t)
	}
	once(t, opened(t, url), want, "ship")
}

// next is the schema of a version to come, whose migration may wait in its middle.
func next(middle string) fs.FS {
	out := fstest.MapFS{"00900_next.sql": &fstest.MapFile{Data: []byte(`
-- +goose Up
CREATE TABLE half (n BIGINT NOT NULL);
UPDATE sessions SET title = 'half done';
` + middle + `
UPDATE sessions SET title = 'done';
-- +goose Down
DROP TABLE half;
`)}}
	names, _ := fs.Glob(migrations(), "*.sql")
	for _, name := range names {
		b, _ := fs.ReadFile(migrations(), name)
		out[name] = &fstest.MapFile{Data: b}
	}
	return out
}

const hold = 4711 // the lock that a migration waits for

func playMigrate(ctx context.Context, url string) error {
	_, err := open(ctx, url, Config{}, next("SELECT pg_advisory_xact_lock(4711);"))
	return err
}

func TestP18_KilledInAMigrationTheDatabaseStillOpens(t *testing.T) {
	url := fresh(t)
	storetest.MustSay(t, opened(t, url), "ship", "hello")
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "SELECT pg_advisory_lock($1)", hold); err != nil {
		t.Fatal(err)
	}
	p := another(t, "migrate", url)
	for end := time.Now().Add(30 * time.Second); ; {
		var waiting int
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted", hold).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		if waiting > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the migration did not get to its middle")
		}
	}
	p.Kill()
	_ = p.Wait()
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	store := opened(t, url)
	once(t, store, []string{"hello"}, "ship")
	storetest.MustSay(t, store, "ship", "and goes on") // waits until the server has undone the half
	var title string
	var half bool
	ask(t, url, "SELECT title, to_regclass('half') IS NOT NULL FROM sessions", &title, &half)
	if title == "half done" || half || versionOf(t, url) != latest(t) {
		t.Errorf("title %q, new table %v: half of the migration stayed", title, half)
	}

	// The next version tries again, and gets there.
	again, err := open(t.Context(), url, Config{}, next(""))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	ask(t, url, "SELECT title, to_regclass('half') IS NOT NULL FROM sessions", &title, &half)
	if title != "done" || !half {
		t.Errorf("title %q, new table %v", title, half)
	}
}

func TestAMigrationThatFailsLeavesTheDatabaseAsItWas(t *testing.T) {
	url := fresh(t)
	storetest.MustSay(t, opened(t, url), "ship", "hello")
	if _, err := open(t.Context(), url, Config{}, next("SELECT no_such_function();")); err == nil {
		t.Fatal("a broken migration went through")
	}
	once(t, opened(t, url), []string{"hello"}, "ship")
	if got := versionOf(t, url); got != latest(t) {
		t.Errorf("schema %d", got)
	}
}
