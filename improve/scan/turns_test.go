package scan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
)

// TestR21_TurnsAreReadAgainFromTheFilesOfAHost: by the ids that reflection gave, of several
// files at once and of the one that a stop names.
func TestR21_TurnsAreReadAgainFromTheFilesOfAHost(t *testing.T) {
	at, err := agents.SampleGuidance(t.Context(), t.TempDir(), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{Redact: strings.Clone})
	names := improve.Query{Names: []string{at.Transcript}}
	r, err := s.Reflect(t.Context(), names)
	if err != nil || len(r.Merged) == 0 || r.Merged[0].Type != improve.SaidNo || r.Merged[0].Sessions != 3 {
		t.Fatalf("%+v, %v", r.Merged, err)
	}
	turns, err := s.Turns(t.Context(), names, r.Merged[0].Pattern)
	if err != nil || len(turns) != 3 {
		t.Fatalf("%d turns, %v", len(turns), err)
	}
	for i, turn := range turns {
		if turn.Session != r.Merged[0].Samples[i].Session || turn.Call.About != "git push origin main" || turn.Reason == "" || turn.History[0].By != "person" {
			t.Errorf("%+v", turn)
		}
	}
	stopped := improve.StoppedSession{Session: "claude:of-the-store", Host: "claude", Project: at.Project, Transcript: filepath.Join(at.Transcript, "day-2.jsonl")}
	result, ok, err := s.ReflectOne(t.Context(), stopped)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	for _, p := range result.Faint {
		if p.Type != improve.SaidNo {
			continue
		}
		if turns, err := s.StoppedTurns(t.Context(), stopped, p); err != nil || len(turns) != 1 || turns[0].Session != "claude:of-the-store" {
			t.Errorf("%+v, %v", turns, err)
		}
		return
	}
	t.Errorf("%+v", result)
}
