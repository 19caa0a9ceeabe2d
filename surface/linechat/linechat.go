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
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/agent/usercommand"
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

// Options are what a chat is given; those above the blank line are needed, and of the
// others what is missing is not offered.
type Options struct {
	Service Service
	Lines   <-chan string // what is typed; closed where there is no more
	Out     io.Writer     // answers
	Err     io.Writer     // what goes on
	Unsaved bool          // nothing is stored: there is nothing to come back to

	Prompt  func(text string) (m trimtab.Message, left []string) // a message of what was typed, and what could not go with it
	Begin   func(ctx context.Context) (id string, err error)     // a new session
	Status  func(ctx context.Context, id string) error           // writes what steers a session
	Explain func(err error) string                               // an error in a person's words

	Interrupt <-chan struct{} // Ctrl+C
	Choose    func(ctx context.Context, model string) (r agent.Runner, name string, err error)
	Resume    func(ctx context.Context, id string) error // tells a session that it was opened again
	Tools     func(ctx context.Context, id string) (string, error)
	Export    func(ctx context.Context, id, file string) (path string, err error)
	Diff      func(id string, seq int) (string, error)
	Undo      func(ctx context.Context, id string) (string, error) // takes the last turn back, and says what came of it
	Redo      func(ctx context.Context, id string) (string, error) // brings back what was taken back last
	Jobs      func() []tool.Job                                    // commands in the background
	Shell     func(command string) (agent.Runner, error)           // runs a command of the person

	UserCommands func() []usercommand.Command        // prompts from files; with it the two below
	Read         func(cmd usercommand.Command) bool  // whether one may be used without showing it
	TakeCommand  func(cmd usercommand.Command) error // keeps that the person has read one
}

// Chat is a chat under way.
type Chat struct {
	opt     Options
	agent   agent.Runner
	id      string
	leaving bool           // Ctrl+C was pressed once
	asides  []trimtab.Text // what commands of the person brought since the last prompt
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

// kept says what becomes of the session when the person leaves.
func (c *Chat) kept() string {
	if c.opt.Unsaved {
		return "not saved"
	}
	return "saved as " + c.id
}

// Run chats in a session until the person leaves, there are no more lines, or the
// context ends.
func (c *Chat) Run(ctx context.Context, runner agent.Runner, session string) error {
	c.agent, c.id = runner, session
	back := ", trimtab --continue comes back"
	if c.opt.Unsaved {
		back = "; nothing of this chat is saved"
	}
	c.printf("/help lists the commands, Ctrl+D exits%s\n", back)
	for {
		if err := c.ready(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			c.printf("\n%s\n", c.kept())
			return nil
		case <-c.opt.Interrupt:
			if c.leaving {
				c.printf("\n%s\n", c.kept())
				return nil
			}
			c.leaving = true
			c.printf("\nCtrl+C again exits\n")
		case line, more := <-c.opt.Lines:
			if !more {
				c.printf("\n%s\n", c.kept())
				return nil
			}
			c.leaving = false
			left, err := c.turn(ctx, strings.TrimRight(line, "\r\n"))
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
	switch words := strings.Fields(line); {
	case len(words) == 0:
		return false, nil
	case isCommand(words[0]):
		cmd, ok := c.userCommand(strings.TrimSpace(line))
		if !ok {
			return c.command(ctx, append([]string{words[0][1:]}, words[1:]...))
		}
		if line = strings.TrimSpace(line); !c.taken(ctx, cmd) {
			return false, nil
		}
	case c.opt.Shell != nil && shellCommand(line) != "":
		c.shell(ctx, shellCommand(line))
		return false, nil
	}
	ctx, stop := c.interruptible(ctx)
	defer stop()
	prompt, without := c.opt.Prompt(line)
	for _, text := range without {
		c.printf("%s\n", text)
	}
	for _, a := range c.asides {
		prompt.Parts = append(prompt.Parts, a)
	}
	c.asides = nil
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
		case agent.Returned:
			c.result(ev)
		case agent.Stopped:
			if why := ev.Reason.Words(); why != "" {
				c.printf("(%s)\n", why)
			}
		case agent.Paused:
			c.printf("(paused: %s)\n", ev.Why)
		}
		Progress(c.opt.Err, ev)
	}
	return false, nil
}

// shownLines is how many lines of a result are shown: the last of a command's, the first
// of any other.
const shownLines = 6

func (c *Chat) result(ev agent.Returned) {
	lines := strings.Split(strings.TrimRight(ev.Result.Text, "\n"), "\n")
	more := len(lines) - shownLines
	if more > 1 && ev.Call.Name == "bash" { // to say that there is one more takes a line too
		c.printf("    (%d lines above)\n", more)
		lines = lines[more:]
	}
	for i, line := range lines {
		if i == shownLines && more > 1 {
			c.printf("    (%d more lines)\n", more)
			break
		}
		c.printf("    %s\n", line)
	}
}

// isCommand tells a command from a path: /mode is one, /etc/hosts is not.
func isCommand(word string) bool {
	rest, slash := strings.CutPrefix(word, "/")
	return slash && !strings.ContainsAny(rest, "/.")
}

// interruptible returns a context that Ctrl+C ends.
func (c *Chat) interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-c.opt.Interrupt:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel()
		<-done
	}
}

