package session

import (
	"context"
	"fmt"

	"github.com/trimtab/trimtab"
)

// Advisor is asked about an event before it is stepped. What it returns is stepped
// with the event and stored in the journal, so that a replay needs no advisor. It
// returns soon, whatever happens: the session waits for it.
type Advisor interface {
	Advise(ctx context.Context, s trimtab.Info, ev trimtab.Event) ([]trimtab.Advised, []trimtab.Fault)
}

// advise puts advice behind the events that it is about, and before a Calling, at
// which due notes take their seats. It is called with the session locked, once for each
// event: where another process was faster, the same advice is stepped again.
func (h *Service) advise(ctx context.Context, s trimtab.Info, events []normalized) []normalized {
	if h.opt.Advisor == nil {
		return events
	}
	out := make([]normalized, 0, len(events))
	for _, f := range events {
		advice, faults := h.ask(ctx, s, f.Event)
		f.faults = append(f.faults, faults...)
		_, calling := f.Event.(trimtab.Calling)
		if !calling {
			out = append(out, f)
		}
		out = append(out, advice...)
		if calling {
			out = append(out, f)
		}
	}
	return out
}

// ask asks the advisor. Whatever goes wrong is a fault of the event.
func (h *Service) ask(ctx context.Context, s trimtab.Info, ev trimtab.Event) (advice []normalized, faults []trimtab.Fault) {
	defer func() {
		if p := recover(); p != nil {
			advice, faults = nil, []trimtab.Fault{{By: "session", Text: fmt.Sprintf("the advisor panicked: %v", p)}}
		}
	}()
	if _, already := ev.(trimtab.Advised); already {
		return nil, nil
	}
	given, faults := h.opt.Advisor.Advise(ctx, s, ev)
	for _, a := range given {
		evs, err := h.normalize([]trimtab.Event{a})
		if err != nil {
			faults = append(faults, trimtab.Fault{By: a.By, Text: err.Error()})
			continue
		}
		advice = append(advice, evs...)
	}
	return advice, faults
}
