package frame

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Autonomy sets what the heuristics may do. Zero values take the defaults; an
// empty list of heuristics, other than none at all, enables none.
type Autonomy struct {
	Level      string   `json:"level" default:"suggest" enum:"manual,suggest,auto" env:"FLAME_AUTONOMY_LEVEL" doc:"manual: evaluate only when asked; suggest: suggest and wait; auto: push and pop"`
	Push       *int     `json:"pushThreshold" default:"70" min:"0" max:"100" env:"FLAME_PUSH_THRESHOLD" doc:"confidence from which a push is recommended"`
	Pop        *int     `json:"popThreshold" default:"80" min:"0" max:"100" env:"FLAME_POP_THRESHOLD" doc:"confidence from which a pop is recommended"`
	InContext  *bool    `json:"suggestInContext" default:"false" env:"FLAME_SUGGEST_IN_CONTEXT" doc:"let the model read suggestions too, not only the person"`
	Every      int      `json:"suggestEvery" default:"20" min:"1" max:"1000" doc:"steps between two suggestions that the person and the model are told; all of them are in the history of suggestions"`
	Heuristics []string `json:"enabledHeuristics" default:"failure_boundary,context_switch,complexity,duration,goal_completion,stagnation,context_overflow" enum:"failure_boundary,context_switch,complexity,duration,goal_completion,stagnation,context_overflow" env:"FLAME_ENABLED_HEURISTICS" doc:"those whose scores count"`
	Confidence string   `json:"confidence" default:"level" enum:"level,mean,max" doc:"how scores become a confidence: their mean, or the highest. level: the highest where a step is only suggested, the mean where auto does it"`
	Learn      *bool    `json:"learn" default:"false" doc:"weigh each heuristic in the mean by how often its suggestions were acted on"`
	Timing     string   `json:"timing" default:"seams" enum:"seams,steps" doc:"when frames may move. seams: at a new task of the person, a todo item begun or done, a commit, a check that turned green; steps: after any step, as the heuristics say"`
}

// heuristic is a name and the most that it can score.
type heuristic struct {
	name string
	most int
}

var (
	pushSide = []heuristic{{"failure_boundary", 80}, {"context_switch", 80}, {"complexity", 70}, {"duration", 70}}
	popSide  = []heuristic{{"goal_completion", 100}, {"stagnation", 100}, {"context_overflow", 90}}
)

// Heuristics are the names of all seven.
func Heuristics() []string {
	var names []string
	for _, h := range slices.Concat(pushSide, popSide) {
		names = append(names, h.name)
	}
	return names
}

// fill takes the defaults and refuses what is out of range, by its name.
func (a Autonomy) fill() (Autonomy, error) {
	a, err := settingtag.Fill(a)
	errs := []error{err}
	if a.Heuristics == nil {
		a.Heuristics = Heuristics()
	}
	for _, h := range a.Heuristics {
		if !slices.Contains(Heuristics(), h) {
			errs = append(errs, fmt.Errorf("enabledHeuristics: %q is not allowed; give some of %s", trimtab.Clip(h, 60), strings.Join(Heuristics(), ", ")))
		}
	}
	return a, errors.Join(errs...)
}

// clone shares nothing with the original, so that it can be written to.
func (a Autonomy) clone() Autonomy {
	a.Push, a.Pop, a.InContext, a.Learn = new(*a.Push), new(*a.Pop), new(*a.InContext), new(*a.Learn)
	a.Heuristics = slices.Clone(a.Heuristics)
	return a
}

// Side is what an evaluation is about.
type Side string

// The sides.
const (
	Push Side = "push"
	Pop  Side = "pop"
)

// Score is what one heuristic says.
type Score struct {
	Name    string `json:"name"`
	Score   int    `json:"score"`
	Enabled bool   `json:"enabled"`
	most    int
	weight  int // in thousandths
}

