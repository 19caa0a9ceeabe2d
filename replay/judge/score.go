package judge

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/trimtab/trimtab"
)

// Result is what is printed.
type Result struct {
	Corpora  []CorpusResult `json:"corpora"`
	Warnings []string       `json:"warnings,omitempty"`
}

// CorpusResult is what was measured on one corpus.
type CorpusResult struct {
	Name     string    `json:"name"`
	Sessions int       `json:"sessions"`
	Steps    int       `json:"steps"`
	Said     []SaidRow `json:"said"` // in all sessions

	Others   []Said          `json:"others,omitempty"`   // what was said in sessions without labels
	Labelled *LabelledResult `json:"labelled,omitempty"` // of the sessions with labels
	Runs     *RunResult      `json:"runs,omitempty"`     // of the sessions whose outcome is known
}

// SaidRow is how often something of a kind was said.
type SaidRow struct {
	Kind   Kind `json:"kind"`
	Count  int  `json:"count"`
	Last   int  `json:"last"`   // on a turn's last request
	Behind int  `json:"behind"` // right behind a person's prompt

	Verdicts map[Verdict]int `json:"verdicts,omitempty"` // in sessions with labels
}

// LabelledResult is what was measured against labels.
type LabelledResult struct {
	Sessions int         `json:"sessions"`
	Steps    int         `json:"steps"`
	Said     []SaidRow   `json:"said"`
	Moments  []MomentRow `json:"moments"`
	Kept     int         `json:"kept"`   // labelled notes that were useful and are still given
	Useful   int         `json:"useful"` // all of them

	Notes  []Said   `json:"notes,omitempty"`
	Missed []missed `json:"missed,omitempty"`
}

// missed is a clear moment to which nothing spoke.
type missed struct {
	Session string `json:"session"`
	Moment
}

// MomentRow is how many moments of a kind were spoken to.
type MomentRow struct {
	Kind   Kind `json:"kind"`
	Clear  int  `json:"clear"`
	Found  int  `json:"found"`
	Weak   int  `json:"weak"`
	Spoken int  `json:"spoken"` // of the weak ones
	Said   int  `json:"said"`   // what was said to this kind
	Right  int  `json:"right"`  // of that, inside a moment

	Length LengthRule `json:"length"`
}

// LengthRule is the rule "speak once, when a session has N steps", with the N that does
// best on this very corpus. A rule that does no better has found nothing but length.
type LengthRule struct {
	Steps int `json:"steps"`
	Said  int `json:"said"`
	Right int `json:"right"`
	Found int `json:"found"` // clear moments
}

// RunResult is what was measured on runs whose outcome is known.
type RunResult struct {
	Failed int      `json:"failed"`
	Solved int      `json:"solved"`
	Alarms []alarms `json:"alarms"`

	Submitted int `json:"submitted"` // runs that were handed in and whose verdict is sure
	Wrong     int `json:"wrong"`     // of those, the wrong ones
	Held      int `json:"held"`      // handed in and held back as unproved
	HeldWrong int `json:"heldWrong"` // of those, the wrong ones
}

// alarms is how many runs a rule raised an alarm in.
type alarms struct {
	Rule   string `json:"rule"`
	Failed int    `json:"failed"`
	Solved int    `json:"solved"`
	// Longer: the rule "more than so many steps" with as many alarms, and whom it hits.
	Longer       int `json:"longer"`
	LongerFailed int `json:"longerFailed"`
	LongerSolved int `json:"longerSolved"`
}

// Options are what sessions are played with and held against.
type Options struct {
	Read      Reader
	Engine    *trimtab.Engine
	Kinds     Kinds
	Known     map[string]*SessionLabels // by session
	Tolerance int                       // steps that a note may stand off a label
	Story     bool                      // keep what happened, for somebody who reads along
}

// Measure plays every corpus and holds what was said against labels and outcomes.
func Measure(ctx context.Context, corpora []Corpus, o Options) (Result, error) {
	var res Result
	for _, c := range corpora {
		runs, warnings, err := c.Play(ctx, o)
		if err != nil {
			return res, fmt.Errorf("%s: %w", c.Name, err)
		}
		res.Warnings = append(res.Warnings, warnings...)
		res.Corpora = append(res.Corpora, score(c.Name, runs, o.Tolerance))
	}
	return res, nil
}

