package judge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/replay/record"
)

// played plays sessions through an intervention that speaks at the steps given, with the
// story that a walk shows.
func played(t *testing.T, dir string, steps ...int) []Played {
	t.Helper()
	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(guard{slot: "loop", steps: steps}))
	if err != nil {
		t.Fatal(err)
	}
	corpora, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	all, warnings, err := corpora[0].Play(t.Context(), Options{Read: record.Sessions, Engine: engine, Kinds: ownKinds, Story: true})
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	return all
}

func opened(t *testing.T, file string) *Book {
	t.Helper()
	b, err := OpenBook(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// Each key is on the disk before the next: a walk that is ended anywhere, or killed,
// goes on with the first note that has no verdict.
func TestJ13_AWalkIsSavedWithEveryKeyAndResumes(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "deep", "labels.json")
	recorded(t, dir, "s1", "pccccccccd")
	recorded(t, dir, "s2", "pccccccccd")
	sessions := played(t, dir, 3, 6)
	book := opened(t, file)
	w := NewWalk(sessions, book)
	if v := w.View(80, 30); !strings.Contains(v, "session 1 of 2  s1") || !strings.Contains(v, "step 3 of 9") || !strings.Contains(v, "stop that") || !strings.Contains(v, "ls c3") {
		t.Fatalf("the first note is not on the screen:\n%s", v)
	}
	if strings.Contains(w.View(80, 30), "ls c4") {
		t.Error("the screen tells what the model did not know when the note was given")
	}
	for _, key := range []string{"u", "h"} {
		if w.Key(key) {
			t.Fatal("ended")
		}
	}
	known, err := ReadLabels(file) // as after a kill: nobody closed the book
	if err != nil || len(known["s1"].Notes) != 2 || known["s1"].Notes[0].Verdict != useful || known["s1"].Notes[1].Verdict != harmless {
		t.Fatalf("%+v, %v", known["s1"], err)
	}
	if !w.Key("ctrl+c") {
		t.Error("ctrl-c does not end the walk")
	}
	book.Close()
	again := NewWalk(sessions, opened(t, file))
	if v := again.View(80, 30); !strings.Contains(v, "session 2 of 2  s2") || !strings.Contains(v, "4 notes, 2 judged") {
		t.Errorf("it does not go on where it was left:\n%s", v)
	}
}

func TestJ13_WhatWasMissingIsMarkedAtAnyStep(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "labels.json")
	recorded(t, dir, "s1", "pccccccccd")
	w := NewWalk(played(t, dir), opened(t, file))
	if !strings.Contains(w.View(100, 30), "no note would be given") {
		t.Errorf("%s", w.View(100, 30))
	}
	for _, key := range []string{"a", "j", "j", "m", "l", "m", "z", "j", "m", "f"} {
		w.Key(key)
	}
	known, err := ReadLabels(file)
	if err != nil || len(known["s1"].Notes) != 0 || len(known["s1"].Moments) != 2 || known["s1"].Moments[0].Kind != loops || known["s1"].Moments[0].Step != 2 || known["s1"].Moments[1].Kind != unproved || known["s1"].Moments[1].Step != 3 {
		t.Fatalf("%+v, %v", known["s1"], err)
	}
	w.Key("m")
	if !strings.Contains(w.View(100, 30), "f unproved finish") {
		t.Error("it does not say which keys mark what")
	}
	w.Key("f") // the same again takes it back
	if known, _ = ReadLabels(file); len(known["s1"].Moments) != 1 {
		t.Errorf("%+v", known["s1"])
	}
}

// A file of labels is shared; a session is not.
func TestJ13_LabelsHoldNoTextOfASession(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "labels.json")
	recorded(t, dir, "s1", "pccccccccd")
	w := NewWalk(played(t, dir, 3), opened(t, file))
	for _, key := range []string{"u", "m", "l"} {
		w.Key(key)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"do it", "ls c", "file c", "stop that", "again", "It is so"} {
		if strings.Contains(string(raw), text) {
			t.Errorf("%q is in the labels:\n%s", text, raw)
		}
	}
}

