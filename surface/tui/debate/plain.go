package debate

import (
	"context"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// Plain says an event in one line for a log or a pipe, or "" where there is nothing
// to say. It never colours and never moves the cursor.
func Plain(ev deliberate.Event) string {
	switch ev := ev.(type) {
	case deliberate.Spoke:
		if ev.By == "" || ev.By == deliberate.Moderator {
			return ""
		}
		return fmt.Sprintf("%3d %s: %s", ev.Seq, ev.By, short(ev.Text, 100))
	case deliberate.Missed:
		return fmt.Sprintf("    %s did not speak: %s", ev.Who, short(ev.Why, 100))
	case deliberate.Looking:
		return "    looking up: " + short(ev.Request.Topic, 100)
	case deliberate.Steered:
		return "    " + steered(ev)
	case deliberate.Noticed:
		return "    " + short(ev.Text, 140)
	case deliberate.Faulted:
		return "    fault: " + short(ev.Fault.Error(), 140)
	case deliberate.Moved:
		return fmt.Sprintf("--- phase %d: %s", ev.Index+1, termsafe.Line(ev.To.Name))
	case deliberate.Ticked:
		return "    " + ticked(ev.Criterion)
	case deliberate.Voted:
		return "    " + voted(ev)
	case deliberate.Paused:
		return "paused: " + termsafe.Line(ev.Why)
	case deliberate.Ended:
		return "ended: " + string(ev.Reason)
	}
	return ""
}

func steered(ev deliberate.Steered) string {
	c := ev.Change
	return termsafe.Line(fmt.Sprintf("%s %s/%s: %s (%d tokens)", c.Kind, c.By, c.Slot, short(c.Why, 100), c.Tokens))
}

func ticked(c deliberate.Criterion) string {
	if c.Met {
		return termsafe.Line("met: " + c.ID)
	}
	return termsafe.Line("no longer met: " + c.ID)
}

func voted(ev deliberate.Voted) string {
	text := fmt.Sprintf("%s by %s, %.0f %% for, %.0f %% against", ev.Proposal.Name(), ev.Proposal.By, 100*ev.Support, 100*ev.Opposition)
	switch {
	case ev.Agreed && ev.Contested:
		text += ": agreed, with dissent"
	case ev.Agreed:
		text += ": agreed"
	case ev.Contested:
		text += ": conflict"
	}
	return termsafe.Line(text)
}

// short is the beginning of a text in one line.
func short(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > n {
		text = string(runes[:n]) + "…"
	}
	return termsafe.Line(text)
}

// Follow runs a debate and tells each event that Plain has a line for. It returns the
// last event, with an error the last before it.
func Follow(ctx context.Context, d *deliberate.Debate, tell func(line string)) (last deliberate.Event, err error) {
	for ev, err := range d.Run(ctx) {
		if err != nil {
			return last, err
		}
		if line := Plain(ev); line != "" {
			tell(line)
		}
		last = ev
	}
	return last, nil
}
