package tui

import (
	"fmt"

	"github.com/trimtab/trimtab"
)

// sum is what the session used, as the provider counted.
type sum struct {
	in, out int
	dollars float64
	priced  bool // all of it has a price
	any     bool
}

func (s *sum) add(o Options, m trimtab.Message) {
	if m.Usage != nil {
		s.spend(o, m.Model, *m.Usage)
	}
}

// spend adds what a model used.
func (s *sum) spend(o Options, model string, u trimtab.Usage) {
	if !s.any {
		s.any, s.priced = true, true
	}
	s.in += u.Context()
	s.out += u.Output
	if o.Cost == nil {
		s.priced = false
		return
	}
	d, known := o.Cost(model, u)
	s.dollars += d
	s.priced = s.priced && known
}

// tokens tells a number in few letters.
func tokens(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 100_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

func money(d float64) string {
	if d < 0.995 {
		return fmt.Sprintf("$%.3f", d)
	}
	return fmt.Sprintf("$%.2f", d)
}