// Permit asks the person whether a tool may run.
func (c *Chat) Permit(ctx context.Context, ask tool.Ask) (tool.Reply, error) {
	c.printf("\n%s asks: %s\n%s\n", ask.Tool, ask.Title, ask.Detail)
	always := ""
	if ask.Rule != "" {
		c.printf("always allows: %s\n", ask.Rule)
		always = ", a always in this session"
		if ask.Lasts {
			always += ", p in this project, u everywhere"
		}
	}
	c.printf("y once%s, n no (n and words: what to do instead), s stop the run? [N] ", always)
	select {
	case <-ctx.Done():
		return tool.Reply{}, ctx.Err()
	case <-c.opt.Interrupt:
		return tool.Reply{Answer: tool.Stop}, nil
	case line := <-c.opt.Lines: // "" where there are no more, which is no
		return answer(ask, line), nil
	}
}

// answer reads what was typed. What is no answer is a no.
func answer(ask tool.Ask, line string) tool.Reply {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	scope, lasts := tool.ForSession, true
	switch strings.ToLower(word) {
	case "y", "yes", "once":
		return tool.Reply{Answer: tool.Once}
	case "s", "stop":
		return tool.Reply{Answer: tool.Stop}
	case "n", "no":
		return tool.Reply{Why: strings.TrimSpace(rest)}
	case "a", "always":
	case "p", "project":
		scope, lasts = tool.ForProject, ask.Lasts
	case "u", "everywhere":
		scope, lasts = tool.ForUser, ask.Lasts
	default:
		return tool.Reply{}
	}
	if ask.Rule == "" || !lasts {
		return tool.Reply{}
	}
	return tool.Reply{Answer: tool.Always, Scope: scope}
}

// own are the commands of the chat itself.
var own = [][2]string{
	{"help", "list the commands"},
	{"status", "what steers the session, and at what price"},
	{"new", "save this session and start another"},
	{"resume ID", "go on with an earlier session; trimtab session list shows the ids"},
	{"model NAME", "choose the model"},
	{"tools", "what the model may use"},
	{"diff [session]", "what the last turn changed in files, or the session"},
	{"undo", "take the last turn back: files and conversation"},
	{"redo", "bring back what /undo took"},
	{"jobs", "commands in the background, and what they wrote last"},
	{"export FILE", "write the session to a file: .md, .json or .html"},
	{"quit", "leave"},
}

func (c *Chat) command(ctx context.Context, words []string) (left bool, err error) {
	if len(words) == 0 || words[0] == "" {
		words = []string{"help"}
	}
	arg := strings.Join(words[1:], " ")
	switch words[0] {
	case "resume", "model", "tools", "diff", "undo", "redo", "jobs", "export":
		text, err := c.do(ctx, words[0], arg)
		if err != nil {
			text = c.opt.Explain(err)
		}
		c.printf("%s\n", text)
		return false, nil
	case "quit", "exit":
		c.printf("%s\n", c.kept())
		return true, nil
	case "help":
		c.help()
	case "status":
		return false, c.opt.Status(ctx, c.id)
	case "new":
		id, err := c.opt.Begin(ctx)
		if err == nil {
			c.id, c.asides = id, nil
			c.printf("new session %s\n", c.id)
		}
		return false, err
	default:
		return false, c.ask(ctx, words)
	}
	return false, nil
}

