package impact

import (
	"fmt"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/stat"
)

// Verdict says what a change came to.
type Verdict string

// The verdicts.
const (
	Helped    Verdict = "helped"     // fewer sessions show it, and that is hardly chance
	NotHelped Verdict = "not_helped" // as many as before, or more
	TooFew    Verdict = "too_few"    // no number of good sessions so far could have shown it
	NotSure   Verdict = "not_sure"   // fewer, but it may be chance
)

// chance is the share of chance from which a difference counts as none.
const chance = 0.05

// leastSeen is in how many sessions a trouble must be seen again before a change is said
// not to have helped.
const leastSeen = 2

// Told is a verdict with its uncertainty, in words too.
type Told struct {
	Verdict Verdict `json:"verdict"`
	Chance  float64 `json:"chance"` // how often so few would be seen if nothing had changed
	Text    string  `json:"text"`
}

func (t Told) String() string { return t.Text }

// Tell says whether a trouble became less, by Fisher's exact test in one direction: how
// often chance alone would put so few of the sessions that show it into the time after.
func Tell(i improve.Impact) Told {
	before, after := i.Before, i.After
	t := Told{Chance: stat.Fisher(before.With, before.Sessions, after.With, after.Sessions)}
	counts := fmt.Sprintf("%d of %d sessions before, %d of %d after", before.With, before.Sessions, after.With, after.Sessions)
	best := stat.Fisher(before.With, before.Sessions, 0, after.Sessions)
	switch {
	case after.Sessions == 0:
		t.Verdict, t.Text = TooFew, fmt.Sprintf("too few to tell: %s; no session since had the occasion", counts)
	case after.With >= leastSeen && after.Share() >= before.Share():
		t.Verdict, t.Text = NotHelped, fmt.Sprintf("it did not help: %s", counts)
	case t.Chance <= chance:
		t.Verdict, t.Text = Helped, fmt.Sprintf("it helped: %s; that would be chance in %s", counts, percent(t.Chance))
	case best > chance:
		t.Verdict, t.Text = TooFew, "too few to tell: "+counts
	default:
		t.Verdict, t.Text = NotSure, fmt.Sprintf("not sure: %s; that may be chance, as in %s", counts, percent(t.Chance))
	}
	return t
}

func percent(p float64) string {
	if p < 0.001 {
		return "less than 1 of 1,000 cases"
	}
	return fmt.Sprintf("%.1f %% of cases", 100*p)
}
