package detectors_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/loop"
	"github.com/trimtab/trimtab/replay/detectors"
	"github.com/trimtab/trimtab/replay/record"
)

func TestWrite(t *testing.T) {
	results := []loop.Result{
		{Detector: "progress", Sessions: 2, Labelled: 1, Loops: 1, Found: 1, False: 1, Fires: []loop.Fire{{Session: "s\x1b1", Step: 4, Alarm: loop.Alarm{Why: "the same call"}, Hit: true}, {Session: "s1", Step: 9, Alarm: loop.Alarm{Why: "again"}}}},
		{Detector: "seed", Sessions: 2, Fires: []loop.Fire{{Session: "s2", Step: 7, Alarm: loop.Alarm{Why: "long"}}}},
	}
	var out strings.Builder
	if err := detectors.Write(&out, results); err != nil {
		t.Fatal(err)
	}
	want := `detector  sessions  alarms  loops  found  false  precision  recall  late
progress  2         2       1      1      1      0.50       1.00    0.0
seed      2         1       0      0      0      –          –       –
progress, step 4 of s␛1 (right): the same call
progress, step 9 of s1 (false): again
seed, step 7 of s2: long
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadLabels(t *testing.T) {
	dir := t.TempDir()
	put := func(text string) string {
		file := filepath.Join(dir, "labels.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	known, err := detectors.ReadLabels(put(`[{"session": "s1", "loops": [{"first": 2, "last": 5}]}, {"session": "s2"}]`))
	if err != nil || len(known) != 2 || len(known["s1"].Loops) != 1 {
		t.Errorf("%v, %v", known, err)
	}
	for text, want := range map[string]string{
		"{}":             "give a list such as",
		`[{"loops":[]}]`: "label 1 names no session",
	} {
		if _, err := detectors.ReadLabels(put(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := detectors.ReadLabels(filepath.Join(dir, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := os.Truncate(put("[]"), 16<<20+1); err != nil {
		t.Fatal(err)
	}
	if _, err := detectors.ReadLabels(filepath.Join(dir, "labels.json")); err == nil || !strings.Contains(err.Error(), "over the limit") {
		t.Error(err)
	}
}

// recorded is a session in which the same call fails again and again.
func recorded(calls int) record.Session {
	s := record.Session{Events: []trimtab.Event{trimtab.Said{Message: trimtab.Prompt("go")}, trimtab.Resumed{}}}
	for range calls {
		s.Events = append(s.Events,
			trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "c", Name: "read", Input: []byte(`{"path":"a"}`)}}}},
			trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "c", Text: "no such file", Failed: true}}}})
	}
	return s
}

func TestScoresAreAddedUp(t *testing.T) {
	known := map[string]*loop.Label{"s2": {Session: "s2", Loops: []loop.Span{{First: 1, Last: 40}}}}
	var sum []loop.Result
	fires := map[string]int{}
	for id, calls := range map[string]int{"s1": 1, "s2": 40} {
		next, err := detectors.Score(id, recorded(calls).All(), loop.All, known)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range next {
			fires[r.Detector] += len(r.Fires)
		}
		sum = detectors.Add(sum, next)
	}
	if len(sum) != len(loop.Names()) {
		t.Fatalf("%d results of %d detectors", len(sum), len(loop.Names()))
	}
	some := 0
	for _, r := range sum {
		some += r.Found
		if r.Sessions != 2 || r.Labelled != 1 || len(r.Fires) != fires[r.Detector] {
			t.Errorf("%+v; want 2 sessions, 1 labelled, %d alarms", r, fires[r.Detector])
		}
	}
	if some == 0 {
		t.Error("no detector found 40 equal calls")
	}
}

func TestNamed(t *testing.T) {
	all, err := detectors.Named("all")
	if err != nil || len(all()) != len(loop.Names()) {
		t.Fatal(err)
	}
	some, err := detectors.Named(loop.Names()[0] + " , " + loop.Names()[1])
	if err != nil || len(some()) != 2 || some()[1].Name() != loop.Names()[1] {
		t.Errorf("%v", err)
	}
	if _, err := detectors.Named("progres"); err == nil || !strings.Contains(err.Error(), "did you mean progress?") {
		t.Error(err)
	}
}
