package list

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
)

// Splice appends the body with its edits to dst, see wire.Format.
func Splice(shape *Shape, dst []byte, b *wire.Body, edits []wire.Edit) ([]byte, error) {
	if b.Format != shape.Name {
		return dst, fmt.Errorf("%s: %w", shape.Name, wire.ErrStale)
	}
	size := len(b.Raw) + 64
	for _, e := range edits {
		for _, t := range e.Texts {
			size += len(t) + len(t)/8 + 128
		}
	}
	dst = slices.Grow(dst, size)
	s := splice{shape: shape, b: b, dst: dst}
	if err := s.all(edits); err != nil {
		return dst, err
	}
	return s.dst, nil
}

// Pieces appends the runs of the body with its edits to pieces, see wire.Format.
func Pieces(shape *Shape, pieces [][]byte, dst []byte, b *wire.Body, edits []wire.Edit) ([][]byte, []byte, error) {
	if b.Format != shape.Name {
		return pieces, dst, fmt.Errorf("%s: %w", shape.Name, wire.ErrStale)
	}
	s := splice{shape: shape, b: b, dst: dst, apart: true, cuts: make([]cut, 0, len(edits)+2)}
	if err := s.all(edits); err != nil {
		return pieces, dst, err
	}
	from := len(dst)
	for _, c := range s.cuts { // only now: dst may have moved while it grew
		pieces = add(pieces, s.dst[from:c.own])
		pieces = add(pieces, b.Raw[c.start:c.end])
		from = c.own
	}
	return add(pieces, s.dst[from:]), s.dst, nil
}

func add(pieces [][]byte, p []byte) [][]byte {
	if len(p) == 0 {
		return pieces
	}
	return append(pieces, p)
}

// cut is a run of the body that stands where so many bytes are ours.
type cut struct{ own, start, end int }

// all makes the edits, in order.
func (s *splice) all(edits []wire.Edit) error {
	for i := range edits {
		if err := s.edit(&edits[i]); err != nil {
			return fmt.Errorf("%s: edit %d of %d: %w", s.shape.Name, i+1, len(edits), err)
		}
	}
	s.finish()
	return nil
}

// splice is a body being written out.
type splice struct {
	shape *Shape
	b     *wire.Body
	dst   []byte
	at    int // in b.Raw: what stands before it is written or dropped
	last  int // where the last edit ended, in items
	done  int // no note may stand before this item any more
	notes int
	tight int // before this item no note may stand: a fold let two items meet there

	apart bool // runs of the body are noted, not copied
	cuts  []cut

	array, typed bool // of a bare list: it has become an array; its text is in it, or dropped
}

// upTo writes the body up to a place.
func (s *splice) upTo(place int) {
	if s.apart {
		s.cuts = append(s.cuts, cut{len(s.dst), s.at, place})
	} else {
		s.dst = append(s.dst, s.b.Raw[s.at:place]...)
	}
	s.at = place
}

func (s *splice) finish() {
	if s.array {
		s.words()
		s.dst = append(s.dst, ']')
	}
	s.upTo(len(s.b.Raw))
}

func (s *splice) edit(e *wire.Edit) error {
	texts, err := s.check(e)
	if err != nil || len(texts) == 0 {
		return err
	}
	s.last = e.At + e.Drop
	if s.b.Bare {
		s.bare(e, texts)
		return nil
	}
	if e.Drop == 0 && e.Channel == wire.Operator && s.shape.Operator != nil {
		if place := s.shape.Behind(s.b, e.At); place >= s.done && (s.tight == 0 || place != s.tight) {
			s.put(place, func(dst []byte) []byte { return s.shape.Operator(dst, texts, e.Clear) })
			return nil
		}
	}
	place := max(s.shape.Place(s.b, e.At), s.done)
	if s.tight > 0 && place == s.tight {
		return fmt.Errorf("%w before item %d: a fold ends there", wire.ErrSeat, place)
	}
	if e.Drop == 0 {
		s.insert(place, texts)
		return nil
	}
	return s.fold(e, place, texts)
}

