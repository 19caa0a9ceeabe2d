package main

import (
	"context"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/report"
)

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
