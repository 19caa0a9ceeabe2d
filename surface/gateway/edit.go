package gateway

import (
	"slices"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
)

// edits turns the seats and folds of a session into places of a body. One whose
// message is not there is left out: the engine will hear of it as Rewritten.
func (r reading) edits(s trimtab.Session, b *wire.Body) []wire.Edit {
	hidden, all := r.folds(s, b)
	texts := map[int][]string{} // by the line that they stand before
	for _, n := range s.Notes {
		if !n.Seated() {
			continue
		}
		at := r.find(n.Seat.ID)
		if at < 0 || hidden[at] {
			continue
		}
		if n.Seat.After {
			at++
		}
		texts[at] = append(texts[at], n.Text)
	}
	for at, t := range texts {
		all = append(all, wire.Edit{At: r.item(at, b), Texts: t})
	}
	slices.SortStableFunc(all, func(a, b wire.Edit) int {
		if a.At != b.At {
			return a.At - b.At
		}
		return a.Drop - b.Drop // what stands before a folded run comes before its summary
	})
	return all
}

// item is the item at which a line begins.
func (r reading) item(line int, b *wire.Body) int {
	if line >= len(r.items) { // behind the last, or behind a reply that is asked for again
		return len(b.Items)
	}
	return r.items[line]
}

// folds finds the lines that are folded away, and the edits that put their
// summaries in their place. A fold that would part a tool call from its result is
// left open, as Session.View leaves it.
func (r reading) folds(s trimtab.Session, b *wire.Body) (hidden map[int]bool, all []wire.Edit) {
	if len(s.Folds) == 0 {
		return nil, nil
	}
	hidden = map[int]bool{}
	summary := map[int]wire.Edit{} // by the line at which they begin
	for _, f := range s.Folds {    // a later fold may hold an earlier one
		first, last := r.find(f.First.ID), r.find(f.Last.ID)
		if first < 0 || last < first || last >= len(r.items) || !r.whole(first, last, b) {
			continue
		}
		for at := first; at <= last; at++ {
			hidden[at] = true
			delete(summary, at)
		}
		from := r.item(first, b)
		summary[first] = wire.Edit{At: from, Drop: r.item(last+1, b) - from, Texts: []string{f.Text}}
	}
	for _, e := range summary {
		all = append(all, e)
	}
	return hidden, all
}

// whole reports whether the lines from first to last ask for nothing that is
// answered outside them, and answer nothing that was asked for outside.
func (r reading) whole(first, last int, b *wire.Body) bool {
	from, to := r.item(first, b), r.item(last+1, b)
	open := func(item int) bool { return item > 0 && b.Items[item-1].Open > 0 }
	return !open(from) && !open(to)
}

// apply puts the edits into a body, in pieces of it and of the notes. Where one of them has no place the others are
// not lost for it.
func apply(f wire.Format, b *wire.Body, edits []wire.Edit) (pieces [][]byte, left int, err error) {
	pieces = make([][]byte, 0, 2*len(edits)+1)
	notes := make([]byte, 0, sizeOf(edits))
	if pieces, notes, err = f.Pieces(pieces, notes, b, edits); err == nil || len(edits) == 1 {
		return pieces, 0, err
	}
	var fit []wire.Edit
	for i, e := range edits {
		if _, _, alone := f.Pieces(nil, nil, b, edits[i:i+1]); alone == nil {
			fit = append(fit, e)
		}
	}
	if len(fit) == 0 || len(fit) == len(edits) {
		return nil, len(edits), err
	}
	pieces, _, err = f.Pieces(pieces[:0], notes[:0], b, fit)
	return pieces, len(edits) - len(fit), err
}
