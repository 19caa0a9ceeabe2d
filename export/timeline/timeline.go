// Package timeline orders what a session's history and journal hold for people who look
// at it: turns, and in each what was said, which tools ran, and every message of ours at
// its place, with its reason, its price, what the agent did next, and whether it was heeded.
//
// It reads no store and writes no markup: pages and exports do that with its values.
//
//	t := timeline.New(session, messages, journal)
//	for _, turn := range t.Turns {
//		for _, item := range turn.Items {
package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
)

// Kind says what an item is.
type Kind string

// The kinds.
const (
	Prompt  Kind = "prompt"  // what a person said
	Reply   Kind = "reply"   // what the model said
	Call    Kind = "call"    // a tool that the model asked for, with its result
	Host    Kind = "host"    // what the agent's program added
	Ours    Kind = "note"    // a message of ours
	Held    Kind = "held"    // a message of ours that was not sent
	Command Kind = "command" // a command to steering
	Folded  Kind = "fold"    // messages folded into a summary, or shown again
	Denied  Kind = "denied"  // a tool that we refused
	Paused  Kind = "paused"  // the session was held for the person
	Notice  Kind = "notice"  // told to the person, not to the model
	Broken  Kind = "fault"   // an intervention failed
)

// Heeded says whether the agent did what a message asked.
type Heeded string

// The answers.
const (
	Yes     Heeded = "yes"
	No      Heeded = "no"   // it was said again, or the session went on without
	Open    Heeded = "open" // it asked for something, and that is not decided yet
	NoAsk   Heeded = ""     // it asked for nothing
	maxNext        = 160    // characters of what the agent did next
)

// The slots of what is no note of the engine's: what is said to an agent that is about to
// stop, and a session that is held.
const (
	stopping = "stop"
	pausing  = "pause"
)

// Label is the slot by which labels know a message of ours; ok is false for what has none.
func (i Item) Label() (slot string, ok bool) {
	switch {
	case i.Note == nil || i.Note.By == "" || i.Kind != Ours && i.Kind != Paused:
		return "", false
	case i.Note.Number == 0 && i.Note.Slot == stopping:
		return "continue", true
	case i.Note.Number == 0 && i.Note.Slot != pausing:
		return "", false // of a message that was imported: who made it is known, and no more
	}
	return i.Note.Slot, true
}

// Note is a message of ours.
type Note struct {
	Number int    `json:"number"`       // in its session
	By     string `json:"by,omitempty"` // the intervention
	Slot   string `json:"slot,omitempty"`
	Why    string `json:"why,omitempty"`
	Text   string `json:"text,omitempty"` // "" where it lived for one turn: that is kept nowhere
	Tokens int    `json:"tokens,omitempty"`
	Lost   int    `json:"lost,omitempty"` // tokens of cached prefix given up
	Heeded Heeded `json:"heeded,omitempty"`
	Next   string `json:"next,omitempty"`  // what the agent said next, or the tool that it called
	Input  string `json:"input,omitempty"` // of that tool

	Verdict string `json:"verdict,omitempty"` // what a person thinks of it, where labels are at hand
	Word    string `json:"word,omitempty"`    // and why
	Key     string `json:"-"`                 // its name in a form, where a person may say so
}

// Item is one thing that happened.
type Item struct {
	Kind   Kind      `json:"kind"`
	ID     string    `json:"id,omitempty"` // the message's, where it is one
	At     time.Time `json:"at,omitzero"`
	Step   int       `json:"step,omitempty"` // replies of the model until then
	Text   string    `json:"text,omitempty"`
	Tool   string    `json:"tool,omitempty"`
	Input  string    `json:"input,omitempty"`
	Result string    `json:"result,omitempty"`
	Done   bool      `json:"done,omitempty"` // the tool has answered
	Failed bool      `json:"failed,omitempty"`

	Unvouched bool `json:"unvouched,omitempty"` // a prompt that nobody vouches for
	Opens     bool `json:"-"`                   // it is the first that is shown of its step

	Note  *Note          `json:"note,omitempty"`
	Usage *trimtab.Usage `json:"usage,omitempty"`

	call string // of the tool call
}

