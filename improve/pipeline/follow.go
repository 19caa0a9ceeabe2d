package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/impact"
)

// follow links a case to the change that should have ended it, where that was merged and
// did not help. Only a person takes it up again: what comes by itself stays filed.
func (p *Pipeline) follow(ctx context.Context, f *Findings, c improve.Case) improve.Case {
	it, ok := f.Filed(c)
	if !ok || it.State != improve.Done {
		return c
	}
	if told := p.impact(ctx, p.pulls(ctx, f), it, f.Results); told.Verdict == impact.NotHelped {
		c.Earlier, c.Since = &it, told.Text
	}
	return c
}

// TakeUp files again what an item's change did not end, approved, as an item that follows
// it. An error says why not: it helped, or nobody can tell.
func (p *Pipeline) TakeUp(ctx context.Context, q Query, it improve.Item) (improve.Item, error) {
	q.Project = it.Project
	f, err := p.Look(ctx, q)
	if err != nil {
		return improve.Item{}, err
	}
	defer f.Close()
	told := p.impact(ctx, p.pulls(ctx, f), it, f.Results)
	if told.Verdict != impact.NotHelped {
		return improve.Item{}, fmt.Errorf("%s is %s, and only what did not help is taken up again: %s", it.ID, it.State, told.Text)
	}
	c := improve.Case{Pattern: it.Request.Pattern, Worthy: true, Project: it.Project, Sessions: it.Sessions, Kind: it.Request.Kind}
	for _, found := range f.Cases {
		if found.Pattern.Fingerprint == c.Pattern.Fingerprint { // as it is seen now
			found.Kind, c = c.Kind, found
		}
	}
	if next, ok := f.Filed(c); ok && next.ID != it.ID {
		return improve.Item{}, fmt.Errorf("%s follows %s already", next.ID, it.ID)
	}
	again, err := p.File(ctx, f, c, true)
	if errors.Is(err, ErrNoTurn) { // its turns are gone: those that were kept will do
		c.Turns = it.Request.Turns
		again, err = p.File(ctx, f, c, true)
	}
	return again, err
}
