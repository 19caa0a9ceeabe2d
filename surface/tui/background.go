package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// jobBoard is the commands in the background, as last seen.
type jobBoard struct {
	all    []tool.Job
	asking bool // a look is under way, or will be
}

func (b jobBoard) running() (n int) {
	for _, j := range b.all {
		if j.Running {
			n++
		}
	}
	return n
}

func (b jobBoard) footer() string {
	if n := b.running(); n > 0 {
		return fmt.Sprintf("%d in background", n)
	}
	return ""
}

// jobsSeen is a look at the commands in the background, lookAgain the time for another.
type (
	jobsSeen  []tool.Job
	lookAgain struct{}
)

// jobPause is the time between two looks while something runs.
const jobPause = time.Second

func (c *chat) lookAtJobs() tea.Cmd {
	if c.opt.Jobs == nil {
		return nil
	}
	return func() tea.Msg { return jobsSeen(c.opt.Jobs()) }
}

// jobsSeen tells the person of commands that ended. Whether the model has to be told, with
// the next prompt, is known where it runs them.
func (c *chat) jobsSeen(now jobsSeen) tea.Cmd {
	cmds := []tea.Cmd{}
	for _, j := range now {
		for _, old := range c.jobs.all {
			if old.ID == j.ID && old.Running && !j.Running {
				c.page.Notice(fmt.Sprintf("in the background: %s %s; /jobs shows what it wrote", oneLine(j.Command), j.State()))
				cmds = append(cmds, c.ring(0))
			}
		}
	}
	c.jobs.all = now
	if c.jobs.running() > 0 && !c.jobs.asking {
		c.jobs.asking = true
		cmds = append(cmds, tea.Tick(jobPause, func(time.Time) tea.Msg { return lookAgain{} }))
	}
	return tea.Batch(cmds...)
}

// showJobs lists the commands in the background; one that is chosen shows what it writes.
func (c *chat) showJobs() tea.Cmd {
	if c.opt.Jobs == nil {
		c.complain("commands cannot run in the background here")
		return nil
	}
	if len(c.opt.Jobs()) == 0 {
		c.say("no commands run in the background")
		return nil
	}
	d := newPick("jobs", "Enter shows what it writes")
	d.none = "no commands run in the background"
	d.keys = ", Ctrl+K: end it"
	d.fill = func(c *chat) (items []Item) {
		for _, j := range c.opt.Jobs() {
			items = append(items, Item{Name: j.ID + "  " + oneLine(j.Command), Key: j.ID, Text: j.State()})
		}
		return items
	}
	d.choose = func(c *chat, it Item) tea.Cmd {
		c.dialog = c.jobSheet(it.Key)
		return c.lookAtJobs()
	}
	d.other = func(c *chat, name string) (tea.Cmd, bool) {
		items := d.shown(c)
		if name != "ctrl+k" || len(items) == 0 || c.opt.StopJob == nil {
			return nil, false
		}
		id := items[d.at].Key
		return func() tea.Msg {
			if err := c.opt.StopJob(id); err != nil {
				return told{err: err}
			}
			return jobsSeen(c.opt.Jobs())
		}, true
	}
	c.dialog = d
	return nil
}

// jobSheet is what a command in the background writes, as it writes it.
func (c *chat) jobSheet(id string) dialog {
	return &sheet{title: "job " + id, live: true, write: func(width int) (lines []string) {
		for _, j := range c.opt.Jobs() {
			if j.ID != id {
				continue
			}
			lines = append(lines, c.look.strong(" "+termsafe.Line(oneLine(j.Command))), c.look.dim(" "+j.State()))
			for line := range strings.Lines(j.Output) {
				lines = append(lines, " "+termsafe.Line(strings.TrimRight(line, "\r\n")))
			}
		}
		return lines
	}}
}
