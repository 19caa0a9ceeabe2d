package loop_test

import (
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/loop"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/claude"
)

// Short sessions that were recorded from a real host hold no loop, and no rule but
// the loosest sees one.
func TestNoLoopIsSeenInRecordedSessions(t *testing.T) {
	files, err := filepath.Glob("../transcript/claude/testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded sessions: %v", err)
	}
	var sessions []loop.Recorded
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		sessions = append(sessions, loop.Recorded{ID: filepath.Base(file), Messages: recorded(f), Label: &loop.Label{}})
	}
	results, err := loop.Score(loop.All, slices.Values(sessions))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range results[0].Fires {
		t.Errorf("%s, step %d: %s", f.Session, f.Step, f.Why)
	}
}

func recorded(r io.Reader) iter.Seq2[trimtab.Message, error] {
	return func(yield func(trimtab.Message, error) bool) {
		for item, err := range claude.Read(r, transcript.Options{Side: true}) {
			if !yield(item.Message, err) {
				return
			}
		}
	}
}
