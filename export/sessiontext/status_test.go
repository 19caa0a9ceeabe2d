package sessiontext_test

import (
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/sessiontext"
)

func TestStatus_TellsEveryNoteAndWhereItStands(t *testing.T) {
	s := trimtab.Session{Info: trimtab.Info{ID: "s1", Title: "Fix it", Host: "claude"}, Step: 4, Made: 1, Meter: trimtab.Meter{Bytes: 4000, Added: 12, Lost: 3}}
	status := []trimtab.Status{{By: "mode", Text: "mode PLANNING"}, {By: "stop", Text: "stop"}}
	text := func() string {
		var b strings.Builder
		if err := sessiontext.Status(&b, s, status); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if want := "s1  Fix it\n  agent    claude, model ?\n  step     4, about 1000 tokens\n  mode     PLANNING\n  stop     on\n  price    12 tokens of notes so far, 3 of cached prefix given up\n  notes    none are live\n"; text() != want {
		t.Errorf("%q", text())
	}
	seat := trimtab.Seat{Ref: trimtab.Ref{ID: "m7", Seq: 7}}
	after := seat
	after.After = true
	for _, n := range []trimtab.Note{{Slot: "a"}, {Slot: "b", Seat: seat, Fixed: true}, {Slot: "c", Seat: after}, {Slot: "d", Seat: after, Fixed: true, Stale: true}} {
		n.By, n.Life, n.Why = "todo", trimtab.Once, "because"
		s.Notes = append(s.Notes, n)
	}
	for _, want := range []string{"note     todo/a, waits for the next request, once: because\n", "note     todo/b, before m7, once", "note     todo/c, rides behind the newest message, once", "history  todo/d, after m7, over: because"} {
		if !strings.Contains(text(), want) {
			t.Errorf("no %q in:\n%s", want, text())
		}
	}
	if got, want := sessiontext.StatusLine(s, status), "trimtab · mode PLANNING · stop · 1 note, 12 tokens"; got != want {
		t.Errorf("%q", got)
	}
	if got := sessiontext.StatusLine(trimtab.Session{}, nil); got != "trimtab" {
		t.Errorf("%q", got)
	}
}
