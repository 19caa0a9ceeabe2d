package main

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/sessiontext"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/report"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/feed"
	"github.com/trimtab/trimtab/surface/inside"
)

// shortFor are commands of interventions that are a verb of another one too. The
// chat and the tools of a model have them; here they would be a second way to say
// the same, so the help does not list them. They work for scripts that use them.
var shortFor = map[string]string{
	"push": "frame push", "pop": "frame pop", "plan": "frame plan", "tree": "frame tree",
	"phase": "focus next, back or to", "criterion_met": "focus met",
}

// askCommands makes a verb of every command that an intervention declares.
func askCommands(a *app) []*cobra.Command {
	engine, err := steer.New(steer.Config{})
	if err != nil {
		return nil
	}
	var all []*cobra.Command
	for _, d := range engine.Commands() {
		if d.Name == "frame" { // has verbs of its own
			all = append(all, frameCommand(a, d))
			continue
		}
		if d.Name == "mode" {
			all = append(all, modeCommand(a, d))
			continue
		}
		var lines []string
		for _, ex := range d.Examples {
			lines = append(lines, strings.TrimRight("  trimtab "+d.Name+" "+shellSafe(ex), " "))
		}
		c := &cobra.Command{
			Use: strings.TrimRight(d.Name+" "+d.Usage, " "), Short: d.Short, Example: strings.Join(lines, "\n"), ValidArgs: d.Values,
			RunE: func(c *cobra.Command, args []string) error { return a.ask(c.Context(), d.Name, args) },
		}
		if long := shortFor[d.Name]; long != "" {
			c.Hidden, c.Long = true, d.Short+". The same as trimtab "+long+"."
		}
		c.DisableFlagsInUseLine = true
		sessionFlag(c, a)
		all = append(all, c)
	}
	return all
}

func sessionFlag(c *cobra.Command, a *app) {
	c.Flags().StringVar(&a.flag.session, "session", a.getenv("TRIMTAB_SESSION"), "`id` of the session; the newest of this folder if not given")
	_ = c.RegisterFlagCompletionFunc("session", a.completeSession)
}

// ask gives a command to the current session and prints the answer.
func (a *app) ask(ctx context.Context, command string, args []string) error {
	s, place, err := a.locate(ctx, "")
	if err != nil && !errors.Is(err, inside.ErrEarly) {
		return err
	}
	service, err := a.sessions(ctx)
	if err != nil {
		return err
	}
	reply, err := place.Ask(ctx, service, s, command, args, a.clock())
	if err != nil {
		return err
	}
	if reply.Failed {
		return misused("%s", reply.Text)
	}
	if a.flag.json && len(reply.Data) > 0 {
		return a.printJSON(reply.Data)
	}
	a.printf("%s\n", reply.Text)
	if s.ID != "" {
		a.progress("session %s\n", s.ID)
	}
	return nil
}

func statusCommand(a *app) *cobra.Command {
	var line, watch bool
	var of string
	c := &cobra.Command{
		Use: "status [SESSION]", Short: "What steers a session now: mode, reflection, todo list, notes and their price", Args: between(0, 1),
		Example: "  trimtab status\n  trimtab status --watch\n  trimtab status 20261115-101500-k3x9 --json", ValidArgsFunction: a.completeSession,
		RunE: func(c *cobra.Command, args []string) error {
			if line {
				return a.statusLine(c.Context(), of, strings.Join(args, ""))
			}
			if watch {
				return inside.Watch{Look: a.looker(strings.Join(args, "")), Next: a.changes(c.Context()), Out: answers{a}, JSON: a.flag.json, Terminal: a.terminal.out, Every: time.Second}.On(c.Context())
			}
			return a.status(c.Context(), strings.Join(args, ""))
		},
	}
	sessionFlag(c, a)
	c.Flags().BoolVar(&line, "line", false, "one line, for an agent's own status line; with --host, the session is read from stdin")
	c.Flags().BoolVar(&watch, "watch", false, "go on, and show every change until ctrl-c; with --json a line for each")
	c.Flags().StringVar(&of, "host", "", "the agent that asks, as in claude")
	return c
}

// statusLine is what steers a session, in one line. It never fails: a status
// line is no place for errors.
func (a *app) statusLine(ctx context.Context, host, id string) error {
	if host != "" {
		id = cmp.Or(inside.HostSession(host, a.in), id)
	}
	s, place, err := a.locate(ctx, id)
	var status []trimtab.Status
	if engine, bad := a.engine(); err == nil && bad == nil {
		status = engine.Status(s)
	}
	a.printf("%s\n", sessiontext.StatusLine(s, status, place.Words()...))
	return nil // see above
}

// looker looks at a session, or at the newest of this folder.
func (a *app) looker(id string) func(context.Context) (trimtab.Session, []trimtab.Status, error) {
	return func(ctx context.Context) (s trimtab.Session, status []trimtab.Status, err error) {
		if s, err = a.current(ctx, id); err != nil {
			return s, nil, err
		}
		engine, err := a.engine()
		if err != nil {
			return s, nil, err
		}
		return s, engine.Status(s), nil
	}
}

// changes waits for the store to change; nil where it cannot be watched.
func (a *app) changes(ctx context.Context) func(context.Context) error {
	st, err := a.store(ctx)
	if err != nil {
		return nil
	}
	f, err := feed.Follow(ctx, st)
	if err != nil {
		return nil
	}
	return f.Next
}

func (a *app) status(ctx context.Context, id string) error {
	s, st, err := a.looker(id)(ctx)
	waiting := a.waiting(ctx)
	if err == nil && a.flag.json {
		return a.printJSON(struct {
			sessiontext.Report
			Waiting []report.WaitingItem `json:"improvements_waiting"`
		}{sessiontext.ForPrograms(s, st), report.WaitingItems(waiting)})
	}
	if err == nil {
		a.answered(sessiontext.Status(a.out, s, st))
	}
	if line := improve.WaitingLine(waiting); line != "" {
		a.progress("%s\n", line)
	}
	return err
}

// waiting are the requests for improvement that wait for the person. A status is no place
// for what is wrong with them.
func (a *app) waiting(ctx context.Context) []improve.Item {
	q, err := a.queue(ctx)
	if err != nil {
		return nil
	}
	items, _ := q.Items(ctx, improve.Awaiting)
	return items
}
