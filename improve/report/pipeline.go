package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/impact"
	"github.com/trimtab/trimtab/improve/pipeline"
	"github.com/trimtab/trimtab/internal/plural"
)

// Why writes which gates hold cases back.
func Why(w io.Writer, reasons []pipeline.Reason) error {
	p := &printer{w: w}
	if len(reasons) == 0 {
		p.printf("nothing went wrong that we know of; trimtab reflect says where it looked\n")
	}
	for _, r := range reasons {
		p.printf("%d. %s, %s, %s, score %d  (%s)\n", r.Number, strings.ReplaceAll(r.Pattern.Type, "_", " "), r.Pattern.Severity, plural.Count(r.Pattern.Count, "time"), r.Score, r.Pattern.Fingerprint)
		if r.Fire {
			p.printf("   every gate is open: it would begin as %s\n", r.State)
		}
		for _, g := range r.Gates {
			if !g.Open {
				p.printf("   %s\n", g.String())
			}
		}
	}
	return p.err
}

// Impact writes what improvements changed, with days in a zone.
func Impact(w io.Writer, all []pipeline.ItemImpact, zone *time.Location) error {
	p := &printer{w: w}
	if len(all) == 0 {
		p.printf("no improvement of this project is done yet\n")
	}
	for _, i := range all {
		p.printf("%s  %s\n  %s\n", i.ID, i.Title, countedFrom(i, zone))
		p.period("before", i.Before)
		if i.Pull == string(forge.Open) || i.Pull == string(forge.Closed) {
			continue
		}
		p.period("after", i.After)
		p.printf("  %s\n", i.Text)
		if i.Verdict == impact.NotHelped {
			p.printf("  trimtab improve retry %s takes it up again\n", ShortID(i.ID))
		}
	}
	return p.err
}

// period writes the sessions of a time: only those that had the occasion count.
func (p *printer) period(name string, of improve.Period) {
	p.printf("  %-7s %d of %s that had the occasion (%d in all), %s\n", name+":", of.With, plural.Count(of.Sessions, "session"), of.All, plural.Count(of.Count, "time"))
}

// countedFrom says in words what the counts begin with.
func countedFrom(i pipeline.ItemImpact, zone *time.Location) string {
	day := i.At.In(zone).Format(time.DateOnly)
	switch i.Pull {
	case pipeline.PullUnknown:
		return "counted from the day the work was done, " + day + ": whether it was merged is not known"
	case string(forge.Merged):
		return fmt.Sprintf("pull request %d was merged on %s", i.Number, day)
	}
	return fmt.Sprintf("pull request %d is %s, so nothing can have changed", i.Number, i.Pull)
}
