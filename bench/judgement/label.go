package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// labels is a file of labels. It holds no text of a session, so people can share it.
type labels struct {
	Format   int       `json:"format"` // 1
	Corpus   string    `json:"corpus"`
	Source   string    `json:"source,omitempty"` // where the sessions can be had
	Read     string    `json:"read,omitempty"`   // when, and what the notes were made by
	Sessions []session `json:"sessions"`
}

// session is what a person says of one recorded session.
type session struct {
	ID      string   `json:"session"`
	Steps   int      `json:"steps"` // replies of the model: another number is another session
	Work    string   `json:"work,omitempty"`
	Notes   []judged `json:"notes"`
	Moments []moment `json:"moments"`
}

// verdict is what a person thinks of a note.
type verdict string

const (
	useful   verdict = "useful"
	harmless verdict = "harmless"
	annoying verdict = "annoying"
	unknown  verdict = "unlabelled"
)

// judged is a note that was given, and what a person thinks of it.
type judged struct {
	Step    int     `json:"step"` // replies of the model so far
	By      string  `json:"by"`
	Slot    string  `json:"slot,omitempty"`
	Kind    kind    `json:"kind,omitempty"` // where By and Slot do not tell
	Verdict verdict `json:"verdict"`
	Why     string  `json:"why,omitempty"`
}

// moment is a step at which a good colleague would have spoken.
type moment struct {
	Kind   kind     `json:"kind"`
	Step   int      `json:"step"`             // the first step at which a word would have helped
	Last   int      `json:"last,omitempty"`   // the last one; 0 is Step
	Weight string   `json:"weight,omitempty"` // "clear", or "weak": a word there is right, its lack no fault
	Tags   []string `json:"tags,omitempty"`
	Why    string   `json:"why,omitempty"`
}

func (m moment) clear() bool { return m.Weight != "weak" }

func (m moment) end() int { return max(m.Step, m.Last) }

// maxLabels is the largest file of labels, in bytes.
const maxLabels = 16 << 20

// readLabels reads a file of labels, or all of a folder, by the id of the session.
func readLabels(path string) (map[string]*session, error) {
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
	known := map[string]*session{}
	for _, file := range files {
		if err := readFile(file, known); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return known, nil
}

func readFile(file string, known map[string]*session) error {
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
	var l labels
	if err := json.Unmarshal(raw, &l); err != nil {
		return err
	}
	if l.Format != 1 {
		return fmt.Errorf("format %d is not known", l.Format)
	}
	for _, s := range l.Sessions {
		if err := s.check(); err != nil {
			return err
		}
		if known[s.ID] != nil {
			return fmt.Errorf("session %s is labelled twice", s.ID)
		}
		known[s.ID] = &s
	}
	return nil
}

// check finds what a slip of the hand would leave.
func (s session) check() error {
	if s.ID == "" {
		return errors.New("a session has no id")
	}
	for _, n := range s.Notes {
		if n.Step < 0 || n.Step > s.Steps || !slices.Contains([]verdict{useful, harmless, annoying}, n.Verdict) {
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
