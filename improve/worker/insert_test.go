package worker_test

import (
	"context"
	"slices"
	"testing"

	"github.com/trimtab/trimtab/improve/decide"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
)

// inserted is the list of steps with a new one before each of those named.
func inserted(before ...improve.StepName) []steps.Step {
	list := steps.Steps()
	for _, name := range before {
		list = slices.Insert(list, steps.Place(list, name), steps.Step{
			Name: "before " + name,
			Do: func(context.Context, *steps.Job) (improve.Evidence, error) {
				return improve.Evidence{Facts: map[string]string{"done": "yes"}}, nil
			},
		})
	}
	return steps.Numbered(list)
}

// done checks that an item is done, with one evidence for each step of a list and
// in its order.
func (p *port) done(t *testing.T, list []steps.Step) improve.Item {
	t.Helper()
	it := p.item(t, 1)
	if it.State != improve.Done || len(it.Evidence) != len(list) {
		t.Fatalf("the item is %s (%s), with %d pieces of evidence for %d steps", it.State, it.Why, len(it.Evidence), len(list))
	}
	for i, e := range it.Evidence {
		if e.Step != list[i].Name || e.Number != i+1 || e.Error != "" || e.Ended.IsZero() {
			t.Errorf("evidence %d is %+v, want step %s", i+1, e, list[i].Name)
		}
	}
	return it
}

// TestAStepMayBeInsertedAnywhere: no step finds another by its number, so a new one
// at any place leaves all others as they were.
func TestAStepMayBeInsertedAnywhere(t *testing.T) {
	t.Parallel()
	p := newPort(t, 1)
	for _, s := range steps.Steps() {
		p.steps = append(p.steps, inserted(s.Name)[steps.Place(steps.Steps(), s.Name)], s)
	}
	p.steps = steps.Numbered(p.steps)
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.done(t, p.steps)
	p.check(t, whole(1))
}

// TestAnItemOfAnOlderProgramGoesOnWithANewStep: its evidence has the numbers of a
// list that is no more. What is done stays done, the new steps are done too, and
// nothing is made twice at the forge.
func TestAnItemOfAnOlderProgramGoesOnWithANewStep(t *testing.T) {
	t.Parallel()
	for _, at := range []improve.StepName{steps.Design, steps.PullRequest, steps.Feedback} {
		t.Run(string(at), func(t *testing.T) {
			p := newPort(t, 1)
			there := p.hang(at)
			stop := p.start(t)
			<-there
			stop()
			old := p.item(t, 1)
			p.steps = inserted(steps.Branch, steps.Check, steps.Mergeable)
			if err := p.drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			now := p.done(t, p.steps)
			p.check(t, whole(1))
			for _, e := range old.Evidence {
				if !e.Ended.IsZero() && !slices.ContainsFunc(now.Evidence, func(n improve.Evidence) bool { return n.Step == e.Step && n.Ended.Equal(e.Ended) }) {
					t.Errorf("%s was done again", e.Step)
				}
			}
		})
	}
}

// TestRetryOfAnOlderItem: whatever the list is now, failed work begins again at the
// branch with the issue it had.
func TestRetryOfAnOlderItem(t *testing.T) {
	t.Parallel()
	p := newPort(t, 1)
	p.wrap(steps.Check, func(context.Context, *steps.Job) (improve.Evidence, error) {
		return improve.Evidence{}, context.DeadlineExceeded
	})
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	it, err := decide.Retry(t.Context(), p.queue, p.item(t, 1).ID, p.item(t, 1).Updated)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(it.Evidence); n != 2 || it.Evidence[n-1].Step != steps.Issue {
		t.Fatalf("kept %+v", it.Evidence)
	}
	p.steps = inserted(steps.Issue, steps.Branch)
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.done(t, p.steps)
	want := whole(1)
	want["comments on issues"] = 1 // why it stopped the first time
	p.check(t, want)
}
