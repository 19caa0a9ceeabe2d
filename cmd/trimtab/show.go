package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/plural"
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
		a.showEntry(e, messages, full)
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

// showEntry tells one line of the journal as a person would.
func (a *app) showEntry(e trimtab.Entry, messages map[string]trimtab.Message, full bool) {
	switch ev := e.Event.(type) {
	case trimtab.Said:
		if m, ok := messages[ev.Message.ID]; ok {
			a.showMessage(m, full)
		}
	case trimtab.Asked:
		a.printf("%5s  %-8s /%s %s\n", "", "command", ev.Command, strings.Join(ev.Args, " "))
	case trimtab.Resumed:
		a.printf("%5s  %-8s\n", "", "resumed")
	case trimtab.Rewritten:
		a.printf("%5s  %-8s the host rewrote its history\n", "", "host")
	case trimtab.Reset:
		a.printf("%5s  %-8s\n", "", "reset")
	}
	for _, c := range e.Changes {
		a.printf("%5s  %s\n", "", change(c))
		if full && c.Text != "" && c.Kind == trimtab.Injected {
			a.printf("%s\n", indent(c.Text))
		}
	}
	for _, t := range e.Actions {
		if n, ok := t.Action.(trimtab.Notify); ok {
			a.printf("%5s  %-8s %s\n", "", "notice", n.Text)
		}
	}
	for _, f := range e.Faults {
		a.printf("%5s  %-8s %s\n", "", "fault", f.Error())
	}
}

func (a *app) showMessage(m trimtab.Message, full bool) {
	for _, p := range m.Parts {
		who, text := said(p)
		if !full {
			text = firstLine(text, 100)
			a.printf("%5s  %-8s %s\n", m.ID, who, text)
			continue
		}
		a.printf("%5s  %-8s\n%s\n", m.ID, who, indent(text))
	}
}

// said names who is behind a part, and what it holds.
func said(p trimtab.Part) (who, text string) {
	switch p := p.(type) {
	case trimtab.Text:
		switch p.By {
		case trimtab.Person:
			return "you", p.Text
		case trimtab.Model:
			return "agent", p.Text
		case trimtab.Ours:
			return p.From, p.Text
		}
		return cmp.Or(string(p.By), "host"), p.Text
	case trimtab.ToolCall:
		return "agent", "calls " + p.Name + " " + string(p.Input)
	case trimtab.ToolResult:
		if p.Failed {
			return "tool", "failed: " + p.Text
		}
		return "tool", p.Text
	case trimtab.Opaque:
		return cmp.Or(string(p.By), "host"), "(" + p.Kind + ")"
	}
	return "?", ""
}

// change tells a change in one line: a sign, who, where, why, at what price.
func change(c trimtab.Change) string {
	sign := map[trimtab.ChangeKind]string{trimtab.Injected: "+", trimtab.Removed: "-", trimtab.Retired: "~", trimtab.Withheld: "x", trimtab.FoldedUp: ">", trimtab.Unfolded: "<"}[c.Kind]
	line := sign + " " + c.By + "/" + c.Slot + ": " + c.Why
	if c.Kind == trimtab.Injected {
		line += " (" + plural.Count(c.Tokens, "token")
		if c.Lost > 0 {
			line += ", " + plural.Count(c.Lost, "token") + " of cached prefix"
		}
		line += ")"
	} else if c.Lost > 0 {
		line += " (" + plural.Count(c.Lost, "token") + " of cached prefix)"
	}
	return line
}

func firstLine(text string, most int) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	line = termsafe.Line(line)
	if r := []rune(line); len(r) > most {
		line, more = string(r[:most]), true
	}
	if more {
		line += " …"
	}
	return line
}

func indent(text string) string {
	return "       " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n       ")
}
