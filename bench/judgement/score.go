package main

import (
	"cmp"
	"maps"
	"slices"
)

// result is what is printed.
type result struct {
	Corpora  []corpusResult `json:"corpora"`
	Warnings []string       `json:"warnings,omitempty"`
}

// corpusResult is what was measured on one corpus.
type corpusResult struct {
	Name     string    `json:"name"`
	Sessions int       `json:"sessions"`
	Steps    int       `json:"steps"`
	Said     []saidRow `json:"said"` // in all sessions

	Labelled *labelledResult `json:"labelled,omitempty"` // of the sessions with labels
	Runs     *runResult      `json:"runs,omitempty"`     // of the sessions whose outcome is known
	Others   []said          `json:"others,omitempty"`   // what was said in sessions without labels
}

// saidRow is how often something of a kind was said.
type saidRow struct {
	Kind   kind `json:"kind"`
	Count  int  `json:"count"`
	Last   int  `json:"last"`   // on a turn's last request
	Behind int  `json:"behind"` // right behind a person's prompt

	Verdicts map[verdict]int `json:"verdicts,omitempty"` // in sessions with labels
}

// labelledResult is what was measured against labels.
type labelledResult struct {
	Sessions int         `json:"sessions"`
	Steps    int         `json:"steps"`
	Said     []saidRow   `json:"said"`
	Moments  []momentRow `json:"moments"`
	Kept     int         `json:"kept"`   // labelled notes that were useful and are still given
	Useful   int         `json:"useful"` // all of them

	Notes  []said   `json:"notes,omitempty"`
	Missed []missed `json:"missed,omitempty"`
}

// missed is a clear moment to which nothing spoke.
type missed struct {
	Session string `json:"session"`
	moment
}

// momentRow is how many moments of a kind were spoken to.
type momentRow struct {
	Kind   kind `json:"kind"`
	Clear  int  `json:"clear"`
	Found  int  `json:"found"`
	Weak   int  `json:"weak"`
	Spoken int  `json:"spoken"` // of the weak ones
	Said   int  `json:"said"`   // what was said to this kind
	Right  int  `json:"right"`  // of that, inside a moment

	Length lengthRule `json:"length"`
}

// lengthRule is the rule "speak once, when a session has N steps", with the N that does
// best on this very corpus. A rule that does no better has found nothing but length.
type lengthRule struct {
	Steps int `json:"steps"`
	Said  int `json:"said"`
	Right int `json:"right"`
	Found int `json:"found"` // clear moments
}