// Evaluation is all scores of one side and what follows from them.
type Evaluation struct {
	Side        Side    `json:"side"`
	Scores      []Score `json:"scores"`
	Confidence  int     `json:"confidence"`
	Threshold   int     `json:"threshold"`
	How         string  `json:"how"` // mean or max
	Recommended bool    `json:"recommended"`
	Reason      string  `json:"primaryReason"`
	Goal        string  `json:"suggestedGoal,omitempty"`
	Status      Status  `json:"suggestedStatus,omitempty"`
	Missing     string  `json:"toCross,omitempty"` // what would have to change to cross the threshold, where somebody asked
	primary     string
}

// pushFacts are what the push heuristics look at.
type pushFacts struct {
	Goal, Current                  string
	Messages, Files, Errors, Spent int

	Others int  // files among them that the frame had not touched before
	Unit   bool // the work at hand is a unit that can be tried again: its last run failed, and it can be run as it stands
}

// popFacts are what the pop heuristics look at.
type popFacts struct {
	Goal                                      string
	Wins, Failures, Idle, Artifacts, Used, Of int
	Shown                                     string // the words of wins and artifacts
}

// steps is the first value whose bound n is above; bounds descend.
func steps(n int, table ...[2]int) int {
	for _, row := range table {
		if n > row[0] {
			return row[1]
		}
	}
	return 0
}

// round divides and rounds half up.
func round(a, b int) int { return (2*a + b) / (2 * b) }

func (f pushFacts) scores() []int {
	differs, changed := 0, 0
	if f.Goal != "" && f.Current != "" && !strings.EqualFold(oneLine(f.Goal), oneLine(f.Current)) {
		differs = otherGoal
	}
	if k := keywords(f.Current); f.Goal != "" && len(k) > 0 {
		changed = round(otherWords*(len(k)-shared(k, keywords(f.Goal))), len(k))
	}
	return f.with(differs, changed)
}

// What the words of goals add to a score at most.
const otherGoal, otherWords = 30, 60

// retried is what a unit that can be tried again adds to failure_boundary.
const retried = 20

// most are the highest scores that any goal could bring: they cost no look at the
// words.
func (f pushFacts) most() []int { return f.with(otherGoal, otherWords) }

func (f pushFacts) with(differs, changed int) []int {
	failure := 15 * f.Errors
	if f.Unit {
		failure += retried
	}
	failure = min(50, failure) + differs
	change := max(steps(f.Files, [2]int{3, 20}, [2]int{1, 10}), steps(f.Others, [2]int{1, 20}, [2]int{0, 10})) + changed
	complexity := steps(f.Messages, [2]int{20, 40}, [2]int{10, 25}, [2]int{5, 10}) + steps(f.Files, [2]int{5, 30}, [2]int{2, 15})
	duration := steps(f.Spent, [2]int{50_000, 70}, [2]int{30_000, 50}, [2]int{15_000, 30}, [2]int{5_000, 15})
	return []int{failure, change, complexity, duration}
}

func (f popFacts) scores() []int {
	goal := min(60, 20*f.Wins) + min(30, 10*f.Artifacts)
	if k := keywords(f.Goal); len(k) > 0 {
		goal += round(30*shared(k, keywords(f.Shown)), len(k))
	}
	stagnation := steps(f.Idle, [2]int{5, 70}, [2]int{3, 40}, [2]int{1, 20}) + steps(f.Failures, [2]int{3, 40}, [2]int{1, 20})
	// In tenths of the limit, so that the comparison is exact.
	overflow := 0
	for _, row := range [][2]int{{9, 90}, {8, 70}, {7, 50}, {5, 20}} {
		if overflow == 0 && f.Of > 0 && 10*f.Used > row[0]*f.Of {
			overflow = row[1]
		}
	}
	return []int{goal, stagnation, overflow}
}

