package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/report"
	"github.com/trimtab/trimtab/internal/plural"
)

func improveList(a *app) *cobra.Command {
	var states []string
	c := &cobra.Command{
		Use: "list", Short: "List requests, newest first", Args: none, Example: "  trimtab improve list\n  trimtab improve list --state awaiting_approval --json",
		RunE: func(c *cobra.Command, _ []string) error { return a.improveList(c.Context(), states) },
	}
	c.Flags().StringSliceVar(&states, "state", nil, "only those in this state (repeatable)")
	_ = c.RegisterFlagCompletionFunc("state", fixed(stateNames()...))
	return c
}

func stateNames() (names []string) {
	for _, s := range improve.States() {
		names = append(names, string(s))
	}
	return names
}

func (a *app) improveList(ctx context.Context, names []string) error {
	var states []improve.State
	for _, n := range names {
		if !slices.Contains(stateNames(), n) {
			return misused("--state %q is not one of: %s", n, strings.Join(stateNames(), ", "))
		}
		states = append(states, improve.State(n))
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
	if len(items) == 0 {
		a.printf("no requests; trimtab reflect shows what went wrong, and trimtab improve new makes a request of it\n")
		return nil
	}
	now := a.clock().Local()
	a.answered(report.List(a.out, items, now))
	left := 0
	for _, it := range items {
		if report.Abandoned(it, now) {
			left++
		}
	}
	if left > 0 {
		a.progress("%s; trimtab improve run goes on at the same step\n", plural.Irregular(left, "worker is gone", "workers are gone"))
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
			dir, err := a.dataDir()
			if err != nil {
				return err
			}
			a.answered(report.Item(a.out, it, filepath.Join(dir, "improve", it.ID), a.clock().Local()))
			return nil
		},
	}
}
