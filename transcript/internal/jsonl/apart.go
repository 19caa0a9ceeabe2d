package jsonl

// Record is what a host's line is taken apart into: values, which are spans of it, and
// facts, which are all else that is found in it.
type Record[F any] interface {
	// Parse goes through the line, and reports whether lines like it have their values
	// in the same places. What it finds may depend on the bytes of a value only where
	// it says so with Fix.
	Parse(c *Cursor) (same bool, err error)
	// Facts are what was found beside values. They stay as they are.
	Facts() F
	// Become makes it a line of these facts without values.
	Become(f F)
	// Values appends where the values are kept: for the same facts, the same ones in
	// the same order.
	Values(to []*[]byte) []*[]byte
}

// Apart takes lines apart, those of a known shape by comparing. The zero value
// knows none.
type Apart[F any] struct {
	shapes Shapes[F]
	walk   Walk
	twice  Twice
	at     []Span
	values []*[]byte
}

// Line takes a line apart into l. The values are spans of b.
func (a *Apart[F]) Line(b []byte, l Record[F]) error {
	a.twice = Twice{}
	found, at, ok := a.shapes.Match(b, &a.twice, a.at)
	a.at = at
	l.Become(found)
	if ok {
		a.values = l.Values(a.values[:0])
		for n, s := range at {
			if s != (Span{}) {
				*a.values[n] = s.Of(b)
			}
		}
		return nil
	}
	c := Walked(b, &a.twice, &a.walk)
	same, err := l.Parse(&c)
	if err != nil || !same {
		return err
	}
	a.values, a.at = l.Values(a.values[:0]), a.at[:0]
	for _, v := range a.values {
		s := Span{}
		if *v != nil {
			from := cap(b) - cap(*v) // both end where their memory does
			s = Span{int32(from), int32(from + len(*v))}
		}
		a.at = append(a.at, s)
	}
	a.shapes.Learn(b, &a.walk, a.at, l.Facts())
	return nil
}

// Hits is how many lines were of a known shape.
func (a *Apart[F]) Hits() int { return a.shapes.Hits() }