// check refuses what is no edit of this body and returns the texts that say
// something; APIs refuse blank ones.
func (s *splice) check(e *wire.Edit) ([]string, error) {
	n := len(s.b.Items)
	if e.At < 0 || e.Drop < 0 || e.At > n || e.Drop > n-e.At {
		return nil, fmt.Errorf("%w: items %d to %d of %d", wire.ErrEdit, e.At, e.At+e.Drop, n)
	}
	if e.At < s.last {
		return nil, fmt.Errorf("%w: item %d is given after item %d", wire.ErrEdit, e.At, s.last)
	}
	texts := e.Texts
	if blank := func(t string) bool { return strings.TrimSpace(t) == "" }; slices.ContainsFunc(texts, blank) {
		texts = slices.DeleteFunc(slices.Clone(texts), blank)
	}
	if len(texts) == 0 {
		if e.Drop > 0 {
			return nil, fmt.Errorf("%w: no text for the %d items from %d on", wire.ErrEdit, e.Drop, e.At)
		}
		return nil, nil
	}
	for _, at := range []int{e.At, e.At + e.Drop} {
		if why := s.shape.Whole(s.b, at); why != "" {
			return nil, fmt.Errorf("%w before item %d: %s", wire.ErrSeat, at, why)
		}
		if e.Drop > 0 && at > 0 && s.b.Items[at-1].Server > 0 {
			return nil, fmt.Errorf("%w before item %d: a tool of the provider is running", wire.ErrSeat, at)
		}
	}
	if keep := s.shape.Keep(s.b); e.Drop > 0 && e.At < keep {
		return nil, fmt.Errorf("%w: the first %d items are the system's", wire.ErrSeat, keep)
	}
	return texts, nil
}

// insert puts a message before an item.
func (s *splice) insert(place int, texts []string) {
	s.put(place, func(dst []byte) []byte { return s.shape.Note(dst, texts) })
}

func (s *splice) put(place int, message func(dst []byte) []byte) {
	items := s.b.Items
	switch {
	case place < len(items):
		s.upTo(items[place].Start)
		s.dst = message(s.dst)
		s.dst = append(s.dst, ',')
	case place > 0:
		s.upTo(items[place-1].End)
		s.dst = append(s.dst, ',')
		s.dst = message(s.dst)
	default:
		s.upTo(s.b.List.Start + 1)
		s.element()
		s.dst = message(s.dst)
	}
	s.done = place
}

// element begins a new element of an array that has only ours.
func (s *splice) element() {
	if s.notes > 0 {
		s.dst = append(s.dst, ',')
	}
	s.notes++
}

// fold puts a message in the place of items. Where the message had to move away
// from them, what stands before them meets what stands behind.
func (s *splice) fold(e *wire.Edit, place int, texts []string) error {
	items, behind := s.b.Items, e.At+e.Drop
	if place == e.At {
		s.upTo(items[e.At].Start)
		s.dst = s.shape.Note(s.dst, texts)
	} else {
		if behind < len(items) && items[behind].Role != trimtab.RoleAssistant || place > e.At {
			return fmt.Errorf("%w: what is left before item %d cannot be followed by item %d", wire.ErrSeat, e.At, behind)
		}
		s.insert(place, texts)
		s.upTo(items[e.At-1].End)
		s.tight = behind
	}
	s.at, s.done = items[behind-1].End, behind
	return nil
}

// bare makes an array of a list that is one string.
func (s *splice) bare(e *wire.Edit, texts []string) {
	if !s.array {
		s.upTo(s.b.List.Start)
		s.dst = append(s.dst, '[')
		s.at, s.array = s.b.List.End, true
	}
	if e.Drop > 0 {
		s.typed = true
	}
	if e.At > 0 {
		s.words()
	}
	s.element()
	s.dst = s.shape.Note(s.dst, texts)
}

// words writes the text of a bare list as a message, once. Its literal stays as
// it is.
func (s *splice) words() {
	if !s.typed {
		s.element()
		s.dst = s.shape.Typed(s.dst, s.b.Bytes(s.b.List))
		s.typed = true
	}
}
