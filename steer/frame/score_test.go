package frame

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/settingtag"
)

func TestF6_PushScoresAreThoseOfTheTable(t *testing.T) {
	const goal = "alpha beta gamma delta" // four keywords
	for _, c := range []struct {
		name string
		in   pushFacts
		want []int // failure_boundary, context_switch, complexity, duration
	}{
		{"nothing", pushFacts{}, []int{0, 0, 0, 0}},
		{"one error", pushFacts{Errors: 1}, []int{15, 0, 0, 0}},
		{"three errors", pushFacts{Errors: 3}, []int{45, 0, 0, 0}},
		{"errors are capped", pushFacts{Errors: 4}, []int{50, 0, 0, 0}},
		{"a new goal", pushFacts{Errors: 4, Current: goal, Goal: "epsilon"}, []int{80, 60, 0, 0}},
		{"the same goal", pushFacts{Current: goal, Goal: goal}, []int{0, 0, 0, 0}},
		{"a new goal alone", pushFacts{Goal: "epsilon"}, []int{0, 0, 0, 0}},
		{"one of four shared", pushFacts{Current: goal, Goal: "alpha"}, []int{30, 45, 0, 0}},
		{"three of four shared", pushFacts{Current: goal, Goal: "alpha beta gamma more"}, []int{30, 15, 0, 0}},
		{"a third is rounded", pushFacts{Current: "alpha beta gamma delta epsilon zeta eta", Goal: "alpha"}, []int{30, 51, 0, 0}},
		{"1 file", pushFacts{Files: 1}, []int{0, 0, 0, 0}},
		{"2 files", pushFacts{Files: 2}, []int{0, 10, 0, 0}},
		{"3 files", pushFacts{Files: 3}, []int{0, 10, 15, 0}},
		{"4 files", pushFacts{Files: 4}, []int{0, 20, 15, 0}},
		{"5 files", pushFacts{Files: 5}, []int{0, 20, 15, 0}},
		{"6 files", pushFacts{Files: 6}, []int{0, 20, 30, 0}},
		{"5 messages", pushFacts{Messages: 5}, []int{0, 0, 0, 0}},
		{"6 messages", pushFacts{Messages: 6}, []int{0, 0, 10, 0}},
		{"10 messages", pushFacts{Messages: 10}, []int{0, 0, 10, 0}},
		{"11 messages", pushFacts{Messages: 11}, []int{0, 0, 25, 0}},
		{"20 messages", pushFacts{Messages: 20}, []int{0, 0, 25, 0}},
		{"21 messages", pushFacts{Messages: 21}, []int{0, 0, 40, 0}},
		{"5,000 tokens", pushFacts{Spent: 5_000}, []int{0, 0, 0, 0}},
		{"5,001 tokens", pushFacts{Spent: 5_001}, []int{0, 0, 0, 15}},
		{"15,000 tokens", pushFacts{Spent: 15_000}, []int{0, 0, 0, 15}},
		{"15,001 tokens", pushFacts{Spent: 15_001}, []int{0, 0, 0, 30}},
		{"30,000 tokens", pushFacts{Spent: 30_000}, []int{0, 0, 0, 30}},
		{"30,001 tokens", pushFacts{Spent: 30_001}, []int{0, 0, 0, 50}},
		{"50,000 tokens", pushFacts{Spent: 50_000}, []int{0, 0, 0, 50}},
		{"50,001 tokens", pushFacts{Spent: 50_001}, []int{0, 0, 0, 70}},
	} {
		if diff := cmp.Diff(c.want, c.in.scores()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestF6_PopScoresAreThoseOfTheTable(t *testing.T) {
	for _, c := range []struct {
		name string
		in   popFacts
		want []int // goal_completion, stagnation, context_overflow
	}{
		{"nothing", popFacts{}, []int{0, 0, 0}},
		{"1 success", popFacts{Wins: 1}, []int{20, 0, 0}},
		{"3 successes", popFacts{Wins: 3}, []int{60, 0, 0}},
		{"successes are capped", popFacts{Wins: 4}, []int{60, 0, 0}},
		{"artifacts are capped", popFacts{Artifacts: 4}, []int{30, 0, 0}},
		{"half of the keywords", popFacts{Goal: "alpha beta", Shown: "alpha.go"}, []int{15, 0, 0}},
		{"all of it", popFacts{Wins: 3, Artifacts: 3, Goal: "alpha beta", Shown: "beta alpha"}, []int{120, 0, 0}}, // evaluate caps it
		{"1 idle turn", popFacts{Idle: 1}, []int{0, 0, 0}},
		{"2 idle turns", popFacts{Idle: 2}, []int{0, 20, 0}},
		{"3 idle turns", popFacts{Idle: 3}, []int{0, 20, 0}},
		{"4 idle turns", popFacts{Idle: 4}, []int{0, 40, 0}},
		{"5 idle turns", popFacts{Idle: 5}, []int{0, 40, 0}},
		{"6 idle turns", popFacts{Idle: 6}, []int{0, 70, 0}},
		{"1 failure", popFacts{Failures: 1}, []int{0, 0, 0}},
		{"2 failures", popFacts{Failures: 2}, []int{0, 20, 0}},
		{"3 failures", popFacts{Failures: 3}, []int{0, 20, 0}},
		{"4 failures", popFacts{Failures: 4}, []int{0, 40, 0}},
		{"half full", popFacts{Used: 50_000, Of: 100_000}, []int{0, 0, 0}},
		{"over half full", popFacts{Used: 50_001, Of: 100_000}, []int{0, 0, 20}},
		{"0.7 full", popFacts{Used: 70_000, Of: 100_000}, []int{0, 0, 20}},
		{"over 0.7 full", popFacts{Used: 70_001, Of: 100_000}, []int{0, 0, 50}},
		{"0.8 full", popFacts{Used: 80_000, Of: 100_000}, []int{0, 0, 50}},
		{"over 0.8 full", popFacts{Used: 80_001, Of: 100_000}, []int{0, 0, 70}},
		{"0.9 full", popFacts{Used: 90_000, Of: 100_000}, []int{0, 0, 70}},
		{"over 0.9 full", popFacts{Used: 90_001, Of: 100_000}, []int{0, 0, 90}},
	} {
		if diff := cmp.Diff(c.want, c.in.scores()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestF6_ConfidenceIsTheMeanOfTheEnabledRoundedHalfUp(t *testing.T) {
	for _, c := range []struct {
		scores  []int
		enabled []string
		want    int
		reason  string
	}{
		{[]int{30, 60, 35, 0}, nil, 31, "context switch"}, // the seed's example; 125/4 is 31.25
		{[]int{2, 0, 0, 0}, nil, 1, "failure boundary"},   // 0.5 goes up
		{[]int{1, 0, 0, 0}, nil, 0, "failure boundary"},
		{[]int{80, 80, 70, 70}, nil, 75, "failure boundary"}, // the first of equals
		{[]int{0, 0, 0, 0}, nil, 0, "No strong signals"},
		{[]int{30, 60, 35, 0}, []string{}, 0, "No strong signals"},
		{[]int{30, 60, 35, 0}, []string{"complexity", "stagnation"}, 35, "complexity"},
		{[]int{200, 0, 0, 0}, []string{"failure_boundary"}, 100, "failure boundary"},
	} {
		a, err := Autonomy{Heuristics: c.enabled, Confidence: "mean"}.fill()
		if err != nil {
			t.Fatal(err)
		}
		e := a.evaluate(Push, c.scores, Stats{})
		if e.Confidence != c.want || e.Reason != c.reason || e.Recommended != (c.want >= 70) {
			t.Errorf("%v, %v enabled: %d%% for %q, want %d%% for %q", c.scores, c.enabled, e.Confidence, e.Reason, c.want, c.reason)
		}
	}
}

func TestF6_NothingEnabledIsNeverRecommended(t *testing.T) {
	a, err := Autonomy{Push: new(0), Heuristics: []string{"stagnation"}}.fill()
	if err != nil {
		t.Fatal(err)
	}
	if e := a.evaluate(Push, []int{50, 50, 50, 50}, Stats{}); e.Recommended {
		t.Errorf("%+v", e)
	}
}

// TestSeed003_26_OneStrongSignalSuggestsAndTheMeanActs: by default a finish, and a
// stand still, is suggested for popping, and auto does what the mean bears out.
func TestSeed003_26_OneStrongSignalSuggestsAndTheMeanActs(t *testing.T) {
	a, err := Autonomy{}.fill()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		side     Side
		scores   []int
		yes, act bool
	}{
		{Pop, []int{90, 0, 0}, true, false},
		{Pop, []int{0, 100, 0}, true, false},
		{Pop, []int{79, 79, 79}, false, false},
		{Pop, []int{100, 60, 90}, true, true},
		{Push, []int{30, 70, 40, 15}, true, false},
		{Push, []int{80, 80, 70, 70}, true, true},
	} {
		if e := a.evaluate(c.side, c.scores, Stats{}); e.Recommended != c.yes || a.enough(e) != c.act {
			t.Errorf("%s %v: recommended %t, done by itself %t", c.side, c.scores, e.Recommended, a.enough(e))
		}
	}
}

func TestF7_TheStatusThatAPopSuggests(t *testing.T) {
	for _, c := range []struct {
		name string
		in   popFacts
		want Status
	}{
		{"nothing", popFacts{}, Completed},
		{"5 idle", popFacts{Idle: 5}, Completed},
		{"6 idle", popFacts{Idle: 6}, Blocked},
		{"3 failures", popFacts{Failures: 3}, Completed},
		{"4 failures", popFacts{Failures: 4}, Failed},
		{"6 idle, 4 failures", popFacts{Idle: 6, Failures: 4}, Failed},
		{"6 idle, 4 failures, 4 successes", popFacts{Idle: 6, Failures: 4, Wins: 4}, Blocked},
		{"6 idle, 1 failure", popFacts{Idle: 6, Failures: 1}, Failed},
		{"4 failures, but done", popFacts{Failures: 4, Wins: 3, Artifacts: 1}, Completed},
	} {
		if got := c.in.status(c.in.scores()); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestF8_MaxAndWhatIsMissing(t *testing.T) {
	for _, c := range []struct {
		auto   Autonomy
		side   Side
		scores []int
		want   int
		says   string
	}{
		{Autonomy{}, Pop, []int{100, 0, 0}, 100, "nothing: it is reached"},
		{Autonomy{Confidence: "mean"}, Pop, []int{100, 0, 0}, 33, "139 more points over the 3 scores (they sum to 100, 239 are needed)"},
		{Autonomy{Confidence: "max"}, Pop, []int{100, 0, 0}, 100, "nothing: it is reached"},
		{Autonomy{Confidence: "max"}, Pop, []int{40, 70, 0}, 70, "one score of 80 or more (the highest is 70)"},
		{Autonomy{Push: new(76), Confidence: "mean"}, Push, []int{80, 80, 70, 70}, 75, "it cannot be reached: the mean of these 4 is at most 75%; lower the threshold to 75, enable fewer, or set confidence to max"},
		{Autonomy{Push: new(90), Confidence: "max"}, Push, []int{0, 0, 0, 0}, 0, "it cannot be reached: the highest of these is at most 80%; lower the threshold to 80"},
		{Autonomy{Heuristics: []string{}}, Push, []int{0, 0, 0, 0}, 0, "no heuristic of this side is enabled; enable one in enabledHeuristics"},
	} {
		a, err := c.auto.fill()
		if err != nil {
			t.Fatal(err)
		}
		if e := a.evaluate(c.side, c.scores, Stats{}); e.Confidence != c.want || e.toCross() != c.says {
			t.Errorf("%v: %d%%, %q; want %d%%, %q", c.scores, e.Confidence, e.toCross(), c.want, c.says)
		}
	}
}

// TestF8_WhatIsMissingIsExact gives the points that are said to be missing, and
// one less.
func TestF8_WhatIsMissingIsExact(t *testing.T) {
	for threshold := 1; threshold <= 75; threshold++ {
		need := threshold*4 - 2
		for sum, want := range map[int]bool{need: true, need - 1: false} {
			a, err := Autonomy{Push: &threshold, Confidence: "mean"}.fill()
			if err != nil {
				t.Fatal(err)
			}
			scores := []int{min(100, sum), min(100, max(0, sum-100)), min(100, max(0, sum-200)), max(0, sum-300)}
			if e := a.evaluate(Push, scores, Stats{}); e.Recommended != want {
				t.Fatalf("threshold %d, sum %d: recommended %t", threshold, sum, e.Recommended)
			}
		}
	}
}

func TestOutcomesWeighOnlyWhereLearningIsOn(t *testing.T) {
	stats := Stats{}.count("duration", 8, 0).count("complexity", 8, 8)
	for learn, want := range map[bool]int{false: 50, true: 80} {
		a, err := Autonomy{Confidence: "mean", Learn: &learn, Heuristics: []string{"complexity", "duration"}}.fill()
		if err != nil {
			t.Fatal(err)
		}
		got := a.evaluate(Push, []int{0, 0, 90, 10}, stats).Confidence
		if learn && got < want || !learn && got != want {
			t.Errorf("learn %t: %d%%, want %d%%", learn, got, want)
		}
	}
}

func TestK_KeywordsAreWordsThatMeanSomething(t *testing.T) {
	got := keywords("The Parser, for a big2 LOG-file: it's and Größe no")
	want := map[string]bool{"parser": true, "big2": true, "log": true, "file": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAutonomyIsRefusedByName(t *testing.T) {
	for _, c := range []struct {
		auto Autonomy
		says string
	}{
		{Autonomy{Push: new(-1)}, "autonomy: pushThreshold: -1"},
		{Autonomy{Pop: new(101)}, "autonomy: popThreshold: 101"},
		{Autonomy{Pop: new(math.MaxInt)}, "autonomy: popThreshold"},
		{Autonomy{Level: "wild"}, "autonomy: level: wild"},
		{Autonomy{Confidence: "median"}, "autonomy: confidence: median"},
		{Autonomy{Heuristics: []string{"duration", "luck"}}, `enabledHeuristics: "luck"`},
	} {
		_, err := New(Config{}, c.auto)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.auto, err, c.says)
		}
	}
	for _, cfg := range []Config{{Ancestors: "hide"}, {Summaries: "guess"}, {Payback: -1}, {Limit: -1}, {Budget: Budget{Total: 99}}} {
		if _, err := New(cfg, Autonomy{}); err == nil || !strings.Contains(err.Error(), "frames") {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	if _, err := New(Config{}, Autonomy{Push: new(0), Pop: new(100)}); err != nil {
		t.Error(err)
	}
}

func TestEnvironmentNames(t *testing.T) {
	want := map[string]string{
		"level": "FLAME_AUTONOMY_LEVEL", "pushThreshold": "FLAME_PUSH_THRESHOLD", "popThreshold": "FLAME_POP_THRESHOLD",
		"suggestInContext": "FLAME_SUGGEST_IN_CONTEXT", "enabledHeuristics": "FLAME_ENABLED_HEURISTICS",
	}
	got := map[string]string{}
	for f := range reflect.TypeFor[Autonomy]().Fields() {
		field, _ := settingtag.FieldOf(f)
		if env := f.Tag.Get("env"); env != "" {
			got[field.Name] = env
		}
		if field.Name == "enabledHeuristics" {
			all := strings.Join(Heuristics(), ",")
			if field.Default != all || strings.Join(field.Enum, ",") != all {
				t.Errorf("enabledHeuristics declares %q and %q", field.Default, field.Enum)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestF6_NoWordsScoreMoreThanTheMost: what is skipped when even the most would not
// be recommended could not have been recommended.
func TestF6_NoWordsScoreMoreThanTheMost(t *testing.T) {
	goals := []string{"", "fix the parser", "write the documents of the store", "FIX   the parser"}
	for i := range 2000 {
		f := pushFacts{Goal: goals[i%4], Current: goals[i/4%4], Messages: i % 31, Files: i % 9, Errors: i % 7, Spent: 37 * i}
		most := f.most()
		for k, s := range f.scores() {
			if s > most[k] {
				t.Fatalf("%+v: heuristic %d scores %d, and %d at most", f, k, s, most[k])
			}
		}
	}
}
