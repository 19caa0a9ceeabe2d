// Package gemini reads and edits requests of the Gemini API (generateContent and
// streamGenerateContent).
//
// A note is a content of the user's. It never comes between a model's function
// calls and the responses to them. Signatures of thoughts, the system
// instruction and the tools are never touched. Members are known by both of
// their spellings, functionCall and function_call.
//
//	var body wire.Body
//	format := gemini.Format{}
//	if err := format.Scan(raw, &body, nil); err == nil {
//		out, err = format.Apply(nil, &body, []wire.Edit{{At: len(body.Items), Texts: []string{"…"}}})
//	}
package gemini

import (
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/internal/list"
)

// Format is the Gemini API.
type Format struct{}

// Name is "gemini".
func (Format) Name() string { return contents.Name }

// Scan finds the contents of a request.
func (Format) Scan(raw []byte, into, known *wire.Body) error {
	return list.Scan(&contents, raw, into, known)
}

// Apply puts notes into a request.
func (Format) Apply(dst []byte, b *wire.Body, edits []wire.Edit) ([]byte, error) {
	return list.Splice(&contents, dst, b, edits)
}

// Pieces puts notes into a request without copying it.
func (Format) Pieces(pieces [][]byte, dst []byte, b *wire.Body, edits []wire.Edit) ([][]byte, []byte, error) {
	return list.Pieces(&contents, pieces, dst, b, edits)
}
