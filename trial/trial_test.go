package trial_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/trial"
)

var plan = trial.Plan{Tasks: []string{"a", "b", "c", "d", "e", "f", "g", "h"}, Arms: []string{"off", "on"}, Repeat: 3, Seed: 7}

// results are those of the plan, solved as a function says.
func results(p trial.Plan, solves func(trial.Run) bool) []trial.Result {
	var all []trial.Result
	for _, r := range p.Runs() {
		x := trial.Result{Run: r, Outcome: trial.Unsolved, Input: 100, Output: 10, Seconds: 2, Folder: "/f", Began: time.Date(2026, 11, 17, 0, 0, 0, 0, time.UTC)}
		if solves(r) {
			x.Outcome = trial.Solved
		}
		all = append(all, x)
	}
	return all
}

// TestPlan_InterleavedAndPaired: the arms of a pair stand side by side with the same seed,
// each arm goes first equally often, and no two pairs share a seed.
func TestPlan_InterleavedAndPaired(t *testing.T) {
	runs := plan.Runs()
	if len(runs) != 48 {
		t.Fatal(len(runs))
	}
	first, seeds := map[string]int{}, map[uint64]int{}
	for i := 0; i < len(runs); i += 2 {
		a, b := runs[i], runs[i+1]
		if a.Task != b.Task || a.Repeat != b.Repeat || a.Seed != b.Seed || a.Arm == b.Arm {
			t.Errorf("%v and %v are no pair", a, b)
		}
		first[a.Arm]++
		seeds[a.Seed]++
	}
	if first["on"] != first["off"] || len(seeds) != 24 {
		t.Errorf("%v, %d seeds", first, len(seeds))
	}
}

// TestSum_ADifferenceIsShownWhereThereIsOne, and none where there is none.
func TestSum_ADifferenceIsShownWhereThereIsOne(t *testing.T) {
	for _, c := range []struct {
		name   string
		solves func(trial.Run) bool
		want   string
	}{
		{"helps everywhere", func(r trial.Run) bool { return r.Arm == "on" }, "on solves more than off: 24 of 24 pairs"},
		{"harms everywhere", func(r trial.Run) bool { return r.Arm == "off" }, "on solves less than off: 0 of 24 pairs"},
		{"solves all anyway", func(trial.Run) bool { return true }, "No difference is seen between on and off"},
		{"solves none", func(trial.Run) bool { return false }, "No difference is seen between on and off"},
		{"helps in one task, always", func(r trial.Run) bool { return r.Arm == "on" && r.Task == "a" }, "No difference is shown between on and off: 3 of 24 pairs"},
	} {
		r := trial.Sum(plan, trial.About{}, results(plan, c.solves))
		if got := r.Comparisons[0]; !strings.HasPrefix(got.Verdict, c.want) || got.Pairs != 24 || got.Unit != "task" {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// With few tasks, pairs are what counts, and the report says so.
func TestSum_FewTasks(t *testing.T) {
	p := trial.Plan{Tasks: []string{"a"}, Arms: []string{"off", "on"}, Repeat: 6}
	r := trial.Sum(p, trial.About{}, results(p, func(r trial.Run) bool { return r.Arm == "on" }))
	if c := r.Comparisons[0]; c.Unit != "pair" || c.Chance > 0.05 || !strings.Contains(r.Markdown(), "about these tasks, not about others") {
		t.Errorf("%+v", c)
	}
}

// What is broken counts for no arm, and its pair is not counted either.
func TestSum_BrokenRunsCountForNobody(t *testing.T) {
	all := results(plan, func(trial.Run) bool { return true })
	all[0].Outcome, all[0].Why = trial.Broken, "claude is <b>not</b> installed | 'x'"
	all = append(all[:5], all[6:]...) // and one was not made
	r := trial.Sum(plan, trial.About{Notes: []string{"stopped by the budget"}}, all)
	if r.Missing != 1 || r.Comparisons[0].Pairs != 22 || r.Arms[0].Broken+r.Arms[1].Broken != 1 {
		t.Errorf("%+v", r.Comparisons[0])
	}
	text := r.Markdown()
	for _, want := range []string{"&lt;b>not", "installed ¦", "1 were not made", "stopped by the budget"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	var page strings.Builder
	if err := r.HTML(&page); err != nil || strings.Contains(page.String(), "<b>") || !strings.Contains(page.String(), "&lt;b&gt;not") {
		t.Errorf("%v\n%s", err, page.String())
	}
	for _, outside := range []string{"<script", "http://", "https://", "<link", "url("} {
		if strings.Contains(page.String(), outside) {
			t.Errorf("the page asks for something: %s", outside)
		}
	}
}

// A baseline of another day is named.
func TestSum_AnOldBaselineIsNamed(t *testing.T) {
	all := results(plan, func(trial.Run) bool { return true })
	if text := trial.Sum(plan, trial.About{}, all).Markdown(); strings.Contains(text, "--fresh") {
		t.Error(text)
	}
	for i := range all {
		if all[i].Arm == "off" {
			all[i].Began = all[i].Began.AddDate(0, 0, -9)
		}
	}
	if text := trial.Sum(plan, trial.About{}, all).Markdown(); !strings.Contains(text, "the runs of off are of 2026-11-08") {
		t.Error(text)
	}
}

// The same results give the same report, whatever their order.
func TestSum_TheSameReport(t *testing.T) {
	all := results(plan, func(r trial.Run) bool { return r.Seed%3 == 0 || r.Arm == "on" && r.Seed%2 == 0 })
	one := trial.Sum(plan, trial.About{}, all).Markdown()
	for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
		all[i], all[j] = all[j], all[i]
	}
	if again := trial.Sum(plan, trial.About{}, all).Markdown(); again != one {
		t.Errorf("%s\n%s", one, again)
	}
	if empty := trial.Sum(plan, trial.About{}, nil); !strings.Contains(empty.Markdown(), "Nothing can be said") || empty.Missing != 48 {
		t.Error(empty.Markdown())
	}
	if !strings.Contains(one, fmt.Sprintf("%d runs", 48)) {
		t.Error(one)
	}
}
