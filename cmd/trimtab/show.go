package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/sessiontext"
	"github.com/trimtab/trimtab/internal/termsafe"
)

func sessionShow(a *app) *cobra.Command {
	var full bool
	c := &cobra.Command{
		Use: "show [ID]", Short: "Show a session: what was said, and every note with who, why and at what price", Args: between(0, 1),
		Example: "  trimtab session show\n  trimtab session show 20261115-101500-k3x9 --full\n  trimtab session show --json", ValidArgsFunction: a.completeSession,
		RunE: func(c *cobra.Command, args []string) error {
			return a.sessionShow(c.Context(), strings.Join(args, ""), full)
		},
	}
	c.Flags().BoolVar(&full, "full", false, "whole texts, not first lines")
	sessionFlag(c, a)
	return c
}

func (a *app) sessionShow(ctx context.Context, id string, full bool) error {
	s, err := a.current(ctx, id)
	if err != nil {
		return err
	}
	st, err := a.store(ctx)
	if err != nil {
		return err
	}
	if a.flag.json {
		return a.showJSON(ctx, s)
	}
	engine, err := a.engine()
	if err != nil {
		return err
	}
	a.printf("%s  %s\n", s.ID, s.Title)
	a.printf("%s, %s, step %d, begun %s\n", cmp.Or(s.Host, "?"), cmp.Or(s.Model, "no model yet"), s.Step, s.Created.Local().Format("2006-01-02 15:04"))
	for _, line := range engine.Status(s) {
		a.printf("%s: %s\n", line.By, line.Text)
	}
	a.printf("notes: %d tokens so far, %d of cached prefix given up\n\n", s.Meter.Added, s.Meter.Lost)
	messages := map[string]trimtab.Message{}
	for m, err := range st.Messages(ctx, s.ID, 0) {
		if err != nil {
			a.progress("%s\n", err)
			continue
		}
		messages[m.ID] = m
	}
	for e, err := range st.Journal(ctx, s.ID, 0) {
		if err != nil {
			a.progress("%s\n", err)
			continue
		}
		a.answered(sessiontext.Entry(a.out, e, messages, full))
	}
	return nil
}

func (a *app) showJSON(ctx context.Context, s trimtab.Session) error {
	st, err := a.store(ctx)
	if err != nil {
		return err
	}
	messages, journal := []trimtab.Message{}, []trimtab.Entry{}
	for m, err := range st.Messages(ctx, s.ID, 0) {
		if err != nil {
			return err
		}
		messages = append(messages, m)
	}
	for e, err := range st.Journal(ctx, s.ID, 0) {
		if err != nil {
			return err
		}
		journal = append(journal, e)
	}
	return a.printJSON(struct {
		Session  trimtab.Session   `json:"session"`
		Messages []trimtab.Message `json:"messages"`
		Journal  []trimtab.Entry   `json:"journal"`
	}{s, messages, journal})
}

func firstLine(text string, most int) string { return termsafe.FirstLine(text, most) }
