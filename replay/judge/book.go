package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/trimtab/trimtab/internal/atomicfile"
	"github.com/trimtab/trimtab/internal/filelock"
)

// Book is a file of labels that one person writes at a time. Each change is on the disk
// before the next key is read, so whatever ends the program loses nothing.
type Book struct {
	path   string
	labels Labels
	unlock func()
}

// OpenBook opens a file of labels, or begins one. Two at once would write over each
// other, so the second is refused.
func OpenBook(path string) (*Book, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	unlock, err := filelock.Try(path + ".lock")
	if err != nil {
		if errors.Is(err, filelock.ErrLocked) {
			err = fmt.Errorf("%s is being written by another trimtab judge; end that one, or give --to another file (%w)", path, err)
		}
		return nil, err
	}
	b := &Book{path: path, labels: Labels{Format: 1, Sessions: []SessionLabels{}}, unlock: unlock}
	raw, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return b, nil
	case err == nil:
		err = b.read(raw)
	}
	if err != nil {
		unlock()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// read takes a file over. A field that this version does not know would be lost with the
// first label, so such a file is refused.
func (b *Book) read(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	var l Labels
	if err := d.Decode(&l); err != nil {
		return err
	}
	if _, err := l.bySession(map[string]*SessionLabels{}); err != nil {
		return err
	}
	b.labels = l
	return nil
}

// Close lets others write the file.
func (b *Book) Close() { b.unlock() }

// Path is where the labels are.
func (b *Book) Path() string { return b.path }

// Known are the labels by session.
func (b *Book) Known() map[string]*SessionLabels {
	known := map[string]*SessionLabels{}
	for i := range b.labels.Sessions {
		known[b.labels.Sessions[i].ID] = &b.labels.Sessions[i]
	}
	return known
}

// change changes the labels of a session and saves them. A session may have grown since it
// was labelled; one under the same id with fewer steps is another one, whose labels stay as
// they are.
func (b *Book) change(p Played, change func(*SessionLabels)) error {
	i := slices.IndexFunc(b.labels.Sessions, func(s SessionLabels) bool { return s.ID == p.ID })
	if i < 0 {
		i = len(b.labels.Sessions)
		b.labels.Sessions = append(b.labels.Sessions, SessionLabels{ID: p.ID, Steps: p.Steps, Notes: []NoteLabel{}, Moments: []Moment{}})
	}
	s := &b.labels.Sessions[i]
	if !s.of(p.Steps) {
		return fmt.Errorf("session %s had %d steps when it was labelled and has %d now; give --to another file", p.ID, s.Steps, p.Steps)
	}
	s.Steps = p.Steps
	change(s)
	raw, err := json.MarshalIndent(b.labels, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(b.path, append(raw, '\n'), 0o600)
}

// verdict is what a person thinks of a note; "" where they have not said.
func (b *Book) verdict(p Played, s Said) Verdict {
	if l := b.of(p); l != nil {
		return l.verdict(s)
	}
	return ""
}

// of are the labels of a session.
func (b *Book) of(p Played) *SessionLabels {
	for i := range b.labels.Sessions {
		if s := &b.labels.Sessions[i]; s.ID == p.ID && s.of(p.Steps) {
			return s
		}
	}
	return nil
}

// is reports whether a label is about this very note.
func (s Said) is(n NoteLabel) bool {
	return n.Step == s.Step && n.By == s.By && n.Slot == s.Slot && n.kind() == s.Kind
}

// label is the label that says so of a note. Its text and its reason quote the session
// and stay out.
func (s Said) label(v Verdict) NoteLabel {
	n := NoteLabel{Step: s.Step, By: s.By, Slot: s.Slot, Verdict: v}
	if n.kind() != s.Kind {
		n.Kind = s.Kind
	}
	return n
}

// judge keeps a verdict; "" takes it back.
func (b *Book) judge(p Played, s Said, v Verdict) error {
	return b.change(p, func(l *SessionLabels) {
		l.Notes = slices.DeleteFunc(l.Notes, s.is)
		if v != "" {
			l.Notes = append(l.Notes, s.label(v))
		}
		slices.SortStableFunc(l.Notes, func(a, b NoteLabel) int { return a.Step - b.Step })
	})
}

// mark keeps a moment at which somebody should have spoken, or takes it back where there
// is one of this kind already.
func (b *Book) mark(p Played, step int, k Kind) (kept bool, err error) {
	err = b.change(p, func(l *SessionLabels) {
		n := len(l.Moments)
		l.Moments = slices.DeleteFunc(l.Moments, func(m Moment) bool { return m.Kind == k && m.Step <= step && step <= m.end() })
		if kept = len(l.Moments) == n; kept {
			l.Moments = append(l.Moments, Moment{Kind: k, Step: step, Weight: "clear"})
		}
		slices.SortStableFunc(l.Moments, func(a, b Moment) int { return a.Step - b.Step })
	})
	return kept, err
}

// moments are those that a person marked at a step.
func (b *Book) moments(p Played, step int) (kinds []Kind) {
	if l := b.of(p); l != nil {
		for _, m := range l.Moments {
			if m.Step <= step && step <= m.end() {
				kinds = append(kinds, m.Kind)
			}
		}
	}
	return kinds
}
