package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/usercommand"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// userCommands are the prompts of files, which are read anew each time: a person writes one
// and wants to use it.
func (c *chat) userCommands() []usercommand.Command {
	if c.opt.UserCommands == nil {
		return nil
	}
	return c.opt.UserCommands()
}

// userCommand finds the one that is meant. Commands of the chat and of steering come first.
func (c *chat) userCommand(words []string) (cmd usercommand.Command, ok bool) {
	if len(words) == 0 || c.opt.UserCommands == nil {
		return cmd, false
	}
	name := strings.ToLower(words[0])
	ours := append(ownCommands(), c.opt.Service.Engine().Commands()...)
	if slices.ContainsFunc(ours, func(o trimtab.Command) bool { return o.Name == name }) {
		return cmd, false
	}
	for _, cmd := range c.userCommands() {
		if cmd.Name == name {
			return cmd, true
		}
	}
	return cmd, false
}

// useCommand sends the prompt of a file. One that came with the project is shown first:
// somebody else may have written it.
func (c *chat) useCommand(cmd usercommand.Command, text string) tea.Cmd {
	if c.opt.Read != nil && !c.opt.Read(cmd) {
		c.dialog = &readFirst{cmd: cmd, text: text}
		return nil
	}
	return c.sendOrQueue(text)
}

// readFirst shows a command of the project before its first use.
type readFirst struct {
	cmd   usercommand.Command
	text  string // what was typed
	first int
	rows  int
	lines int
}

func (d *readFirst) key(c *chat, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "y", "Y":
		c.close()
		if c.opt.TakeCommand != nil {
			if err := c.opt.TakeCommand(d.cmd); err != nil {
				c.page.Fault(c.opt.Explain(err))
			}
		}
		return c.sendOrQueue(d.text)
	case "n", "N", "esc", "ctrl+c":
		c.close()
		c.text.Set(d.text)
		c.say("/" + d.cmd.Name + " was not used")
	case "up":
		d.first--
	case "down":
		d.first++
	case "pgup":
		d.first -= d.rows
	case "pgdown", "space":
		d.first += d.rows
	}
	return nil
}

func (d *readFirst) paste(string)     {}
func (d *readFirst) scroll(lines int) { d.first += lines }

func (d *readFirst) view(c *chat, width, height int) (lines []string, x, y int) {
	l := &c.look
	var body []string
	for row := range strings.SplitSeq(ansi.Hardwrap(termsafe.Text(strings.ReplaceAll(d.cmd.Body, "\t", "    ")), max(2, width-4), true), "\n") {
		body = append(body, l.dim(" │ ")+row)
	}
	d.lines, d.rows = len(body), max(1, height-3)
	lines = append(lines, fit(l.accent(" /"+d.cmd.Name)+" comes with this project and was not used before. It would tell the model:", width))
	lines = append(lines, window(body, &d.first, d.rows)...)
	keys := " y use it, now and as long as it says the same   n no"
	if len(body) > d.rows {
		keys += "   ↑↓ more"
	}
	return append(lines, fit(l.strong(keys), width)), 0, -1
}