// runResult is what was measured on runs whose outcome is known.
type runResult struct {
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

// score holds what was said in runs against labels and outcomes.
func score(name string, runs []run, tolerance int) corpusResult {
	c := corpusResult{Name: name, Sessions: len(runs)}
	var labelled, ended []run
	for _, r := range runs {
		c.Steps += r.steps
		if r.label != nil {
			r.judge(tolerance)
			labelled = append(labelled, r)
		} else {
			c.Others = append(c.Others, r.said...)
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

// sayings counts what was said, by kind.
func sayings(runs []run) []saidRow {
	rows := map[kind]*saidRow{}
	for _, r := range runs {
		for _, s := range r.said {
			row := rows[s.Kind]
			if row == nil {
				row = &saidRow{Kind: s.Kind, Verdicts: map[verdict]int{}}
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
	var all []saidRow
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		all = append(all, *rows[k])
	}
	slices.SortStableFunc(all, func(a, b saidRow) int { return cmp.Compare(b.Count, a.Count) })
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
func (r *run) judge(tolerance int) {
	for i := range r.said {
		s := &r.said[i]
		s.Verdict = unknown
		if n := slices.IndexFunc(r.label.Notes, func(n judged) bool { return n.Step == s.Step && n.By == s.By && n.Slot == s.Slot && n.kind() == s.Kind }); n >= 0 {
			s.Verdict, s.read = r.label.Notes[n].Verdict, true
			continue
		}
		if slices.ContainsFunc(r.label.Moments, func(m moment) bool { return s.meets(m, tolerance) }) {
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
func (n judged) kind() kind { return cmp.Or(n.Kind, ownKinds.of(n.By, n.Slot, "")) }

func apart(a, b int) int { return max(a, b) - min(a, b) }

// meets reports whether something that was said speaks to a moment. The end of a turn
// is one step; anything else may stand a little off. What a person read and did not
// find useful speaks to nothing.
func (s said) meets(m moment, tolerance int) bool {
	if s.read && s.Verdict != useful {
		return false
	}
	if m.Kind.finishes() || s.Kind.finishes() {
		tolerance = 0
	}
	return s.Kind.speaksTo(m.Kind) && s.Step >= m.Step-tolerance && s.Step <= m.end()+tolerance
}

func scoreLabelled(runs []run, tolerance int) labelledResult {
	l := labelledResult{Sessions: len(runs), Said: sayings(runs)}
	for _, k := range momentKinds {
		row := momentRow{Kind: k, Length: bestLength(runs, k, tolerance)}
		for _, r := range runs {
			l.Missed = append(l.Missed, r.count(&row, tolerance)...)
		}
		l.Moments = append(l.Moments, row)
	}
	for _, r := range runs {
		l.Steps += r.steps
		l.Notes = append(l.Notes, r.said...)
		for _, n := range r.label.Notes {
			if n.Verdict != useful {
				continue
			}
			l.Useful++
			l.Kept += one(slices.ContainsFunc(r.said, func(s said) bool { return s.Kind == n.kind() && apart(s.Step, n.Step) <= tolerance }))
		}
	}
	return l
}

// count adds what one run says of a kind of moments, and returns those that were missed.
func (r run) count(row *momentRow, tolerance int) (none []missed) {
	for _, s := range r.said {
		if !s.Kind.speaksTo(row.Kind) || s.Kind == "todo" || s.Kind == "reflection" { // these are said on other grounds, too
			continue
		}
		row.Said++
		row.Right += one(slices.ContainsFunc(r.label.Moments, func(m moment) bool { return s.meets(m, tolerance) }))
	}
	for _, m := range r.label.Moments {
		if m.Kind != row.Kind {
			continue
		}
		met := slices.ContainsFunc(r.said, func(s said) bool { return s.meets(m, tolerance) })
		if !m.clear() {
			row.Weak++
			row.Spoken += one(met)
			continue
		}
		row.Clear++
		row.Found += one(met)
		if !met {
			none = append(none, missed{Session: r.id, moment: m})
		}
	}
	return none
}

// bestLength finds the rule on length that does best on moments of a kind.
func bestLength(runs []run, k kind, tolerance int) lengthRule {
	longest := 0
	for _, r := range runs {
		longest = max(longest, r.steps)
	}
	var best lengthRule
	score := -1.0
	for n := 1; n <= longest; n++ {
		rule := lengthRule{Steps: n}
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
				if hit := speaks && (said{Step: at, Kind: k}).within(m, tolerance); hit {
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
func (r run) speaksAt(n int, k kind) (step int, speaks bool) {
	if !k.finishes() {
		return n, r.steps > n
	}
	for _, s := range r.stops {
		if s >= n {
			return s, true
		}
	}
	return 0, false
}

// within is meets for a rule that is about nothing but its moment's own kind.
func (s said) within(m moment, tolerance int) bool {
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

func scoreRuns(runs []run) runResult {
	var res runResult
	for _, r := range runs {
		res.Solved += one(r.end.Resolved)
		res.Failed += one(!r.end.Resolved)
		if r.end.Submitted && r.end.sure() {
			held := slices.ContainsFunc(r.said, func(s said) bool { return s.Kind == unproved })
			res.Submitted++
			res.Wrong += one(!r.end.Resolved)
			res.Held += one(held)
			res.HeldWrong += one(held && !r.end.Resolved)
		}
	}
	res.Alarms = []alarms{
		alarm("lineup: loop or same report", runs, func(r run) bool {
			return slices.ContainsFunc(r.said, func(s said) bool { return s.Kind == loops || s.Kind == sameReport })
		}),
		alarm("detector: progress", runs, func(r run) bool { return len(r.alarms) > 0 }),
		alarm("lineup: anything", runs, func(r run) bool { return len(r.said) > 0 }),
	}
	return res
}

// alarm counts the runs in which a rule speaks, beside a rule on length that speaks in
// as many.
func alarm(name string, runs []run, speaks func(run) bool) alarms {
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
	slices.SortStableFunc(longest, func(a, b run) int { return cmp.Compare(b.steps, a.steps) })
	if n < len(longest) {
		a.Longer = longest[n].steps
	}
	for _, r := range longest[:n] {
		a.LongerSolved += one(r.end.Resolved)
		a.LongerFailed += one(!r.end.Resolved)
	}
	return a
}
