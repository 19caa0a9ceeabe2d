package decide_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/decide"
	"github.com/trimtab/trimtab/store/memory"
)

func TestNotUseful_IsKeptAndTakenBack(t *testing.T) {
	q := memory.New().Queue()
	d := improve.Dismissal{Fingerprint: "74fab9b2ddbe5d90", By: "ann", At: time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC), Why: "known"}
	if err := (decide.Findings{Files: q}).Dismiss(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if all, err := (decide.Findings{Files: q}).Dismissed(t.Context()); err != nil || len(all) != 1 || all[d.Fingerprint] != d {
		t.Fatalf("%+v %v", all, err)
	}
	for name, bad := range map[string]improve.Dismissal{"nothing": {}, "a long name": {Fingerprint: strings.Repeat("x", 101)}, "a long reason": {Fingerprint: "f", Why: strings.Repeat("x", improve.MaxRemark+1)}} {
		if (decide.Findings{Files: q}).Dismiss(t.Context(), bad) == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if err := (decide.Findings{Files: q}).TakeBack(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if all, err := (decide.Findings{Files: q}).Dismissed(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%+v %v", all, err)
	}
	if err := q.Save(t.Context(), improve.FolderDismissed, improve.File{Name: "damaged", Body: []byte("{")}); err != nil {
		t.Fatal(err)
	}
	if all, err := (decide.Findings{Files: q}).Dismissed(t.Context()); err != nil || all["damaged"].Fingerprint != "damaged" {
		t.Errorf("what cannot be read counts as useful: %+v %v", all, err)
	}
}

// X4: who may not decide what becomes work does not decide either that nothing comes of a
// finding.
func TestX4_OnlyWhoMayApproveDismisses(t *testing.T) {
	q := improve.Restrict(memory.New().Queue(), errors.New("bob is a viewer"))
	if err := (decide.Findings{Files: q}).Dismiss(t.Context(), improve.Dismissal{Fingerprint: "f"}); !errors.Is(err, improve.ErrRole) {
		t.Errorf("%v", err)
	}
	if err := q.Save(t.Context(), "workflow_1", improve.File{Name: "a paper"}); err != nil {
		t.Errorf("a worker cannot keep its papers: %v", err)
	}
}
