package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/export/flame"
	"github.com/trimtab/trimtab/export/frames"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/steer/frame"
)

// frameCommand makes a verb of each that frames declare. Those that only look
// are answered without leaving a trace in the session.
func frameCommand(a *app, d trimtab.Command) *cobra.Command {
	c := &cobra.Command{
		Use: "frame", Short: d.Short, Args: cobra.ArbitraryArgs,
		Long: `Work is a tree of frames. Push one for a piece of work and pop it when it is
done: its messages leave what the model sees, and its summary stays. Nothing is
lost: show and log read a frame, unfold brings it back, undo takes a step back.

Without a verb it prints the status.`,
		Example: "  trimtab frame push Fix the parser\n  trimtab frame pop completed It reads tabs now\n  trimtab frame show f2\n  trimtab frame graph frames.html",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.look(c.Context(), "status")
			}
			var names []string
			for _, s := range c.Commands() {
				names = append(names, s.Name())
			}
			if near := config.Nearest(args[0], names); near != "" {
				return misused("no command %q; did you mean trimtab frame %s?", args[0], near)
			}
			return misused("trimtab frame takes one of: %s", strings.Join(names, ", "))
		},
	}
	sessionFlag(c, a)
	for _, v := range frame.Verbs() {
		if v.Name != "show" && v.Name != "log" {
			c.AddCommand(frameVerb(a, v))
		}
	}
	c.AddCommand(frameShow(a), frameLog(a), frameGraph(a))
	return c
}

// looking are the verbs that change nothing.
var looking = []string{"status", "tree", "context", "should-push", "should-pop", "stats"}

func frameVerb(a *app, v trimtab.Command) *cobra.Command {
	c := &cobra.Command{
		Use: strings.TrimRight(v.Name+" "+v.Usage, " "), Short: v.Short, Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if slices.Contains(looking, v.Name) {
				return a.look(c.Context(), v.Name, args...)
			}
			return a.ask(c.Context(), "frame", append([]string{v.Name}, args...))
		},
	}
	c.DisableFlagsInUseLine = true
	for _, ex := range v.Examples {
		c.Example += strings.TrimRight("  trimtab frame "+v.Name+" "+shellSafe(ex), " ") + "\n"
	}
	c.Example = strings.TrimRight(c.Example, "\n")
	switch {
	case strings.HasPrefix(v.Usage, "ID"):
		c.ValidArgsFunction = a.completeFrame
	case v.Name == "pop":
		c.ValidArgs = []string{string(frame.Completed), string(frame.Failed), string(frame.Blocked)}
	}
	sessionFlag(c, a)
	return c
}

// shellSafe guards what a shell would take as its own.
func shellSafe(example string) string {
	if strings.ContainsAny(example, ";&|<>()$*?") {
		return `"` + example + `"`
	}
	return example
}

// frames reads the frames of the session that a command is about.
func (a *app) frames(ctx context.Context) (frames.Reader, trimtab.Session, error) {
	s, err := a.current(ctx, "")
	if err != nil {
		return frames.Reader{}, s, err
	}
	engine, err := a.engine()
	return frames.Reader{Engine: engine, Archive: a.opened, Now: a.clock, Skipped: func(err error) { a.progress("%s\n", err) }}, s, err
}

// refused makes a wrong use of what is not there.
func refused(err error) error {
	if errors.Is(err, frames.ErrRefused) {
		return usageError{err}
	}
	return err
}

// look prints what a verb that changes nothing has to say.
func (a *app) look(ctx context.Context, verb string, args ...string) error {
	r, s, err := a.frames(ctx)
	if err != nil {
		return err
	}
	reply, err := r.Ask(s, verb, args...)
	if err != nil {
		return refused(err)
	}
	if a.flag.json && len(reply.Data) > 0 {
		return a.printJSON(reply.Data)
	}
	a.printf("%s\n", reply.Text)
	a.progress("session %s\n", s.ID)
	return nil
}

// completeFrame offers frame ids to the shell.
func (a *app) completeFrame(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx := c.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	r, s, err := a.frames(ctx)
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	tree, err := r.Tree(s)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []string
	for _, f := range tree.Frames {
		ids = append(ids, f.ID+"\t"+f.Status.Mark()+" "+firstLine(f.Goal, 60))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

func frameGraph(a *app) *cobra.Command {
	var html, force, log bool
	c := &cobra.Command{
		Use: "graph [FILE]", Short: "Draw the frames as a flame graph: width is tokens, colour is status", Args: between(0, 1),
		Long: `Draws the frames of a session: a box is as wide as its tokens, its colour is its
status, and its children stand on it. The SVG shows more where the pointer rests;
the page (--html, or a file that ends in .html) zooms, searches, and shows all
that is known of a frame. Both need no network. Without a file it goes to stdout.`,
		Example: "  trimtab frame graph frames.svg\n  trimtab frame graph frames.html --log\n  trimtab frame graph --session 20261115-101500-k3x9 > frames.svg",
		RunE: func(c *cobra.Command, args []string) error {
			file := strings.Join(args, "")
			switch strings.ToLower(filepath.Ext(file)) {
			case ".html", ".htm":
				html = true
			}
			return a.frameGraph(c.Context(), file, html, force, log)
		},
	}
	c.Flags().BoolVar(&html, "html", false, "a page to look around in, not a picture")
	c.Flags().BoolVar(&log, "log", false, "with the first line of every message, in the page")
	c.Flags().BoolVar(&force, "force", false, "overwrite the file")
	sessionFlag(c, a)
	return c
}

func (a *app) frameGraph(ctx context.Context, file string, html, force, log bool) (err error) {
	if log && !html {
		return misused("--log is for the page; give --html, or a file that ends in .html")
	}
	r, s, err := a.frames(ctx)
	if err != nil {
		return err
	}
	graph, err := r.Graph(ctx, s, log)
	if err != nil {
		return refused(err)
	}
	if graph, err = export.Redact(graph, a.redactor(false)); err != nil {
		return err
	}
	if a.flag.json {
		return a.printJSON(graph)
	}
	draw := flame.SVG
	if html {
		draw = flame.HTML
	}
	data, err := draw(graph)
	if err != nil {
		return err
	}
	if file == "" || file == "-" {
		_, err = a.out.Write(data)
		return err
	}
	if err := setting.CreateWith(file, force, data); err != nil {
		return err
	}
	a.progress("wrote %s: %s of session %s\n", file, plural.Count(len(graph.Frames), "frame"), s.ID)
	return nil
}
