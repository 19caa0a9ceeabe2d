package loop_test

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/loop"
)

// every fires at the replies that say "loop".
type every struct{}

func (every) Name() string { return "every" }

func (every) See(n int, m trimtab.Message) (int, *loop.Alarm) {
	if m.Role == trimtab.RoleAssistant && strings.Contains(m.Text(), "loop") {
		return n, &loop.Alarm{By: "every", Kind: loop.SameWords, Level: loop.Stop, Times: 1, Why: m.Text()}
	}
	return n, nil
}

func replies(texts ...string) iter.Seq2[trimtab.Message, error] {
	list := []trimtab.Message{trimtab.Prompt("begin")}
	for _, t := range texts {
		note := trimtab.Message{Role: trimtab.RoleAssistant, From: "todo", Parts: []trimtab.Part{trimtab.Text{Text: "ours"}}} // no step
		list = append(list, note, trimtab.Say(trimtab.RoleAssistant, trimtab.Model, t))
	}
	return messages(list...)
}

func TestD3_AScoreCountsLoopsFoundAndFalseAlarms(t *testing.T) {
	fresh := func() []loop.Detector { return []loop.Detector{loop.Start(every{})} }
	sessions := []loop.Recorded{
		{ID: "found", Messages: replies("a", "loop", "b", "loop"), Label: &loop.Label{Loops: []loop.Span{{First: 1, Last: 4}}}},
		{ID: "early", Messages: replies("loop", "b", "c"), Label: &loop.Label{Loops: []loop.Span{{First: 2}}}},
		{ID: "late", Messages: replies("a", "b", "c", "loop"), Label: &loop.Label{Loops: []loop.Span{{First: 1, Last: 2}}}},
		{ID: "just after", Messages: replies("a", "b", "loop"), Label: &loop.Label{Loops: []loop.Span{{First: 1, Last: 2}}}},
		{ID: "two loops", Messages: replies("loop", "b", "c", "d", "loop"), Label: &loop.Label{Loops: []loop.Span{{First: 1, Last: 2}, {First: 4}}}},
		{ID: "none", Messages: replies("loop", "loop"), Label: &loop.Label{}},
		{ID: "quiet", Messages: replies("a"), Label: &loop.Label{}},
		{ID: "unlabelled", Messages: replies("a", "b", "loop")},
	}
	results, err := loop.Score(fresh, slices.Values(sessions))
	if err != nil {
		t.Fatal(err)
	}
	r := results[0]
	var fires []string
	for _, f := range r.Fires {
		fires = append(fires, f.Session+map[bool]string{true: " hit", false: ""}[f.Hit]+map[bool]string{true: " twice", false: ""}[f.Twice])
	}
	want := []string{"found hit", "found hit twice", "early", "late", "just after hit", "two loops hit", "two loops hit", "none", "none", "unlabelled"}
	if d := cmp.Diff(want, fires); d != "" {
		t.Errorf("alarms (- want, + got):\n%s", d)
	}
	r.Fires = nil
	if d := cmp.Diff(loop.Result{Detector: "every", Sessions: 8, Labelled: 7, Loops: 6, Found: 4, False: 4, Spoiled: 1}, r); d != "" {
		t.Errorf("score (- want, + got):\n%s", d)
	}
	precision, _ := r.Precision()
	recall, _ := r.Recall()
	if precision != 0.5 || recall != 4.0/6 {
		t.Errorf("precision %v, recall %v", precision, recall)
	}
	r = results[0]
	if late, ok := r.Late(); !ok || late != (1+2+0+1)/4.0 {
		t.Errorf("late by %v", late)
	}
	if _, known := (loop.Result{}).Precision(); known {
		t.Error("a detector that said nothing has a precision")
	}
}

func TestBadLabelsAndUnreadableSessionsEndTheScore(t *testing.T) {
	fresh := func() []loop.Detector { return []loop.Detector{loop.Start(every{})} }
	torn := func(yield func(trimtab.Message, error) bool) { yield(trimtab.Message{}, trimtab.ErrDamaged) }
	for _, s := range []loop.Recorded{
		{ID: "bad", Messages: replies("a"), Label: &loop.Label{Loops: []loop.Span{{First: 0}}}},
		{ID: "bad", Messages: replies("a"), Label: &loop.Label{Loops: []loop.Span{{First: 5, Last: 4}}}},
		{ID: "bad", Messages: torn},
	} {
		if _, err := loop.Score(fresh, slices.Values([]loop.Recorded{s})); err == nil || !strings.Contains(err.Error(), "session bad") {
			t.Errorf("%+v: %v", s.Label, err)
		}
	}
}

func TestDetectorsAreFoundByName(t *testing.T) {
	want := []string{"progress", "seed", "opencode", "roo", "cline", "gemini", "crush", "openhands"}
	if d := cmp.Diff(want, loop.Names()); d != "" {
		t.Errorf("names (- want, + got):\n%s", d)
	}
	all, err := loop.Named("seed", "all")
	if err != nil || len(all) != len(want) {
		t.Errorf("all: %d detectors, %v", len(all), err)
	}
	two, err := loop.Named("crush", "seed")
	if err != nil || len(two) != 2 || two[0].Name() != "crush" {
		t.Errorf("two: %v, %v", two, err)
	}
	if _, err := loop.Named("nobody"); !errors.Is(err, trimtab.ErrNotFound) || !strings.Contains(err.Error(), "openhands") {
		t.Errorf("nobody: %v", err)
	}
}
