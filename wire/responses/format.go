// Package responses reads and edits requests of the Responses API.
//
// The API spreads one reply of the model over several items: thoughts, messages
// and calls. They are one message here (wire.Item.Continues, wire.Whole), and no
// note comes between them, nor between a call and its output. A note is a user
// message. Where the provider keeps the history (wire.Body.Previous), the list
// holds only what is new. An input that is one string becomes an array when a
// note joins it; the string stays as it was written.
//
//	var body wire.Body
//	format := responses.Format{}
//	if err := format.Scan(raw, &body, nil); err == nil {
//		out, err = format.Apply(nil, &body, []wire.Edit{{At: len(body.Items), Texts: []string{"…"}}})
//	}
package responses

import (
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/internal/list"
)

// Format is the Responses API.
type Format struct{}

// Name is "responses".
func (Format) Name() string { return input.Name }

// Scan finds the items of a request.
func (Format) Scan(raw []byte, into, known *wire.Body) error {
	return list.Scan(&input, raw, into, known)
}

// Apply puts notes into a request.
func (Format) Apply(dst []byte, b *wire.Body, edits []wire.Edit) ([]byte, error) {
	return list.Splice(&input, dst, b, edits)
}

// Pieces puts notes into a request without copying it.
func (Format) Pieces(pieces [][]byte, dst []byte, b *wire.Body, edits []wire.Edit) ([][]byte, []byte, error) {
	return list.Pieces(&input, pieces, dst, b, edits)
}
