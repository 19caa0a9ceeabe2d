package report_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/report"
	"github.com/trimtab/trimtab/improve/worker"
)

// golden compares what a function writes with a file. TRIMTABTEST_UPDATE=1 writes
// the file instead.
func golden(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name)
	if os.Getenv("TRIMTABTEST_UPDATE") != "" {
		if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

var now = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func TestReflection_Golden(t *testing.T) {
	since := now.AddDate(0, 0, -7)
	second := merged(1234, "exit status 1: no such file")
	second.Type, second.Severity, second.Sessions = improve.RepeatedTool, improve.Medium, 1
	r := improve.Reflection{
		At: now, Since: &since, Results: []improve.SessionResult{{}, {}, {}, {}}, Hosts: map[string]int{"claude": 2, "codex": 1}, Agents: 1,
		Merged:  []improve.Merged{merged(7, "permission denied while reading the configuration of the build, once more"), second, merged(2, "third")},
		Damaged: 2, Lines: []improve.DamagedLine{{File: "/home/a/two.jsonl", Line: 3, Why: "no JSON"}}, Ours: 1, Foreign: 3, Unread: []string{"x"},
		Metrics:  improve.Metrics{TotalMessages: 12345, ToolUses: 1},
		Earliest: since, Latest: now,
	}
	layout := report.Layout{Top: 2, Width: 60, Zone: time.UTC}
	golden(t, "reflection.txt", func(w io.Writer) error { return layout.Text(w, r) })
	golden(t, "reflection.md", func(w io.Writer) error { return layout.Markdown(w, r) })
	layout.Colour = true
	golden(t, "reflection.colour.txt", func(w io.Writer) error { return layout.Text(w, r) })
	nothing := improve.Reflection{Since: &since, Looked: []string{"/home/a/.claude/projects", "/home/a/.codex/sessions"}}
	golden(t, "nothing.txt", func(w io.Writer) error { return layout.Text(w, nothing) })
}

// someItem is a request in the middle of its work.
func someItem() improve.Item {
	it := improve.Item{
		ID: "workflow_20261115_101500_k3x9", Fingerprint: "74fab9b2ddbe5d90", Project: "/home/a/mill", State: improve.Running, Why: "approved", Attempt: 2,
		Sessions: []string{"one", "two"}, Until: now.Add(time.Minute), Updated: now,
		Evidence: []improve.Evidence{
			{Number: 1, Step: "clarify", Began: now.Add(-time.Hour), Ended: now.Add(-time.Hour + 1500*time.Millisecond), Facts: map[string]string{"title": "Read\x1b[31m once", "sha256": "not shown"}, Files: []string{"clarify.md"}},
			{Number: 2, Step: "issue", Began: now.Add(-time.Hour), Ended: now.Add(-time.Hour + 20*time.Millisecond), Facts: map[string]string{"url": "https://forge.example/a/mill/issues/7", "number": "7"}},
			{Number: 3, Step: "branch", Began: now.Add(-time.Minute), Ended: now, Error: "the remote\nrefused it"},
			{Number: 4, Step: "plan", Began: now},
		},
	}
	it.Request.Title, it.Request.Type, it.Request.Complexity, it.Request.Priority = "The same error keeps coming back", "bugfix", "simple", "high"
	it.Request.MaxLines, it.Request.MaxComponents = 200, 3
	it.Request.Pattern = improve.Pattern{Type: improve.ErrorPatterns, Severity: improve.High, Count: 7, Suggestion: "read the file first"}
	return it
}

func TestItem_Golden(t *testing.T) {
	it := someItem()
	golden(t, "item.txt", func(w io.Writer) error { return report.Item(w, it, "/data/improve/k3x9", now) })
	waiting := it
	waiting.State, waiting.Evidence, waiting.Why = improve.Awaiting, nil, ""
	golden(t, "waiting.txt", func(w io.Writer) error { return report.Item(w, waiting, "", now) })
	cancelled := it
	cancelled.Cancel = true
	golden(t, "list.txt", func(w io.Writer) error { return report.List(w, []improve.Item{it, waiting, cancelled}, now) })
	golden(t, "outcome.txt", func(w io.Writer) error {
		ended := it
		ended.State, ended.Why = improve.Failed, "step 3: the remote refused it"
		return errors.Join(report.Outcome(w, it, now), report.Outcome(w, ended, now))
	})
}

// full is a writer that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

func TestAnAnswerThatIsNotWrittenIsAnError(t *testing.T) {
	it := someItem()
	for name, err := range map[string]error{
		"item": report.Item(full{}, it, "", now), "list": report.List(full{}, []improve.Item{it}, now), "outcome": report.Outcome(full{}, it, now),
		"text": report.Layout{Width: 80, Zone: time.UTC}.Text(full{}, improve.Reflection{}), "json": report.JSON(full{}, improve.Reflection{}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestBoard_Golden(t *testing.T) {
	it := someItem()
	at := func(seconds int) time.Time { return now.Add(time.Duration(seconds) * time.Second) }
	events := []worker.Event{
		{Item: it.ID, State: "running", At: at(0)},
		{Item: it.ID, Number: 1, State: "began", At: at(0)},
		{Item: it.ID, State: "says", Text: "reads\x1b[2J the files", At: at(1)},
		{Item: it.ID, Number: 1, State: "done", Text: "clear", At: at(2)},
		{Item: it.ID, Number: 2, State: "began", At: at(2)},
		{Item: it.ID, Number: 2, State: "failed", Text: "refused", At: at(70)},
		{Item: it.ID, Number: 99, State: "began", At: at(70)}, // of a newer worker: passed over
		{Item: it.ID, Number: 3, State: "began", At: at(71)},
	}
	for name, live := range map[string]bool{"board.txt": false, "board.live.txt": true} {
		// In a bubble time stands still, so that no tick draws in between.
		synctest.Test(t, func(t *testing.T) {
			golden(t, name, func(w io.Writer) error {
				b := report.NewBoard(report.BoardOptions{Out: w, Live: live, Columns: func() int { return 60 }, Now: func() time.Time { return at(75) }}, []improve.Item{it})
				for _, e := range events {
					b.Show(e)
				}
				b.Close()
				b.Close() // again is no error
				return nil
			})
		})
	}
}

func merged(count int, text string) improve.Merged {
	m := improve.Merged{Sessions: 2, Last: time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)}
	m.Type, m.Severity, m.Count, m.Score = improve.ErrorPatterns, improve.High, count, 120
	m.Suggestion, m.Context = "do "+text, improve.Context{"about": text}
	m.Samples = []improve.Sample{{Session: "s", Message: "m", Excerpt: text}}
	return m
}

func TestTheReportFitsAnyWidthAndObeysNothingInIt(t *testing.T) {
	evil := "\x1b[31mred\x1b[0m `code` | <b> # " + strings.Repeat("long words ", 20) + strings.Repeat("x", 10)
	r := improve.Reflection{Results: []improve.SessionResult{{}}, Hosts: map[string]int{"claude": 1}, Merged: []improve.Merged{merged(7, evil)}, Damaged: 2, Lines: []improve.DamagedLine{{File: evil, Line: 3, Why: "x"}}}
	for _, width := range []int{30, 40, 80, 120} {
		var b bytes.Buffer
		if err := (report.Layout{Width: width, Zone: time.UTC}).Text(&b, r); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width || strings.ContainsRune(line, 0x1b) {
				t.Errorf("width %d: %d columns: %q", width, n, line)
			}
		}
	}
	var plain, painted, doc bytes.Buffer
	if err := errors.Join((report.Layout{Width: 80, Zone: time.UTC}).Text(&plain, r), (report.Layout{Width: 80, Zone: time.UTC, Colour: true}).Text(&painted, r), (report.Layout{Zone: time.UTC}).Markdown(&doc, r)); err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsRune(plain.Bytes(), 0x1b) || !bytes.Contains(painted.Bytes(), []byte("\x1b[31mHIGH\x1b[0m")) || bytes.Contains(painted.Bytes(), []byte("\x1b[31mred")) {
		t.Errorf("plain:\n%s\npainted:\n%q", plain.String(), painted.String())
	}
	for line := range strings.Lines(doc.String()) {
		if strings.Count(line, "`")%2 != 0 || strings.Contains(line, "<b>") && !strings.Contains(line, "`") {
			t.Errorf("markdown: %q", line)
		}
	}
}

// TestWorkWhoseWorkerIsGoneIsNotSaidToBeAtWork: nothing happens to it until somebody
// begins, so a person must be told.
func TestWorkWhoseWorkerIsGoneIsNotSaidToBeAtWork(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	it := improve.Item{ID: "workflow_20261115_101500_k3x9", State: improve.Running, Until: now.Add(time.Second), Evidence: []improve.Evidence{
		{Number: 1, Step: "clarify", Began: now.Add(-time.Hour), Ended: now.Add(-time.Hour)}, {Number: 2, Step: "issue", Began: now.Add(-time.Hour)},
	}}
	for _, c := range []struct {
		until    time.Time
		has, not []string
	}{
		{now.Add(time.Second), []string{"running 2/13", "at work"}, []string{"abandoned", "improve run"}},
		{now, []string{"abandoned 2/13", "no sign of life since", "trimtab improve run goes on at the same step", " 2 issue             left"}, []string{"at work", "running"}},
	} {
		var out bytes.Buffer
		it.Until = c.until
		if err := report.Item(&out, it, "papers", now); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.has {
			if !strings.Contains(out.String(), want) {
				t.Errorf("it does not say %q:\n%s", want, &out)
			}
		}
		for _, no := range c.not {
			if strings.Contains(out.String(), no) {
				t.Errorf("it says %q:\n%s", no, &out)
			}
		}
	}
}

func TestPreview_SaysWhatIsStillMissing(t *testing.T) {
	var b strings.Builder
	if err := report.Preview(&b, []improve.Outgoing{{Kind: "issue", Title: "Read it once", Body: "Why.", Labels: []string{"a", "b"}, Exact: true}, {Kind: "pull request", Title: "x", Body: "y"}}); err != nil {
		t.Fatal(err)
	}
	want := "== issue: Read it once\nlabels: a, b\n\nWhy.\n\n== pull request: x\n\ny\n(what the work itself will tell is still missing here)\n\n"
	if b.String() != want {
		t.Errorf("%q", b.String())
	}
}
