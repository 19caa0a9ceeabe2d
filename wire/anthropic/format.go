// Package anthropic reads and edits requests of the Messages API.
//
// A note is a user message of its own, which the API joins to the user messages
// beside it. Claude Code puts system messages inside the list; those keep their
// place between a user turn and a reply. Thinking, signatures and cache marks
// are never touched, and no mark of ours is added.
//
//	var body wire.Body
//	format := anthropic.Format{}
//	if err := format.Scan(raw, &body, nil); err == nil {
//		out, err = format.Apply(nil, &body, []wire.Edit{{At: len(body.Items), Texts: []string{"…"}}})
//	}
package anthropic

import (
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/internal/list"
)

// Format is the Messages API.
type Format struct{}

// Name is "anthropic".
func (Format) Name() string { return messages.Name }

// Scan finds the messages of a request.
func (Format) Scan(raw []byte, into, known *wire.Body) error {
	return list.Scan(&messages, raw, into, known)
}

// Apply puts notes into a request.
func (Format) Apply(dst []byte, b *wire.Body, edits []wire.Edit) ([]byte, error) {
	return list.Splice(&messages, dst, b, edits)
}

// Pieces puts notes into a request without copying it.
func (Format) Pieces(pieces [][]byte, dst []byte, b *wire.Body, edits []wire.Edit) ([][]byte, []byte, error) {
	return list.Pieces(&messages, pieces, dst, b, edits)
}
