// Package linechat is the chat a line at a time, for terminals that can do no more than
// show text, and for people who prefer that: prompts and slash commands in, answers
// out. It decides nothing: the agent and the session service come to it as interfaces.
//
//	lines, end := linechat.ReadLines(ctx, os.Stdin)
//	c := linechat.New(linechat.Options{Service: sessions, Lines: lines, Out: os.Stdout, Err: os.Stderr, …})
//	chosen, err := agent.Choose(ctx, "", c.Permit)
//	err = c.Run(ctx, chosen, session)
//	err = errors.Join(err, end())
package linechat

import (
	"bufio"
	"context"
	"io"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/export/sessiontext"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// Service is the part of session.Service that a chat needs.
type Service interface {
	Session(ctx context.Context, id string) (trimtab.Session, error)
	Handle(ctx context.Context, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error)
	Engine() *trimtab.Engine
}

// Options are what a chat is given; all of them are needed.
type Options struct {
	Service Service
	Lines   <-chan string // what is typed; closed where there is no more
	Out     io.Writer     // answers
	Err     io.Writer     // what goes on

	Prompt  func(text string) (m trimtab.Message, left []string) // a message of what was typed, and what could not go with it
	Begin   func(ctx context.Context) (id string, err error)     // a new session
	Status  func(ctx context.Context, id string) error           // writes what steers a session
	Explain func(err error) string                               // an error in a person's words
}

// Chat is a chat under way.
type Chat struct {
	opt   Options
	agent agent.Runner
	id    string
}

// New returns a chat that has not begun.
func New(opt Options) *Chat { return &Chat{opt: opt} }

// ReadLines reads lines until there are no more. The reader ends with the program: a
// read from a terminal cannot be called off. end is why there are no more, where that is
// an error.
func ReadLines(ctx context.Context, r io.Reader) (lines <-chan string, end func() error) {
	out := make(chan string)
	failed := make(chan error, 1)
	go func() {
		defer close(out)
		in := bufio.NewReader(r)
		for {
			line, err := in.ReadString('\n')
			if line != "" {
				select {
				case out <- line:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				if err != io.EOF {
					failed <- err
				}
				return
			}
		}
	}()
	return out, func() error {
		select {
		case err := <-failed:
			return err
		default:
			return nil
		}
	}
}

func (c *Chat) printf(format string, args ...any) {
	_ = termsafe.Fprintf(c.opt.Out, format, args...) // the writer knows; see Options.Out
}

// Run chats in a session until the person leaves, there are no more lines, or the
// context ends.
func (c *Chat) Run(ctx context.Context, runner agent.Runner, session string) error {
	c.agent, c.id = runner, session
	for {
		if err := c.ready(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			c.printf("\nsaved as %s\n", c.id)
			return nil
		case line, more := <-c.opt.Lines:
			if !more {
				c.printf("\nsaved as %s\n", c.id)
				return nil
			}
			left, err := c.turn(ctx, strings.TrimSpace(line))
			if left || err != nil {
				return err
			}
		}
	}
}

// ready shows the prompt, with what steers the session in front.
func (c *Chat) ready(ctx context.Context) error {
	s, err := c.opt.Service.Session(ctx, c.id)
	if err != nil {
		return err
	}
	var words []string
	for _, st := range c.opt.Service.Engine().Status(s) {
		words = append(words, st.Text)
	}
	if len(words) > 0 {
		c.printf("[%s] ", strings.Join(words, " · "))
	}
	c.printf("> ")
	return nil
}

func (c *Chat) turn(ctx context.Context, line string) (left bool, err error) {
	switch {
	case line == "":
		return false, nil
	case strings.HasPrefix(line, "/"):
		return c.command(ctx, strings.Fields(line[1:]))
	}
	prompt, without := c.opt.Prompt(line)
	for _, text := range without {
		c.printf("%s\n", text)
	}
	for ev, err := range c.agent.Run(ctx, c.id, prompt) {
		if err != nil {
			c.printf("%s\n", c.opt.Explain(err)) // the session is whole; the person may try again
			return false, nil
		}
		switch ev := ev.(type) {
		case agent.Delta:
			c.printf("%s", ev.Text)
		case agent.Replied:
			c.printf("\n")
		case agent.Stopped:
			if ev.Reason != agent.Ended {
				c.printf("(%s)\n", string(ev.Reason))
			}
		case agent.Paused:
			c.printf("(paused: %s)\n", ev.Why)
		}
		Progress(c.opt.Err, ev)
	}
	return false, nil
}

// Permit asks the person whether a tool may run.
func (c *Chat) Permit(ctx context.Context, ask tool.Ask) (tool.Answer, error) {
	c.printf("\n%s asks: %s\n%s\n", ask.Tool, ask.Title, ask.Detail)
	if ask.Rule != "" {
		c.printf("always allows for this session: %s\n", ask.Rule)
	}
	c.printf("once, always or no? [y/a/N] ")
	select {
	case <-ctx.Done():
		return tool.Refuse, ctx.Err()
	case line := <-c.opt.Lines: // "" where there are no more, which is no
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes", "once":
			return tool.Once, nil
		case "a", "always":
			if ask.Rule != "" {
				return tool.Always, nil
			}
		}
	}
	return tool.Refuse, nil
}

// own are the commands of the chat itself.
var own = [][2]string{
	{"help", "list the commands"},
	{"status", "what steers the session, and at what price"},
	{"new", "save this session and start another"},
	{"quit", "leave"},
}

func (c *Chat) command(ctx context.Context, words []string) (left bool, err error) {
	if len(words) == 0 {
		words = []string{"help"}
	}
	switch words[0] {
	case "quit", "exit":
		c.printf("saved as %s\n", c.id)
		return true, nil
	case "help":
		c.help()
	case "status":
		return false, c.opt.Status(ctx, c.id)
	case "new":
		id, err := c.opt.Begin(ctx)
		if err == nil {
			c.id = id
			c.printf("new session %s\n", c.id)
		}
		return false, err
	default:
		return false, c.ask(ctx, words)
	}
	return false, nil
}

func (c *Chat) help() {
	for _, d := range own {
		c.printf("  /%-22s %s\n", d[0], d[1])
	}
	for _, d := range c.opt.Service.Engine().Commands() {
		c.printf("  /%-22s %s\n", strings.TrimSpace(d.Name+" "+d.Usage), d.Short)
	}
}

// ask gives a command to the interventions.
func (c *Chat) ask(ctx context.Context, words []string) error {
	var names []string
	for _, d := range own {
		names = append(names, d[0])
	}
	known := false
	for _, d := range c.opt.Service.Engine().Commands() {
		names = append(names, d.Name)
		known = known || d.Name == words[0]
	}
	if !known {
		c.printf("no command /%s", words[0])
		if near := config.Nearest(words[0], names); near != "" {
			c.printf("; did you mean /%s?\n", near)
		} else {
			c.printf("; /help lists them\n")
		}
		return nil
	}
	_, out, err := c.opt.Service.Handle(ctx, c.id, trimtab.Asked{Command: words[0], Args: words[1:]})
	if err != nil {
		c.printf("%s\n", c.opt.Explain(err))
		return nil
	}
	Notices(c.opt.Err, out)
	reply, err := out.Reply()
	if err != nil {
		return err
	}
	c.printf("%s\n", reply.Text)
	return nil
}

// Progress writes what happens on the way to an answer.
func Progress(w io.Writer, ev agent.Event) {
	tell := func(format string, args ...any) { _ = termsafe.Fprintf(w, format, args...) } // there is nobody left to tell
	switch ev := ev.(type) {
	case agent.Retrying:
		tell("  %s: asking again in %s\n", ev.Why, ev.Wait.Round(time.Second))
	case agent.Called:
		tell("  · %s %s\n", ev.Call.Name, sessiontext.FirstLine(string(ev.Call.Input), 80))
	case agent.Returned:
		if ev.Result.Failed {
			tell("    failed: %s\n", sessiontext.FirstLine(ev.Result.Text, 100))
		}
	case agent.Steered:
		tell("  %s\n", sessiontext.Change(ev.Change))
	case agent.Noticed:
		tell("  %s\n", ev.Notify.Text)
	case agent.Faulted:
		tell("  fault: %s\n", ev.Fault.Error())
	case agent.Continued:
		tell("  goes on: %s\n", ev.Continue.Why)
	}
}

// Notices writes the notices and faults of a step.
func Notices(w io.Writer, out trimtab.Outcome) {
	for _, taken := range out.Actions {
		if n, ok := taken.Action.(trimtab.Notify); ok {
			_ = termsafe.Fprintf(w, "%s\n", n.Text)
		}
	}
	for _, f := range out.Faults {
		_ = termsafe.Fprintf(w, "fault: %s\n", f.Error())
	}
}
