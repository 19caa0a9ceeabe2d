package trial

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/trimtab/trimtab/internal/stat"
)

// About is what a report says of the circumstances.
type About struct {
	Agent   string    `json:"agent"`
	Version string    `json:"version"`
	Model   string    `json:"model"`
	Command string    `json:"command"` // that made it
	Began   time.Time `json:"began"`   // of the oldest run
	Ended   time.Time `json:"ended"`   // when the newest one began
	Notes   []string  `json:"notes,omitempty"`
}

// Report is what a trial has shown.
type Report struct {
	About
	Plan        Plan         `json:"plan"`
	Arms        []ArmSum     `json:"arms"`
	Comparisons []Comparison `json:"comparisons"`
	Tasks       []TaskSum    `json:"tasks"`
	Results     []Result     `json:"results"`
	Missing     int          `json:"missing"` // runs of the plan that were not made
}

// ArmSum is what an arm came to. Figures are of the runs that count, a run each.
type ArmSum struct {
	Name     string   `json:"name"`
	Runs     int      `json:"runs"`
	Broken   int      `json:"broken"`
	Solved   int      `json:"solved"`
	Low      float64  `json:"low"` // exact 95 % interval of the share solved
	High     float64  `json:"high"`
	Steps    float64  `json:"steps"`
	Tokens   float64  `json:"tokens"`
	Cost     *float64 `json:"cost,omitempty"` // where all of them are known
	Seconds  float64  `json:"seconds"`
	Notes    float64  `json:"notes"`
	Heeded   float64  `json:"heeded"`
	Loops    int      `json:"loops"`    // runs with an alarm
	Unproved int      `json:"unproved"` // runs that ended so
}

// Estimate is a mean difference with its 95 % interval.
type Estimate struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Comparison holds an arm against the first one, by pairs of runs of the same task, repeat and
// seed.
type Comparison struct {
	Arm     string   `json:"arm"`
	Against string   `json:"against"`
	Pairs   int      `json:"pairs"`
	Won     int      `json:"won"` // solved by the arm alone
	Lost    int      `json:"lost"`
	Both    int      `json:"both"`
	Neither int      `json:"neither"`
	Solved  Estimate `json:"solved"` // difference of the shares
	Chance  float64  `json:"chance"` // of such a difference, if the arms were alike
	Unit    string   `json:"unit"`   // what was taken as independent: task or pair
	Tokens  Estimate `json:"tokens"`
	Cost    Estimate `json:"cost"`
	Seconds Estimate `json:"seconds"`
	Priced  bool     `json:"priced"`
	Needed  int      `json:"needed"` // repeats of all tasks with which such a difference could be told; 0: there is none to tell
	Least   int      `json:"least"`  // repeats with which a difference of ten points could be told
	Verdict string   `json:"verdict"`
}

// TaskSum is what became of a task, an arm each, in the order of the arms.
type TaskSum struct {
	Name   string `json:"name"`
	Solved []int  `json:"solved"`
	Runs   []int  `json:"runs"`
}

// Sum sums up the results of a plan. What is not of the plan is left out.
func Sum(plan Plan, about About, results []Result) Report {
	runs := plan.Runs()
	r := Report{About: about, Plan: plan}
	for _, run := range runs {
		i := slices.IndexFunc(results, func(x Result) bool { return x.Run == run })
		if i < 0 {
			r.Missing++
			continue
		}
		r.Results = append(r.Results, results[i])
	}
	slices.SortFunc(r.Results, func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(slices.Index(plan.Arms, a.Arm), slices.Index(plan.Arms, b.Arm)))
	})
	for _, x := range r.Results {
		if r.Began.IsZero() || x.Began.Before(r.Began) {
			r.Began = x.Began
		}
		if x.Began.After(r.Ended) {
			r.Ended = x.Began
		}
	}
	for _, arm := range plan.Arms {
		r.Arms = append(r.Arms, sumArm(arm, r.Results))
	}
	r.Notes = append(slices.Clip(r.Notes), stale(plan, r.Results)...)
	for _, arm := range plan.Arms[min(1, len(plan.Arms)):] {
		r.Comparisons = append(r.Comparisons, compare(plan, arm, r.Results))
	}
	for _, task := range plan.Tasks {
		t := TaskSum{Name: task, Solved: make([]int, len(plan.Arms)), Runs: make([]int, len(plan.Arms))}
		for _, x := range r.Results {
			if i := slices.Index(plan.Arms, x.Arm); x.Task == task && x.Counts() {
				t.Runs[i]++
				t.Solved[i] += solved(x)
			}
		}
		r.Tasks = append(r.Tasks, t)
	}
	return r
}

// old is from how long before another arm on the runs of one are told to be older: the
// provider may have changed the model since.
const old = 24 * time.Hour

// stale names arms whose runs are from an earlier trial.
func stale(plan Plan, results []Result) []string {
	last := map[string]time.Time{}
	newest := time.Time{}
	for _, x := range results {
		if x.Began.After(last[x.Arm]) {
			last[x.Arm] = x.Began
		}
		if x.Began.After(newest) {
			newest = x.Began
		}
	}
	var out []string
	for _, arm := range plan.Arms {
		if !last[arm].IsZero() && newest.Sub(last[arm]) > old {
			out = append(out, fmt.Sprintf("the runs of %s are of %s, before the others: nothing that is known here has changed since; --fresh makes them anew", arm, last[arm].UTC().Format("2006-01-02")))
		}
	}
	return out
}

func solved(r Result) int {
	if r.Outcome == Solved {
		return 1
	}
	return 0
}

