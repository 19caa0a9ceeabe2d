package replay

import (
	"fmt"

	"github.com/trimtab/trimtab"
)

// Difference is what another policy would have done differently.
type Difference struct {
	Only  []Note  `json:"only"`  // injected by the first alone
	Other []Note  `json:"other"` // by the second alone
	Both  int     `json:"both"`  // by both, at the same step
	Added int     `json:"added"` // tokens that the second adds more
	Lost  int     `json:"lost"`  // cached prefix that it gives up more
	Cost  float64 `json:"cost"`  // that it costs more
}

// Compare matches the notes of two reports by who, what and when.
func Compare(a, b Report) Difference {
	key := func(n Note) string { return fmt.Sprintf("%s/%s@%d", n.By, n.Slot, n.Step) }
	there := map[string]int{}
	for _, n := range b.Notes {
		there[key(n)]++
	}
	d := Difference{Only: []Note{}, Other: []Note{}, Added: b.Added - a.Added, Lost: b.Lost - a.Lost, Cost: b.Cost - a.Cost}
	for _, n := range a.Notes {
		if there[key(n)] > 0 {
			there[key(n)]--
			d.Both++
			continue
		}
		d.Only = append(d.Only, n)
	}
	for _, n := range b.Notes {
		if there[key(n)] > 0 {
			there[key(n)]--
			d.Other = append(d.Other, n)
		}
	}
	return d
}

// Comparison is what one policy would have done, and another where there is one.
type Comparison struct {
	Report     *Report     `json:"report,omitempty"`
	Against    *Report     `json:"against,omitempty"`
	Difference *Difference `json:"difference,omitempty"`
}

// Both takes a session through an engine, and through another one that may be nil.
func Both(engine, other *trimtab.Engine, s Recorded) (Comparison, error) {
	report, err := Run(engine, s.Info, s.All(), Prices{})
	if err != nil {
		return Comparison{}, err
	}
	if other == nil {
		return Comparison{Report: &report}, nil
	}
	second, err := Run(other, s.Info, s.All(), Prices{})
	if err != nil {
		return Comparison{}, err
	}
	diff := Compare(report, second)
	return Comparison{&report, &second, &diff}, nil
}
