package sessiontext

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// Status writes what steers a session: status is what the interventions have to show,
// and each note that stands is told with its place and reason.
func Status(w io.Writer, s trimtab.Session, status []trimtab.Status) error {
	p := termsafe.NewPrinter(w)
	p.Printf("%s  %s\n", s.ID, s.Title)
	p.Printf("  agent    %s, model %s\n", cmp.Or(s.Host, "?"), cmp.Or(s.Model, "?"))
	p.Printf("  step     %d, about %d tokens\n", s.Step, s.Meter.Tokens(s.Meter.Bytes))
	if how := Prompts(s); how != "" {
		p.Printf("  prompts  %s\n", promptWords[how])
	}
	for _, st := range status {
		p.Printf("  %-8s %s\n", st.By, StatusRow(st))
	}
	p.Printf("  price    %d tokens of notes so far, %d of cached prefix given up\n", s.Meter.Added, s.Meter.Lost)
	for _, st := range NoteRows(s) {
		p.Printf("  %-8s %s\n", st.By, st.Text)
	}
	return p.Err()
}

// promptWords say how it is known what was typed.
var promptWords = map[string]string{
	"own": "typed here", "vouched": "vouched for by the host's hook", "shape": "known by their shape; no hook of the host vouches for them",
}

// Prompts is how it is known that a person typed the prompts of a session: "own" in our own
// chat, "vouched" where the host's prompt hook says so, else "shape"; "" before the first.
func Prompts(s trimtab.Session) string {
	switch {
	case s.Prompt.Seq == 0:
		return ""
	case s.Host == trimtab.OwnHost:
		return "own"
	case s.Vouched:
		return "vouched"
	}
	return "shape"
}

// NoteRows are the rows of a table for the notes of a session: what lives and says
// something to the model, and what merely stands in the history that it reads.
func NoteRows(s trimtab.Session) []trimtab.Status {
	var live, history []trimtab.Status
	for _, n := range s.Notes {
		where := "waits for the next request"
		if n.Seated() {
			where = "before " + n.Seat.ID
			if n.Seat.After {
				where = "after " + n.Seat.ID
			}
		}
		switch {
		case n.Stale:
			history = append(history, trimtab.Status{By: "history", Text: fmt.Sprintf("%s/%s, %s, over: %s", n.By, n.Slot, where, n.Why)})
		case !n.Live():
			history = append(history, trimtab.Status{By: "history", Text: fmt.Sprintf("%s/%s, %s, %s: %s", n.By, n.Slot, where, n.Life, n.Why)})
		default:
			if n.Seated() && !n.Fixed {
				where = "rides behind the newest message"
			}
			live = append(live, trimtab.Status{By: "note", Text: fmt.Sprintf("%s/%s, %s, %s: %s", n.By, n.Slot, where, n.Life, n.Why)})
		}
	}
	if len(live) == 0 {
		live = []trimtab.Status{{By: "notes", Text: "none are live"}}
	}
	return append(live, history...)
}

// StatusRow is an intervention's word for a table whose rows are named after who says
// it.
func StatusRow(st trimtab.Status) string {
	if st.Text == st.By {
		return "on"
	}
	return strings.TrimPrefix(st.Text, st.By+" ")
}

// StatusLine is what steers a session in one line, for a status line. More are words that
// end it: what waits, and how it is changed.
func StatusLine(s trimtab.Session, status []trimtab.Status, more ...string) string {
	words := []string{"trimtab"}
	for _, st := range status {
		words = append(words, st.Text)
	}
	if s.Meter.Added > 0 {
		words = append(words, plural.Count(s.Made, "note")+", "+plural.Count(s.Meter.Added, "token"))
	}
	return strings.Join(append(words, more...), " · ")
}

// Report is the status of a session for programs.
type Report struct {
	trimtab.Info
	Step   int              `json:"step"`
	By     string           `json:"prompts,omitempty"` // how it is known what was typed
	Status []trimtab.Status `json:"status"`
	Notes  []trimtab.Note   `json:"notes"`   // that live
	Past   []trimtab.Note   `json:"history"` // that merely stand in the history
	Tokens int              `json:"tokens"`
	Added  int              `json:"added"`
	Lost   int              `json:"lost"`
}

// ForPrograms is the status of a session for programs.
func ForPrograms(s trimtab.Session, status []trimtab.Status) Report {
	r := Report{s.Info, s.Step, Prompts(s), append([]trimtab.Status{}, status...), []trimtab.Note{}, []trimtab.Note{}, s.Meter.Tokens(s.Meter.Bytes), s.Meter.Added, s.Meter.Lost}
	for _, n := range s.Notes {
		if n.Live() {
			r.Notes = append(r.Notes, n)
		} else {
			r.Past = append(r.Past, n)
		}
	}
	return r
}

// Brief writes what steers a session for somebody who watches it: as Status does, with
// the notes counted and the newest of them told with its reason.
func Brief(w io.Writer, s trimtab.Session, status []trimtab.Status) error {
	p := termsafe.NewPrinter(w)
	p.Printf("%s  %s\n", s.ID, s.Title)
	p.Printf("  agent    %s, model %s\n", cmp.Or(s.Host, "?"), cmp.Or(s.Model, "?"))
	p.Printf("  step     %d, about %d tokens\n", s.Step, s.Meter.Tokens(s.Meter.Bytes))
	for _, st := range status {
		p.Printf("  %-8s %s\n", st.By, StatusRow(st))
	}
	live, last := 0, trimtab.Note{}
	for _, n := range s.Notes {
		if n.Live() {
			live++
		}
		if n.ID >= last.ID {
			last = n
		}
	}
	p.Printf("  notes    %d live, %d in the history; %s, %s so far\n", live, len(s.Notes)-live, plural.Count(s.Made, "note"), plural.Count(s.Meter.Added, "token"))
	if last.By != "" {
		p.Printf("  last     %s/%s: %s\n", last.By, last.Slot, last.Why)
	}
	return p.Err()
}

// Line writes one line.
func Line(w io.Writer, text string) error {
	p := termsafe.NewPrinter(w)
	p.Printf("%s\n", text)
	return p.Err()
}
