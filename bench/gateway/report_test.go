package main

import (
	"strings"
	"testing"
	"time"
)

func TestGoals(t *testing.T) {
	by := func(ours, theirs float64) map[string]float64 {
		return map[string]float64{"trimtab": ours, "ReverseProxy": theirs}
	}
	for _, c := range []struct {
		name string
		row  row
		want string
	}{
		{"at the limit", row{By: by(110, 100), Goal: goal{Ratio: 1.1}}, "met"},
		{"past it", row{By: by(111, 100), Goal: goal{Ratio: 1.1}}, "missed"},
		{"nothing to compare with", row{By: map[string]float64{"trimtab": 1}, Goal: goal{Ratio: 1.1}}, ""},
		{"not measured", row{By: map[string]float64{"ReverseProxy": 1}, Goal: goal{Most: 0, Set: true}}, ""},
		{"none at all", row{By: by(0, 7), Goal: goal{Set: true}}, "met"},
		{"one too many", row{By: by(1, 0), Goal: goal{Set: true}}, "missed"},
		{"no goal", row{By: by(9, 1)}, ""},
	} {
		if got := c.row.met(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	sizes := []size{{bytes: 10_000}, {bytes: 200_000}, {bytes: 2_000_000}}
	for i, want := range []string{"≤ 1.2×", "≤ 1.4×", "≤ 1.3×"} {
		if got := addedGoal(sizes[i]).text(); got != want {
			t.Errorf("%d bytes: %s, want %s", sizes[i].bytes, got, want)
		}
	}
}

func TestQuantiles(t *testing.T) {
	list := []time.Duration{1, 2, 3, 4, 5}
	if quantile(list, 0.5) != 3 || quantile(list, 0) != 1 || quantile(list, 1) != 5 || quantile(nil, 0.5) != 0 {
		t.Error("quantiles are off")
	}
}

func TestMemoryIsTheLargestOfAllParts(t *testing.T) {
	rows := highest([]row{
		{By: map[string]float64{"trimtab": 40}, Counts: map[string]float64{"trimtab": 41}},
		{By: map[string]float64{"trimtab": 101}, Counts: map[string]float64{"trimtab": 90}, After: map[string]float64{"trimtab": 80}},
		{By: map[string]float64{"trimtab": 50}, Counts: map[string]float64{"trimtab": 90}},
	})
	if rows[0].By["trimtab"] != 101 || rows[0].met() != "missed" || rows[1].By["trimtab"] != 80 || rows[2].By["trimtab"] != 90 {
		t.Errorf("%+v", rows)
	}
	if highest(nil) != nil {
		t.Error("nothing was measured, and a figure is shown")
	}
}

func TestTheTableSaysWhatIsLeftOut(t *testing.T) {
	var out strings.Builder
	report{Targets: []string{"direct", "trimtab"}, Left: []string{"nginx is left out: it is not installed"}, Rows: []row{
		{Part: "p", What: "w", By: map[string]float64{"direct": 1, "trimtab": 2}, Bad: map[string]int{"trimtab": 3}},
	}}.print(&out)
	for _, want := range []string{"nginx is left out: it is not installed.\n", "| p | w | 1.0 | 2.0 |", "3 requests to trimtab failed"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}