// status is how the frame would end.
func (f popFacts) status(scores []int) Status {
	end := Completed
	if f.Idle > 5 {
		end = Blocked
	}
	if f.Failures > 3 {
		end = Failed
	}
	switch goal, stagnation := scores[0], scores[1]; {
	case stagnation > 60 && f.Failures > f.Wins:
		end = Failed
	case stagnation > 60:
		end = Blocked
	case goal > 60:
		end = Completed
	}
	return end
}

// evaluate weighs the scores of one side by the settings.
func (a Autonomy) evaluate(side Side, scores []int, stats Stats) Evaluation {
	table, threshold := pushSide, *a.Push
	if side == Pop {
		table, threshold = popSide, *a.Pop
	}
	how := a.Confidence
	if how == byLevel {
		how = "max"
	}
	e := Evaluation{Side: side, Threshold: threshold, How: how, Scores: make([]Score, 0, len(table))}
	for i, h := range table {
		s := Score{Name: h.name, Score: min(100, max(0, scores[i])), Enabled: slices.Contains(a.Heuristics, h.name), most: h.most, weight: 1000}
		if *a.Learn {
			s.weight = stats.weight(h.name)
		}
		e.Scores = append(e.Scores, s)
	}
	e.Confidence = e.confidence(Score.value)
	e.Recommended = e.enabled() > 0 && e.Confidence >= threshold
	e.Reason = "No strong signals"
	best := 0
	for _, s := range e.Scores {
		if s.Enabled && s.Score > best {
			best, e.primary = s.Score, s.Name
			e.Reason = strings.ReplaceAll(s.Name, "_", " ")
		}
	}
	return e
}

// byLevel is one strong signal for a suggestion, which costs little, and several for
// what is done without asking: so no single heuristic decides.
const byLevel = "level"

// enough reports whether what is recommended may be done without asking.
func (a Autonomy) enough(e Evaluation) bool {
	return e.Recommended && (a.Confidence != byLevel || e.mean() >= e.Threshold)
}

func (e Evaluation) mean() int {
	e.How = "mean"
	return e.confidence(Score.value)
}

func (s Score) value() int { return s.Score }

func (e Evaluation) enabled() int {
	n := 0
	for _, s := range e.Scores {
		if s.Enabled {
			n++
		}
	}
	return n
}

// confidence is the mean or the highest of what of says of each enabled score.
func (e Evaluation) confidence(of func(Score) int) int {
	sum, weight, highest := 0, 0, 0
	for _, s := range e.Scores {
		if s.Enabled {
			sum += s.weight * of(s)
			weight += s.weight
			highest = max(highest, of(s))
		}
	}
	switch {
	case weight == 0:
		return 0
	case e.How == "max":
		return highest
	}
	return round(sum, weight)
}

// toCross says what would have to change for the threshold to be reached.
func (e Evaluation) toCross() string {
	n := e.enabled()
	most := e.confidence(func(s Score) int { return s.most })
	switch {
	case n == 0:
		return "no heuristic of this side is enabled; enable one in enabledHeuristics"
	case e.Recommended:
		return "nothing: it is reached"
	case most < e.Threshold && e.How == "mean":
		return fmt.Sprintf("it cannot be reached: the mean of these %d is at most %d%%; lower the threshold to %d, enable fewer, or set confidence to max", n, most, most)
	case most < e.Threshold:
		return fmt.Sprintf("it cannot be reached: the highest of these is at most %d%%; lower the threshold to %d", most, most)
	case e.How == "max":
		return fmt.Sprintf("one score of %d or more (the highest is %d)", e.Threshold, e.Confidence)
	}
	sum, even := 0, true
	for _, s := range e.Scores {
		if s.Enabled {
			sum += s.Score
			even = even && s.weight == 1000
		}
	}
	if !even {
		return fmt.Sprintf("%d more points of the weighted mean", e.Threshold-e.Confidence)
	}
	need := e.Threshold*n - n/2
	return fmt.Sprintf("%d more points over the %d scores (they sum to %d, %d are needed)", need-sum, n, sum, need)
}
