package transcripttest

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	driver "modernc.org/sqlite"
)

// Tables are the rows of a database, by table. A value {"$json": …} stands for its
// text.
type Tables map[string][]map[string]any

// Load reads tables from a file of JSON.
func Load(t testing.TB, file string) Tables {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var tables Tables
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	if err := dec.Decode(&tables); err != nil {
		t.Fatal(err)
	}
	return tables
}

// Database makes a SQLite file of tables. Each has the columns of its first row.
// The connection stays open until the test ends, with all that was written still
// in the log, as when a host is at work.
func Database(t testing.TB, path string, tables Tables) {
	t.Helper()
	db, err := openDatabase(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx := context.Background()
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		if err := fill(ctx, db, name, tables[name]); err != nil {
			t.Fatal(err)
		}
	}
}

// Execute runs statements on a SQLite file, which is made if need be.
func Execute(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := openDatabase(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.ExecContext(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func openDatabase(path string) (*sql.DB, error) {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed
	}
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: "_pragma=journal_mode(wal)&_pragma=wal_autocheckpoint(0)&_pragma=synchronous(off)"}
	c, err := driver.NewConnector(u.String())
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(1)
	return db, nil
}

func fill(ctx context.Context, db *sql.DB, table string, rows []map[string]any) error {
	if len(rows) == 0 {
		return nil
	}
	columns := slices.Sorted(maps.Keys(rows[0]))
	if _, err := db.ExecContext(ctx, fmt.Sprintf("CREATE TABLE %q (%s)", table, strings.Join(quoted(columns), ", "))); err != nil {
		return err
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
	for _, row := range rows {
		var values []any
		for _, c := range columns {
			values = append(values, value(row[c]))
		}
		if _, err := db.ExecContext(ctx, fmt.Sprintf("INSERT INTO %q VALUES (%s)", table, marks), values...); err != nil {
			return err
		}
	}
	return nil
}

func quoted(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%q", n))
	}
	return out
}

func value(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		return v.String()
	case map[string]any:
		if inner, ok := v["$json"]; ok {
			raw, _ := json.Marshal(inner)
			return string(raw)
		}
	}
	return v
}

// Killed copies a database as its owner leaves it that is killed: the file and its
// log, without the log's index.
func Killed(t testing.TB, path string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "killed.db")
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + end)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to+end, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// Files returns what a folder holds, byte for byte, but for the log's index, which
// is memory that those who look share.
func Files(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(e.Name(), "-shm") {
			data = nil
		}
		out[e.Name()] = string(data)
	}
	return out
}
