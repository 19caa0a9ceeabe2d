// Package export turns a session into a document (JSON, Markdown or HTML) and a
// JSON document back into a session. It opens no store and no file.
//
// The JSON is the contract that other programs read: project, sessionId,
// modelId, title, createdAt, updatedAt, messages with role, content and origin,
// and modeState. Reminders that live one turn are in no document. What a later
// import needs to go on exactly where the session stood is under "trimtab".
//
// What leaves is redacted by Redacted first. Markdown and JSON are safe to print on a
// terminal.
//
//	doc, err := export.FromArchive(ctx, store, session) // or New, of what is at hand
//	doc, err = doc.Redacted(redact)
//	err = doc.WriteJSON(w) // or WriteMarkdown, WriteHTML
//	…
//	doc, err = export.Read(r, export.MaxSize)
package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// MaxSize is the largest document that Read takes, unless told otherwise.
const MaxSize = 256 << 20

// Document is a session as other programs see it.
type Document struct {
	trimtab.Info
	Messages  []trimtab.Message `json:"messages"`
	ModeState ModeState         `json:"modeState"`
	Automata  *AutomataState    `json:"automataState,omitempty"`
	Trimtab   *State            `json:"trimtab,omitempty"`
}

// ModeState is the mode of the session, and no flag.
type ModeState struct {
	Mode    string `json:"mode"`
	Damaged string `json:"-"` // why it could not be read; the mode is then normal
}

// UnmarshalJSON never fails: a state that cannot be read must not cost the messages.
func (m *ModeState) UnmarshalJSON(raw []byte) error {
	var in struct {
		Mode *string `json:"mode"`
	}
	*m = ModeState{Mode: "normal"}
	switch err := json.Unmarshal(raw, &in); {
	case err != nil:
		m.Damaged = "it is no object whose mode is a text"
	case in.Mode != nil && *in.Mode != "":
		m.Mode = *in.Mode
	}
	return nil
}

// AutomataState is the state of the reflection, by the names of the contract.
type AutomataState struct {
	Enabled        bool `json:"automataEnabled"`
	LastAutomata   int  `json:"lastAutomataTurn"`
	LastReflection int  `json:"lastReflectionTurn"`
}

// UnmarshalJSON never fails, as that of ModeState: what cannot be read is off.
func (a *AutomataState) UnmarshalJSON(raw []byte) error {
	type plain AutomataState
	var in plain
	if json.Unmarshal(raw, &in) != nil {
		in = plain{}
	}
	*a = AutomataState(in)
	return nil
}

// State is what an import needs beyond the contract.
type State struct {
	Format  int             `json:"format"`
	Session trimtab.Session `json:"session"`
	Journal []trimtab.Entry `json:"journal,omitempty"`
}

const format = 1

// FromArchive makes a document of a session that is stored.
func FromArchive(ctx context.Context, a trimtab.Archive, s trimtab.Session) (Document, error) {
	var history []trimtab.Message
	for m, err := range a.Messages(ctx, s.ID, 0) {
		if err != nil {
			return Document{}, err
		}
		history = append(history, m)
	}
	var journal []trimtab.Entry
	for e, err := range a.Journal(ctx, s.ID, 0) {
		if err != nil {
			return Document{}, err
		}
		journal = append(journal, e)
	}
	return New(s, history, journal)
}

// New makes a document of a session, its whole history and its journal.
func New(s trimtab.Session, history []trimtab.Message, journal []trimtab.Entry) (Document, error) {
	d := Document{Info: s.Info, Messages: s.Record(history), ModeState: ModeState{Mode: "normal"}}
	if d.Messages == nil {
		d.Messages = []trimtab.Message{}
	}
	if err := recall(s, "mode", &d.ModeState); err != nil {
		return d, err
	}
	if err := recall(s, "automata", &d.Automata); err != nil {
		return d, err
	}
	var kept []trimtab.Note
	for _, n := range s.Notes {
		if n.Seated() && n.Life == trimtab.Kept {
			kept = append(kept, n)
		}
	}
	s.Notes, s.Version = kept, 0
	d.Trimtab = &State{Format: format, Session: s, Journal: withoutCopies(journal)}
	return d, nil
}

func recall(s trimtab.Session, name string, into any) error {
	raw, err := s.Memory(name)
	if err != nil || len(raw) == 0 {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("memory of %s: %w", name, err)
	}
	return nil
}

