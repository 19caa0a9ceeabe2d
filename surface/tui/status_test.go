package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/sessiontext"
)

// What lives is told apart from what merely stands in the history.
func TestH3_WhatLivesAndWhatStands(t *testing.T) {
	at := trimtab.Seat{Ref: trimtab.Ref{ID: "m5", Seq: 5}, After: true}
	s := trimtab.Session{Notes: []trimtab.Note{
		{By: "mode", Slot: "entry", Life: trimtab.Kept, Seat: trimtab.Seat{Ref: trimtab.Ref{ID: "m1", Seq: 1}}, Fixed: true, Why: "first prompt"},
		{By: "todo", Slot: "reminder", Life: trimtab.Standing, Seat: at, Fixed: true, Stale: true, Why: "8 steps"},
		{By: "todo", Slot: "reminder", Life: trimtab.Standing, Seat: at, Fixed: true, Why: "12 steps"},
		{By: "automata", Slot: "reflection", Life: trimtab.Standing, Seat: at, Why: "every 8 steps"},
		{By: "frame", Slot: "context", Life: trimtab.Standing, Why: "a frame began"},
	}}
	want := []trimtab.Status{
		{By: "note", Text: "todo/reminder, after m5, standing: 12 steps"},
		{By: "note", Text: "automata/reflection, rides behind the newest message, standing: every 8 steps"},
		{By: "note", Text: "frame/context, waits for the next request, standing: a frame began"},
		{By: "history", Text: "mode/entry, before m1, kept: first prompt"},
		{By: "history", Text: "todo/reminder, after m5, over: 8 steps"},
	}
	if diff := cmp.Diff(want, sessiontext.NoteRows(s)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	s.Notes = s.Notes[:2]
	if got := sessiontext.NoteRows(s); len(got) != 3 || got[0] != (trimtab.Status{By: "notes", Text: "none are live"}) {
		t.Errorf("rows %v", got)
	}
}
