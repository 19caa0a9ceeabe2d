package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

// one reads a file that holds one session.
func one(t *testing.T, file string) session {
	t.Helper()
	all, err := read(t.Context(), file)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d sessions, %v", len(all), err)
	}
	return all[0]
}

func TestTranscriptsOfAllHostsAreRead(t *testing.T) {
	for _, host := range []string{"claude", "codex", "gemini", "qwen", "pi"} {
		s := one(t, "../../transcript/"+host+"/testdata/plain.jsonl")
		if r := play(ways(t)[0], s, free("marks"), 8000); r.Requests < 2 || r.Total() == 0 || s.info.Host != host {
			t.Errorf("%s: %+v of %+v", host, r, s.info)
		}
	}
	db := filepath.Join(t.TempDir(), "goose.db")
	transcripttest.Database(t, db, transcripttest.Load(t, "../../transcript/goose/testdata/plain.json"))
	if all, err := read(t.Context(), db); err != nil || len(all) != 3 || all[0].name == all[2].name {
		t.Errorf("%d sessions of a database, %v", len(all), err)
	}
}

func TestTranscriptsOfClaudeAreRead(t *testing.T) {
	s := one(t, "../../transcript/claude/testdata/terminal.jsonl")
	if r := play(ways(t)[1], s, free("marks"), 8000); r.Requests < 5 || r.Total() == 0 {
		t.Errorf("%+v", r)
	}
	s = one(t, "../../transcript/claude/testdata/compact.jsonl")
	rewritten := 0
	for _, ev := range s.events {
		if _, ok := ev.(trimtab.Rewritten); ok {
			rewritten++
		}
	}
	if rewritten == 0 {
		t.Error("the compaction was not seen")
	}
}

func TestExportsAreReadWithTheirCommands(t *testing.T) {
	engine := ways(t)[1].engine
	s := trimtab.NewSession("s", begin)
	var journal []trimtab.Entry
	var history []trimtab.Message
	made := plain(9)
	for _, ev := range append([]trimtab.Event{trimtab.Asked{Command: "mode", Args: []string{"planning"}}}, made.events...) {
		if said, ok := ev.(trimtab.Said); ok {
			said.Message.ID = trimtab.MessageID(s.Seq + 1)
			history = append(history, said.Message)
			ev = said
		}
		s, _ = engine.Step(s, ev, begin)
		journal = append(journal, trimtab.Entry{At: begin, Event: ev})
		if _, ok := ev.(trimtab.Said); ok {
			s, _ = engine.Step(s, trimtab.Calling{}, begin)
			journal = append(journal, trimtab.Entry{At: begin, Event: trimtab.Calling{}})
		}
	}
	doc, err := export.New(s, history, journal)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "s.json")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(doc.WriteJSON(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	got := one(t, file)
	if len(got.events) != len(made.events)+1 {
		t.Errorf("%d events, want %d and the command: requests and notes are made again", len(got.events), len(made.events))
	}
	if r := play(ways(t)[1], got, free("marks"), 8000); r.Notes < 2 {
		t.Errorf("%d notes; want the mode's and a reminder", r.Notes)
	}
}

func TestWhatIsNoSessionIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(file, []byte(`{"hello":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	err := command(context.Background(), []string{file}, io.Discard, &errs)
	if err == nil || !strings.Contains(errs.String(), "not a file of sessions that can be read") {
		t.Errorf("%v, %s", err, errs.String())
	}
	for _, args := range [][]string{{"-provider", "none"}, {"-life", "-1s"}, {"-system", "-1"}} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}

func TestTheTableSaysWhatIsMet(t *testing.T) {
	var out strings.Builder
	if err := command(t.Context(), []string{"-provider", "marks", "-own", "../../transcript/claude/testdata/terminal.jsonl"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Cache by marks", "| terminal.jsonl |", "| all |", "append: share read within 0.5 points: met", "tail: share read within 0.5 points: met", "a mark of its own"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}