// score holds what was said in runs against labels and outcomes.
func score(name string, runs []Played, tolerance int) CorpusResult {
	c := CorpusResult{Name: name, Sessions: len(runs)}
	var labelled, ended []Played
	for _, r := range runs {
		c.Steps += r.Steps
		if r.label != nil {
			r.judge(tolerance)
			labelled = append(labelled, r)
		} else {
			c.Others = append(c.Others, withoutTexts(r.Said)...)
		}
		if r.end != nil {
			ended = append(ended, r)
		}
	}
	c.Said = sayings(runs)
	if len(labelled) > 0 {
		l := scoreLabelled(labelled, tolerance)
		c.Labelled = &l
	}
	if len(ended) > 0 {
		e := scoreRuns(ended)
		c.Runs = &e
	}
	return c
}

// withoutTexts leaves the texts out: they may quote the session, and results are shared.
func withoutTexts(all []Said) []Said {
	all = slices.Clone(all)
	for i := range all {
		all[i].Text = ""
	}
	return all
}

// sayings counts what was said, by kind.
func sayings(runs []Played) []SaidRow {
	rows := map[Kind]*SaidRow{}
	for _, r := range runs {
		for _, s := range r.Said {
			row := rows[s.Kind]
			if row == nil {
				row = &SaidRow{Kind: s.Kind, Verdicts: map[Verdict]int{}}
				rows[s.Kind] = row
			}
			row.Count++
			row.Last += one(s.Last)
			row.Behind += one(s.Behind)
			if s.Verdict != "" {
				row.Verdicts[s.Verdict]++
			}
		}
	}
	var all []SaidRow
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		all = append(all, *rows[k])
	}
	slices.SortStableFunc(all, func(a, b SaidRow) int { return cmp.Compare(b.Count, a.Count) })
	return all
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// judge gives everything that was said its verdict: what a person thought of this very
// note; else useful where it speaks to a labelled moment; else what a person thought of
// the nearest labelled note of its kind. What nobody has judged stays unlabelled.
func (r *Played) judge(tolerance int) {
	for i := range r.Said {
		s := &r.Said[i]
		s.Verdict = unknown
		if n := slices.IndexFunc(r.label.Notes, func(n NoteLabel) bool {
			return n.Step == s.Step && n.By == s.By && n.Slot == s.Slot && n.kind() == s.Kind
		}); n >= 0 {
			s.Verdict, s.read = r.label.Notes[n].Verdict, true
			continue
		}
		if slices.ContainsFunc(r.label.Moments, func(m Moment) bool { return s.meets(m, tolerance) }) {
			s.Verdict = useful
			continue
		}
		best := tolerance + 1
		for _, n := range r.label.Notes {
			if n.kind() == s.Kind && apart(n.Step, s.Step) < best {
				best, s.Verdict = apart(n.Step, s.Step), n.Verdict
			}
		}
	}
}

// kind is the kind of a labelled note.
func (n NoteLabel) kind() Kind { return cmp.Or(n.Kind, ownKinds.Of(n.By, n.Slot, "")) }

func apart(a, b int) int { return max(a, b) - min(a, b) }

// meets reports whether something that was said speaks to a moment. The end of a turn
// is one step; anything else may stand a little off. What a person read and did not
// find useful speaks to nothing.
func (s Said) meets(m Moment, tolerance int) bool {
	if s.read && s.Verdict != useful {
		return false
	}
	if m.Kind.finishes() || s.Kind.finishes() {
		tolerance = 0
	}
	return s.Kind.speaksTo(m.Kind) && s.Step >= m.Step-tolerance && s.Step <= m.end()+tolerance
}

func scoreLabelled(runs []Played, tolerance int) LabelledResult {
	l := LabelledResult{Sessions: len(runs), Said: sayings(runs)}
	for _, k := range momentKinds {
		row := MomentRow{Kind: k, Length: bestLength(runs, k, tolerance)}
		for _, r := range runs {
			l.Missed = append(l.Missed, r.count(&row, tolerance)...)
		}
		l.Moments = append(l.Moments, row)
	}
	for _, r := range runs {
		l.Steps += r.Steps
		l.Notes = append(l.Notes, withoutTexts(r.Said)...)
		for _, n := range r.label.Notes {
			if n.Verdict != useful {
				continue
			}
			l.Useful++
			l.Kept += one(slices.ContainsFunc(r.Said, func(s Said) bool { return s.Kind == n.kind() && apart(s.Step, n.Step) <= tolerance }))
		}
	}
	return l
}

