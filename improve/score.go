package improve

import (
	"math"
	"time"
)

// The types of patterns, as they stand in the JSON.
const (
	RepeatedTool   = "repeated_tool_use"
	ErrorPatterns  = "error_patterns"
	Frustration    = "user_frustration"
	LongSession    = "long_session"
	Loop           = "loop"
	IgnoredTodo    = "ignored_todo"
	PrematureStop  = "premature_stop"
	Overflow       = "context_overflow"
	SameCorrection = "repeated_correction"
	SaidNo         = "rejected_call" // the person said no to it
	Interrupted    = "interrupted"   // the person broke the agent off
	ReportedRed    = "reported_red"  // the person had to say that a check is red
	LintRule       = "lint_rule"     // a rule of a linter that the agent breaks
	GuessedPath    = "guessed_path"  // a path that the agent looks for and is not there
	Unproved       = "unproved_end"  // the agent ended with a red check, or with none after its changes
)

// SeverityOf says how bad a pattern is by its type and how often it was seen.
func SeverityOf(kind string, count int) Severity {
	switch {
	case kind == Frustration:
		return Critical
	case kind == ErrorPatterns && count >= 5, kind == RepeatedTool && count >= 10, kind == ReportedRed && count >= 3, (kind == SaidNo || kind == LintRule || kind == GuessedPath || kind == Unproved) && count >= 5:
		return High
	case kind == LongSession, count >= 5, (kind == SaidNo || kind == LintRule || kind == GuessedPath || kind == Unproved || kind == ReportedRed) && count >= 2:
		return Medium
	}
	return Low
}

// base is what a type of pattern counts before how bad and how often.
func base(kind string) float64 {
	switch kind {
	case Frustration, ReportedRed:
		return 80
	case SaidNo, LintRule, GuessedPath, Unproved:
		return 70
	case ErrorPatterns:
		return 70
	case Loop:
		return 65
	case RepeatedTool:
		return 60
	case IgnoredTodo, PrematureStop, SameCorrection, Interrupted, "workflow": // how the work goes, whatever it is about
		return 55
	case LongSession:
		return 40
	}
	return 25
}

func weight(s Severity) float64 {
	switch s {
	case Critical:
		return 2
	case High:
		return 1.5
	case Medium:
		return 1
	case Low:
	}
	return 0.5
}

func frequency(count int) float64 {
	switch {
	case count >= 20:
		return 50
	case count >= 10:
		return 30
	case count >= 5:
		return 15
	case count >= 3:
		return 5
	}
	return 0
}

const (
	maxScore   = 200
	recent     = 24 * time.Hour
	maxPenalty = 30
)

// ScoreOf is how much a pattern asks for work, from 0 to 200: its type times its
// severity, more for what is frequent, less for what was acted on in the last day.
// A zero acted is never.
func ScoreOf(p Pattern, acted, now time.Time) int {
	score := base(p.Type)*weight(p.Severity) + frequency(p.Count)
	if ago := now.Sub(acted); !acted.IsZero() && ago < recent {
		ago = max(ago, 0) // a clock that is ahead of ours
		score -= maxPenalty * (1 - ago.Hours()/recent.Hours())
	}
	return int(math.Round(min(max(score, 0), maxScore)))
}

// PriorityOf tells a score in a word.
func PriorityOf(score int) Priority {
	switch {
	case score >= 100:
		return PriorityHigh
	case score >= 60:
		return PriorityMedium
	case score >= 30:
		return PriorityLow
	}
	return PriorityNone
}

// Worthy reports whether patterns are worth automatic work: any that is high or
// critical, or two that are medium.
func Worthy(patterns []Pattern) bool {
	medium := 0
	for _, p := range patterns {
		if p.Severity.Rank() >= High.Rank() {
			return true
		}
		if p.Severity == Medium {
			medium++
		}
	}
	return medium >= 2
}

// Primary is the first pattern of the highest severity, of those that name a cause where
// there are any.
func Primary(patterns []Pattern) (Pattern, bool) {
	best := -1
	for i, p := range patterns {
		if best < 0 || patterns[best].General() && !p.General() || p.General() == patterns[best].General() && p.Severity.Rank() > patterns[best].Severity.Rank() {
			best = i
		}
	}
	if best < 0 {
		return Pattern{}, false
	}
	return patterns[best], true
}

// Worthy reports whether the result is worth automatic work.
func (r Result) Worthy() bool { return Worthy(r.Patterns) }

// Primary is the pattern to begin with, if there is any.
func (r Result) Primary() (Pattern, bool) { return Primary(r.Patterns) }