func sumArm(arm string, results []Result) ArmSum {
	a := ArmSum{Name: arm}
	cost, priced := 0.0, true
	for _, x := range results {
		switch {
		case x.Arm != arm:
			continue
		case !x.Counts():
			a.Broken++
			continue
		}
		a.Runs++
		a.Solved += solved(x)
		a.Steps += float64(x.Steps)
		a.Tokens += float64(x.Tokens())
		a.Seconds += x.Seconds
		a.Notes += float64(x.Notes)
		a.Heeded += float64(x.Heeded)
		a.Loops += min(x.Loops, 1)
		if x.Unproved {
			a.Unproved++
		}
		if priced = priced && x.Cost != nil; priced {
			cost += *x.Cost
		}
	}
	a.Low, a.High = stat.Share(a.Solved, a.Runs)
	if a.Runs == 0 {
		return a
	}
	n := float64(a.Runs)
	a.Steps, a.Tokens, a.Seconds, a.Notes, a.Heeded = a.Steps/n, a.Tokens/n, a.Seconds/n, a.Notes/n, a.Heeded/n
	if priced {
		cost /= n
		a.Cost = &cost
	}
	return a
}

// leastTasks is from how many tasks on a task is what counts as independent. Repeats of one
// task are more alike than tasks are, and with fewer tasks nothing could be told of others.
const leastTasks = 6

// pair is two runs that differ in their arm only.
type pair struct{ one, other Result }

func compare(plan Plan, arm string, results []Result) Comparison {
	c := Comparison{Arm: arm, Against: plan.Arms[0], Priced: true, Unit: "pair"}
	var ones, tasks []int
	var solves, tokens, costs, seconds [][]float64
	for _, task := range plan.Tasks {
		of := pairs(task, arm, plan.Arms[0], results)
		if len(of) == 0 {
			continue
		}
		var s, t, d, w []float64
		sum := 0
		for _, p := range of {
			one, other := solved(p.one), solved(p.other)
			c.count(one, other)
			ones = append(ones, one-other)
			sum += one - other
			s = append(s, float64(one-other))
			t = append(t, float64(p.one.Tokens()-p.other.Tokens()))
			w = append(w, p.one.Seconds-p.other.Seconds)
			if c.Priced = c.Priced && p.one.Cost != nil && p.other.Cost != nil; c.Priced {
				d = append(d, *p.one.Cost-*p.other.Cost)
			}
		}
		tasks = append(tasks, sum)
		solves, tokens, costs, seconds = append(solves, s), append(tokens, t), append(costs, d), append(seconds, w)
	}
	unit := ones
	if len(tasks) >= leastTasks {
		c.Unit, unit = "task", tasks
	}
	c.Chance = stat.SignFlip(unit)
	c.Solved, c.Tokens, c.Seconds = c.estimate(solves, plan.Seed), c.estimate(tokens, plan.Seed), c.estimate(seconds, plan.Seed)
	if c.Priced {
		c.Cost = c.estimate(costs, plan.Seed)
	}
	if len(tasks) > 0 {
		each := func(pairs int) int { return int(math.Ceil(float64(pairs) / float64(len(tasks)))) }
		c.Needed, c.Least = each(stat.Pairs(c.Won, c.Lost, c.Pairs)), each(stat.Pairs(15, 5, 100))
	}
	c.Verdict = c.verdict()
	return c
}

// estimate draws tasks where they are many enough to stand for others, and pairs otherwise.
func (c Comparison) estimate(groups [][]float64, seed uint64) Estimate {
	if c.Unit == "pair" {
		groups = [][]float64{slices.Concat(groups...)}
	}
	mean, low, high := stat.Bootstrap(groups, seed)
	return Estimate{mean, low, high}
}

func (c *Comparison) count(one, other int) {
	c.Pairs++
	switch {
	case one == 1 && other == 1:
		c.Both++
	case one == 1:
		c.Won++
	case other == 1:
		c.Lost++
	default:
		c.Neither++
	}
}

// pairs are those of a task of which both runs count.
func pairs(task, arm, against string, results []Result) []pair {
	var out []pair
	for _, one := range results {
		if one.Task != task || one.Arm != arm || !one.Counts() {
			continue
		}
		i := slices.IndexFunc(results, func(x Result) bool {
			return x.Task == task && x.Arm == against && x.Repeat == one.Repeat && x.Seed == one.Seed && x.Counts()
		})
		if i >= 0 {
			out = append(out, pair{one, results[i]})
		}
	}
	return out
}

// sure is the share of chance from which a difference counts as none.
const sure = 0.05

// verdict says in a sentence or two what the comparison has shown, and what it has not.
func (c Comparison) verdict() string {
	counts := fmt.Sprintf("%d of %d pairs solved with %s only, %d with %s only", c.Won, c.Pairs, c.Arm, c.Lost, c.Against)
	switch {
	case c.Pairs == 0:
		return "Nothing can be said: there is no pair of runs of which both count."
	case c.Chance <= sure && c.Won > c.Lost:
		return fmt.Sprintf("%s solves more than %s: %s; chance alone does that in %s.", c.Arm, c.Against, counts, percent(c.Chance))
	case c.Chance <= sure:
		return fmt.Sprintf("%s solves less than %s: %s; chance alone does that in %s.", c.Arm, c.Against, counts, percent(c.Chance))
	case c.Won == c.Lost:
		return fmt.Sprintf("No difference is seen between %s and %s: %s. To tell a difference of ten points about %d repeats would be needed.", c.Arm, c.Against, counts, c.Least)
	}
	return fmt.Sprintf("No difference is shown between %s and %s: %s, which may be chance, as in %s. To tell such a difference about %d repeats would be needed.", c.Arm, c.Against, counts, percent(c.Chance), c.Needed)
}

func percent(p float64) string {
	if p < 0.001 {
		return "less than 1 of 1,000 cases"
	}
	return fmt.Sprintf("%.1f %% of cases", 100*p)
}
