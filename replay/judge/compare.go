package judge

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/trimtab/trimtab"
)

// Comparison is what a second policy would say otherwise than a first one, over sessions.
type Comparison struct {
	Sessions   int                 `json:"sessions"`
	Steps      int                 `json:"steps"`
	Unreadable int                 `json:"unreadable,omitempty"`
	Kinds      []KindDifference    `json:"kinds"`
	Changed    []SessionDifference `json:"changed"` // those in which anything differs, at most mostChanged
	More       int                 `json:"more,omitempty"`
}

// KindDifference counts, for a kind of message, how many stay, vanish and appear, and what
// people thought of those, where they are labelled.
type KindDifference struct {
	Kind   Kind      `json:"kind"`
	Stay   int       `json:"stay"`
	Vanish int       `json:"vanish"`
	Appear int       `json:"appear"`
	First  Precision `json:"first"`  // of what the first policy says
	Second Precision `json:"second"` // and of the second
}

// SessionDifference is what differs in one session.
type SessionDifference struct {
	ID     string `json:"session"`
	Title  string `json:"title,omitempty"`
	Steps  int    `json:"steps"`
	Stay   int    `json:"stay"`
	Vanish []Said `json:"vanish"` // the first policy alone says it; at most mostDifferent
	Appear []Said `json:"appear"` // the second alone
}

// How much a comparison keeps to be read. Counts are of all.
const (
	mostChanged   = 200
	mostDifferent = 50
	mostSaid      = 2000 // bytes of a text
)

// Compare plays every session of a corpus through two policies, and tells after each how many
// are done. It ends with ctx; sessions that cannot be read are counted.
func Compare(ctx context.Context, c Corpus, first, second Options, done func(sessions int)) (Comparison, error) {
	out := Comparison{Kinds: []KindDifference{}, Changed: []SessionDifference{}}
	kinds := map[Kind]*KindDifference{}
	for _, get := range c.recordings(ctx, first.Read) {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		rec, err := get()
		if err != nil {
			out.Unreadable++
			continue
		}
		a, err := c.one(ctx, first, rec)
		if err != nil {
			return out, err
		}
		b, err := c.one(ctx, second, rec)
		if err != nil {
			return out, err
		}
		a.label, b.label = labelsOf(first, a), labelsOf(first, b)
		out.Sessions++
		out.Steps += a.Steps
		out.add(a, b, kinds)
		done(out.Sessions)
	}
	for _, k := range slices.SortedFunc(maps.Values(kinds), func(a, b *KindDifference) int {
		return cmp.Or(cmp.Compare(b.Vanish+b.Appear, a.Vanish+a.Appear), cmp.Compare(b.Stay, a.Stay), cmp.Compare(a.Kind, b.Kind))
	}) {
		out.Kinds = append(out.Kinds, *k)
	}
	return out, nil
}

func labelsOf(o Options, p Played) *SessionLabels {
	if l := o.Known[p.ID]; l != nil && l.of(p.Steps) {
		return l
	}
	return nil
}

// add matches what two policies say in a session by who, what and when.
func (c *Comparison) add(a, b Played, kinds map[Kind]*KindDifference) {
	row := func(k Kind) *KindDifference {
		if kinds[k] == nil {
			kinds[k] = &KindDifference{Kind: k, First: Precision{Kind: k}, Second: Precision{Kind: k}}
		}
		return kinds[k]
	}
	type at struct {
		step     int
		by, slot string
	}
	key := func(s Said) at { return at{s.Step, s.By, s.Slot} }
	there := map[at]int{}
	for _, s := range b.Said {
		there[key(s)]++
		row(s.Kind).Second.count(b.label, s)
	}
	d := SessionDifference{ID: a.ID, Title: a.Title, Steps: a.Steps, Vanish: []Said{}, Appear: []Said{}}
	for _, s := range a.Said {
		r := row(s.Kind)
		r.First.count(a.label, s)
		if there[key(s)] > 0 {
			there[key(s)]--
			r.Stay++
			d.Stay++
			continue
		}
		r.Vanish++
		d.Vanish = append(d.Vanish, s.shown(a.label))
	}
	for _, s := range b.Said {
		if there[key(s)] > 0 {
			there[key(s)]--
			row(s.Kind).Appear++
			d.Appear = append(d.Appear, s.shown(b.label))
		}
	}
	d.Vanish, d.Appear = d.Vanish[:min(len(d.Vanish), mostDifferent)], d.Appear[:min(len(d.Appear), mostDifferent)]
	switch {
	case len(d.Vanish)+len(d.Appear) == 0:
	case len(c.Changed) == mostChanged:
		c.More++
	default:
		c.Changed = append(c.Changed, d)
	}
}

// count counts a message with the verdict that people gave it.
func (p *Precision) count(l *SessionLabels, s Said) {
	if l == nil {
		return
	}
	v := l.verdict(s)
	p.Useful += one(v == useful)
	p.Harmless += one(v == harmless)
	p.Annoying += one(v == annoying)
}

// shown is a message as a comparison keeps it.
func (s Said) shown(l *SessionLabels) Said {
	s.Text, s.Why = trimtab.Clip(s.Text, mostSaid), trimtab.Clip(s.Why, mostSaid)
	if l != nil {
		s.Verdict = l.verdict(s)
	}
	return s
}
