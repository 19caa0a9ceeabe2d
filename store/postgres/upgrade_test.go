package postgres

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/storetest"
)

// The numbers of the migrations that brought tables.
const queueSchema, filesSchema = 2, 3

// dump is every row of every table of ours, and its columns.
func dump(t *testing.T, url string) (all []string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	list := func(sql string) []string {
		t.Helper()
		rows, err := conn.Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		out, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	all = list(`SELECT table_name || '.' || column_name || ' ' || data_type FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1`)
	for _, table := range list(`SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY 1`) {
		name := pgx.Identifier{table}.Sanitize()
		all = append(all, list(`SELECT '`+table+` ' || row_to_json(r)::text FROM `+name+` AS r ORDER BY 1`)...)
	}
	return all
}

func TestP18_DatabasesOfEverySchemaAreUpdated(t *testing.T) {
	schema := storetest.Schema{Latest: latest(t), Queue: queueSchema, Files: filesSchema}
	storetest.Upgrades(t, schema, func(t *testing.T, n int64, queue, files bool) storetest.Updated {
		url := ofTheFirstVersion(t)
		before, err := open(t.Context(), url, Config{}, storetest.UpTo(t, migrations(), n))
		if err != nil {
			t.Fatal(err)
		}
		if got := versionOf(t, url); got != n {
			t.Fatalf("schema %d", got)
		}
		if queue {
			if err := before.Queue().Add(t.Context(), storetest.Item(1)); err != nil {
				t.Fatal(err)
			}
		}
		if files {
			if err := before.Queue().Save(t.Context(), "workflow_0001", improve.File{Name: "log", Body: []byte("kept")}); err != nil {
				t.Fatal(err)
			}
		}
		if err := before.Close(); err != nil {
			t.Fatal(err)
		}
		store := opened(t, url)
		once(t, store, []string{"hello"}, "ship")
		return storetest.Updated{
			Watched: storetest.Watched{Archive: store, Source: store, Queue: store.Queue()},
			Said:    []string{"hello"},
			Schema:  func() int64 { return versionOf(t, url) },
		}
	})
}

// Who goes back to an older program is told, and finds everything when they come back.
func TestP18_AnOlderProgramLeavesADatabaseOfThisOneAlone(t *testing.T) {
	url := fresh(t)
	store := opened(t, url)
	storetest.MustSay(t, store, "ship", "hello")
	if err := store.Queue().Add(t.Context(), storetest.Item(1)); err != nil {
		t.Fatal(err)
	}
	storetest.Downgrades(t, latest(t), ErrNewer, []string{"nothing was changed"}, func(n int64) []error {
		_, err := open(t.Context(), url, Config{}, storetest.UpTo(t, migrations(), n))
		return []error{err}
	}, func() []string { return dump(t, url) })
	storetest.MustSay(t, store, "ship", "those that run go on")
	storetest.MustSay(t, opened(t, url), "ship", "back again")
}
