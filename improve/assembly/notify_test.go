package assembly

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
)

// TestR27_TheNotifyProgramIsTold of what comes by itself and waits, and of work that needs a
// person; not of what the person asked for.
func TestR27_TheNotifyProgramIsTold(t *testing.T) {
	dir := t.TempDir()
	told := filepath.Join(dir, "told")
	a := newAssembly(t, func(o *Options) {
		o.Automation.Notify = []string{"sh", "-c", `{ cat; echo "$TRIMTAB_ITEM $TRIMTAB_PROJECT $1"; } > "$0"`, told, "$(touch pwned)"}
	})
	item := improve.Item{ID: "workflow_20261115_101500_k3x9", Project: "/p", State: improve.Awaiting, Request: improve.Request{Title: "Never push"}}
	said := func(it improve.Item) string {
		t.Helper()
		_ = os.Remove(told)
		if err := a.notify(t.Context(), it); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(told)
		if err != nil {
			return ""
		}
		return string(raw)
	}
	if got := said(item); !strings.Contains(got, "waits for you: Never push") || !strings.Contains(got, "workflow_20261115_101500_k3x9 /p $(touch pwned)") {
		t.Errorf("waiting: %q", got)
	}
	item.ByHand = true
	if got := said(item); got != "" {
		t.Errorf("by hand: %q", got)
	}
	item.State, item.Why = improve.Manual, "the agent is not installed\nmore"
	if got := said(item); !strings.Contains(got, "needs you: the agent is not installed\n") {
		t.Errorf("needs a person: %q", got)
	}
	a.opt.Automation.Notify = []string{"no-such-program"}
	if err := a.notify(t.Context(), item); err == nil || !strings.Contains(err.Error(), "automation.notify") {
		t.Error(err)
	}
	a.opt.Automation.Notify = nil
	if err := a.notify(t.Context(), item); err != nil {
		t.Error(err)
	}
}
