package audit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/audit"
)

// X8: who did what when is kept in the store and comes out in order, within the time asked
// for; a damaged line is told.
func TestX8_TheAuditSaysWhoDidWhatWhen(t *testing.T) {
	at := time.Date(2026, 11, 17, 23, 59, 0, 0, time.UTC)
	files := memory.New().Queue()
	log := audit.Log{Files: files, Clock: func() time.Time { return at }}
	for i, what := range []string{"key.create", "sign-in", "key.revoke", "command"} {
		if err := log.Record(t.Context(), audit.Event{At: at.Add(time.Duration(i) * time.Minute), Who: "eve", By: "sign-in", What: what, About: strings.Repeat("x", 1000)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Record(t.Context(), audit.Event{Who: "ann", What: "same moment"}); err != nil {
		t.Fatal(err)
	}
	list := func(from, to time.Time) (all []string) {
		for e, err := range log.Events(t.Context(), from, to) {
			if err != nil {
				t.Fatal(err)
			}
			if len(e.About) > 600 {
				t.Errorf("%d bytes", len(e.About))
			}
			all = append(all, e.Who+" "+e.What)
		}
		return all
	}
	if got := strings.Join(list(at, at.Add(time.Hour)), ", "); got != "eve key.create, ann same moment, eve sign-in, eve key.revoke, eve command" {
		t.Error(got)
	}
	if got := strings.Join(list(at.Add(30*time.Second), at.Add(2*time.Minute)), ", "); got != "eve sign-in, eve key.revoke" {
		t.Error(got)
	}
	if _, err := files.SaveOnce(t.Context(), "audit-2026-11-18", improve.File{Name: "bad", Body: []byte("{")}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(list(at.Add(-time.Hour), at.Add(time.Hour)), ", "); !strings.Contains(got, "damaged") {
		t.Error(got)
	}
}
