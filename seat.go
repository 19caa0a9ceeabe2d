package trimtab

import (
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
	Retired  ChangeKind = "retired"  // a note's life is over; it stays until leaving is free
	Withheld ChangeKind = "withheld" // over budget, or muted
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
}

// alwaysAllowed is what notes may take of any context, in tokens.
const alwaysAllowed = 4000

// inSlot reports whether the note still holds its slot.
func (n Note) inSlot() bool { return !n.Stale && (n.Life != Kept || !n.Seated()) }

func (p *pass) changed(kind ChangeKind, n Note, why string, lost int) {
	c := Change{Kind: kind, By: n.By, Slot: n.Slot, Note: n.ID, Step: p.s.Step, Why: why, Tokens: p.s.Meter.Tokens(len(n.Text)), Lost: lost, Seat: n.Seat}
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
	n := Note{By: by, Rank: rank, Slot: in.Slot, Text: in.Text, Place: in.Place, Life: in.Life, Why: in.Why, Step: p.s.Step}
	if n.Life == "" {
		n.Life = Once
	}
	if n.Place == BeforePrompt && !p.s.Split {
		n.Target = p.s.Prompt
	}
	if in.Asks && !p.heard(n) {
		return
	}
	p.end(func(o Note) bool { return o.By == by && o.Slot == in.Slot && o.inSlot() }, "replaced: "+in.Why)
	p.s.Made++
	n.ID = p.s.Made
	p.s.Notes = append(slices.Clip(p.s.Notes), n)
}

// heard counts a note that asks for something, and mutes its kind when it is
// never heeded. A retraction with Heeded, or the person's next prompt, ends that.
func (p *pass) heard(n Note) bool {
	p.s.Heed = slices.Clone(p.s.Heed)
	i := slices.IndexFunc(p.s.Heed, func(h Heed) bool { return h.By == n.By && h.Slot == n.Slot })
	if i < 0 {
		p.s.Heed = append(p.s.Heed, Heed{By: n.By, Slot: n.Slot})
		return true
	}
	h := &p.s.Heed[i]
	if h.Muted {
		return false
	}
	h.Missed++
	if h.Missed < p.cfg.MuteAfter {
		return true
	}
	h.Muted = true
	p.end(func(o Note) bool { return o.By == n.By && o.Slot == n.Slot && o.inSlot() }, "muted")
	p.changed(Withheld, n, fmt.Sprintf("muted: %d in a row went unheeded", h.Missed), 0)
	p.out.Actions = append(p.out.Actions, Taken{n.By, Notify{Text: fmt.Sprintf("%s: %d notes in a row went unheeded; silent until your next prompt", n.By, h.Missed)}})
	return false
}

// end ends the life of notes. Under "cache" a note that was sent stays in its
// seat, stale, until leaving is free.
func (p *pass) end(which func(Note) bool, why string) {
	if !slices.ContainsFunc(p.s.Notes, which) {
		return
	}
	var rest []Note
	for _, n := range p.s.Notes {
		switch {
		case !which(n) || n.Stale:
			rest = append(rest, n)
		case p.spares() && p.behind(n.Seat) > 0:
			n.Stale = true
			rest = append(rest, n)
			p.changed(Retired, n, why, 0)
		default:
			p.changed(Removed, n, why, p.cut(n.Seat))
		}
	}
	p.s.Notes = rest
}

// spares reports whether cached prefixes count for more than a clean history. Other
// agents mark their caches, and for those a prefix that is cut costs most.
func (p *pass) spares() bool {
	other := p.s.Host != "" && p.s.Host != OwnHost
	return p.cfg.Retract == "cache" || p.cfg.Retract == "auto" && other
}

// cut breaks the cached prefix at a seat and returns what that costs. What
// stands behind it is cold from now on, and free to change.
func (p *pass) cut(at Seat) int {
	lost := p.behind(at)
	if lost > 0 {
		p.s.Meter.Sent = at.Offset
		p.s.Meter.Lost += lost
	}
	return lost
}

