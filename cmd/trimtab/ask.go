package main

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/sessiontext"
	"github.com/trimtab/trimtab/steer"
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
			lines = append(lines, strings.TrimRight("  trimtab "+d.Name+" "+ex, " "))
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
	s, err := a.current(ctx, "")
	if err != nil {
		return err
	}
	service, err := a.sessions(ctx)
	if err != nil {
		return err
	}
	s, out, err := service.Handle(ctx, s.ID, trimtab.Asked{Command: command, Args: args, Away: true})
	if err != nil {
		return err
	}
	reply, err := out.Reply()
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
	a.progress("session %s\n", s.ID)
	return nil
}

func statusCommand(a *app) *cobra.Command {
	var line bool
	var of string
	c := &cobra.Command{
		Use: "status [SESSION]", Short: "What steers a session now: mode, reflection, todo list, notes and their price", Args: between(0, 1),
		Example: "  trimtab status\n  trimtab status 20261115-101500-k3x9 --json", ValidArgsFunction: a.completeSession,
		RunE: func(c *cobra.Command, args []string) error {
			if line {
				return a.statusLine(c.Context(), of, strings.Join(args, ""))
			}
			return a.status(c.Context(), strings.Join(args, ""))
		},
	}
	sessionFlag(c, a)
	c.Flags().BoolVar(&line, "line", false, "one line, for an agent's own status line; with --host, the session is read from stdin")
	c.Flags().StringVar(&of, "host", "", "the agent that asks, as in claude")
	return c
}

// statusLine is what steers a session, in one line. It never fails: a status
// line is no place for errors.
func (a *app) statusLine(ctx context.Context, host, id string) error {
	if host != "" {
		var in struct {
			Session string `json:"session_id"`
		}
		if err := json.NewDecoder(io.LimitReader(a.in, 1<<20)).Decode(&in); err == nil && in.Session != "" {
			id = host + ":" + in.Session
		}
	}
	s, err := a.current(ctx, id)
	engine, err2 := a.engine()
	var status []trimtab.Status
	if err == nil && err2 == nil {
		status = engine.Status(s)
	}
	a.printf("%s\n", sessiontext.StatusLine(s, status))
	return nil // see above
}

// statusJSON is the status for programs.
type statusJSON struct {
	trimtab.Info
	Step   int              `json:"step"`
	By     string           `json:"prompts,omitempty"` // how it is known what was typed
	Status []trimtab.Status `json:"status"`
	Notes  []trimtab.Note   `json:"notes"`   // that live
	Past   []trimtab.Note   `json:"history"` // that merely stand in the history
	Tokens int              `json:"tokens"`
	Added  int              `json:"added"`
	Lost   int              `json:"lost"`
}

func (a *app) status(ctx context.Context, id string) error {
	s, err := a.current(ctx, id)
	if err != nil {
		return err
	}
	engine, err := a.engine()
	if err != nil {
		return err
	}
	st := engine.Status(s)
	if a.flag.json {
		out := statusJSON{s.Info, s.Step, sessiontext.Prompts(s), append([]trimtab.Status{}, st...), []trimtab.Note{}, []trimtab.Note{}, s.Meter.Tokens(s.Meter.Bytes), s.Meter.Added, s.Meter.Lost}
		for _, n := range s.Notes {
			if n.Live() {
				out.Notes = append(out.Notes, n)
			} else {
				out.Past = append(out.Past, n)
			}
		}
		return a.printJSON(out)
	}
	a.answered(sessiontext.Status(a.out, s, st))
	return nil
}
