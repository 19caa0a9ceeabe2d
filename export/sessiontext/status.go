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

// StatusLine is what steers a session in one line, for a status line.
func StatusLine(s trimtab.Session, status []trimtab.Status) string {
	words := []string{"trimtab"}
	for _, st := range status {
		words = append(words, st.Text)
	}
	if s.Meter.Added > 0 {
		words = append(words, plural.Count(s.Made, "note")+", "+plural.Count(s.Meter.Added, "token"))
	}
	return strings.Join(words, " · ")
}
