package hookcmd

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/surface/hook"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// TestSeed002_29_WhatIsTriggeredIsLeftForTheStopToTell, and noted in the seed's form
// (002-33).
func TestSeed002_29_WhatIsTriggeredIsLeftForTheStopToTell(t *testing.T) {
	data, folder := t.TempDir(), t.TempDir()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	if err := (hook.ReflectRequest{Session: "claude:s1", Host: "claude", Project: folder, At: now}).Leave(data, 1); err != nil {
		t.Fatal(err)
	}
	ReflectStopped(t.Context(), data, folder, func() time.Time { return now }, func(context.Context, improve.StoppedSession) (id, why string, err error) {
		return "workflow_1", string(improve.Queued), nil
	})
	raw, err := os.ReadFile(filepath.Join(spool.Folder(data), "decisions"))
	if want := `"decision":"continue","reason":"automation_triggered","instructions":"Starting automated improvement workflow workflow_1. `; err != nil || !strings.Contains(string(raw), want) || !strings.Contains(string(raw), `"workflow_id":"workflow_1"`) {
		t.Errorf("%s, %v", raw, err)
	}
	take := func() (hook.Outcome, bool) { return hook.TakeOutcome(data, "claude:s1") }
	ended, never := make(chan struct{}), make(chan struct{})
	close(ended)
	if d := awaitOutcome(t.Context(), 0, ended, take); d.Workflow != "" {
		t.Errorf("nobody waits, and there is %+v", d)
	}
	if d := awaitOutcome(t.Context(), time.Hour, ended, take); d.Workflow != "workflow_1" || d.Reason != hook.Automated {
		t.Errorf("%+v", d)
	}
	if d := awaitOutcome(t.Context(), time.Hour, ended, take); d.Workflow != "" {
		t.Errorf("a second time: %+v", d)
	}
	if d := awaitOutcome(t.Context(), time.Nanosecond, never, take); d.Workflow != "" { // 002-87: nobody waits for long
		t.Errorf("%+v", d)
	}
}
