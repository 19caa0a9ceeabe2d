package replay

import (
	"iter"

	"github.com/trimtab/trimtab"
)

// Recorded is a session as it was recorded; package replay/record reads them.
type Recorded struct {
	Info    trimtab.Info
	Events  []trimtab.Event
	Damaged int // lines or rows that could not be read
}

// All returns the events one by one.
func (s Recorded) All() iter.Seq2[trimtab.Event, error] {
	return func(yield func(trimtab.Event, error) bool) {
		for _, ev := range s.Events {
			if !yield(ev, nil) {
				return
			}
		}
	}
}
