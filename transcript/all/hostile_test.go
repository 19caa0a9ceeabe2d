package all_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/transcript/all"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

// D11: a database whose tables are views that never end was read for ever, and filled
// the disk. It is nobody's file now; with views that end it would be the same.
func TestD11_ViewsOfForeignDatabasesAreNotRead(t *testing.T) {
	const endless = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3)`
	for name, statements := range map[string][]string{
		"opencode": {
			`CREATE VIEW session AS ` + endless + ` SELECT i AS id, '' AS parent_id, '' AS directory, '' AS title, 1 AS time_created, 1 AS time_updated, '' AS revert FROM n`,
			`CREATE VIEW message AS ` + endless + ` SELECT i AS id, 1 AS session_id, 1 AS time_created, '{}' AS data FROM n`,
			`CREATE VIEW part AS ` + endless + ` SELECT i AS id, 1 AS message_id, '{}' AS data FROM n`,
		},
		"goose": {
			`CREATE VIEW sessions AS ` + endless + ` SELECT i AS id, '' AS working_dir, '' AS created_at, '' AS updated_at FROM n`,
			`CREATE VIEW messages AS ` + endless + ` SELECT i AS id, 1 AS session_id, 'user' AS role, '[]' AS content_json, 1 AS created_timestamp FROM n`,
		},
		"computed": {
			`CREATE TABLE session (id, parent_id, directory, time_created, time_updated, revert, title GENERATED ALWAYS AS (hex(zeroblob(100000000))))`,
			`CREATE TABLE message (id, session_id, time_created, data)`, `CREATE TABLE part (id, message_id, data)`,
		},
	} {
		path := filepath.Join(t.TempDir(), name+".db")
		transcripttest.Execute(t, path, statements...)
		for _, host := range []string{"", "opencode", "goose"} {
			kind, err := all.DetectOwn(t.Context(), path, host)
			if kind != all.NotOwn || err != nil {
				t.Errorf("%s: %v, %v", name, kind, err)
			}
			if f, err := all.Open(t.Context(), path, host); err == nil {
				t.Errorf("%s is read as a file of %q: %+v", name, host, f)
				_ = f.Close()
			}
		}
	}
}

// D11: a store of ours with a trigger or a view in it is none that we made.
func TestD11_AStoreWithTriggersIsRefused(t *testing.T) {
	for _, statement := range []string{`CREATE TRIGGER x AFTER UPDATE ON sessions BEGIN DELETE FROM sessions; END`, `CREATE VIEW x AS SELECT 1`} {
		path := filepath.Join(t.TempDir(), "trimtab.db")
		st, err := sqlite.Open(t.Context(), path, sqlite.Config{})
		if err == nil {
			err = st.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		transcripttest.Execute(t, path, statement)
		if _, err := all.DetectOwn(t.Context(), path, ""); !errors.Is(err, trimtab.ErrDamaged) {
			t.Errorf("%s: %v", statement, err)
		}
	}
}