// do does what the chat can do beside talking, and says what came of it.
func (c *Chat) do(ctx context.Context, name, arg string) (string, error) {
	switch {
	case name == "resume" && arg != "" && c.opt.Resume != nil:
		if err := c.opt.Resume(ctx, arg); err != nil {
			return "", err
		}
		c.id, c.asides = arg, nil
		return "resumed " + arg, nil
	case name == "model" && arg != "" && c.opt.Choose != nil:
		runner, model, err := c.opt.Choose(ctx, arg)
		if err != nil {
			return "", err
		}
		c.agent = runner
		return "model " + model, nil
	case name == "tools" && c.opt.Tools != nil:
		return c.opt.Tools(ctx, c.id)
	case name == "export" && arg != "" && c.opt.Export != nil:
		path, err := c.opt.Export(ctx, c.id, arg)
		return "wrote " + path, err
	case name == "undo" && c.opt.Undo != nil:
		return c.opt.Undo(ctx, c.id)
	case name == "redo" && c.opt.Redo != nil:
		return c.opt.Redo(ctx, c.id)
	case name == "jobs" && c.opt.Jobs != nil:
		return jobsText(c.opt.Jobs()), nil
	case name == "diff" && c.opt.Diff != nil:
		return c.diff(ctx, arg)
	}
	for _, o := range own {
		if word, rest, needs := strings.Cut(o[0], " "); word == name && needs && arg == "" && !strings.HasPrefix(rest, "[") {
			return "give it as /" + o[0] + ": " + o[1], nil
		}
	}
	return "/" + name + " is not possible here; /help lists the commands", nil
}

// jobsText lists commands in the background.
func jobsText(all []tool.Job) string {
	if len(all) == 0 {
		return "no command runs in the background"
	}
	var b strings.Builder
	for _, j := range all {
		fmt.Fprintf(&b, "%s  %s  %s\n", j.ID, j.State(), j.Command)
		for line := range strings.Lines(strings.TrimRight(j.Output, "\n")) {
			b.WriteString("  " + line)
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}

func (c *Chat) diff(ctx context.Context, arg string) (string, error) {
	seq := 1
	if arg == "" {
		s, err := c.opt.Service.Session(ctx, c.id)
		if err != nil {
			return "", err
		}
		seq = max(1, s.Prompt.Seq)
	}
	text, err := c.opt.Diff(c.id, seq)
	if err == nil && text == "" {
		text = "no files were changed"
	}
	return strings.TrimRight(text, "\n"), err
}

func (c *Chat) help() {
	for _, d := range own {
		c.printf("  /%-22s %s\n", d[0], d[1])
	}
	for _, d := range c.opt.Service.Engine().Commands() {
		c.printf("  /%-22s %s\n", strings.TrimSpace(d.Name+" "+d.Usage), d.Short)
	}
	if c.opt.UserCommands != nil {
		for _, d := range c.opt.UserCommands() {
			c.printf("  /%-22s %s\n", strings.TrimSpace(d.Name+" "+d.Usage), d.Short)
		}
	}
	if c.opt.Shell != nil {
		c.printf("  %-23s %s\n", "!COMMAND", "run a command yourself; the model reads of it with your next prompt")
	}
}

// names are those of all commands but the person's own.
func (c *Chat) names() (names []string) {
	for _, d := range own {
		name, _, _ := strings.Cut(d[0], " ")
		names = append(names, name)
	}
	for _, d := range c.opt.Service.Engine().Commands() {
		names = append(names, d.Name)
	}
	return append(names, "exit")
}

// ask gives a command to the interventions.
func (c *Chat) ask(ctx context.Context, words []string) error {
	if !slices.ContainsFunc(c.opt.Service.Engine().Commands(), func(d trimtab.Command) bool { return d.Name == words[0] }) {
		c.printf("no command /%s", words[0])
		if near := config.Nearest(words[0], c.names()); near != "" {
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
		tell("  · %s\n", termsafe.FirstLine(strings.TrimSpace(ev.Call.Name+" "+agent.About(ev.Call)), 100))
	case agent.Returned:
		if ev.Result.Failed {
			tell("    failed: %s\n", termsafe.FirstLine(ev.Result.Text, 100))
		}
		for _, e := range ev.Effects {
			for _, f := range e.Files {
				tell("    changed: %s\n", f.Path)
			}
		}
	case agent.Folded:
		tell("  folded %d messages (%s); /frame unfold %s brings them back\n", ev.Messages, ev.Goal, ev.Frame)
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

// Notices writes the notices and faults of a step, and what else there is to tell.
func Notices(w io.Writer, out trimtab.Outcome, more ...string) {
	for _, taken := range out.Actions {
		if n, ok := taken.Action.(trimtab.Notify); ok {
			_ = termsafe.Fprintf(w, "%s\n", n.Text)
		}
	}
	for _, f := range out.Faults {
		_ = termsafe.Fprintf(w, "fault: %s\n", f.Error())
	}
	for _, text := range more {
		if text != "" {
			_ = termsafe.Fprintf(w, "%s\n", text)
		}
	}
}
