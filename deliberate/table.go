package deliberate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/speech"
)

// Utterance is one message as the table hears it.
type Utterance struct {
	Seq   int            `json:"seq"` // its number in the session
	ID    string         `json:"id"`
	By    string         `json:"by"` // a persona's id, You, Researcher or Moderator
	Text  string         `json:"text"`
	Tags  []speech.Tag   `json:"tags,omitempty"`
	At    time.Time      `json:"at,omitzero"`
	Model string         `json:"model,omitempty"`
	Usage *trimtab.Usage `json:"usage,omitempty"`
}

// Has reports whether the message carries a tag.
func (u Utterance) Has(k speech.Kind) bool {
	return slices.ContainsFunc(u.Tags, func(t speech.Tag) bool { return t.Kind == k })
}

// Table is how the debate stands: what was said, proposed, asked and decided. It
// follows from the messages alone, so it is the same after a crash.
type Table struct {
	Cast      []Persona
	Said      []Utterance
	Proposals []*Proposal
	Requests  []*Request
	Meters    Meters

	Tokens  int // of all requests and replies so far
	Turns   int // replies of personas so far
	unknown int // replies whose provider counted nothing

	last   map[string]int // the index in Said of each speaker's newest
	turns  map[string]int // replies of each persona
	misses map[string]int // turns in a row that came to nothing
	drafts map[string]int // sections that were written, by their slug
	wrote  map[string]int // and by their author
	parts  []string       // the slugs of the document's sections
	words  vocabulary
}

// NewTable returns a table at which nothing was said. The parts are the criteria of
// which the document is made.
func NewTable(cast []Persona, parts []Criterion) *Table {
	t := &Table{Cast: cast, last: map[string]int{}, turns: map[string]int{}, misses: map[string]int{}, drafts: map[string]int{}, wrote: map[string]int{}}
	for _, c := range parts {
		if way(c) == bySection {
			t.parts = append(t.parts, c.slugs()...)
		}
	}
	return t
}

// Hear takes a message of the session.
func (t *Table) Hear(seq int, m trimtab.Message) Utterance {
	u := Utterance{Seq: seq, ID: m.ID, By: speaker(m), Text: m.Text(), At: m.At, Model: m.Model, Usage: m.Usage}
	if m.Usage != nil {
		t.Tokens += m.Usage.Context() + m.Usage.Output
	}
	switch u.By {
	case "":
		return u // of no concern here
	case Moderator:
		who, ok := missed(m)
		if !ok {
			return u
		}
		t.misses[who]++
		t.last[who] = len(t.Said)
	case Researcher:
		t.answer(u)
	default:
		t.hear(&u)
	}
	t.last[u.By] = len(t.Said)
	t.Said = append(t.Said, u)
	return u
}

// hear takes what a persona or the person said.
func (t *Table) hear(u *Utterance) {
	s := speech.Read(u.Text)
	u.Tags = s.Tags
	if u.By != You {
		t.Turns++
		t.turns[u.By]++
		t.misses[u.By] = 0
		if u.Usage == nil {
			t.unknown++
		}
	}
	newest := len(t.Proposals)
	for _, tag := range s.Tags {
		switch tag.Kind {
		case speech.Agreement, speech.Disagreement:
			t.stand(*u, tag, newest)
		}
	}
	for _, o := range s.Offers(func(slug string) bool { return slices.Contains(t.parts, slug) }) {
		t.propose(*u, o)
	}
	for _, ask := range s.Asked {
		if u.By != You || ask.Topic != "" {
			t.Requests = append(t.Requests, &Request{N: len(t.Requests) + 1, By: u.By, Seq: u.Seq, Topic: ask.Topic, Words: ask.Words, at: len(t.Said)})
		}
	}
	for _, sec := range s.Sections {
		if sec.Whole() {
			t.drafts[sec.Slug]++
			t.wrote[u.By]++
		}
	}
	t.words.take(u.By, u.Text)
	t.Meters.Vocabulary = t.words.measure()
}

// speaker is who said a message; "" is nobody at the table.
func speaker(m trimtab.Message) string {
	if m.From != "" {
		if m.From == Moderator {
			return Moderator
		}
		return ""
	}
	if m.IsPrompt() {
		return You
	}
	for _, p := range m.Parts {
		if t, ok := p.(trimtab.Text); ok && t.From != "" {
			switch {
			case t.By == trimtab.Tool && t.From == Researcher:
				return Researcher
			case t.By == trimtab.Model && t.From != Researcher && t.From != You:
				return t.From
			}
		}
	}
	return ""
}

// Request is something that somebody wants to know.
type Request struct {
	N      int    `json:"n"`
	By     string `json:"by"`
	Seq    int    `json:"seq"` // of the message that asks
	Topic  string `json:"topic"`
	Words  string `json:"words,omitempty"` // what was said behind the topic
	Answer string `json:"answer,omitempty"`
	At     int    `json:"at,omitempty"` // the message that answers; 0 is not yet
	Failed bool   `json:"failed,omitempty"`

	at int // index of the question in Said
}

// answer closes the oldest open request.
func (t *Table) answer(u Utterance) {
	if r := t.pending(); r != nil {
		r.Answer, r.At = u.Text, u.Seq
		r.Failed = strings.HasPrefix(u.Text, notDone)
	}
}

// pending is the oldest request without an answer, or nil.
func (t *Table) pending() *Request {
	for _, r := range t.Requests {
		if r.At == 0 {
			return r
		}
	}
	return nil
}

// Persona returns a member of the cast.
func (t *Table) Persona(id string) (Persona, bool) {
	i := slices.IndexFunc(t.Cast, func(p Persona) bool { return p.ID == id })
	if i < 0 {
		return Persona{}, false
	}
	return t.Cast[i], true
}

// Name is what a speaker is called.
func (t *Table) Name(id string) string {
	if p, ok := t.Persona(id); ok {
		return p.Name
	}
	return map[string]string{You: "You", Researcher: "Researcher", Moderator: "Moderator"}[id]
}

// since is how many messages were said after a speaker's newest.
func (t *Table) since(id string) int {
	at, ok := t.last[id]
	if !ok {
		return len(t.Said)
	}
	return len(t.Said) - 1 - at
}

// after is how many turns a speaker had after a message.
func (t *Table) after(id string, seq int) int {
	n := 0
	for i := len(t.Said) - 1; i >= 0 && t.Said[i].Seq > seq; i-- {
		if t.Said[i].By == id {
			n++
		}
	}
	return n
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// missMark is how a turn that came to nothing is written into the session.
const missMark = "no-turn"

// missNote is the message that says so.
func missNote(who, why string) trimtab.Message {
	return trimtab.Message{Role: trimtab.RoleUser, From: Moderator, Parts: []trimtab.Part{
		trimtab.Text{Text: fmt.Sprintf("%s did not speak: %s", who, why), By: trimtab.Ours, From: Moderator},
		trimtab.Opaque{Kind: missMark, By: trimtab.Ours, Raw: quoted(who)},
	}}
}

// missed reads such a message.
func missed(m trimtab.Message) (who string, ok bool) {
	for _, p := range m.Parts {
		if o, is := p.(trimtab.Opaque); is && o.Kind == missMark {
			return unquoted(o.Raw), true
		}
	}
	return "", false
}
