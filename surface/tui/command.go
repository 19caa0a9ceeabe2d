package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

var commandForm = lazyregexp.Pattern(`^/[a-zA-Z?][a-zA-Z0-9_-]*$`)

// command splits a text that begins with a slash and a plain word. What looks
// like a path is a prompt.
func command(text string) (words []string, ok bool) {
	words = strings.Fields(text)
	if len(words) == 0 || !commandForm().MatchString(words[0]) {
		return nil, text == "/"
	}
	words[0] = words[0][1:]
	return words, true
}

// ownCommands are those of the chat itself. steer refuses interventions that
// declare one of the same name.
func ownCommands() []trimtab.Command {
	return []trimtab.Command{
		{Name: "help", Short: "Keys and commands"},
		{Name: "new", Short: "Save this session and begin another"},
		{Name: "resume", Usage: "[ID]", Short: "Go on with an earlier session"},
		{Name: "model", Usage: "[NAME]", Short: "Choose the model"},
		{Name: "login", Usage: "[PROVIDER]", Short: "Enter a provider's key; the system's keyring keeps it"},
		{Name: "status", Short: "What steers the session, and at what price"},
		{Name: "tools", Short: "What the model may use"},
		{Name: "diff", Usage: "[session]", Short: "What the last turn changed in files, or the session", Values: []string{"turn", "session"}},
		{Name: "compact", Short: "Fold finished turns into a summary now; /frame undo brings them back"},
		{Name: "redo", Usage: "[force]", Short: "Bring back what /undo or /rewind took"},
		{Name: "undo", Usage: "[force]", Short: "Take the last turn back: files and conversation"},
		{Name: "rewind", Short: "Go back to before an earlier prompt: files and conversation"},
		{Name: "jobs", Short: "Commands in the background: what they write, and their end"},
		{Name: "find", Usage: "[WORDS]", Short: "Search this conversation"},
		{Name: "copy", Usage: "[code|all]", Short: "Copy the last reply, its last code, or all, to the clipboard", Values: []string{"reply", "code", "all"}},
		{Name: "theme", Usage: "[NAME]", Short: "Choose the colours", Values: themeNames()},
		{Name: "export", Usage: "[FILE]", Short: "Write the session to a file: .md, .json or .html"},
		{Name: "quit", Short: "Leave"},
	}
}

// commands are those of the chat, then every one that an intervention declares.
func (c *chat) commands() []trimtab.Command {
	all := ownCommands()
	for i := range all {
		all[i].Values = append(all[i].Values, c.values[all[i].Name]...)
	}
	for _, cmd := range c.opt.Service.Engine().Commands() {
		if !slices.ContainsFunc(all, func(o trimtab.Command) bool { return o.Name == cmd.Name }) {
			all = append(all, cmd)
		}
	}
	for _, cmd := range c.userCommands() {
		if !slices.ContainsFunc(all, func(o trimtab.Command) bool { return o.Name == cmd.Name }) {
			all = append(all, trimtab.Command{Name: cmd.Name, Usage: cmd.Usage, Short: cmd.Short})
		}
	}
	return all
}

func (c *chat) command(words []string) tea.Cmd {
	if len(words) == 0 {
		words = []string{"help"}
	}
	name, args := strings.ToLower(words[0]), words[1:]
	arg := strings.Join(args, " ")
	switch c.known(name) {
	case "help":
		c.dialog = c.help()
	case "new":
		return c.fresh()
	case "resume":
		if arg == "" {
			return c.pickSession()
		}
		return c.open(arg)
	case "model":
		if arg == "" {
			return c.pickModel()
		}
		return c.prefer(arg)
	case "login":
		return c.login(arg)
	case "status":
		return c.showStatus()
	case "tools":
		c.showTools()
	case "diff":
		return c.showDiff(arg)
	case "undo":
		return c.undo(arg)
	case "rewind":
		return c.rewind(arg)
	case "redo":
		return c.redo(arg)
	case "compact":
		return c.compact()
	case "jobs":
		return c.showJobs()
	case "find":
		return c.findIn(arg)
	case "copy":
		return c.copyOut(arg)
	case "theme":
		return c.chooseTheme(arg)
	case "export":
		return c.export(arg)
	case "quit":
		return tea.Quit
	case "":
		c.unknown(name)
	default:
		return c.ask(c.known(name), args...)
	}
	return nil
}