// Turn is a prompt and all that came of it.
type Turn struct {
	Number int    `json:"number"` // from 1; 0 is what came before the first prompt
	Items  []Item `json:"items"`
}

// Notes counts the messages of ours in the turn.
func (t Turn) Notes() (n int) {
	for _, i := range t.Items {
		if i.Kind == Ours {
			n++
		}
	}
	return n
}

// Segment is a stretch of a turn: what we said, and what came after it.
type Segment struct {
	Notes []Item // ours, in the margin
	Items []Item
}

// Anchor names the place of a segment on a page, by the first message of ours in it; "" is
// none.
func (s Segment) Anchor() string {
	for _, i := range s.Notes {
		if i.Kind == Ours && i.Note != nil && i.Note.Number > 0 {
			return fmt.Sprint("note-", i.Note.Number)
		}
		if i.Kind == Ours { // said to an agent that was about to stop: such a message has no number
			return fmt.Sprint("stop-", i.Step)
		}
	}
	return ""
}

// Segments parts a turn where something of ours stands.
func (t Turn) Segments() (all []Segment) {
	for _, i := range t.Items {
		margin := i.Kind == Ours || i.Kind == Held || i.Kind == Denied || i.Kind == Paused
		if len(all) == 0 || margin && len(all[len(all)-1].Items) > 0 {
			all = append(all, Segment{})
		}
		last := &all[len(all)-1]
		if margin {
			last.Notes = append(last.Notes, i)
		} else {
			last.Items = append(last.Items, i)
		}
	}
	return all
}

// Totals are counts over a session.
type Totals struct {
	Notes    int           `json:"notes"`
	Heeded   int           `json:"heeded"`
	Unheeded int           `json:"unheeded"`
	Tokens   int           `json:"tokens"` // of our messages
	Lost     int           `json:"lost"`   // of our messages
	Steps    int           `json:"steps"`
	Calls    int           `json:"calls"`
	Failed   int           `json:"failed"`
	Usage    trimtab.Usage `json:"usage"` // of all replies
}

// Timeline is a session in order.
type Timeline struct {
	Info   trimtab.Info
	Turns  []Turn
	Totals Totals
}

// New orders a session. Messages without an entry of the journal, as an import has them,
// stand at their place among the others.
func New(s trimtab.Session, messages []trimtab.Message, journal []trimtab.Entry) Timeline {
	b := builder{byID: make(map[string]int, len(messages)), messages: messages, last: map[string]*Note{}, kept: map[string][]trimtab.Note{}}
	b.out.Info = s.Info
	for i, m := range messages {
		b.byID[m.ID] = i
	}
	b.untold(s.Notes, journal)
	for _, e := range journal {
		b.entry(e)
	}
	b.said(len(messages))
	b.close()
	b.judge()
	return b.out
}

type builder struct {
	out      Timeline
	items    []Item // of the turn at hand
	number   int
	step     int
	opened   int // the newest step of which something is shown
	byID     map[string]int
	messages []trimtab.Message
	next     int // the first message that is not told yet

	last    map[string]*Note          // the newest of each kind of note
	kept    map[string][]trimtab.Note // by the message that they stand at
	waiting []*Note                   // for what the agent does next
}

// said tells the messages up to one.
func (b *builder) said(until int) {
	for ; b.next < until; b.next++ {
		m := b.messages[b.next]
		b.message(m)
		for _, n := range b.kept[m.ID] {
			b.noteAt(m.At, &Note{Number: n.ID, By: n.By, Slot: n.Slot, Why: n.Why, Text: n.Text}, n.Seat)
		}
	}
}

// untold finds the notes of which the journal at hand says nothing, as that of a session
// that was cut short; the session has those that still stand.
func (b *builder) untold(notes []trimtab.Note, journal []trimtab.Entry) {
	told := map[int]bool{}
	for _, e := range journal {
		for _, c := range e.Changes {
			told[c.Note] = told[c.Note] || c.Kind == trimtab.Injected
		}
	}
	for _, n := range notes {
		if n.Seated() && n.Life != trimtab.OneTurn && !told[n.ID] {
			b.kept[n.Seat.ID] = append(b.kept[n.Seat.ID], n)
		}
	}
}

