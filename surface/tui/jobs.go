package tui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab"
)

// job is something that goes through the session service. Jobs are done one after the
// other, in the order in which the person asked for them: a prompt never
// overtakes the change of mode before it.
type job struct {
	what string // for the person, should it have to be tried again
	do   func(ctx context.Context, at place) (tea.Msg, error)
	fail func() tea.Cmd // what else to do when it is given up; may be nil
	once bool           // trying again would not help
}

// place is where the chat stands when a job begins.
type place struct{ session, model string }

// done is a job that was tried.
type done struct {
	msg tea.Msg
	err error
}

// again is the time to try the first job once more.
type again struct{ try int }

// jobQueue is the jobs that wait. The first one is under way.
type jobQueue struct {
	jobs []job
	try  int // failed tries of the first job

	waits bool // until the time for another try
}

func (c *chat) enqueue(j job) tea.Cmd {
	c.queued.jobs = append(c.queued.jobs, j)
	if len(c.queued.jobs) > 1 {
		return nil
	}
	return c.work()
}

// work does the first job.
func (c *chat) work() tea.Cmd {
	if len(c.queued.jobs) == 0 {
		return nil
	}
	j, ctx, at := c.queued.jobs[0], c.ctx, place{c.session.ID, c.model}
	return func() tea.Msg {
		msg, err := j.do(ctx, at)
		return done{msg, err}
	}
}

// finish takes the result of the first job. What could not be saved is shown and
// tried again, less and less often, until it is saved or given up.
func (c *chat) finish(d done) tea.Cmd {
	if len(c.queued.jobs) == 0 {
		return nil
	}
	j := c.queued.jobs[0]
	if d.err != nil && !j.once && lasting(d.err) {
		c.queued.try++
		wait := min(time.Second<<min(c.queued.try-1, 5), 30*time.Second)
		c.complain(j.what + ": " + c.opt.Explain(d.err) + "; trying again; Enter tries now, Esc gives up")
		c.queued.waits = true
		try := c.queued.try
		return tea.Tick(wait, func(time.Time) tea.Msg { return again{try} })
	}
	if c.queued.try > 0 && d.err == nil {
		c.say(j.what + ": saved now")
	}
	c.queued.try = 0
	c.queued.jobs = c.queued.jobs[1:]
	// A job that is added to an empty queue is begun by enqueue, and must not be begun
	// here again: the result of the second run would be taken for the next job's.
	idle := len(c.queued.jobs) == 0
	var cmd tea.Cmd
	switch {
	case d.err != nil:
		cmd = c.failed(j, d.err)
	case d.msg != nil:
		cmd = c.take(d.msg)
	}
	if idle {
		return cmd
	}
	return tea.Batch(cmd, c.work())
}

// tryNow does not wait any longer. It reports whether something waited.
func (c *chat) tryNow() (tea.Cmd, bool) {
	if !c.queued.waits {
		return nil, false
	}
	c.queued.waits = false
	c.queued.try++ // the time that was set is another try's
	return c.work(), true
}

// lasting reports whether trying again may help.
func lasting(err error) bool {
	for _, other := range []error{trimtab.ErrNotFound, trimtab.ErrBadID, trimtab.ErrTooLarge, trimtab.ErrExists, trimtab.ErrDamaged, context.Canceled} {
		if errors.Is(err, other) {
			return false
		}
	}
	return true
}

// failed tells of a job that is given up.
func (c *chat) failed(j job, err error) tea.Cmd {
	if !errors.Is(err, context.Canceled) {
		c.page.Fault(j.what + ": " + c.opt.Explain(err))
	}
	if j.fail != nil {
		return j.fail()
	}
	return nil
}

// giveUp drops a job that is being tried again, and those behind it. It reports
// whether there was one.
func (c *chat) giveUp() (tea.Cmd, bool) {
	if c.queued.try == 0 {
		return nil, false
	}
	c.page.Fault(c.queued.jobs[0].what + ": given up; it is not saved")
	jobs := c.queued.jobs
	c.queued = jobQueue{}
	c.toast = toast{}
	var cmds []tea.Cmd
	for _, j := range jobs {
		if j.fail != nil {
			cmds = append(cmds, j.fail())
		}
	}
	return tea.Batch(cmds...), true
}
