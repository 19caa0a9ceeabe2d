package gateway

import (
	"cmp"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/travel"
	"github.com/trimtab/trimtab/wire"
)

// edits turns the seats and folds of a session into places of a body, and the copies
// that were sent of notes that clear themselves. One whose message is not there is left
// out: the engine will hear of it as Rewritten.
func (r reading) edits(s trimtab.Session, copies map[string][]string, by wire.Channel, b *wire.Body) []wire.Edit {
	hidden, all := r.folds(s, b)
	texts := map[place][]string{}
	for _, n := range s.Notes {
		if !n.Seated() || n.Hosted || s.Travel == trimtab.Clearing && !n.Fixed { // of those the copies are sent
			continue
		}
		at := r.find(n.Seat.ID)
		if at < 0 || hidden[at] {
			continue
		}
		if n.Seat.After || r.lines[at].opens {
			at++
		}
		p := place{at: r.item(at, b)}
		if p.at < 0 {
			continue // the provider keeps it
		}
		if p.kept = n.Life == trimtab.Kept; !p.kept { // a kept one stands before the prompt, where only the user speaks
			p.channel = by
		}
		texts[p] = append(texts[p], travel.Lasting(n))
	}
	for at, t := range r.copied(copies, b) {
		if !hidden[at] {
			p := place{at: r.item(at+1, b), channel: by, clear: by == wire.Operator}
			texts[p] = append(texts[p], t...)
		}
	}
	for p, t := range texts {
		if p.channel == wire.User && !p.kept && !strings.Contains(strings.Join(t, "\n"), "Trimtab") {
			t = append([]string{travel.Author}, t...)
		}
		all = append(all, wire.Edit{At: p.at, Texts: t, Channel: p.channel, Clear: p.clear})
	}
	slices.SortStableFunc(all, func(a, b wire.Edit) int {
		// What stands before a folded run comes before its summary, and the user's text
		// before the operator's.
		return cmp.Or(a.At-b.At, a.Drop-b.Drop, int(a.Channel)-int(b.Channel))
	})
	return all
}

// place is where notes stand together, and as what.
type place struct {
	at      int // the item that they stand before
	channel wire.Channel
	clear   bool
	kept    bool
}

// copied finds the lines behind which copies of notes stand. Of those in one user turn
// only the last counts: to what was sent before it in that turn no reply came.
func (r reading) copied(copies map[string][]string, b *wire.Body) map[int][]string {
	found := map[int][]string{}
	if len(copies) == 0 {
		return found
	}
	last := -1
	for i, known := range r.lines {
		if known.reply {
			last = -1
			continue
		}
		if texts, ok := copies[known.id]; ok && i < len(r.items) {
			if last >= 0 {
				delete(found, last)
			}
			if last = i; len(texts) > 0 {
				found[i] = texts
			}
		}
	}
	return found
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
		if first < 0 || last < first || last >= len(r.items) || r.items[first] < 0 || !r.whole(first, last, b) {
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