// known returns the command that is meant: by its name, or by a beginning that
// only one has.
func (c *chat) known(name string) string {
	if name == "exit" {
		name = "quit"
	}
	var begins []string
	for _, cmd := range c.commands() {
		if cmd.Name == name {
			return name
		}
		if strings.HasPrefix(cmd.Name, name) {
			begins = append(begins, cmd.Name)
		}
	}
	if len(begins) == 1 {
		return begins[0]
	}
	return ""
}

func (c *chat) unknown(name string) {
	var names []string
	for _, cmd := range c.commands() {
		names = append(names, cmd.Name)
	}
	text := "no command /" + name
	if near := config.Nearest(name, names); near != "" {
		text += "; did you mean /" + near + "?"
	} else {
		text += "; /help lists them"
	}
	c.complain(text)
}

// asked is the answer to a command.
type asked struct {
	command string
	args    []string
	session trimtab.Session
	out     trimtab.Outcome
}

// ask gives a command to the interventions.
func (c *chat) ask(name string, args ...string) tea.Cmd {
	if c.readOnly() {
		c.complain("this session is open in another chat; /new begins another")
		return nil
	}
	return c.enqueue(job{what: "/" + name, do: func(ctx context.Context, at place) (tea.Msg, error) {
		s, err := c.ensure(ctx, at)
		if err != nil {
			return nil, err
		}
		s, out, err := c.opt.Service.Handle(ctx, s.ID, trimtab.Asked{Command: name, Args: args})
		return asked{name, args, s, out}, err
	}})
}

func (c *chat) asked(a asked) tea.Cmd {
	if c.session.ID == "" {
		c.session = a.session
		c.hold(a.session.ID)
	}
	c.see(a.session)
	c.outcome(a.out)
	reply, err := a.out.Reply()
	switch {
	case err != nil:
		c.page.Fault("/" + a.command + ": " + c.opt.Explain(err))
	case a.command == "mode" && len(a.args) == 0 && c.pickMode(reply):
	case strings.Contains(reply.Text, "\n") && reply.Failed:
		c.page.Fault(reply.Text)
	case strings.Contains(reply.Text, "\n"):
		c.page.Notice(reply.Text)
	case reply.Failed:
		c.complain(reply.Text)
	case a.command == "mode" && c.busy():
		c.say(reply.Text + ", from your next prompt on") // a run goes on as it began
	default:
		c.say(reply.Text)
	}
	return nil
}

// outcome shows the notices and faults of a step.
func (c *chat) outcome(out trimtab.Outcome) {
	for _, t := range out.Actions {
		if n, ok := t.Action.(trimtab.Notify); ok {
			c.notify(n)
		}
	}
	for _, f := range out.Faults {
		c.page.Fault(f.Error())
	}
	for _, ch := range out.Changes {
		c.steered(ch)
	}
}

// pickMode lists the modes, as the answer to /mode holds them.
func (c *chat) pickMode(reply trimtab.Reply) bool {
	var data struct {
		Mode  string `json:"mode"`
		Modes []struct {
			ID          string `json:"id"`
			Description string `json:"description"`
		} `json:"modes"`
	}
	if json.Unmarshal(reply.Data, &data) != nil || len(data.Modes) == 0 {
		return false
	}
	d := newPick("mode", "filter the modes")
	d.choose = func(c *chat, it Item) tea.Cmd { return c.ask("mode", it.Name) }
	for i, m := range data.Modes {
		d.items = append(d.items, Item{Name: m.ID, Text: m.Description})
		if m.ID == data.Mode {
			d.at = i
		}
	}
	c.dialog = d
	return true
}

func (c *chat) export(file string) tea.Cmd {
	if c.opt.Export == nil {
		c.complain("sessions cannot be written here")
		return nil
	}
	id := c.session.ID
	if id == "" {
		c.complain("nothing was said yet")
		return nil
	}
	if file == "" {
		file = strings.NewReplacer(":", "-", "/", "-").Replace(id) + ".md"
	}
	return func() tea.Msg {
		path, err := c.opt.Export(c.ctx, id, file)
		return told{fmt.Sprintf("wrote %s", path), err}
	}
}

func (c *chat) showTools() {
	if c.opt.Tools == nil {
		c.complain("there are no tools")
		return
	}
	all, wide := c.opt.Tools(c.session), 0
	for _, t := range all {
		wide = min(max(wide, len(t.Name)), 24) // those of MCP servers are as long as they like
	}
	var lines []string
	for _, t := range all {
		line := fmt.Sprintf("%-*s  %s", wide, t.Name, strings.TrimSuffix(t.Text, "."))
		if t.Off != "" {
			line += " (" + t.Off + ")"
		}
		lines = append(lines, line)
	}
	c.page.Notice(strings.Join(lines, "\n"))
}
