package judge

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/filelock"
)

// mostWhy is the longest reason that a label has, in bytes.
const mostWhy = 500

// Verdicts are what a person can think of a note, the best first.
func Verdicts() []Verdict { return []Verdict{useful, harmless, annoying} }

// NewLabel is what a person thinks of a note that was given, by who made it, where and why.
// The reason of the note quotes the session and tells only the kind; word is the person's own.
func NewLabel(step int, by, slot, why string, v Verdict, word string) (NoteLabel, error) {
	if v != "" && !slices.Contains(Verdicts(), v) {
		return NoteLabel{}, fmt.Errorf("verdict %q is not known; give useful, harmless or annoying", trimtab.Clip(string(v), 40))
	}
	l := Said{Step: step, By: by, Slot: slot, Kind: ownKinds.Of(by, slot, why)}.label(v)
	l.Why = trimtab.Clip(strings.Join(strings.Fields(word), " "), mostWhy)
	return l, nil
}

// About is what the note is about.
func (n NoteLabel) About() Kind { return n.kind() }

// Find is the label of the same note, if there is one.
func (s *SessionLabels) Find(n NoteLabel) (NoteLabel, bool) {
	if s == nil {
		return NoteLabel{}, false
	}
	i := slices.IndexFunc(s.Notes, n.same)
	if i < 0 {
		return NoteLabel{}, false
	}
	return s.Notes[i], true
}

func (n NoteLabel) same(o NoteLabel) bool {
	return n.Step == o.Step && n.By == o.By && n.Slot == o.Slot && n.kind() == o.kind()
}

// Keep puts a label into a file, in place of an older one for the same note; a label without
// a verdict takes the older one back. steps is how many the session has.
func Keep(file, session string, steps int, n NoteLabel) error {
	b, err := openWaiting(file)
	if err != nil {
		return err
	}
	defer b.Close()
	return b.change(Played{ID: session, Steps: max(steps, n.Step)}, func(l *SessionLabels) {
		l.Notes = slices.DeleteFunc(l.Notes, n.same)
		if n.Verdict != "" {
			l.Notes = append(l.Notes, n)
		}
		slices.SortStableFunc(l.Notes, func(a, b NoteLabel) int { return a.Step - b.Step })
	})
}

// openWaiting opens a file of labels that others write for a moment at a time.
func openWaiting(file string) (b *Book, err error) {
	for try := 0; ; try++ {
		if b, err = OpenBook(file); !errors.Is(err, filelock.ErrLocked) || try == 20 {
			return b, err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Precision is how often a kind of note was right, as far as people have said.
type Precision struct {
	Kind     Kind `json:"kind"`
	Useful   int  `json:"useful"`
	Harmless int  `json:"harmless"`
	Annoying int  `json:"annoying"`
}

// Judged is how many of the kind have a verdict.
func (p Precision) Judged() int { return p.Useful + p.Harmless + p.Annoying }

// Percent is the share of those that were useful.
func (p Precision) Percent() int { return 100 * p.Useful / max(1, p.Judged()) }

// ByKind counts labels, the kind with the most first.
func ByKind(known map[string]*SessionLabels) []Precision {
	rows := map[Kind]Precision{}
	for _, s := range known {
		for _, n := range s.Notes {
			r := rows[n.kind()]
			r.Kind = n.kind()
			r.Useful += one(n.Verdict == useful)
			r.Harmless += one(n.Verdict == harmless)
			r.Annoying += one(n.Verdict == annoying)
			rows[r.Kind] = r
		}
	}
	return slices.SortedFunc(maps.Values(rows), func(a, b Precision) int {
		return cmp.Or(cmp.Compare(b.Judged(), a.Judged()), cmp.Compare(a.Kind, b.Kind))
	})
}