func (b *builder) entry(e trimtab.Entry) {
	if said, ok := e.Event.(trimtab.Said); ok {
		if i, known := b.byID[said.Message.ID]; known {
			b.said(i + 1)
		}
	}
	if asked, ok := e.Event.(trimtab.Asked); ok {
		b.add(Item{Kind: Command, At: e.At, Text: strings.TrimSpace("/" + asked.Command + " " + strings.Join(asked.Args, " "))})
	}
	for _, t := range e.Actions {
		switch a := t.Action.(type) {
		case trimtab.Continue:
			b.note(e.At, &Note{By: t.By, Slot: stopping, Why: a.Why, Text: a.Text, Heeded: Open})
		case trimtab.Deny:
			b.add(Item{Kind: Denied, At: e.At, Text: a.Why, Tool: using(e.Event)})
		case trimtab.Pause:
			b.add(Item{Kind: Paused, At: e.At, Text: a.Why, Note: &Note{By: t.By, Slot: pausing, Why: a.Why}})
		case trimtab.Notify:
			b.add(Item{Kind: Notice, At: e.At, Text: a.Text})
		}
	}
	for _, c := range e.Changes {
		b.change(e.At, c)
	}
	for _, f := range e.Faults {
		b.add(Item{Kind: Broken, At: e.At, Text: f.Error()})
	}
}

func using(e trimtab.Event) string {
	u, _ := e.(trimtab.Using)
	return u.Call.Name
}

func (b *builder) change(at time.Time, c trimtab.Change) {
	switch c.Kind {
	case trimtab.Injected:
		n := &Note{Number: c.Note, By: c.By, Slot: c.Slot, Why: c.Why, Text: c.Text, Tokens: c.Tokens, Lost: c.Lost}
		if c.Asks {
			n.Heeded = Open
		}
		b.noteAt(at, n, c.Seat)
	case trimtab.Heeded:
		if n := b.last[c.By+"/"+c.Slot]; n != nil {
			n.Heeded = Yes
		}
	case trimtab.Withheld:
		b.add(Item{Kind: Held, At: at, Note: &Note{By: c.By, Slot: c.Slot, Why: c.Why, Text: c.Text}})
	case trimtab.FoldedUp:
		b.add(Item{Kind: Folded, At: at, Text: cmp.Or(c.Why, "folded"), Note: &Note{By: c.By, Slot: c.Slot, Why: c.Why, Text: c.Text, Tokens: c.Tokens, Lost: c.Lost}})
	case trimtab.Unfolded:
		b.add(Item{Kind: Folded, At: at, Text: cmp.Or(c.Why, "shown again")})
	case trimtab.Retired, trimtab.Removed, trimtab.Copied: // it was told when it came
	}
}

// noteAt puts a note where it stands: one that is for the prompt stands before it.
func (b *builder) noteAt(at time.Time, n *Note, seat trimtab.Seat) {
	b.note(at, n)
	if seat.After || seat.ID == "" || len(b.items) < 2 {
		return
	}
	end := len(b.items) - 1
	item := b.items[end]
	if i := slices.IndexFunc(b.items[:end], func(i Item) bool { return i.ID == seat.ID }); i >= 0 {
		copy(b.items[i+1:], b.items[i:end])
		b.items[i] = item
	}
}

func (b *builder) note(at time.Time, n *Note) {
	kind := n.By + "/" + n.Slot
	if before := b.last[kind]; before != nil && before.Heeded == Open {
		before.Heeded = No
	}
	b.last[kind] = n
	b.waiting = append(b.waiting, n)
	b.add(Item{Kind: Ours, At: at, Note: n})
	b.out.Totals.Notes++
	b.out.Totals.Tokens += n.Tokens
	b.out.Totals.Lost += n.Lost
}

