package draft

import (
	"encoding/json"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/internal/decode"
)

// Kind is what a piece becomes.
type Kind uint8

// The kinds of pieces.
const (
	Text Kind = iota
	Thought
	Call
	Other
)

const maxPieces = 4096

// Piece is a part of the reply under way.
type Piece struct {
	Key  int // by which the API tells its pieces apart
	Kind Kind
	ID   string
	Name string          // of a call, or the kind of an opaque piece
	Body []byte          // its text, or the input of a call
	Sign []byte          // the signature of a thought
	Raw  json.RawMessage // the piece as it is sent back, where it came whole
	Done bool            // no more of it comes
	said bool            // a Delta has told the call's name
}

// Draft is a reply under way. The zero Draft is empty.
type Draft struct {
	Model  string
	Reason string // why it ended, in the provider's own word
	Stop   wire.Stop
	Usage  *trimtab.Usage
	Ended  bool   // its end has come
	Cut    bool   // something was too large to keep
	Broken bool   // something could not be read
	ID     string // of the reply, where a later request may name it
	Fault  string // the kind of error that the provider reported

	pieces []*Piece
	size   int
	watch  func(wire.Delta)
}

// Watch has each piece of text told as it is added.
func (d *Draft) Watch(each func(wire.Delta)) { d.watch = each }

// Piece returns the piece with this key, and begins it where there is none.
func (d *Draft) Piece(key int, kind Kind) *Piece {
	if p := d.Find(key); p != nil {
		return p
	}
	p := &Piece{Key: key, Kind: kind}
	if len(d.pieces) >= maxPieces {
		d.Cut = true
		return p // and forget it
	}
	d.pieces = append(d.pieces, p)
	return p
}

// Find returns the piece with this key, or nil.
func (d *Draft) Find(key int) *Piece {
	for i := len(d.pieces) - 1; i >= 0; i-- {
		if d.pieces[i].Key == key {
			return d.pieces[i]
		}
	}
	return nil
}

// Last returns the newest piece, or nil.
func (d *Draft) Last() *Piece {
	if len(d.pieces) == 0 {
		return nil
	}
	return d.pieces[len(d.pieces)-1]
}

// Open reports whether a piece is not done.
func (d *Draft) Open() bool {
	for _, p := range d.pieces {
		if !p.Done {
			return true
		}
	}
	return false
}

// Reserve reports whether n more bytes may be kept.
func (d *Draft) Reserve(n int) bool {
	if d.size+n > wire.MaxReply {
		d.Cut = true
		return false
	}
	d.size += n
	return true
}

// Add appends a string literal to the body of a piece and tells it.
func (d *Draft) Add(p *Piece, literal []byte) {
	from := len(p.Body)
	d.Append(&p.Body, literal)
	if d.watch != nil && len(p.Body) > from {
		d.tell(p, string(p.Body[from:]))
	}
}

// Append appends a string literal to a text of a piece.
func (d *Draft) Append(to *[]byte, literal []byte) {
	if n := len(literal); n > 2 && literal[0] == '"' && d.Reserve(n-2) {
		*to = jsonscan.AppendText(*to, literal[1:n-1])
	}
}

func (d *Draft) tell(p *Piece, text string) {
	switch p.Kind {
	case Text:
		d.watch(wire.Delta{Text: text})
	case Thought:
		d.watch(wire.Delta{Thought: text})
	case Call:
		delta := wire.Delta{Call: p.ID, Input: text}
		if !p.said {
			delta.Name, p.said = p.Name, true
		}
		d.watch(delta)
	}
}

// Clear takes back what was added to a piece: it comes again as a whole.
func (d *Draft) Clear(p *Piece) {
	d.size -= len(p.Body)
	p.Body = nil
}

// Keep sets the form in which a piece is sent back.
func (d *Draft) Keep(p *Piece, v []byte) {
	if d.Reserve(len(v)) {
		p.Raw = decode.Raw(v)
	}
}

// Result makes the reply of the draft. back gives the form in which a piece that
// is neither text nor call and did not come whole is sent back.
func (d *Draft) Result(back func(*Piece) json.RawMessage) wire.Result {
	m := trimtab.Message{Role: trimtab.RoleAssistant, Model: d.Model, Usage: d.Usage}
	for _, p := range d.pieces {
		switch p.Kind {
		case Text:
			if len(p.Body) > 0 {
				m.Parts = append(m.Parts, trimtab.Text{Text: string(p.Body), By: trimtab.Model})
			}
		case Call:
			input := p.Raw
			if len(p.Body) > 0 || input == nil {
				input = decode.Arguments(string(p.Body))
			}
			m.Parts = append(m.Parts, trimtab.ToolCall{ID: p.ID, Name: p.Name, Input: input})
		default:
			raw := p.Raw
			if raw == nil || len(p.Body) > 0 {
				raw = back(p)
			}
			m.Parts = append(m.Parts, trimtab.Opaque{Kind: p.Name, By: trimtab.Model, Raw: raw})
		}
	}
	return wire.Result{
		Message: m, ID: d.ID, Stop: d.Stop, Reason: d.Reason, Cut: d.Cut, Fault: d.Fault,
		Complete: d.Ended && !d.Broken && d.Fault == "",
	}
}

// Int reads a whole number of tokens; what is none is 0.
func Int(v []byte) int {
	n := 0
	for _, c := range v {
		if c < '0' || c > '9' || n > 1<<26 {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// Pieces yields the pieces in their order.
func (d *Draft) Pieces(yield func(*Piece) bool) {
	for _, p := range d.pieces {
		if !yield(p) {
			return
		}
	}
}
