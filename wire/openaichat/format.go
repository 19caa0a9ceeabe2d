// Package openaichat reads and edits requests of the Chat Completions API, which
// many providers and local servers speak.
//
// A note is a user message whose content is one string, the form that every such
// server takes; several notes are paragraphs of it. It never stands before the
// leading system messages, nor between an assistant's tool calls and the tool
// messages that answer them.
//
//	var body wire.Body
//	format := openaichat.Format{}
//	if err := format.Scan(raw, &body, nil); err == nil {
//		out, err = format.Apply(nil, &body, []wire.Edit{{At: len(body.Items), Texts: []string{"…"}}})
//	}
package openaichat

import (
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/internal/list"
)

// Format is the Chat Completions API.
type Format struct{}

// Name is "openaichat".
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
