package sqlite

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"github.com/trimtab/trimtab/store/row"
	"github.com/trimtab/trimtab/store/storetest"
)

// upTo is the schema that the program had when n was the last migration.
func upTo(t *testing.T, n int64) fs.FS {
	t.Helper()
	out := fstest.MapFS{}
	names, err := fs.Glob(migrations(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name < fmt.Sprintf("%05d~", n) {
			b, err := fs.ReadFile(migrations(), name)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = &fstest.MapFile{Data: b}
		}
	}
	return out
}

// The numbers of the migrations that brought tables.
const queueSchema, filesSchema = 3, 4

// dump is every row of every table, and how each table was made.
func dump(t *testing.T, path string) (all []string) {
	t.Helper()
	db := raw(t, path)
	defer db.Close()
	tables, err := db.QueryContext(t.Context(), `SELECT name, coalesce(sql, '') FROM sqlite_schema ORDER BY name`)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	var names []string
	for tables.Next() {
		var name, made string
		if err := tables.Scan(&name, &made); err != nil {
			t.Fatal(err)
		}
		all = append(all, made)
		if strings.HasPrefix(made, "CREATE TABLE") {
			names = append(names, name)
		}
	}
	if err := tables.Err(); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		rows, err := db.QueryContext(t.Context(), `SELECT * FROM `+name+` ORDER BY 1, 2`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values, to := make([]any, len(columns)), make([]any, len(columns))
			for i := range to {
				to[i] = &values[i]
			}
			if err := rows.Scan(to...); err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprint(name, values))
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestP18_FilesOfEverySchemaAreUpdated(t *testing.T) {
	for n := int64(1); n < latest(t); n++ {
		t.Run(fmt.Sprint("schema ", n), func(t *testing.T) {
			path := old(t) // a session as the first version wrote it, which later ones brought along
			db := raw(t, path)
			p, err := goose.NewProvider(goose.DialectSQLite3, db, upTo(t, n), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Up(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n >= queueSchema {
				r, err := row.OfItem(storetest.Item(1))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := db.ExecContext(t.Context(), `INSERT INTO improvements VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
					r.ID, r.Project, r.Fingerprint, r.State, r.Created, r.Updated, r.Worker, r.Until, r.Fence, r.Version, r.Body); err != nil {
					t.Fatal(err)
				}
			}
			if n >= filesSchema {
				if _, err := db.ExecContext(t.Context(), `INSERT INTO files VALUES ('workflow_0001', 'log', 'kept')`); err != nil {
					t.Fatal(err)
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}

			store := opened(t, path)
			if got := versionOf(t, store); got != latest(t) {
				t.Errorf("schema %d, want %d", got, latest(t))
			}
			if got, want := said(t, store, "ship"), []string{"Fix the rudder", "I will look at it."}; !slices.Equal(got, want) {
				t.Errorf("said %q, want %q", got, want)
			}
			changes := 1
			if n >= queueSchema {
				changes++
				if it, err := store.Queue().Item(t.Context(), "workflow_0001"); err != nil || it.Request.Title != storetest.Item(1).Request.Title {
					t.Errorf("%+v, %v", it, err)
				}
			}
			if n >= filesSchema {
				if files, err := store.Queue().Files(t.Context(), "workflow_0001"); err != nil || len(files) != 1 || string(files[0].Body) != "kept" {
					t.Errorf("%v, %v", files, err)
				}
			}
			if all, err := store.Changes(t.Context(), "", 10); err != nil || len(all) != changes {
				t.Errorf("%d changes are told, %v, want %d", len(all), err, changes)
			}
			if err := store.Check(t.Context()); err != nil {
				t.Error(err)
			}
			mustSay(t, store, "ship", "and goes on")
			if err := store.Queue().Add(t.Context(), storetest.Item(2)); err != nil {
				t.Error(err)
			}
		})
	}
}

// Who goes back to an older program is told, and finds everything when they come back.
func TestP18_AnOlderProgramLeavesAFileOfThisOneAlone(t *testing.T) {
	path := fresh(t)
	store := opened(t, path)
	mustSay(t, store, "ship", "hello")
	if err := store.Queue().Add(t.Context(), storetest.Item(1)); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	held, file := dump(t, path), bytesOf(t, path)
	for n := int64(1); n < latest(t); n++ {
		for _, briefly := range []bool{false, true} { // a hook opens it briefly
			_, err := open(t.Context(), path, Config{}, upTo(t, n), briefly)
			is(t, err, ErrNewer)
			for _, word := range []string{path, fmt.Sprint("schema ", latest(t)), fmt.Sprint("up to ", n), "was not changed", "update trimtab"} {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("error %q does not say %q", err, word)
				}
			}
		}
	}
	if !bytes.Equal(bytesOf(t, path), file) {
		t.Error("the file was changed")
	}
	if diff := cmp.Diff(held, dump(t, path)); diff != "" {
		t.Error(diff)
	}
	mustSay(t, opened(t, path), "ship", "back again")
}
