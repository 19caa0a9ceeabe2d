package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/report"
)

func improveList(a *app) *cobra.Command {
	var states []string
	c := &cobra.Command{
		Use: "list", Short: "List requests, newest first", Args: none, Example: "  trimtab improve list\n  trimtab improve list --state awaiting_approval --json",
		RunE: func(c *cobra.Command, _ []string) error { return a.improveList(c.Context(), states) },
	}
	c.Flags().StringSliceVar(&states, "state", nil, "only those in this state (repeatable)")
	_ = c.RegisterFlagCompletionFunc("state", fixed(improve.StateNames()...))
	return c
}

func (a *app) improveList(ctx context.Context, names []string) error {
	states, err := improve.ParseStates(names)
	if err != nil {
		return misused("--state %w", err)
	}
	q, err := a.queue(ctx)
	if err != nil {
		return err
	}
	if err := a.takeSpool(ctx); err != nil {
		a.progress("%s\n", err)
	}
	items, err := q.Items(ctx, states...)
	if err != nil {
		return err
	}
	if a.flag.json {
		return a.printJSON(append([]improve.Item{}, items...))
	}
	if why, err := a.halted(ctx); err != nil {
		return err
	} else if why != "" {
		a.progress("no work begins: %s\n", why)
	}
	now := a.clock().Local()
	a.answered(report.List(a.out, items, now))
	if line := report.LeftLine(items, now); line != "" {
		a.progress("%s\n", line)
	}
	return nil
}

func improveShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a request with the evidence of each step", Args: between(1, 1), ValidArgsFunction: a.completeItem,
		Example: "  trimtab improve show workflow_20261115_101500_k3x9\n  trimtab improve show k3x9 --json",
		RunE: func(c *cobra.Command, args []string) error {
			it, err := a.item(c.Context(), args[0])
			if err != nil {
				return err
			}
			if a.flag.json {
				return a.printJSON(it)
			}
			work, err := a.assembly()
			if err != nil {
				return err
			}
			a.answered(report.Item(a.out, it, filepath.Join(work.Folder(), it.ID), a.clock().Local()))
			a.answered(report.Programs(a.out, work.Programs(it)))
			return nil
		},
	}
}
