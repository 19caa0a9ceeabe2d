package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/internal/plural"
)

func improveList(a *app) *cobra.Command {
	var states []string
	c := &cobra.Command{
		Use: "list", Short: "List requests, newest first", Args: none, Example: "  trimtab improve list\n  trimtab improve list --state awaiting_approval --json",
		RunE: func(c *cobra.Command, _ []string) error { return a.improveList(c.Context(), states) },
	}
	c.Flags().StringSliceVar(&states, "state", nil, "only those in this state (repeatable)")
	_ = c.RegisterFlagCompletionFunc("state", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return stateNames(), cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

var allStates = []improve.State{improve.Awaiting, improve.Queued, improve.Running, improve.Done, improve.Failed, improve.Manual, improve.Rejected, improve.Cancelled}

func stateNames() []string {
	var names []string
	for _, s := range allStates {
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
	if err := a.takeSpool(ctx, q); err != nil {
		a.progress("%s\n", err)
	}
	items, err := q.Items(ctx, states...)
	if err != nil {
		return err
	}
	if a.flag.json {
		return a.printJSON(append([]improve.Item{}, items...))
	}
	if why, err := a.halted(ctx, q); err != nil {
		return err
	} else if why != "" {
		a.progress("no work begins: %s\n", why)
	}
	if len(items) == 0 {
		a.printf("no requests; trimtab reflect shows what went wrong, and trimtab improve new makes a request of it\n")
		return nil
	}
	left := 0
	for _, it := range items {
		if a.abandoned(it) {
			left++
		}
		a.printf("%-30s  %-17s  %s  %-8s %s\n", it.ID, a.stateOf(it), it.Updated.Local().Format("2006-01-02 15:04"), it.Request.Priority, it.Request.Title)
	}
	if left > 0 {
		a.progress("%s; trimtab improve run goes on at the same step\n", plural.Irregular(left, "worker is gone", "workers are gone"))
	}
	return nil
}

// abandoned reports whether work is recorded as running, and whoever does it has
// given no sign of life for so long that another may take it.
func (a *app) abandoned(it improve.Item) bool {
	return it.State == improve.Running && !a.clock().Before(it.Until)
}

// stateOf is a state with the step that work is at.
func (a *app) stateOf(it improve.Item) string {
	if it.Cancel && !it.State.Ended() {
		return "to be cancelled"
	}
	state := string(it.State)
	if a.abandoned(it) {
		state = "abandoned"
	}
	if n := len(it.Evidence); it.State == improve.Running && n > 0 {
		return fmt.Sprintf("%s %d/%d", state, it.Evidence[n-1].Number, len(steps.Steps()))
	}
	return state
}

func improveShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a request with the evidence of each step", Args: between(1, 1), ValidArgsFunction: a.completeItem,
		Example: "  trimtab improve show workflow_20261115_101500_k3x9\n  trimtab improve show k3x9 --json",
		RunE: func(c *cobra.Command, args []string) error {
			q, err := a.queue(c.Context())
			if err != nil {
				return err
			}
			it, err := a.item(c.Context(), q, args[0])
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
			a.printItem(it, filepath.Join(dir, "improve", it.ID))
			return nil
		},
	}
}

// printItem is a request as a person wants to read it.
func (a *app) printItem(it improve.Item, folder string) {
	r := it.Request
	a.printf("%s  %s\n%s\n\n", it.ID, a.stateOf(it), r.Title)
	line := func(name, value string) {
		if value != "" {
			a.printf("  %-12s %s\n", name, value)
		}
	}
	line("why", it.Why)
	if a.abandoned(it) {
		line("worker", fmt.Sprintf("no sign of life since %s; trimtab improve run goes on at the same step", it.Until.Local().Format("2006-01-02 15:04")))
	}
	line("pattern", fmt.Sprintf("%s, %s, seen %s", strings.ReplaceAll(r.Pattern.Type, "_", " "), r.Pattern.Severity, plural.Count(r.Pattern.Count, "time")))
	line("type", fmt.Sprintf("%s, %s work, at most %d lines in %d components", r.Type, r.Complexity, r.MaxLines, r.MaxComponents))
	line("do", r.Pattern.Suggestion)
	line("sessions", strings.Join(it.Sessions, ", "))
	line("fingerprint", it.Fingerprint)
	line("project", it.Project)
	if it.Attempt > 1 {
		line("attempt", fmt.Sprint(it.Attempt))
	}
	if len(it.Evidence) == 0 {
		a.printf("\nNo step was done yet.\n")
		return
	}
	a.printf("\n")
	for _, e := range it.Evidence {
		a.printEvidence(e, a.abandoned(it))
	}
	a.printf("\nPapers and logs: %s\n", folder)
}

// inner are facts that only the later steps need; --json has them.
var inner = []string{"sha256", "tree", "path", "comments", "replies", "attempt"}

func (a *app) printEvidence(e improve.Evidence, abandoned bool) {
	state := "at work"
	switch {
	case e.Error != "":
		state = "failed"
	case !e.Ended.IsZero():
		state = took(e.Ended.Sub(e.Began).Round(time.Millisecond))
	case abandoned:
		state = "left"
	}
	a.printf("  %2d %-13s %8s", e.Number, e.Step, state)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(e.Facts)), func(name string) bool { return slices.Contains(inner, name) })
	for i, name := range names {
		lead := "  "
		if i > 0 {
			lead = "\n" + strings.Repeat(" ", 28)
		}
		a.printf("%s%s: %s", lead, name, oneLineOf(e.Facts[name], 200))
	}
	for i, f := range e.Files {
		lead := "\n" + strings.Repeat(" ", 28)
		if i == 0 && len(names) == 0 {
			lead = "  "
		}
		a.printf("%s%s", lead, f)
	}
	if e.Error != "" {
		a.printf("\n%s%s", strings.Repeat(" ", 28), oneLineOf(e.Error, 400))
	}
	a.printf("\n")
}

// oneLineOf shortens a text to one line.
func oneLineOf(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
