//go:build e2e

package server_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/store/postgres"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/surface/server"
)

// X8: ten thousand old sessions are removed in one go, and their space is given back. Run
// with script/postgres.sh run for the server too; the time is told and not asserted.
func TestX8_TenThousandSessionsArePruned(t *testing.T) {
	file := t.TempDir() + "/trimtab.db"
	st, err := sqlite.Open(t.Context(), file, sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	pruned(t, "SQLite", st, func() int64 {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	})
	url := os.Getenv("TRIMTAB_TEST_POSTGRES")
	if url == "" {
		t.Log("no PostgreSQL: sh script/postgres.sh run go test -tags e2e …")
		return
	}
	pg, err := postgres.Open(t.Context(), url, postgres.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Close()
	pruned(t, "PostgreSQL", pg, nil)
}

func pruned(t *testing.T, name string, st trimtab.Archive, size func() int64) {
	t.Helper()
	const many = 10_000
	now := time.Now()
	text := strings.Repeat("word ", 400)
	for i := range many {
		at := now.Add(-100 * 24 * time.Hour)
		s := trimtab.Session{Info: trimtab.Info{ID: fmt.Sprintf("%s-%d", t.Name(), i), User: fmt.Sprint("user", i%3), Created: at, Updated: at}, Seq: 1}
		if _, err := st.Commit(context.Background(), trimtab.Commit{Session: s, Messages: []trimtab.Message{trimtab.Prompt(text)}}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := owned.New(st, owned.Options{User: "server", Role: owned.Steer, Show: owned.Everyone, Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	var before int64
	if size != nil {
		before = size()
	}
	begun := time.Now()
	n, err := server.Prune(t.Context(), all, now.Add(-90*24*time.Hour))
	if err != nil || n != many {
		t.Errorf("%s: %d removed, %v", name, n, err)
	}
	t.Logf("%s: %d sessions in %.1f s", name, n, time.Since(begun).Seconds())
	if size == nil {
		return
	}
	if after := size(); after > before/3 {
		t.Errorf("%s: %d bytes before, %d after", name, before, after)
	}
}
