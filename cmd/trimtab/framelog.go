package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/export/sessiontext"
)

func frameShow(a *app) *cobra.Command {
	var full bool
	c := &cobra.Command{
		Use: "show [ID]", Short: "A frame with all that is known of it, and its messages", Args: between(0, 1), ValidArgsFunction: a.completeFrame,
		Example: "  trimtab frame show f3\n  trimtab frame show f3 --full\n  trimtab frame show --json",
		RunE: func(c *cobra.Command, args []string) error {
			return a.frameLog(c.Context(), args, true, full)
		},
	}
	c.Flags().BoolVar(&full, "full", false, "whole texts, not first lines")
	sessionFlag(c, a)
	return c
}

func frameLog(a *app) *cobra.Command {
	var short bool
	c := &cobra.Command{
		Use: "log [ID]", Short: "The messages of a frame, whole, folded or not", Args: between(0, 1), ValidArgsFunction: a.completeFrame,
		Example: "  trimtab frame log f3\n  trimtab frame log f3 --short",
		RunE: func(c *cobra.Command, args []string) error {
			return a.frameLog(c.Context(), args, false, !short)
		},
	}
	c.Flags().BoolVar(&short, "short", false, "first lines, not whole texts")
	sessionFlag(c, a)
	return c
}

func (a *app) frameLog(ctx context.Context, args []string, details, full bool) error {
	r, s, err := a.frames(ctx)
	if err != nil {
		return err
	}
	log, err := r.Log(ctx, s, args...)
	if err != nil {
		return refused(err)
	}
	missing := sessiontext.WhyEmpty(log.Frame, log.Lines)
	if a.flag.json {
		return a.printJSON(log.Data())
	}
	if details {
		a.printf("%s\n\n", log.Text)
	}
	a.answered(sessiontext.WriteLog(a.out, log.Lines, full))
	if missing != "" {
		a.printf("%s\n", missing)
	}
	a.progress("session %s\n", s.ID)
	return nil
}
