package improve_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
)

func TestR5_ScoreIsBaseTimesSeverityPlusFrequencyLessRecency(t *testing.T) {
	never := time.Duration(-1)
	for _, c := range []struct {
		kind     string
		severity improve.Severity
		count    int
		ago      time.Duration
		want     int
	}{
		// the bases
		{improve.Frustration, improve.Medium, 1, never, 80},
		{improve.ErrorPatterns, improve.Medium, 1, never, 70},
		{improve.Loop, improve.Medium, 1, never, 65},
		{improve.RepeatedTool, improve.Medium, 1, never, 60},
		{improve.IgnoredTodo, improve.Medium, 1, never, 55},
		{improve.PrematureStop, improve.Medium, 1, never, 55},
		{improve.SameCorrection, improve.Medium, 1, never, 55},
		{improve.LongSession, improve.Medium, 1, never, 40},
		{improve.Overflow, improve.Medium, 1, never, 25},
		{"whatever", improve.Medium, 1, never, 25},
		// the severities
		{improve.Frustration, improve.Critical, 1, never, 160},
		{improve.ErrorPatterns, improve.High, 1, never, 105},
		{improve.ErrorPatterns, improve.Low, 1, never, 35},
		// the frequencies
		{improve.RepeatedTool, improve.Medium, 2, never, 60},
		{improve.RepeatedTool, improve.Medium, 3, never, 65},
		{improve.RepeatedTool, improve.Medium, 4, never, 65},
		{improve.RepeatedTool, improve.Medium, 5, never, 75},
		{improve.RepeatedTool, improve.Medium, 9, never, 75},
		{improve.RepeatedTool, improve.Medium, 10, never, 90},
		{improve.RepeatedTool, improve.Medium, 19, never, 90},
		{improve.RepeatedTool, improve.Medium, 20, never, 110},
		// acted on in the last day
		{improve.RepeatedTool, improve.Medium, 1, 0, 30},
		{improve.RepeatedTool, improve.Medium, 1, 6 * time.Hour, 38},
		{improve.RepeatedTool, improve.Medium, 1, 12 * time.Hour, 45},
		{improve.RepeatedTool, improve.Medium, 1, 24 * time.Hour, 60},
		{improve.RepeatedTool, improve.Medium, 1, 48 * time.Hour, 60},
		{improve.RepeatedTool, improve.Medium, 1, -time.Hour, 30},
		// from 0 to 200
		{improve.Frustration, improve.Critical, 20, never, 200},
		{improve.Overflow, improve.Low, 1, 0, 0},
	} {
		var acted time.Time
		if c.ago != never {
			acted = start.Add(-c.ago)
		}
		if got := improve.ScoreOf(improve.Pattern{Type: c.kind, Severity: c.severity, Count: c.count}, acted, start); got != c.want {
			t.Errorf("%s, %s, %d times, acted on %v ago: %d, want %d", c.kind, c.severity, c.count, c.ago, got, c.want)
		}
	}
}

func TestR5_PriorityByScore(t *testing.T) {
	for score, want := range map[int]improve.Priority{
		0: improve.PriorityNone, 29: improve.PriorityNone, 30: improve.PriorityLow, 59: improve.PriorityLow, 60: improve.PriorityMedium, 99: improve.PriorityMedium, 100: improve.PriorityHigh, 200: improve.PriorityHigh,
	} {
		if got := improve.PriorityOf(score); got != want {
			t.Errorf("%d is %s, want %s", score, got, want)
		}
	}
}

func patterns(severities ...improve.Severity) []improve.Pattern {
	var out []improve.Pattern
	for i, s := range severities {
		out = append(out, improve.Pattern{Type: string(rune('a' + i)), Severity: s, Count: 2})
	}
	return out
}

func TestWorthyIsOneHighOrTwoMedium(t *testing.T) {
	const l, m, h, c = improve.Low, improve.Medium, improve.High, improve.Critical
	for _, x := range []struct {
		in   []improve.Pattern
		want bool
	}{
		{patterns(), false},
		{patterns(l), false},
		{patterns(m), false},
		{patterns(l, l, l), false},
		{patterns(m, l), false},
		{patterns(m, m), true},
		{patterns(h), true},
		{patterns(l, c), true},
		{patterns(m, l, m), true},
	} {
		if got := (improve.Result{Patterns: x.in}).Worthy(); got != x.want {
			t.Errorf("%v: %v", x.in, got)
		}
	}
}

func TestPrimaryIsTheFirstOfTheHighestSeverity(t *testing.T) {
	p, ok := (improve.Result{Patterns: patterns(improve.Low, improve.High, improve.Medium, improve.High)}).Primary()
	if !ok || p.Type != "b" {
		t.Errorf("got %+v", p)
	}
	if _, ok := (improve.Result{}).Primary(); ok {
		t.Error("no pattern, and one is the primary")
	}
}

func TestWhatNamesACauseStandsBeforeWhatIsGeneral(t *testing.T) {
	r := record("s").person("go")
	for i := range 12 {
		r.bash("go test ./...", "undefined: grind", true)
		r.bash(fmt.Sprint("try ", i), fmt.Sprint("cannot do ", string(rune('a'+i))), true)
	}
	got := r.reflect(t, nil)
	p, _ := got.Primary()
	if p.General() || p.Severity != improve.High || !got.Patterns[len(got.Patterns)-1].General() || got.Priority != improve.PriorityHigh {
		t.Errorf("primary %+v of %s", p, gist(got))
	}
}
