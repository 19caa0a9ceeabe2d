package trimtab

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Session is all that steering knows of a conversation. It does not hold the
// history: it stays small however long the conversation grows. It is a value;
// Step returns a new one and leaves the old one as it was.
type Session struct {
	Info
	Version int        `json:"version,omitempty"` // one more with each saved change; kept by the store
	Seq     int        `json:"seq"`               // messages so far
	Step    int        `json:"step"`              // replies of the model so far; never goes back
	Last    Seat       `json:"last,omitzero"`     // the newest message; Offset is where it ends
	Via     Via        `json:"via,omitempty"`     // who told it
	Prompt  Seat       `json:"prompt,omitzero"`   // the newest prompt; Offset is where it begins
	Vouched bool       `json:"vouched,omitempty"` // and what is a person's in it was vouched for; else its shape decided
	Split   bool       `json:"split,omitempty"`   // the prompt came between a tool call and its result, or holds one
	Replied int        `json:"replied,omitempty"` // the number of the newest reply
	Travel  Travel     `json:"travel,omitempty"`  // of the notes in the newest request
	Open    []ToolCall `json:"open,omitempty"`    //
	Todos   []Todo     `json:"todos,omitempty"`   //
	Notes   []Note     `json:"notes,omitempty"`   // in the order of their seats
	Made    int        `json:"made,omitempty"`    // notes so far
	Folds   []Folded   `json:"folds,omitempty"`   //
	Heed    []Heed     `json:"heed,omitempty"`    //
	Spoken  []Spoken   `json:"spoken,omitempty"`  // notes that nobody asked for, in the last steps
	Meter   Meter      `json:"meter"`

	memory []Memory
}

// Info says who a session is.
type Info struct {
	ID      string    `json:"sessionId"`
	Host    string    `json:"host,omitempty"`    // the agent: "trimtab", "claude", …
	User    string    `json:"user,omitempty"`    // whose it is; "" where nobody was named
	Project string    `json:"project,omitempty"` // the folder it works in
	Repo    string    `json:"repo,omitempty"`    // the repository there, the same for every clone: github.com/ann/soundings//sub/folder
	Model   string    `json:"modelId,omitempty"`
	Title   string    `json:"title,omitempty"`  // from the person's first words
	Parent  string    `json:"parent,omitempty"` // for a sub-agent: the session that started it
	Created time.Time `json:"createdAt"`
	Updated time.Time `json:"updatedAt"`
}

// OwnHost is the Host of the sessions of our own chat.
const OwnHost = "trimtab"

// Folded is a run of messages that the model sees as one summary.
type Folded struct {
	By string `json:"by"`
	Fold
}

// Heed counts how often the notes of a slot went unheeded in a row.
type Heed struct {
	By     string `json:"by"`
	Slot   string `json:"slot"`
	Step   int    `json:"step,omitempty"` // of the newest
	Missed int    `json:"missed"`
	Muted  bool   `json:"muted,omitempty"`
}

// NewSession returns a session in which nothing was said.
func NewSession(id string, now time.Time) Session {
	return Session{Info: Info{ID: id, Created: now, Updated: now}}
}

// Memory returns what the named intervention remembers, as JSON.
func (s Session) Memory(name string) (json.RawMessage, error) {
	return s.recall(name).JSON()
}

// WithMemory returns the session with another memory for the named intervention.
func (s Session) WithMemory(name string, raw json.RawMessage) Session {
	s.memory = append(slices.DeleteFunc(slices.Clone(s.memory), func(m Memory) bool { return m.Name == name }), Memory{Name: name, raw: raw})
	return s
}

// Anchors returns the ids of the messages that seats and folds depend on. A
// surface whose host owns the history looks for them and reports the missing
// ones in Rewritten.
func (s Session) Anchors() []string {
	var ids []string
	add := func(r Ref) {
		if r.ID != "" && !slices.Contains(ids, r.ID) {
			ids = append(ids, r.ID)
		}
	}
	for _, n := range s.Notes {
		add(n.Seat.Ref)
		add(n.Target.Ref)
	}
	for _, f := range s.Folds {
		add(f.First)
		add(f.Last)
	}
	add(s.Prompt.Ref)
	return ids
}

