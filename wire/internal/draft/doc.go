// Package draft gathers a reply from the pieces in which it comes and makes the
// Result of it. It keeps no more than wire.MaxReply bytes and notes when that was
// not enough.
//
// It knows no API: the readers of the formats tell it what a piece is.
//
//	p := d.Piece(index, draft.Text)
//	d.Add(p, literal)
//	result := d.Result()
package draft