// count adds what one run says of a kind of moments, and returns those that were missed.
func (r Played) count(row *MomentRow, tolerance int) (none []missed) {
	for _, s := range r.Said {
		if !s.Kind.speaksTo(row.Kind) || s.Kind == "todo" || s.Kind == "reflection" { // these are said on other grounds, too
			continue
		}
		row.Said++
		row.Right += one(slices.ContainsFunc(r.label.Moments, func(m Moment) bool { return s.meets(m, tolerance) }))
	}
	for _, m := range r.label.Moments {
		if m.Kind != row.Kind {
			continue
		}
		met := slices.ContainsFunc(r.Said, func(s Said) bool { return s.meets(m, tolerance) })
		if !m.clear() {
			row.Weak++
			row.Spoken += one(met)
			continue
		}
		row.Clear++
		row.Found += one(met)
		if !met {
			none = append(none, missed{Session: r.ID, Moment: m})
		}
	}
	return none
}

// bestLength finds the rule on length that does best on moments of a kind.
func bestLength(runs []Played, k Kind, tolerance int) LengthRule {
	longest := 0
	for _, r := range runs {
		longest = max(longest, r.Steps)
	}
	var best LengthRule
	score := -1.0
	for n := 1; n <= longest; n++ {
		rule := LengthRule{Steps: n}
		clear := 0
		for _, r := range runs {
			at, speaks := r.speaksAt(n, k)
			rule.Said += one(speaks)
			right := false
			for _, m := range r.label.Moments {
				if m.Kind != k {
					continue
				}
				clear += one(m.clear())
				if hit := speaks && (Said{Step: at, Kind: k}).within(m, tolerance); hit {
					right = true
					rule.Found += one(m.clear())
				}
			}
			rule.Right += one(right)
		}
		if s := harmonic(share(rule.Right, rule.Said), share(rule.Found, clear)); s > score {
			best, score = rule, s
		}
	}
	return best
}

// speaksAt is where the rule "speak once, at step n" speaks in a run: a rule about the
// end of a turn waits for the next one.
func (r Played) speaksAt(n int, k Kind) (step int, speaks bool) {
	if !k.finishes() {
		return n, r.Steps > n
	}
	for _, s := range r.stops {
		if s >= n {
			return s, true
		}
	}
	return 0, false
}

// within is meets for a rule that is about nothing but its moment's own kind.
func (s Said) within(m Moment, tolerance int) bool {
	if m.Kind.finishes() {
		tolerance = 0
	}
	return s.Step >= m.Step-tolerance && s.Step <= m.end()+tolerance
}

func share(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

func harmonic(a, b float64) float64 {
	if a+b == 0 {
		return 0
	}
	return 2 * a * b / (a + b)
}

func scoreRuns(runs []Played) RunResult {
	var res RunResult
	for _, r := range runs {
		res.Solved += one(r.end.Resolved)
		res.Failed += one(!r.end.Resolved)
		if r.end.Submitted && r.end.sure() {
			held := slices.ContainsFunc(r.Said, func(s Said) bool { return s.Kind == unproved })
			res.Submitted++
			res.Wrong += one(!r.end.Resolved)
			res.Held += one(held)
			res.HeldWrong += one(held && !r.end.Resolved)
		}
	}
	res.Alarms = []alarms{
		alarm("lineup: loop or same report", runs, func(r Played) bool {
			return slices.ContainsFunc(r.Said, func(s Said) bool { return s.Kind == loops || s.Kind == sameReport })
		}),
		alarm("detector: progress", runs, func(r Played) bool { return len(r.alarms) > 0 }),
		alarm("lineup: anything", runs, func(r Played) bool { return len(r.Said) > 0 }),
	}
	return res
}

// alarm counts the runs in which a rule speaks, beside a rule on length that speaks in
// as many.
func alarm(name string, runs []Played, speaks func(Played) bool) alarms {
	a := alarms{Rule: name}
	for _, r := range runs {
		if speaks(r) {
			a.Solved += one(r.end.Resolved)
			a.Failed += one(!r.end.Resolved)
		}
	}
	n := a.Failed + a.Solved
	if n == 0 {
		return a
	}
	longest := slices.Clone(runs)
	slices.SortStableFunc(longest, func(a, b Played) int { return cmp.Compare(b.Steps, a.Steps) })
	if n < len(longest) {
		a.Longer = longest[n].Steps
	}
	for _, r := range longest[:n] {
		a.LongerSolved += one(r.end.Resolved)
		a.LongerFailed += one(!r.end.Resolved)
	}
	return a
}