// WriteJSON writes the document in the form of the contract. What a terminal would obey
// is written as an escape of JSON, which reads back as it was.
func (d Document) WriteJSON(w io.Writer) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(d); err != nil {
		return err
	}
	_, err := w.Write(escapeRisky(b.Bytes()))
	return err
}

// escapeRisky writes the characters of a JSON text that a terminal obeys, or that
// deceive the eye, as escapes. All of them stand in strings.
func escapeRisky(raw []byte) []byte {
	var out []byte
	last := 0
	for i := 0; i < len(raw); {
		if raw[i] < utf8.RuneSelf && raw[i] != 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(raw[i:])
		if termsafe.Risky(r) {
			out = append(out, raw[last:i]...)
			for _, half := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, "\\u%04x", half)
			}
			last = i + n
		}
		i += n
	}
	if last == 0 {
		return raw
	}
	return append(out, raw[last:]...)
}

// Read reads a document that is at most limit bytes long. Text without an author
// is a person's in the messages of a user, and the model's in its replies.
func Read(r io.Reader, limit int64) (Document, error) {
	raw, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return Document{}, err
	}
	if int64(len(raw)) > limit {
		return Document{}, fmt.Errorf("%w: the document is over %d bytes", trimtab.ErrTooLarge, limit)
	}
	var d Document
	var plain bytes.Buffer // without the white space for people, so that tool inputs are what they were
	if err := json.Compact(&plain, raw); err != nil {
		return Document{}, fmt.Errorf("%w: not a session document: %w", trimtab.ErrDamaged, located(raw, err))
	}
	if err := json.Unmarshal(plain.Bytes(), &d); err != nil {
		return Document{}, fmt.Errorf("%w: not a session document: %w", trimtab.ErrDamaged, located(raw, json.Unmarshal(raw, &Document{})))
	}
	if d.Messages == nil {
		return Document{}, fmt.Errorf("%w: not a session document: it has no messages", trimtab.ErrDamaged)
	}
	if d.Trimtab != nil && d.Trimtab.Format > format {
		return Document{}, fmt.Errorf("the document is of format %d, and this trimtab reads up to %d: use a newer one", d.Trimtab.Format, format)
	}
	for i, m := range d.Messages {
		if d.Trimtab == nil {
			m = known(m)
		}
		d.Messages[i] = attributed(m)
	}
	return d, nil
}

// located adds the line to a JSON error that knows its offset.
func located(raw []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(-1)
	if errors.As(err, &syntax) {
		offset = syntax.Offset
	} else if errors.As(err, &kind) {
		offset = kind.Offset
	}
	if offset < 0 || offset > int64(len(raw)) {
		return err
	}
	return fmt.Errorf("line %d: %w", 1+bytes.Count(raw[:offset], []byte("\n")), err)
}

func attributed(m trimtab.Message) trimtab.Message {
	by := map[trimtab.Role]trimtab.Author{trimtab.RoleUser: trimtab.Person, trimtab.RoleAssistant: trimtab.Model, trimtab.RoleTool: trimtab.Tool}[m.Role]
	if m.From != "" {
		by = trimtab.Ours
	}
	for i, p := range m.Parts {
		if t, ok := p.(trimtab.Text); ok && t.By == "" {
			t.By = by
			m.Parts[i] = t
		}
	}
	return m
}

// Session returns the session and history that the document holds, where it
// holds one of ours: ok is false for a document that must be told anew, message
// by message.
func (d Document) Session() (s trimtab.Session, history []trimtab.Message, ok bool) {
	if d.Trimtab == nil {
		return s, nil, false
	}
	s = d.Trimtab.Session
	s.Info = d.Info
	for _, m := range d.Messages {
		if m.ID != "" { // notes of ours have none; they are in the session
			history = append(history, m)
		}
	}
	if len(history) != s.Seq {
		return s, nil, false // edited by hand: tell it anew
	}
	return s, history, true
}

// withoutCopies leaves out where copies of notes were sent: they are for the provider's
// sake, and have the text of notes that belong into no export.
func withoutCopies(journal []trimtab.Entry) []trimtab.Entry {
	copied := func(c trimtab.Change) bool { return c.Kind == trimtab.Copied }
	journal = slices.Clone(journal)
	for i, e := range journal {
		if slices.ContainsFunc(e.Changes, copied) {
			journal[i].Changes = slices.DeleteFunc(slices.Clone(e.Changes), copied)
		}
	}
	return journal
}
