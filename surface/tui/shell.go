package tui

import (
	"context"
	"iter"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/surface/tui/page"
)

// shellCommand is what follows a ! at the beginning of a text.
func shellCommand(text string) (command string, ok bool) {
	rest, bang := strings.CutPrefix(strings.TrimSpace(text), "!")
	rest = strings.TrimSpace(rest)
	return rest, bang && rest != ""
}

// shell runs a command of the person. The model reads of it with the next prompt.
func (c *chat) shell(command string) tea.Cmd {
	if c.opt.Shell == nil {
		c.complain("commands cannot be run here")
		return nil
	}
	if c.busy() {
		c.complain("a reply is under way; Esc interrupts it")
		c.text.Set("!" + command)
		return nil
	}
	runner, err := c.opt.Shell(command)
	if err != nil {
		c.page.Fault(c.opt.Explain(err))
		return nil
	}
	c.page.Prompt("!" + command)
	return c.runBeside(command, "", func(ctx context.Context) iter.Seq2[agent.Event, error] { return runner.Run(ctx, "", trimtab.Message{}) })
}

// runBeside runs something that is no prompt.
func (c *chat) runBeside(own, session string, events func(ctx context.Context) iter.Seq2[agent.Event, error]) tea.Cmd {
	ctx, cancel := context.WithCancel(c.ctx)
	now := c.opt.Clock()
	r := &run{feed: newFeed(), cancel: cancel, own: own, began: now, now: now, calls: map[string]page.ID{}, live: map[string]string{}}
	c.run = r
	c.runs.Go(func() {
		defer cancel()
		r.feed.close(c.pump(ctx, r, session, events(ctx)))
	})
	return tea.Batch(c.watch(r), c.tickLater())
}

// compact folds finished turns before the context is full.
func (c *chat) compact() tea.Cmd {
	runner, ok := c.agent.Runner.(interface {
		Compact(ctx context.Context, session string) iter.Seq2[agent.Event, error]
	})
	id := c.session.ID
	switch {
	case !ok || id == "":
		c.complain("there is nothing to fold yet")
		return nil
	case c.busy():
		c.complain("a reply is under way; Esc interrupts it")
		return nil
	}
	return c.runBeside("", id, func(ctx context.Context) iter.Seq2[agent.Event, error] { return runner.Compact(ctx, id) })
}

// aside keeps what a command of the person brought, for the next prompt.
func (c *chat) aside(r *run, ev agent.Returned) {
	if r.own != "" {
		c.asides = append(c.asides, agent.OwnCommand(r.own, ev.Result.Text))
	}
}
