package sqlite

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"

	"github.com/trimtab/trimtab/store/row"
	"github.com/trimtab/trimtab/store/storetest"
)

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
	schema := storetest.Schema{Latest: latest(t), Queue: queueSchema, Files: filesSchema}
	storetest.Upgrades(t, schema, func(t *testing.T, n int64, queue, files bool) storetest.Updated {
		path := old(t) // a session as the first version wrote it, which later ones brought along
		db := raw(t, path)
		p, err := goose.NewProvider(goose.DialectSQLite3, db, storetest.UpTo(t, migrations(), n), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Up(t.Context()); err != nil {
			t.Fatal(err)
		}
		if queue {
			r, err := row.OfItem(storetest.Item(1))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.ExecContext(t.Context(), `INSERT INTO improvements VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				r.ID, r.Project, r.Fingerprint, r.State, r.Created, r.Updated, r.Worker, r.Until, r.Fence, r.Version, r.Body); err != nil {
				t.Fatal(err)
			}
		}
		if files {
			if _, err := db.ExecContext(t.Context(), `INSERT INTO files VALUES ('workflow_0001', 'log', 'kept')`); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		store := opened(t, path)
		if err := store.Check(t.Context()); err != nil {
			t.Error(err)
		}
		return storetest.Updated{
			Watched: storetest.Watched{Archive: store, Source: store, Queue: store.Queue()},
			Said:    []string{"Fix the rudder", "I will look at it."},
			Schema:  func() int64 { return versionOf(t, store) },
		}
	})
}

// Who goes back to an older program is told, and finds everything when they come back.
func TestP18_AnOlderProgramLeavesAFileOfThisOneAlone(t *testing.T) {
	path := fresh(t)
	store := opened(t, path)
	storetest.MustSay(t, store, "ship", "hello")
	if err := store.Queue().Add(t.Context(), storetest.Item(1)); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	file := bytesOf(t, path)
	storetest.Downgrades(t, latest(t), ErrNewer, []string{path, "was not changed"}, func(n int64) (errs []error) {
		for _, briefly := range []bool{false, true} { // a hook opens it briefly
			_, err := open(t.Context(), path, Config{}, storetest.UpTo(t, migrations(), n), briefly)
			errs = append(errs, err)
		}
		return errs
	}, func() []string { return dump(t, path) })
	if !bytes.Equal(bytesOf(t, path), file) {
		t.Error("the file was changed")
	}
	storetest.MustSay(t, opened(t, path), "ship", "back again")
}
