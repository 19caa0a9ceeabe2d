package report_test

import (
	"io"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/impact"
	"github.com/trimtab/trimtab/improve/pipeline"
	"github.com/trimtab/trimtab/improve/report"
)

func TestWhy_Golden(t *testing.T) {
	p := improve.Pattern{Type: improve.ErrorPatterns, Severity: improve.High, Count: 1, Fingerprint: "74fab9b2ddbe5d90"}
	reasons := []pipeline.Reason{
		{Number: 1, Pattern: p, Verdict: improve.Verdict{Fire: true, State: improve.Queued, Score: 120, Gates: []improve.Gate{{Name: improve.GateSwitch, Open: true, Why: "on"}}}},
		{Number: 2, Pattern: p, Verdict: improve.Verdict{Score: 7, Gates: []improve.Gate{
			{Name: improve.GateEnabled, Why: "automation is not enabled", Change: "set automation.automation_enabled to true"},
			{Name: improve.GateForge, Why: "https://forge.example/\x1b[31m7 is open"},
		}}},
	}
	golden(t, "why.txt", func(w io.Writer) error { return report.Why(w, reasons) })
	golden(t, "why.none.txt", func(w io.Writer) error { return report.Why(w, nil) })
}

func TestImpact_Golden(t *testing.T) {
	counts := improve.Impact{At: now, Before: improve.Period{All: 9, Sessions: 3, With: 2, Count: 5}, After: improve.Period{All: 1, Sessions: 1, Count: 0}}
	var all []pipeline.ItemImpact
	for i, pull := range []string{pipeline.PullUnknown, "merged", "open", "closed"} {
		all = append(all, pipeline.ItemImpact{ID: "workflow_20261115_101500_k3x9", Title: "Read it once", Pull: pull, Number: i, Impact: counts, Told: impact.Tell(counts)})
	}
	counts.After = counts.Before
	all = append(all, pipeline.ItemImpact{ID: "workflow_20261115_101500_k3x9", Title: "Read it once", Pull: "merged", Impact: counts, Told: impact.Tell(counts)})
	golden(t, "impact.txt", func(w io.Writer) error { return report.Impact(w, all, time.UTC) })
	golden(t, "impact.none.txt", func(w io.Writer) error { return report.Impact(w, nil, time.UTC) })
}
