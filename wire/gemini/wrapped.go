package gemini

import (
	"fmt"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/internal/list"
)

// Wrapped is the API that Gemini CLI asks for a person who has logged in with Google
// (Code Assist, v1internal). A request of the Gemini API is the member "request" of
// another object, which names the model and the project, and a reply is the member
// "response".
//
//	{"model":"gemini-2.5-pro","project":"p","request":{"contents":[…]}}
type Wrapped struct{}

// wrappedContents are contents that are never taken for those of a plain request.
var wrappedContents = func() list.Shape {
	shape := contents
	shape.Name = "codeassist"
	return shape
}()

// Name is "codeassist".
func (Wrapped) Name() string { return wrappedContents.Name }

// Scan finds the contents of the request inside.
func (Wrapped) Scan(raw []byte, into, known *wire.Body) error {
	from, to, err := inside(raw)
	if err != nil {
		*into = wire.Body{Items: into.Items[:0], Fields: into.Fields[:0]}
		return err
	}
	if err := list.Scan(&wrappedContents, raw[from:to], into, known); err != nil {
		return err
	}
	into.Before, into.After = raw[:from], raw[to:]
	return nil
}

// inside is where the one member "request" of a body is.
func inside(raw []byte) (from, to int, err error) {
	refuse := func(why string) (int, int, error) {
		return 0, 0, fmt.Errorf("%s: %w: %s", wrappedContents.Name, wire.ErrShape, why)
	}
	if !jsonscan.Valid(raw) {
		return 0, 0, fmt.Errorf("%s: %w", wrappedContents.Name, wire.ErrJSON)
	}
	for name, value := range jsonscan.Members(raw) {
		if jsonscan.Word(name) != "request" {
			continue
		}
		if to > 0 {
			return refuse("a name that is given twice")
		}
		from = cap(raw) - cap(value) // value is a part of raw
		to = from + len(value)
	}
	if to == 0 {
		return refuse("no member request")
	}
	return from, to, nil
}

// Message decodes one content.
func (Wrapped) Message(b *wire.Body, i int) trimtab.Message { return Format{}.Message(b, i) }

// Apply puts notes into a request.
func (Wrapped) Apply(dst []byte, b *wire.Body, edits []wire.Edit) ([]byte, error) {
	dst, err := list.Splice(&wrappedContents, append(dst, b.Before...), b, edits)
	return append(dst, b.After...), err
}

// Pieces puts notes into a request without copying it.
func (Wrapped) Pieces(pieces [][]byte, dst []byte, b *wire.Body, edits []wire.Edit) ([][]byte, []byte, error) {
	pieces, dst, err := list.Pieces(&wrappedContents, append(pieces, b.Before), dst, b, edits)
	return append(pieces, b.After), dst, err
}

// NewReply returns a reader of a reply.
func (Wrapped) NewReply(stream bool) wire.Reply { return newReply(stream, "response") }
