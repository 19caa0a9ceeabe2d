package steps

import (
	"context"
	"fmt"
	"slices"

	"github.com/trimtab/trimtab/improve"
)

// The steps, by the names that stored evidence has. A name stays for ever: items
// that an older program began are found by it.
const (
	Clarify     improve.StepName = "clarify"
	Issue       improve.StepName = "issue"
	Branch                       = improve.StepBranch
	Design      improve.StepName = "design"
	Implement   improve.StepName = "implement"
	Simplify    improve.StepName = "simplify"
	Check       improve.StepName = "check"
	Commit                       = improve.StepCommit
	PullRequest                  = improve.StepPullRequest
	Review      improve.StepName = "review"
	Feedback                     = improve.StepFeedback
	Compliance  improve.StepName = "compliance"
	Mergeable   improve.StepName = "mergeable"
)

// Step is one of the thirteen.
type Step struct {
	Number int // its place in the list, from 1; for people
	Name   improve.StepName
	Do     func(ctx context.Context, j *Job) (improve.Evidence, error)
}

// Steps are all of them, in order.
func Steps() []Step {
	return Numbered([]Step{
		{Name: Clarify, Do: clarify},
		{Name: Issue, Do: issue},
		{Name: Branch, Do: branch},
		{Name: Design, Do: byKind(design, recordTurns)},
		{Name: Implement, Do: byKind(implement, guide)},
		{Name: Simplify, Do: byKind(simplify, shortenGuidance)},
		{Name: Check, Do: check},
		{Name: Commit, Do: commit},
		{Name: PullRequest, Do: pull},
		{Name: Review, Do: review},
		{Name: Feedback, Do: feedback},
		{Name: Compliance, Do: byKind(comply, complyGuidance)},
		{Name: Mergeable, Do: mergeable},
	})
}

// Numbered gives each step of a list the number of its place.
func Numbered(list []Step) []Step {
	for i := range list {
		list[i].Number = i + 1
	}
	return list
}

// Place returns where a step stands in a list, and -1 where it is not in it.
func Place(list []Step, name improve.StepName) int {
	return slices.IndexFunc(list, func(s Step) bool { return s.Name == name })
}

// Run does the step and returns its evidence. With an error the evidence says
// what went wrong.
func (s Step) Run(ctx context.Context, j *Job) (improve.Evidence, error) {
	began := j.env.opt.Now().UTC()
	if len(j.Item.Evidence) == 0 { // nothing is done yet
		for _, note := range j.env.guide.Notes {
			j.say(note)
		}
	}
	err := j.moved()
	if err == nil {
		err = j.harmless(ctx)
	}
	e := improve.Evidence{}
	if err == nil {
		e, err = s.Do(ctx, j)
	}
	e.Number, e.Step, e.Began, e.Ended = s.Number, s.Name, began, j.env.opt.Now().UTC()
	if err != nil {
		err = fmt.Errorf("step %d, %s: %w", s.Number, s.Name, err)
		e.Error = j.env.opt.Keep(err.Error())
	}
	return e, err
}

// facts are the facts of an evidence, in pairs.
func facts(pairs ...string) improve.Evidence {
	e := improve.Evidence{Facts: map[string]string{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		e.Facts[pairs[i]] = pairs[i+1]
	}
	return e
}
