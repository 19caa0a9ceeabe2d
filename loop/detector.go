package loop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
)

// Kind says what sort of circle an alarm is about.
type Kind string

// The kinds.
const (
	SameCall   Kind = "same_call"   // one call over and over
	SameError  Kind = "same_error"  // one error, whatever is tried
	Cycle      Kind = "cycle"       // several calls in turn
	Failures   Kind = "failures"    // nothing succeeds
	Streak     Kind = "streak"      // one tool or kind of command fails, with no success in between
	Blind      Kind = "blind"       // a check is run of which nothing is seen
	Vain       Kind = "vain"        // look-ups that find nothing
	Rephrase   Kind = "rephrase"    // the same is asked in other words
	SameReport Kind = "same_report" // a person reports the same error again
	SameWords  Kind = "same_words"  // messages that say the same
	Monologue  Kind = "monologue"   // replies that nobody answers
	Chant      Kind = "chant"       // one reply that repeats itself
)

// Level says how sure a rule with two thresholds is.
type Level string

// The levels. A rule with one threshold stops.
const (
	Warn Level = "warn"
	Stop Level = "stop"
)

// Alarm is a loop that a rule has found.
type Alarm struct {
	By    string `json:"by"`
	Kind  Kind   `json:"kind"`
	Level Level  `json:"level"`
	Times int    `json:"times"` // how often it has happened
	Why   string `json:"why"`   // one line for a person

	Cause uint64 `json:"-"` // what it is about: the same tool or kind of command, the same words
}

// Rule is a detector without its memory. Memory is a value with a JSON form; its
// zero value begins a session. See never writes to the memory it was given.
type Rule[S any] interface {
	Name() string
	See(memory S, m trimtab.Message) (S, *Alarm)
}

// Detector watches one session. Its JSON form is its memory, and is bounded.
type Detector interface {
	Name() string
	See(m trimtab.Message) *Alarm
	json.Marshaler
	json.Unmarshaler
}

// Start puts a rule before a session of which it has seen nothing.
func Start[S any](rule Rule[S]) Detector { return &watch[S]{rule: rule} }

type watch[S any] struct {
	rule   Rule[S]
	memory S
}

func (w *watch[S]) Name() string { return w.rule.Name() }

func (w *watch[S]) See(m trimtab.Message) *Alarm {
	next, alarm := w.rule.See(w.memory, m)
	w.memory = next
	return alarm
}

func (w *watch[S]) MarshalJSON() ([]byte, error) { return json.Marshal(w.memory) }

// UnmarshalJSON takes a stored memory up. One that cannot be read leaves the
// detector as it was.
func (w *watch[S]) UnmarshalJSON(raw []byte) error {
	if len(raw) > maxMemory {
		return fmt.Errorf("memory of loop rule %s: %d bytes, at most %d: %w", w.rule.Name(), len(raw), maxMemory, trimtab.ErrTooLarge)
	}
	var next S
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&next); err != nil {
		return fmt.Errorf("memory of loop rule %s: %w", w.rule.Name(), err)
	}
	w.memory = next
	return nil
}

const maxMemory = 4 << 20 // far above what any rule writes

// All returns every detector with its default settings, ours first.
func All() []Detector {
	return []Detector{
		Start(defaultProgress()), Start(defaultSeed()),
		Start(Opencode()), Start(Roo()), Start(Cline()), Start(Gemini{}), Start(Crush{}), Start(OpenHands{}),
	}
}

// Names are the names of All.
func Names() []string {
	var names []string
	for _, d := range All() {
		names = append(names, d.Name())
	}
	return names
}

// Named returns the detectors of these names; "all" is every one.
func Named(names ...string) ([]Detector, error) {
	var out []Detector
	for _, name := range names {
		if name == "all" {
			return All(), nil
		}
		found := false
		for _, d := range All() {
			if d.Name() == name {
				out, found = append(out, d), true
			}
		}
		if !found {
			return nil, fmt.Errorf("detector %q: %w; give all or some of %s", trimtab.Clip(name, 60), trimtab.ErrNotFound, strings.Join(Names(), ", "))
		}
	}
	return out, nil
}

// ours reports whether a message is no part of what is judged.
func ours(m trimtab.Message) bool { return m.From != "" || m.Role == trimtab.RoleSystem }

// said returns what the model said in m and, if asked for, what a person did:
// never a tool's, the host's or our own words.
func said(m trimtab.Message, person bool) string {
	one, rest := "", []string(nil)
	for _, p := range m.Parts {
		t, ok := p.(trimtab.Text)
		if !ok || t.Text == "" {
			continue
		}
		model := t.By == trimtab.Model || t.By == "" && m.Role == trimtab.RoleAssistant
		if !model && (!person || t.By != trimtab.Person) {
			continue
		}
		if one == "" {
			one = t.Text
		} else {
			rest = append(rest, t.Text)
		}
	}
	if rest == nil {
		return one
	}
	return one + "\n" + strings.Join(rest, "\n")
}

// brief makes one line of at most n bytes for a person to read.
func brief(s string, n int) string {
	line := strings.Join(strings.Fields(trimtab.Clip(s, 4*n)), " ")
	line = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '`' {
			return -1
		}
		return r
	}, line)
	if short := trimtab.Clip(line, n); short != line {
		return strings.TrimSpace(short) + "…"
	}
	return line
}
