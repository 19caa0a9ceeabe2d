package main

import (
	"context"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/pipeline"
	"github.com/trimtab/trimtab/improve/report"
)

// takeUp files again what a change did not end; of sessions all count that there are.
func (a *app) takeUp(ctx context.Context, it improve.Item) (improve.Item, error) {
	p, err := a.pipeline()
	if err != nil {
		return it, err
	}
	return p.TakeUp(ctx, pipeline.Query{}, it)
}

func (a *app) improveImpact(ctx context.Context, ids []string, flags pastFlags) error {
	p, query, err := a.past(nil, flags)
	if err != nil {
		return err
	}
	var items []improve.Item
	for _, id := range ids {
		it, err := a.item(ctx, id)
		if err != nil {
			return err
		}
		items = append(items, it)
	}
	all, err := p.Impact(ctx, query, items...)
	if err != nil {
		return err
	}
	if a.flag.json {
		return a.printJSON(all)
	}
	a.answered(report.Impact(a.out, all, a.clock().Local().Location()))
	return nil
}
