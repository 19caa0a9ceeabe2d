package decide_test

import (
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve/decide"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/memory"
)

func TestARemarkIsKeptWithItsItem(t *testing.T) {
	q := memory.New().Queue()
	now := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	const id = "workflow_20261117_120000_k3x9"
	if err := q.Add(t.Context(), improve.Item{ID: id, Fingerprint: "f", Project: "/p", State: improve.Awaiting, Created: now, Updated: now}); err != nil {
		t.Fatal(err)
	}
	if _, err := decide.Remark(t.Context(), q, id, "ann", " say why, too \n", now); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"nothing": " \n", "too much": strings.Repeat("x", improve.MaxRemark+1)} {
		if _, err := decide.Remark(t.Context(), q, id, "ann", text, now); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	it, err := q.Item(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if want := (improve.Remark{By: "ann", At: now, Text: "say why, too"}); len(it.Remarks) != 1 || it.Remarks[0] != want || it.State != improve.Awaiting {
		t.Errorf("%+v", it)
	}
	for range improve.MaxRemarks {
		_, err = decide.Remark(t.Context(), q, id, "ann", "more", now)
	}
	if err == nil {
		t.Error("there is no end of remarks")
	}
}
