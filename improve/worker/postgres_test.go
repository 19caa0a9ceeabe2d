package worker_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/store/storetest"
)

func TestTheSameOnPostgreSQL(t *testing.T) {
	p := newPort(t, 2)
	p.cfg.URL = storetest.EmptySchema(t)
	p.worker = "pg" + strings.ToLower(filepath.Base(filepath.Dir(p.folder)))[:8]
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if err := complete(p.item(t, n+1)); err != nil {
			t.Error(err)
		}
	}
	p.check(t, whole(2))
	if _, err := os.Stat(filepath.Join(p.cfg.Folder, "flow.db")); err == nil {
		t.Error("there is a file of SQLite, too")
	}
}

// On one database for the records, a worker goes on in a fork of what another one
// began, and the records of that one stay as they were.
func TestP1_OnPostgreSQLAKilledWorkersItemGoesOnElsewhere(t *testing.T) {
	url := storetest.EmptySchema(t)
	p := newPort(t, 1)
	for step := 1; step <= 13; step++ {
		k := kill{step, []string{before, during, afterEffect, afterRecord, afterShown}[step%5], 2}
		out, err := again(p.folder, "FLOW_TEST_KILL="+k.String(), "FLOW_TEST_URL="+url, fmt.Sprint("FLOW_TEST_WORKER=w", step%2), "FLOW_TEST_LEASE=2")
		if err == nil || out != "" {
			t.Fatalf("%s: it was not killed: %v\n%s", k, err, out)
		}
	}
	if out, err := again(p.folder, "FLOW_TEST_URL="+url, "FLOW_TEST_WORKER=w2", "FLOW_TEST_LEASE=2"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := complete(p.item(t, 1)); err != nil {
		t.Error(err)
	}
	p.check(t, whole(1))
}

func TestP15_ThePasswordOfTheDatabaseIsInNoError(t *testing.T) {
	p := newPort(t, 0)
	p.cfg.URL = "postgres://ada:canary-5f0e1d@127.0.0.1:1/none?connect_timeout=1"
	p.cfg.Start = 1
	_, err := p.flow(t.Context())
	if err == nil || strings.Contains(err.Error(), "canary-5f0e1d") {
		t.Errorf("%v", err)
	}
}
