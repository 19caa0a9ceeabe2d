package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/plural"
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
	var run []numbered
	if f.First.Seq > 0 {
		if run, err = a.messages(ctx, s.ID, f.First.Seq-1, upTo(f, s.Seq)); err != nil {
			return err
		}
	}
	lines := logOf(tree, f, run)
	missing := missing(f, lines)
	if a.flag.json {
		out := logJSON{Frame: f, Messages: []trimtab.Message{}, Missing: missing}
		for _, l := range lines {
			if l.below != nil {
				out.Below = append(out.Below, l.below.ID)
			} else {
				out.Messages = append(out.Messages, l.message)
			}
		}
		return a.printJSON(out)
	}
	if details {
		a.printf("%s\n\n", reply.Text)
	}
	for _, l := range lines {
		if l.below != nil {
			a.printf("%5s  %s\n", "", l.line())
			continue
		}
		a.showMessage(l.message, full)
	}
	if missing != "" {
		a.printf("%s\n", missing)
	}
	a.progress("session %s\n", s.ID)
	return nil
}

// missing says why a frame has no messages to show.
func missing(f frame.View, lines []logLine) string {
	switch {
	case len(lines) > 0:
		return ""
	case f.Status == frame.Planned:
		return "It has not begun: it has no messages."
	case f.First.Seq == 0:
		return "Nothing was said in it."
	}
	return "Its messages are not in the store."
}

// numbered is a stored message and its place in the session.
type numbered struct {
	trimtab.Message
	seq int
}

// messages reads those with the numbers from after to last.
func (a *app) messages(ctx context.Context, id string, after, last int) ([]numbered, error) {
	st, err := a.store(ctx)
	if err != nil {
		return nil, err
	}
	var run []numbered
	seq := after
	for m, err := range st.Messages(ctx, id, after) {
		if seq++; seq > last {
			break
		}
		if err != nil {
			a.progress("%s\n", err)
			continue
		}
		run = append(run, numbered{m, seq})
	}
	return run, nil
}

// upTo is the number of the last message of a frame; one in progress reaches to
// the newest.
func upTo(f frame.View, newest int) int {
	if f.Last.Seq > 0 {
		return f.Last.Seq
	}
	return newest
}

// logLine is a message of a frame, or a frame below it whose messages stand there.
type logLine struct {
	message trimtab.Message
	below   *frame.View
}

// logOf is what a frame holds, in order: its own messages, and in the place of
// those of a frame below it that frame's name.
func logOf(tree frame.Tree, f frame.View, run []numbered) []logLine {
	if f.First.Seq == 0 {
		return nil
	}
	const newest = int(^uint(0) >> 1)
	var out []logLine
	for _, m := range run {
		if m.seq < f.First.Seq || m.seq > upTo(f, newest) {
			continue
		}
		inside := (*frame.View)(nil)
		for i, c := range tree.Frames {
			if c.Parent == f.ID && c.First.Seq > 0 && c.First.Seq <= m.seq && m.seq <= upTo(c, newest) {
				inside = &tree.Frames[i]
			}
		}
		switch {
		case inside == nil:
			out = append(out, logLine{message: m.Message})
		case len(out) == 0 || out[len(out)-1].below == nil || out[len(out)-1].below.ID != inside.ID:
			out = append(out, logLine{below: inside})
		}
	}
	return out
}

// line is the log line in one line.
func (l logLine) line() string {
	if f := l.below; f != nil {
		return fmt.Sprintf("%s frame %s: %s (%s; trimtab frame log %s)", f.Status.Mark(), f.ID, firstLine(f.Goal, 80), plural.Count(f.Messages, "message"), f.ID)
	}
	var parts []string
	for _, p := range l.message.Parts {
		who, text := said(p)
		parts = append(parts, fmt.Sprintf("%-8s %s", who, firstLine(text, 160)))
	}
	return l.message.ID + "  " + strings.Join(parts, "\n     ")
}
