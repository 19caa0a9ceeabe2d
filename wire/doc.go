// Package wire is for reading and editing requests to models where they lie. It
// holds the words that the formats share; each API has a folder of its own
// (anthropic, openaichat, responses, gemini) with one Format.
//
// A Format finds the messages of a request in one pass over its bytes, decodes
// the ones that are new, and puts notes between them by splicing: bytes outside
// an edit are the same before and after, and the system prompt and the tools are
// never touched. It also reads a copy of the reply. Where it is not sure of a
// body it returns an error, and the caller sends the body as it came.
//
// No format does any I/O, reads a clock, starts a goroutine or keeps state: the
// Body is the caller's, and is reused from request to request.
//
//	var last, next wire.Body // of one session
//	if err := format.Scan(raw, &next, &last); err != nil {
//		return raw // unsteered
//	}
//	for i := range next.Items {
//		if h := next.Hash(i); !next.Items[i].Continues && !known[h] {
//			said(wire.Whole(format, &next, i))
//		}
//	}
//	out, err := format.Apply(buf[:0], &next, []wire.Edit{{At: len(next.Items), Texts: notes}})
//	last, next = next, last
//
// # What a hash is of
//
// Clients send their history again with every request and change how they write
// it: a marked message is an array of blocks in one request and a plain string
// in the next. Item.Hash is of what a message says to the model. These do not
// count: white space, the order of an object's members, members that are null,
// string or one-text-block content, cache marks, ids of the item itself,
// thinking with its signatures (some clients drop it from older turns). All else
// counts, and numbers and escapes as they are written: a client writes the same
// value in the same way each time.
//
// # Where a note may stand
//
// An Edit names an item. The format puts the note where its API allows it: never
// between a tool call and its results, never inside one reply, never before a
// leading system message, and in Anthropic's format not behind a system message
// inside the list, but before it. It refuses the edit with ErrSeat where no such
// place keeps the meaning.
package wire
