package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/sessiontext"
	"github.com/trimtab/trimtab/steer/frame"
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

// logJSON is a frame and its messages for programs.
type logJSON struct {
	Frame    frame.View        `json:"frame"`
	Messages []trimtab.Message `json:"messages"`          // its own
	Below    []string          `json:"below,omitempty"`   // frames whose messages stand between them
	Missing  string            `json:"missing,omitempty"` // why there are none, where there should be
}

func (a *app) frameLog(ctx context.Context, args []string, details, full bool) error {
	s, err := a.current(ctx, "")
	if err != nil {
		return err
	}
	reply, err := a.asked(s, "show", args...)
	if err != nil {
		return err
	}
	var f frame.View
	if err := json.Unmarshal(reply.Data, &f); err != nil {
		return fmt.Errorf("frame of session %s: %w", s.ID, err)
	}
	tree, err := a.frames(s)
	if err != nil {
		return err
	}
	var run []sessiontext.Numbered
	if f.First.Seq > 0 {
		if run, err = a.messages(ctx, s.ID, f.First.Seq-1, sessiontext.LastOf(f, s.Seq)); err != nil {
			return err
		}
	}
	lines := sessiontext.FrameLog(tree, f, run)
	missing := sessiontext.WhyEmpty(f, lines)
	if a.flag.json {
		out := logJSON{Frame: f, Messages: []trimtab.Message{}, Missing: missing}
		for _, l := range lines {
			if l.Below != nil {
				out.Below = append(out.Below, l.Below.ID)
			} else {
				out.Messages = append(out.Messages, l.Message)
			}
		}
		return a.printJSON(out)
	}
	if details {
		a.printf("%s\n\n", reply.Text)
	}
	a.written(sessiontext.WriteLog(a.out, lines, full))
	if missing != "" {
		a.printf("%s\n", missing)
	}
	a.progress("session %s\n", s.ID)
	return nil
}

// messages reads those with the numbers from after to last.
func (a *app) messages(ctx context.Context, id string, after, last int) ([]sessiontext.Numbered, error) {
	st, err := a.store(ctx)
	if err != nil {
		return nil, err
	}
	var run []sessiontext.Numbered
	seq := after
	for m, err := range st.Messages(ctx, id, after) {
		if seq++; seq > last {
			break
		}
		if err != nil {
			a.progress("%s\n", err)
			continue
		}
		run = append(run, sessiontext.Numbered{Message: m, Seq: seq})
	}
	return run, nil
}