// View returns what the model should see: the history with our notes at their
// seats and folded runs as their summaries. Notes that share a seat are one
// message with a part each, in lineup order.
//
// A note finds its seat by the id of a message. A message that was said without an
// id got one from the engine (Last.ID, right after its Said); View knows it by its
// place as long as the history holds every message that was said. A note whose
// message is not there is left out, and Unplaced lists it.
func (s Session) View(history []Message) []Message {
	return s.compose(history, func(n Note) bool { return n.Seated() && !n.Hosted })
}

// Record returns what belongs in a transcript or export: the whole history with
// the notes that became part of it, and no other.
func (s Session) Record(history []Message) []Message {
	s.Folds = nil
	return s.compose(history, func(n Note) bool { return n.Seated() && n.Life == Kept })
}

// Unplaced returns the notes that View leaves out because the history lacks the
// message they sit at: it was said under another id, or dropped and the engine was
// not told by Rewritten.
func (s Session) Unplaced(history []Message) []Note {
	history = s.named(history)
	return slices.DeleteFunc(slices.Clone(s.Notes), func(n Note) bool {
		return !n.Seated() || slices.ContainsFunc(history, func(m Message) bool { return m.ID == n.Seat.ID })
	})
}

// named gives messages without an id the one that the engine gave them. In a
// history that lacks messages the place of one says nothing, and a wrong id could
// put a note between a tool call and its result: there they stay without.
func (s Session) named(history []Message) []Message {
	first := slices.IndexFunc(history, func(m Message) bool { return m.ID == "" })
	whole := len(history) == s.Seq && (s.Prompt.Seq < 1 || history[s.Prompt.Seq-1].IsPrompt())
	if first < 0 || !whole {
		return history
	}
	history = slices.Clone(history)
	for i := first; i < len(history); i++ {
		if history[i].ID == "" {
			history[i].ID = MessageID(i + 1)
		}
	}
	return history
}

func (s Session) compose(history []Message, shown func(Note) bool) []Message {
	history = s.named(history)
	before, after := map[string][]Note{}, map[string][]Note{}
	for _, n := range s.Notes {
		switch {
		case !shown(n):
		case n.Seat.After:
			after[n.Seat.ID] = append(after[n.Seat.ID], n)
		default:
			before[n.Seat.ID] = append(before[n.Seat.ID], n)
		}
	}
	hidden, summary := s.folds(history)
	out := make([]Message, 0, len(history)+len(before)+len(after))
	for i, m := range history {
		if text, ok := summary[i]; ok {
			out = append(out, text)
		}
		if i < len(hidden) && hidden[i] {
			continue
		}
		out = append(append(append(out, merged(before[m.ID])...), m), merged(after[m.ID])...)
	}
	return out
}

// folds finds which messages are folded away and where their summaries stand. A
// fold that would part a tool call from its result is left open.
func (s Session) folds(history []Message) (hidden []bool, summary map[int]Message) {
	if len(s.Folds) == 0 {
		return nil, nil
	}
	at := make(map[string]int, len(history))
	for i, m := range history {
		at[m.ID] = i
	}
	hidden, summary = make([]bool, len(history)), map[int]Message{}
	for _, f := range s.Folds { // a later fold may hold an earlier one
		first, ok1 := at[f.First.ID]
		last, ok2 := at[f.Last.ID]
		if !ok1 || !ok2 || last < first || !whole(history[first:last+1]) {
			continue
		}
		for i := first; i <= last; i++ {
			hidden[i] = true
			delete(summary, i)
		}
		summary[first] = Note{By: f.By, Text: f.Text}.Message()
	}
	return hidden, summary
}

// whole reports whether every tool call in the run is answered in it, and every
// answer asked for.
func whole(run []Message) bool {
	open := map[string]bool{}
	for _, m := range run {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case ToolCall:
				open[p.ID] = true
			case ToolResult:
				if !open[p.ID] {
					return false
				}
				delete(open, p.ID)
			}
		}
	}
	return len(open) == 0
}

// merged makes one message of the notes at a seat.
func merged(notes []Note) []Message {
	if len(notes) == 0 {
		return nil
	}
	m := notes[0].Message()
	for _, n := range notes[1:] {
		m.Parts = append(m.Parts, n.Message().Parts...)
		m.From += "+" + n.By
	}
	return []Message{m}
}

// title makes a session's title from a person's words.
func title(text string) string {
	for line := range strings.Lines(Clip(text, 4096)) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			if short := Clip(line, 60); short != line {
				return strings.TrimSpace(short) + "…"
			}
			return line
		}
	}
	return ""
}