func TestJ13_ABookLosesNothingThatItDoesNotKnow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "labels.json")
	for name, text := range map[string]string{"a field of another version": `{"format": 1, "sessions": [], "reader": "me"}`, "damage": `{"format": 1,`, "another format": `{"format": 2, "sessions": []}`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if b, err := OpenBook(file); err == nil {
			b.Close()
			t.Errorf("%s: opened, and would be written over", name)
		}
	}
	if err := os.WriteFile(file, []byte(`{"format": 1, "corpus": "mine", "sessions": [{"session": "x", "steps": 4, "work": "fix", "notes": [], "moments": [{"kind": "loop", "step": 2, "weight": "weak", "tags": ["a"], "why": "b"}]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	book := opened(t, file)
	if _, err := OpenBook(file); err == nil || !strings.Contains(err.Error(), "another trimtab judge") {
		t.Errorf("two write one file: %v", err)
	}
	if err := book.judge(Played{ID: "y", Steps: 3}, Said{Step: 1, By: "todo", Slot: "reminder", Kind: "todo"}, useful); err != nil {
		t.Fatal(err)
	}
	if err := book.judge(Played{ID: "x", Steps: 3}, Said{Step: 1, By: "todo", Kind: "todo"}, useful); err == nil {
		t.Error("another session under the same id took the labels over")
	}
	if err := book.judge(Played{ID: "x", Steps: 5}, Said{Step: 1, By: "todo", Kind: "todo"}, useful); err != nil {
		t.Errorf("a session that has grown keeps no label: %v", err)
	}
	raw, _ := os.ReadFile(file)
	for _, want := range []string{`"corpus": "mine"`, `"work": "fix"`, `"weak"`, `"why": "b"`, `"session": "y"`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%s was lost:\n%s", want, raw)
		}
	}
}

// Every width and height gives a screen without a line that is too long, whatever the
// session holds.
func TestJ13_TheScreenFits(t *testing.T) {
	dir := t.TempDir()
	recorded(t, dir, "s1", "pccccccccd")
	sessions := played(t, dir, 3)
	sessions[0].story[2] = []string{"person  " + strings.Repeat("漢字かな", 80), "agent   " + strings.Repeat("x", 500), "result  \x1b[2Jgone"}
	w := NewWalk(sessions, opened(t, filepath.Join(t.TempDir(), "l.json")))
	for _, size := range [][2]int{{40, 12}, {80, 24}, {200, 60}, {1, 1}} {
		v := w.View(size[0], size[1])
		if strings.Contains(v, "\x1b") {
			t.Error("a session's text reaches the terminal as it is")
		}
		for line := range strings.Lines(v) {
			if fits(strings.TrimRight(line, "\n"), max(40, size[0])) < len(strings.TrimRight(line, "\n")) {
				t.Errorf("%v: too long: %q", size, line)
			}
		}
	}
}

// An agent that is sent on at its stop is judged without what the person wrote then.
func TestJ13_AFinishIsJudgedWithoutWhatCameAfter(t *testing.T) {
	dir := t.TempDir()
	recorded(t, dir, "s1", "pccdpcd")
	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(stopper{}))
	if err != nil {
		t.Fatal(err)
	}
	corpora, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := corpora[0].Play(t.Context(), Options{Read: record.Sessions, Engine: engine, Kinds: ownKinds, Story: true})
	if err != nil {
		t.Fatal(err)
	}
	w := NewWalk(all, opened(t, filepath.Join(t.TempDir(), "l.json")))
	if v := w.View(100, 60); strings.Count(v, "do it") != 2 || !strings.Contains(v, "unproved finish") { // the title and the first prompt
		t.Errorf("%s", v)
	}
}
