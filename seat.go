package trimtab

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// ChangeKind says what happened to what the model sees.
type ChangeKind string

// The kinds of change.
const (
	Injected ChangeKind = "injected" // a note took its seat
	Removed  ChangeKind = "removed"  // a note left its seat, or was dropped before it had one
	Retired  ChangeKind = "retired"  // a note's life is over; it stands in the history
	Withheld ChangeKind = "withheld" // over budget, or muted
	Copied   ChangeKind = "copied"   // a note that clears itself was sent once more, with this seat
	Heeded   ChangeKind = "heeded"   // the agent did what a note asked
	FoldedUp ChangeKind = "folded"
	Unfolded ChangeKind = "unfolded"
)

// Change is one change to what the model sees, with its cause and its price.
type Change struct {
	Kind   ChangeKind `json:"kind"`
	By     string     `json:"by"`
	Slot   string     `json:"slot,omitempty"`
	Note   int        `json:"note,omitempty"`
	Step   int        `json:"step"`
	Why    string     `json:"why,omitempty"`
	Tokens int        `json:"tokens,omitempty"` // added, or taken away
	Lost   int        `json:"lost,omitempty"`   // tokens of cached prefix given up
	Seat   Seat       `json:"seat,omitzero"`
	Text   string     `json:"text,omitempty"` // never that of a note that lives one turn
	Asks   bool       `json:"asks,omitempty"` // an injected note waits to be heeded
}

// alwaysAllowed is what notes may take of any context, in tokens.
const alwaysAllowed = 4000

// inSlot reports whether the note still holds its slot.
func (n Note) inSlot() bool { return !n.Stale && (n.Life != Kept || !n.Seated()) }

// copied notes where a copy of a note stands. The journal is where its text is found
// again after a restart, so its first copy has it, whatever its life.
func (p *pass) copied(n Note, first bool) {
	c := Change{Kind: Copied, By: n.By, Slot: n.Slot, Note: n.ID, Step: p.s.Step, Seat: n.Seat}
	if first || n.Life == OneTurn { // whose text no other change has
		c.Text = n.Text
	}
	p.out.Changes = append(p.out.Changes, c)
}

func (p *pass) changed(kind ChangeKind, n Note, why string, lost int) {
	waits := n.Urgency > 0 || slices.ContainsFunc(p.s.Heed, func(h Heed) bool { return h.By == n.By && h.Slot == n.Slot })
	c := Change{Kind: kind, By: n.By, Slot: n.Slot, Note: n.ID, Step: p.s.Step, Why: why, Tokens: p.s.Meter.Tokens(len(n.Text)), Lost: lost, Seat: n.Seat, Asks: kind == Injected && waits}
	if n.Life != OneTurn {
		c.Text = n.Text
	}
	p.out.Changes = append(p.out.Changes, c)
}

// inject makes a note. It waits without a seat for the next Calling.
func (p *pass) inject(rank int, in Inject) {
	if in.Text == "" {
		return
	}
	by := p.lineup[rank].Name()
	n := Note{By: by, Rank: rank, Slot: in.Slot, Text: in.Text, Place: in.Place, Life: cmp.Or(in.Life, Once), Why: in.Why, Step: p.s.Step, Asked: in.Requested, Urgency: in.Urgency}
	if n.Place == BeforePrompt && !p.s.Split {
		n.Target = p.s.Prompt
	}
	if in.Asks && !in.Requested && !p.heard(n, in) {
		return
	}
	if why, ok := p.attend(by, in.Urgency); !ok {
		p.changed(Withheld, n, why, 0)
		return
	}
	p.end(func(o Note) bool { return o.By == by && o.Slot == in.Slot && o.inSlot() }, "replaced: "+in.Why)
	p.s.Made++
	n.ID = p.s.Made
	p.s.Notes = append(slices.Clip(p.s.Notes), n)
}

// end ends the life of notes. One that is fixed stays at its seat, stale: that it is
// over is said by the note that follows it, or by its own words.
func (p *pass) end(which func(Note) bool, why string) {
	if !slices.ContainsFunc(p.s.Notes, which) {
		return
	}
	var rest []Note
	for _, n := range p.s.Notes {
		switch {
		case !which(n) || n.Stale:
			rest = append(rest, n)
		case n.Fixed:
			n.Stale = true
			rest = append(rest, n)
			p.changed(Retired, n, why, 0)
		default:
			p.changed(Removed, n, why, 0)
		}
	}
	p.s.Notes = rest
}

