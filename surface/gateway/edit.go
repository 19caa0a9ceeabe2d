package gateway

import (
	"cmp"
	"slices"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
)

// edits turns the seats of a session into places of a body. A seat whose message
// is not there is left out: the engine will hear of it as Rewritten.
func (r reading) edits(s trimtab.Session, b *wire.Body) []wire.Edit {
	texts := map[int][]string{} // by the line that they stand before
	for _, n := range s.Notes {
		if !n.Seated() {
			continue
		}
		at := r.find(n.Seat.ID)
		if at < 0 {
			continue
		}
		if n.Seat.After {
			at++
		}
		texts[at] = append(texts[at], n.Text)
	}
	item := func(line int) int {
		if line >= len(r.items) { // behind the last, or behind a reply that is asked for again
			return len(b.Items)
		}
		return r.items[line]
	}
	var all []wire.Edit
	for at, t := range texts {
		all = append(all, wire.Edit{At: item(at), Texts: t})
	}
	slices.SortFunc(all, func(a, b wire.Edit) int { return cmp.Compare(a.At, b.At) })
	return all
}
