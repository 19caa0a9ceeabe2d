package steps

import (
	"context"
	"fmt"

	"github.com/trimtab/trimtab/improve"
)

// Step is one of the thirteen.
type Step struct {
	Number int
	Name   string
	Do     func(ctx context.Context, j *Job) (improve.Evidence, error)
}

// Steps are all of them, in order.
func Steps() []Step {
	return []Step{
		{1, "clarify", clarify},
		{2, "issue", issue},
		{3, "branch", branch},
		{4, "design", design},
		{5, "implement", implement},
		{6, "simplify", simplify},
		{7, "check", check},
		{8, "commit", commit},
		{9, "pull request", pull},
		{10, "review", review},
		{11, "feedback", feedback},
		{12, "compliance", comply},
		{13, "mergeable", mergeable},
	}
}

// Run does the step and returns its evidence. With an error the evidence says
// what went wrong.
func (s Step) Run(ctx context.Context, j *Job) (improve.Evidence, error) {
	began := j.yard.opt.Now().UTC()
	err := j.moved()
	if err == nil {
		err = j.harmless(ctx)
	}
	e := improve.Evidence{}
	if err == nil {
		e, err = s.Do(ctx, j)
	}
	e.Number, e.Step, e.Began, e.Ended = s.Number, s.Name, began, j.yard.opt.Now().UTC()
	if err != nil {
		err = fmt.Errorf("step %d, %s: %w", s.Number, s.Name, err)
		e.Error = j.yard.opt.Keep(err.Error())
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