// cut is a change to what was sent, from the message with this number on: it returns
// about how many tokens of the cached prefix that gives up. What it really did is
// learned from what the provider counts.
func (p *pass) cut(seq int) int {
	m := &p.s.Meter
	if m.Sent == 0 || seq > m.SentSeq {
		return 0
	}
	behind := m.Sent / m.SentSeq * (m.SentSeq - seq + 1)
	m.Sent -= behind
	m.Planned += m.Tokens(behind)
	return m.Tokens(behind)
}

// expire ends notes that were for one request. A retry of the same request changes
// nothing.
func (p *pass) expire(now time.Time) {
	if p.s.Seq != p.s.Meter.SentSeq {
		p.end(func(n Note) bool { return n.Life == Once && (n.Seated() || p.silent(n.By)) }, "it was for one request")
	}
	if sent := p.s.Meter.SentAt; !sent.IsZero() && now.Sub(sent) > p.ttl {
		p.s.Meter.Sent = 0
	}
}

// seat gives notes their seats, in lineup order, if the history is whole, and notes
// what the request holds.
func (p *pass) seat(hosted []Note, now time.Time) {
	m := &p.s.Meter
	sent := p.rise()
	if len(p.s.Open) == 0 && p.s.Seq > 0 {
		p.seatDue(sent, hosted)
	}
	m.Sent, m.SentSeq, m.SentAt = m.Bytes, p.s.Seq, now
}

// rise takes the notes that are not fixed from their seats, for they ride at the end of
// each request, and returns which were sent before. A fixed one behind which no reply
// stands yet, for the person interrupted, moves along or goes: it has said nothing.
func (p *pass) rise() map[int]bool {
	sent := map[int]bool{}
	var rest []Note
	for _, n := range p.s.Notes {
		early := n.Fixed && n.Life != Kept && !n.Hosted && n.Seat.Seq > p.s.Replied && n.Seat.Seq < p.s.Seq
		switch {
		case early && n.Stale:
			p.changed(Removed, n, "no reply had come to it", 0)
			continue
		case n.Seated() && (early || !n.Fixed):
			sent[n.ID] = true
			n.Seat, n.Fixed = Seat{}, false
		}
		rest = append(rest, n)
	}
	p.s.Notes = rest
	return sent
}

func (p *pass) seatDue(sent map[int]bool, hosted []Note) {
	due := func(n Note) bool { return !n.Seated() }
	if !slices.ContainsFunc(p.s.Notes, due) {
		return
	}
	notes := slices.SortedStableFunc(slices.Values(p.s.Notes), order)
	first := max(0, slices.IndexFunc(notes, due))
	p.s.Notes = notes[:first:first]
	var late []Note
	taken := size(p.s.Notes)
	for _, n := range notes[first:] {
		if i := slices.IndexFunc(hosted, func(h Note) bool { return h.By == n.By && h.Slot == n.Slot }); i >= 0 {
			n.Text, n.Hosted = hosted[i].Text, true
		} else if p.s.Travel == Hosted || p.early(n) || p.silent(n.By) {
			late = append(late, n)
			continue
		}
		if !n.Asked && !n.Hosted && taken+len(n.Text) > p.allowance() {
			p.changed(Withheld, n, fmt.Sprintf("over budget: notes take %d tokens beside %d of history", p.s.Meter.Tokens(taken), p.s.Meter.Tokens(p.s.Meter.Bytes)), 0)
			continue
		}
		n.Seat, n.Fixed = p.choose(n), n.Life == Kept || n.Hosted || p.s.Travel == Append
		if p.s.Notes = append(p.s.Notes, n); !n.Asked {
			taken += len(n.Text)
		}
		if !sent[n.ID] {
			p.s.Meter.Added += p.s.Meter.Tokens(len(n.Text))
			p.changed(Injected, n, n.Why, 0)
		}
		if p.s.Travel == Clearing && !n.Fixed {
			p.copied(n, !sent[n.ID])
		}
	}
	p.s.Notes = append(p.s.Notes, late...)
	slices.SortStableFunc(p.s.Notes, order)
}

// choose picks the seat of a due note. Before the prompt is free as long as the prompt
// was not sent.
func (p *pass) choose(n Note) Seat {
	if n.Place == BeforePrompt && n.Life == Kept && !n.Hosted && n.Target.ID != "" && n.Target.Offset >= p.s.Meter.Sent {
		return n.Target
	}
	return p.s.Last
}

// size is what notes take of the budget: those that nobody asked for.
func size(notes []Note) int {
	n := 0
	for i := range notes {
		if !notes[i].Asked {
			n += len(notes[i].Text)
		}
	}
	return n
}

// allowance is how many bytes notes may take.
func (p *pass) allowance() int {
	return max(alwaysAllowed*usualRate/1000, int(p.cfg.Budget*float64(p.s.Meter.Bytes)))
}