func (b *builder) add(i Item) {
	i.Step = b.step
	if (i.Kind == Reply || i.Kind == Call) && b.step > b.opened {
		i.Opens, b.opened = true, b.step
	}
	b.items = append(b.items, i)
}

func (b *builder) message(m trimtab.Message) {
	if m.IsPrompt() {
		b.close()
		b.number++
	}
	if m.Role == trimtab.RoleAssistant {
		b.step++
		b.out.Totals.Steps++
		b.did(m)
	}
	for i, p := range m.Parts {
		item := Item{ID: m.ID, At: m.At}
		if i == 0 && m.Usage != nil {
			item.Usage = m.Usage
			total := &b.out.Totals.Usage
			total.Input, total.Output = total.Input+m.Usage.Input, total.Output+m.Usage.Output
			total.CacheRead, total.CacheWrite = total.CacheRead+m.Usage.CacheRead, total.CacheWrite+m.Usage.CacheWrite
		}
		switch p := p.(type) {
		case trimtab.Text:
			b.text(item, p)
		case trimtab.ToolCall:
			item.Kind, item.Tool, item.Input, item.call = Call, p.Name, string(jsonscan.Readable(p.Input)), p.ID
			b.out.Totals.Calls++
			b.add(item)
		case trimtab.ToolResult:
			b.result(item, p)
		case trimtab.Opaque:
			item.Kind, item.Text = Host, "("+p.Kind+")"
			b.add(item)
		}
	}
}

func (b *builder) text(item Item, p trimtab.Text) {
	item.Text = p.Text
	switch p.By {
	case trimtab.Person, trimtab.Unvouched:
		item.Kind, item.Unvouched = Prompt, p.By == trimtab.Unvouched
	case trimtab.Model:
		item.Kind = Reply
	case trimtab.Ours:
		item.Kind, item.Note = Ours, &Note{By: p.From, Text: p.Text}
	case trimtab.Host, trimtab.Tool:
		item.Kind = Host
	default:
		item.Kind = Host
	}
	if strings.TrimSpace(p.Text) != "" {
		b.add(item)
	}
}

// result puts a tool's answer to its call, wherever in the turn that is.
func (b *builder) result(item Item, p trimtab.ToolResult) {
	if p.Failed {
		b.out.Totals.Failed++
	}
	for i := len(b.items) - 1; i >= 0; i-- {
		if c := &b.items[i]; c.Kind == Call && c.call == p.ID && !c.Done {
			c.Result, c.Done, c.Failed = p.Text, true, p.Failed
			return
		}
	}
	item.Kind, item.Result, item.Done, item.Failed = Call, p.Text, true, p.Failed
	b.add(item)
}

// did tells the notes that wait for it what the agent did next.
func (b *builder) did(m trimtab.Message) {
	if len(b.waiting) == 0 {
		return
	}
	next, input, acts := m.Text(), "", false
	for _, p := range m.Parts {
		if call, ok := p.(trimtab.ToolCall); ok {
			next, input, acts = call.Name, string(jsonscan.Readable(call.Input)), true
			break
		}
	}
	next = trimtab.Clip(strings.Join(strings.Fields(next), " "), maxNext)
	for _, n := range b.waiting {
		n.Next, n.Input = next, input
		if n.Slot == stopping { // it was sent on: it went on, or it only spoke
			n.Heeded = map[bool]Heeded{true: Yes, false: No}[acts]
		}
	}
	b.waiting = nil
}

// close ends the turn at hand.
func (b *builder) close() {
	if len(b.items) > 0 {
		b.out.Turns = append(b.out.Turns, Turn{Number: b.number, Items: b.items})
	}
	b.items = nil
}

// judge counts what was heeded.
func (b *builder) judge() {
	for _, t := range b.out.Turns {
		for _, i := range t.Items {
			switch {
			case i.Kind != Ours:
			case i.Note.Heeded == Yes:
				b.out.Totals.Heeded++
			case i.Note.Heeded == No:
				b.out.Totals.Unheeded++
			}
		}
	}
}
