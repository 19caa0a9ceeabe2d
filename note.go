package trimtab

import "cmp"

// Place says where a note wants to sit.
type Place string

// The places. Only a note that is kept sits before the prompt, and only where nothing
// was sent yet that stands behind it and no tool call waits for its result; all others
// sit at the end.
const (
	AtEnd        Place = "end"
	BeforePrompt Place = "prompt"
)

// Life says how long a note keeps its seat.
type Life string

// The lives.
const (
	Once     Life = "once"     // one request
	OneTurn  Life = "turn"     // until the person's next prompt; in no history or export
	Standing Life = "standing" // until replaced or retracted
	Kept     Life = "kept"     // part of the history from then on; leaves its slot
)

// Note is a message of ours and where it sits.
type Note struct {
	ID     int    `json:"id"`
	By     string `json:"by"`
	Rank   int    `json:"rank"` // the place of By in the lineup
	Slot   string `json:"slot"`
	Text   string `json:"text"`
	Place  Place  `json:"place"`
	Life   Life   `json:"life"`
	Why    string `json:"why"`
	Step   int    `json:"step"`            // the step at which it was made
	Target Seat   `json:"target,omitzero"` // the prompt it was made for
	Seat   Seat   `json:"seat,omitzero"`
	Fixed  bool   `json:"fixed,omitempty"`  // it stays at its seat; one that is not rides at the end of each request
	Hosted bool   `json:"hosted,omitempty"` // the host added it and keeps it in its own history
	Stale  bool   `json:"stale,omitempty"`  // its life is over, and it is fixed: it stands in the history and means nothing
	Asked  bool   `json:"asked,omitempty"`  // a person asked for it: no budget holds for it

	Urgency Urgency `json:"urgency,omitempty"`
}

// Travel says how notes reach the model.
type Travel string

// The ways. On all of them no byte that was sent ever changes: providers keep what
// they have read of a conversation, and some bind the model's thinking to it.
const (
	Tail   Travel = "tail"   // at the end of each request while it lives, and nowhere else
	Append Travel = "append" // at the end of one request, and at that place from then on

	// Clearing is Tail where the provider itself takes a message away once another one
	// follows: what was sent stays in the request, and the surface sends it again.
	Clearing Travel = "clearing"

	// Hosted is by the host's own hook: a note waits until the host has added it.
	Hosted Travel = "host"
)

// Ref names a message of a session.
type Ref struct {
	ID  string `json:"id,omitempty"`
	Seq int    `json:"seq,omitempty"` // its number, from 1
}

// Seat is a place next to a message. The zero Seat is none: the note is due.
type Seat struct {
	Ref
	After  bool `json:"after,omitempty"`
	Offset int  `json:"offset,omitempty"` // bytes of history in front of the seat
}

// Seated reports whether the note has a seat.
func (n Note) Seated() bool { return n.Seat.ID != "" }

// Live reports whether the note still means something: it waits, rides or stands and its
// life is not over. All others merely stand in the history.
func (n Note) Live() bool { return n.inSlot() }

// Message returns the note as the model sees it when it sits alone.
func (n Note) Message() Message {
	return Message{Role: RoleUser, From: n.By, Parts: []Part{Text{Text: n.Text, By: Ours, From: n.By}}}
}

// order sorts notes by seat, then lineup, then age; due notes come last.
func order(a, b Note) int {
	one := func(yes bool) int {
		if yes {
			return 1
		}
		return 0
	}
	return cmp.Or(
		one(b.Seated())-one(a.Seated()),
		cmp.Compare(a.Seat.Seq, b.Seat.Seq),
		one(a.Seat.After)-one(b.Seat.After),
		cmp.Compare(a.Rank, b.Rank),
		cmp.Compare(a.ID, b.ID))
}
