package postgres

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	for n := int64(1); n < latest(t); n++ {
		t.Run(fmt.Sprint("schema ", n), func(t *testing.T) {
			url := fresh(t)
			first, err := open(t.Context(), url, Config{}, only(t, "00001~"))
			if err != nil {
				t.Fatal(err)
			}
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			asTheFirstVersionWrote(t, url)
			before, err := open(t.Context(), url, Config{}, only(t, fmt.Sprintf("%05d~", n)))
			if err != nil {
				t.Fatal(err)
			}
			if got := versionOf(t, url); got != n {
				t.Fatalf("schema %d", got)
			}
			if n >= queueSchema {
				if err := before.Queue().Add(t.Context(), storetest.Item(1)); err != nil {
					t.Fatal(err)
				}
			}
			if n >= filesSchema {
				if err := before.Queue().Save(t.Context(), "workflow_0001", improve.File{Name: "log", Body: []byte("kept")}); err != nil {
					t.Fatal(err)
				}
			}
			if err := before.Close(); err != nil {
				t.Fatal(err)
			}

			store := opened(t, url)
			if got := versionOf(t, url); got != latest(t) {
				t.Errorf("schema %d, want %d", got, latest(t))
			}
			once(t, store, []string{"hello"}, "ship")
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
			mustSay(t, store, "ship", "and goes on")
			if err := store.Queue().Add(t.Context(), storetest.Item(2)); err != nil {
				t.Error(err)
			}
		})
	}
}

// Who goes back to an older program is told, and finds everything when they come back.
func TestP18_AnOlderProgramLeavesADatabaseOfThisOneAlone(t *testing.T) {
	url := fresh(t)
	store := opened(t, url)
	mustSay(t, store, "ship", "hello")
	if err := store.Queue().Add(t.Context(), storetest.Item(1)); err != nil {
		t.Fatal(err)
	}
	held := dump(t, url)
	for n := int64(1); n < latest(t); n++ {
		_, err := open(t.Context(), url, Config{}, only(t, fmt.Sprintf("%05d~", n)))
		is(t, err, ErrNewer)
		for _, word := range []string{fmt.Sprint("schema ", latest(t)), fmt.Sprint("up to ", n), "nothing was changed", "update trimtab"} {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("error %q does not say %q", err, word)
			}
		}
	}
	if diff := cmp.Diff(held, dump(t, url)); diff != "" {
		t.Error(diff)
	}
	mustSay(t, store, "ship", "those that run go on")
	mustSay(t, opened(t, url), "ship", "back again")
}
