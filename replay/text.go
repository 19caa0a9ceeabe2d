package replay

import (
	"cmp"
	"io"

	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// WriteReport writes the report on a session of a file for people. Damaged is how many
// lines of it were left out.
func WriteReport(w io.Writer, file string, damaged int, rep Report) error {
	p := termsafe.NewPrinter(w)
	p.Printf("%s\n  %s  %s\n", file, rep.Session, rep.Title)
	p.Printf("  %s, %s, about %d tokens", plural.Count(rep.Messages, "message"), plural.Count(rep.Steps, "step"), rep.Tokens)
	if damaged > 0 {
		p.Printf(", %s left out", plural.Count(damaged, "damaged line"))
	}
	p.Printf("\n")
	for _, n := range rep.Notes {
		p.Printf("  step %-5d + %s/%s: %s (%s in %s, cost %.0f)\n", n.Step, n.By, n.Slot, n.Why, plural.Count(n.Tokens, "token"), plural.Count(n.Sent, "request"), n.Cost)
		if n.Ended > 0 {
			p.Printf("  step %-5d - %s/%s: %s\n", n.Ended, n.By, n.Slot, n.Because)
		}
	}
	for _, s := range rep.Spoken {
		p.Printf("  step %-5d ! %s %s: %s\n", s.Step, s.By, s.Kind, cmp.Or(s.Why, s.Text))
	}
	writeTotals(p, "  ", rep.Totals)
	return p.Err()
}

// WriteDifference writes how other settings would have differed, below the report on a
// session; other is the report under those.
func WriteDifference(w io.Writer, d Difference, other Report) error {
	p := termsafe.NewPrinter(w)
	p.Printf("  against the other settings: %d in common, %d only here, %d only there\n", d.Both, len(d.Only), len(d.Other))
	for _, n := range d.Only {
		p.Printf("    here  step %-5d %s/%s: %s\n", n.Step, n.By, n.Slot, n.Why)
	}
	for _, n := range d.Other {
		p.Printf("    there step %-5d %s/%s: %s\n", n.Step, n.By, n.Slot, n.Why)
	}
	writeTotals(p, "    there: ", other.Totals)
	p.Printf("    the other adds %+d tokens, gives up %+d of cached prefix, costs %+.0f\n", d.Added, d.Lost, d.Cost)
	return p.Err()
}

func writeTotals(p *termsafe.Printer, lead string, t Totals) {
	p.Printf("%s%s, %s added, %d of cached prefix given up; cost %.0f, %.1f %% of the session's %.0f\n", lead,
		plural.Count(t.Injected, "note"), plural.Count(t.Added, "token"), t.Lost, t.Cost, 100*t.Share(), t.Plain)
}
