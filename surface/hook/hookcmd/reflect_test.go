package hookcmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/surface/hook"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

func TestReflectStopped_NotesWhatCameOfEachSession(t *testing.T) {
	data, folder := t.TempDir(), t.TempDir()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	for i, id := range []string{"claude:good", "claude:quiet", "claude:broken"} {
		if err := (hook.ReflectRequest{Session: id, Host: "claude", Project: folder, At: now}).Leave(data, i+1); err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	back := func(_ context.Context, s improve.StoppedSession) (id, why string, err error) {
		asked++
		switch s.Session {
		case "claude:good":
			return "workflow_1", "awaiting_approval", nil
		case "claude:broken":
			return "", "", errors.New("its file is gone")
		}
		return "", "nothing came back", nil
	}
	for range 2 { // the second time nothing is left
		ReflectStopped(t.Context(), data, folder, func() time.Time { return now }, back)
	}
	if asked != 3 {
		t.Errorf("%d sessions were looked back at", asked)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(spool.Folder(data), name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	decisions := read("decisions")
	if strings.Count(decisions, "\n") != 2 || !strings.Contains(decisions, "workflow_1") || !strings.Contains(decisions, "nothing came back") || strings.Contains(decisions, "broken") {
		t.Errorf("the decisions:\n%s", decisions)
	}
	if log := read("log"); !strings.Contains(log, "its file is gone") {
		t.Errorf("the log:\n%s", log)
	}
}
