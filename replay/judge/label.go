package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Labels is a file of labels. It holds no text of a session, so people can share it.
type Labels struct {
	Format   int             `json:"format"` // 1
	Corpus   string          `json:"corpus"`
	Source   string          `json:"source,omitempty"` // where the sessions can be had
	Read     string          `json:"read,omitempty"`   // when, and what the notes were made by
	Sessions []SessionLabels `json:"sessions"`
}

// SessionLabels is what a person says of one recorded session.
type SessionLabels struct {
	ID      string      `json:"session"`
	Steps   int         `json:"steps"` // replies of the model when it was labelled: one with fewer is another session
	Work    string      `json:"work,omitempty"`
	Notes   []NoteLabel `json:"notes"`
	Moments []Moment    `json:"moments"`
}

// Verdict is what a person thinks of a note.
type Verdict string

const (
	useful   Verdict = "useful"
	harmless Verdict = "harmless"
	annoying Verdict = "annoying"
	unknown  Verdict = "unlabelled"
)

// NoteLabel is a note that was given, and what a person thinks of it.
type NoteLabel struct {
	Step    int     `json:"step"` // replies of the model so far
	By      string  `json:"by"`
	Slot    string  `json:"slot,omitempty"`
	Kind    Kind    `json:"kind,omitempty"` // where By and Slot do not tell
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why,omitempty"`
}

// Moment is a step at which a good colleague would have spoken.
type Moment struct {
	Kind   Kind     `json:"kind"`
	Step   int      `json:"step"`             // the first step at which a word would have helped
	Last   int      `json:"last,omitempty"`   // the last one; 0 is Step
	Weight string   `json:"weight,omitempty"` // "clear", or "weak": a word there is right, its lack no fault
	Tags   []string `json:"tags,omitempty"`
	Why    string   `json:"why,omitempty"`
}

func (m Moment) clear() bool { return m.Weight != "weak" }

func (m Moment) end() int { return max(m.Step, m.Last) }

// maxLabels is the largest file of labels, in bytes.
const maxLabels = 16 << 20

// ReadLabels reads a file of labels, or all of a folder, by the id of the session.
func ReadLabels(path string) (map[string]*SessionLabels, error) {
	files := []string{path}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "*.json")); err != nil {
			return nil, err
		}
	}
	known := map[string]*SessionLabels{}
	for _, file := range files {
		if err := readFile(file, known); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return known, nil
}

// ReadIfThere reads a file of labels that a person may not have begun yet.
func ReadIfThere(file string) (map[string]*SessionLabels, error) {
	known, err := ReadLabels(file)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]*SessionLabels{}, nil
	}
	return known, err
}

// of reports whether the labels can be of a session with so many steps: it may have grown.
func (s *SessionLabels) of(steps int) bool { return s.Steps <= steps }

// verdict is what a person thinks of this very note; "" where they have not said.
func (s *SessionLabels) verdict(note Said) Verdict {
	if i := slices.IndexFunc(s.Notes, note.is); i >= 0 {
		return s.Notes[i].Verdict
	}
	return ""
}

func readFile(file string, known map[string]*SessionLabels) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if info.Size() > maxLabels {
		return fmt.Errorf("%d bytes, over the limit of %d", info.Size(), maxLabels)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var l Labels
	if err := json.Unmarshal(raw, &l); err != nil {
		return err
	}
	_, err = l.bySession(known)
	return err
}

// bySession checks labels and adds them to those that are known.
func (l Labels) bySession(known map[string]*SessionLabels) (map[string]*SessionLabels, error) {
	if l.Format != 1 {
		return nil, fmt.Errorf("format %d is not known", l.Format)
	}
	for _, s := range l.Sessions {
		if err := s.check(); err != nil {
			return nil, err
		}
		if known[s.ID] != nil {
			return nil, fmt.Errorf("session %s is labelled twice", s.ID)
		}
		known[s.ID] = &s
	}
	return known, nil
}

// check finds what a slip of the hand would leave.
func (s SessionLabels) check() error {
	if s.ID == "" {
		return errors.New("a session has no id")
	}
	for _, n := range s.Notes {
		if n.Step < 0 || n.Step > s.Steps || !slices.Contains([]Verdict{useful, harmless, annoying}, n.Verdict) {
			return fmt.Errorf("session %s, note at step %d: verdict %q, step beyond 0 to %d, or both wrong", s.ID, n.Step, n.Verdict, s.Steps)
		}
	}
	for _, m := range s.Moments {
		if m.Step < 0 || m.end() > s.Steps || !slices.Contains(momentKinds, m.Kind) || !slices.Contains([]string{"", "clear", "weak"}, m.Weight) {
			return fmt.Errorf("session %s, moment at step %d: kind %q, weight %q or a step beyond %d is wrong", s.ID, m.Step, m.Kind, m.Weight, s.Steps)
		}
	}
	return nil
}
