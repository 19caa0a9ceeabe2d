package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab"
)

// submit takes what was written: a command, or a prompt. While a run is under
// way, a prompt waits for its end.
func (c *chat) submit() tea.Cmd {
	text := c.text.String() // as it was written or pasted: a blank at the beginning may be meant
	if strings.TrimSpace(text) == "" {
		return c.goOn()
	}
	if words, isCommand := command(text); c.readOnly() && (!isCommand || c.steers(words)) {
		c.complain("this session is open in another chat; /new begins another")
		return nil
	}
	c.text.Reset()
	c.typed = time.Time{} // who sent something is not writing any more
	c.menu = menu{}
	c.toast = toast{}
	c.past.push(text)
	c.bringBack()
	c.page.Bottom()
	if words, ok := command(text); ok {
		if cmd, own := c.userCommand(words); own {
			return c.useCommand(cmd, text)
		}
		return c.command(words)
	}
	if line, ok := shellCommand(text); ok {
		return c.shell(line)
	}
	return c.sendOrQueue(text)
}

// sendOrQueue sends a prompt, or has it wait for the end of the run.
func (c *chat) sendOrQueue(text string) tea.Cmd {
	if c.busy() {
		c.queue = append(c.queue, text)
		return nil
	}
	return c.start(text)
}

// steers reports whether a command changes the session.
func (c *chat) steers(words []string) bool {
	if len(words) == 0 {
		return false
	}
	name := c.known(strings.ToLower(words[0]))
	if name == "undo" || name == "rewind" || name == "redo" || name == "compact" {
		return true
	}
	return name != "" && !slices.ContainsFunc(ownCommands(), func(o trimtab.Command) bool { return o.Name == name })
}

func (c *chat) busy() bool { return c.run != nil || c.starting }

// goOn takes up a run that steering paused, or what waits to be tried again.
func (c *chat) goOn() tea.Cmd {
	if cmd, waited := c.tryNow(); waited {
		return cmd
	}
	if !c.paused || c.busy() {
		return nil
	}
	c.toast = toast{}
	return c.start("")
}

// started is a prompt whose session is there.
type started struct {
	text    string
	session trimtab.Session
}

// start brings a prompt on its way: its session is begun if need be, then the
// agent takes it.
func (c *chat) start(text string) tea.Cmd {
	if text != "" {
		c.page.Prompt(text)
	}
	c.starting, c.paused = true, false
	c.sending = text
	return c.enqueue(job{
		what: "the prompt waits",
		do: func(ctx context.Context, at place) (tea.Msg, error) {
			s, err := c.ensure(ctx, at)
			return started{text, s}, err
		},
		fail: func() tea.Cmd {
			c.starting = false
			c.restore()
			return c.rest()
		},
	})
}

// ensure returns the session, and begins one where there is none yet: a chat
// that was opened and left again leaves nothing behind. It runs only in jobs,
// which are one after the other.
func (c *chat) ensure(ctx context.Context, at place) (trimtab.Session, error) {
	if at.session != "" {
		return c.opt.Service.Session(ctx, at.session)
	}
	return c.opt.Begin(ctx, at.model)
}

// restore puts prompts that were not sent back where they were written.
func (c *chat) restore() {
	var back []string
	if c.sending != "" {
		back = append(back, c.sending)
	}
	back = append(back, c.queue...)
	c.queue, c.sending = nil, ""
	if len(back) == 0 {
		return
	}
	if !c.text.Empty() {
		back = append(back, c.text.String())
	}
	c.give(strings.Join(back, "\n\n"))
}

// next sends the prompt that waited longest.
func (c *chat) next() tea.Cmd {
	if len(c.queue) == 0 || c.busy() {
		return nil
	}
	text := c.queue[0]
	c.queue = c.queue[1:]
	return c.start(text)
}

// renewed is a chat that begins anew.
type renewed struct{}

// fresh leaves the session, which is saved, and begins anew in Normal.
func (c *chat) fresh() tea.Cmd {
	return c.idle(func() tea.Cmd {
		return c.enqueue(job{what: "new chat", do: func(context.Context, place) (tea.Msg, error) { return renewed{}, nil }})
	})
}

func (c *chat) renew() {
	c.session, c.status, c.sum, c.paused, c.used, c.asides = trimtab.Session{}, nil, sum{}, false, 0, nil
	c.hold("")
	c.page.Clear()
	c.say("new chat")
}

// idle does something when no run is under way; one that is gets interrupted.
func (c *chat) idle(do func() tea.Cmd) tea.Cmd {
	if !c.busy() {
		return do()
	}
	c.after = append(c.after, do)
	c.interrupt()
	return nil
}

// rest does what waited for the end of a run.
func (c *chat) rest() tea.Cmd {
	var cmds []tea.Cmd
	for _, do := range c.after {
		cmds = append(cmds, do())
	}
	c.after = nil
	return tea.Batch(cmds...)
}
