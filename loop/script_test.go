package loop_test

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/loop"
	"github.com/trimtab/trimtab/trimtabtest"
)

// watcher is an intervention that does nothing but say what our rule finds. Its
// memory is the rule's, so that a script can store and load it.
type watcher struct {
	rule  loop.Progress
	heard *[]trimtab.Message // everything that was said, for the other detectors
}

func (watcher) Name() string { return "loop" }

func (w watcher) Steer(t trimtab.Turn, memory loop.ProgressMemory) (loop.ProgressMemory, []trimtab.Action) {
	ev, ok := t.Event.(trimtab.Said)
	if !ok {
		return memory, nil
	}
	*w.heard = append(*w.heard, ev.Message)
	memory, alarm := w.rule.See(memory, ev.Message)
	if alarm == nil {
		return memory, nil
	}
	return memory, []trimtab.Action{trimtab.Notify{Text: fmt.Sprintf("step %d, %s: %s", t.Step, alarm.Kind, alarm.Why)}}
}

func build(t testing.TB, heard *[]trimtab.Message) trimtabtest.Build {
	t.Helper()
	rule, err := loop.NewProgress(loop.ProgressConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return func([]byte) (*trimtab.Engine, error) {
		return trimtab.New(trimtab.Config{}, trimtab.Use(watcher{rule, heard}))
	}
}

func TestD3_OursOnLabelledSessions(t *testing.T) {
	trimtabtest.Run(t, "testdata/*.session", build(t, new([]trimtab.Message)))
}

// labelled reads the scripts as recorded sessions with their labels.
func labelled(t testing.TB) iter.Seq[loop.Recorded] {
	t.Helper()
	files, err := filepath.Glob("testdata/*.session")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	return func(yield func(loop.Recorded) bool) {
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var heard []trimtab.Message
			if _, err := trimtabtest.Play(string(text), build(t, &heard)); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			id := strings.TrimSuffix(filepath.Base(file), ".session")
			if !yield(loop.Recorded{ID: id, Messages: messages(heard...), Label: label(t, string(text))}) {
				return
			}
		}
	}
}

// label reads the line "# label: none" or "# label: loop from 3".
func label(t testing.TB, script string) *loop.Label {
	t.Helper()
	for line := range strings.Lines(script) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "# label: ")
		if !ok {
			continue
		}
		if rest == "none" {
			return &loop.Label{}
		}
		var first int
		if _, err := fmt.Sscanf(rest, "loop from %d", &first); err == nil {
			return &loop.Label{Loops: []loop.Span{{First: first}}}
		}
	}
	t.Fatalf("no label in %q", script[:min(len(script), 80)])
	return nil
}

func messages(list ...trimtab.Message) iter.Seq2[trimtab.Message, error] {
	return func(yield func(trimtab.Message, error) bool) {
		for _, m := range list {
			if !yield(m, nil) {
				return
			}
		}
	}
}

func TestD3_OursFindsEveryLabelledLoopAndNothingElse(t *testing.T) {
	results, err := loop.Score(loop.All, labelled(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		precision, _ := r.Precision()
		recall, _ := r.Recall()
		late, _ := r.Late()
		t.Logf("%-10s found %2d of %d, false %d, precision %.2f, recall %.2f, late %.1f", r.Detector, r.Found, r.Loops, r.False, precision, recall, late)
		if r.Detector == "progress" && (r.Found != r.Loops || r.False != 0) {
			t.Errorf("ours found %d of %d loops, with %d false alarms; all, and none", r.Found, r.Loops, r.False)
		}
		if r.Detector != "progress" && r.Found >= results[0].Found {
			t.Errorf("%s found %d loops, ours %d; the scripts no longer tell them apart", r.Detector, r.Found, results[0].Found)
		}
	}
}