// behind is how many tokens of the cached prefix stand behind a seat: what it
// costs to put something there or take it away.
func (p *pass) behind(at Seat) int {
	if at.ID == "" || p.s.Meter.Sent <= at.Offset {
		return 0
	}
	bytes := p.s.Meter.Sent - at.Offset
	for _, n := range p.s.Notes {
		if n.Seated() && n.Seat.Seq > at.Seq && n.Seat.Seq <= p.s.Meter.SentSeq {
			bytes += len(n.Text)
		}
	}
	return p.s.Meter.Tokens(bytes)
}

// expire ends notes that were for one request, and stale ones whose prefix the
// provider has forgotten. A retry of the same request changes nothing.
func (p *pass) expire(now time.Time) {
	if p.s.Seq != p.s.Meter.SentSeq {
		p.end(func(n Note) bool { return n.Life == Once && n.Seated() }, "it was for one request")
	}
	if sent := p.s.Meter.SentAt; !sent.IsZero() && now.Sub(sent) > p.ttl {
		p.s.Meter.Sent = 0
	}
	p.sweep(false)
}

// sweep removes stale notes: those that are free to go, or all of them.
func (p *pass) sweep(all bool) {
	if !slices.ContainsFunc(p.s.Notes, func(n Note) bool { return n.Stale }) {
		return
	}
	var rest []Note
	for _, n := range p.s.Notes {
		switch {
		case n.Stale && p.behind(n.Seat) == 0:
			p.changed(Removed, n, "the prefix is cold", 0)
		case n.Stale && all:
			p.changed(Removed, n, "over budget", p.cut(n.Seat))
		default:
			rest = append(rest, n)
		}
	}
	p.s.Notes = rest
}

// seat gives due notes their seats, in lineup order, if the history is whole,
// and notes what the request holds.
func (p *pass) seat(now time.Time) {
	m := &p.s.Meter
	if len(p.s.Open) == 0 && p.s.Seq > 0 {
		p.seatDue()
	}
	m.Sent, m.SentSeq, m.SentAt = m.Bytes, p.s.Seq, now
}

func (p *pass) seatDue() {
	due := func(n Note) bool { return !n.Seated() }
	if !slices.ContainsFunc(p.s.Notes, due) {
		return
	}
	if size(p.s.Notes) > p.allowance() {
		p.sweep(true)
	}
	notes := slices.SortedStableFunc(slices.Values(p.s.Notes), order)
	first := max(0, slices.IndexFunc(notes, due))
	p.s.Notes = notes[:first:first]
	for _, n := range notes[first:] {
		if taken := size(p.s.Notes); taken+len(n.Text) > p.allowance() {
			p.changed(Withheld, n, fmt.Sprintf("over budget: notes take %d tokens beside %d of history", p.s.Meter.Tokens(taken), p.s.Meter.Tokens(p.s.Meter.Bytes)), 0)
			continue
		}
		n.Seat = p.choose(n)
		lost := p.cut(n.Seat)
		p.s.Meter.Added += p.s.Meter.Tokens(len(n.Text))
		p.s.Notes = append(p.s.Notes, n)
		p.changed(Injected, n, n.Why, lost)
	}
	slices.SortStableFunc(p.s.Notes, order)
	p.sweep(false)
}

// choose picks the seat of a due note.
func (p *pass) choose(n Note) Seat {
	if n.Place == BeforePrompt && n.Target.ID != "" {
		return n.Target
	}
	return p.s.Last
}

func size(notes []Note) int {
	n := 0
	for i := range notes {
		n += len(notes[i].Text)
	}
	return n
}

// allowance is how many bytes notes may take.
func (p *pass) allowance() int {
	floor := alwaysAllowed * usualRate / 1000
	return max(floor, int(p.cfg.Budget*float64(p.s.Meter.Bytes)))
}
