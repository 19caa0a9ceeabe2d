package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/surface/tui/page"
)

// run is a prompt that the agent is at work on.
type run struct {
	feed   *feed
	cancel context.CancelFunc
	prompt string
	seq    int // messages of the session before it
	began  time.Time
	now    time.Time // as of the last tick

	reply, thought page.ID
	replying       bool
	thinking       bool
	calls          map[string]page.ID
	live           map[string]string // what calls that run have written, as far as it may be shown
	unsaved        *trimtab.Message  // a reply that could not be stored
	paused         bool
	cut            bool   // the person interrupted it
	own            string // a command of the person, where it is no prompt

	open  []trimtab.ToolCall // they run one after the other
	tool  string             // the call that runs; "" while the model speaks
	since time.Time          // when it began
	heard time.Time          // when it last wrote something
}

// tick moves the sign of life while a run is under way.
type tick struct{}

const ticks = 250 * time.Millisecond

func (c *chat) tickLater() tea.Cmd {
	return tea.Tick(ticks, func(time.Time) tea.Msg { return tick{} })
}

func (c *chat) tock() tea.Cmd {
	if c.run == nil {
		return nil // the last tick of a run that is over
	}
	c.run.now = c.opt.Clock()
	return c.tickLater()
}

// begin hands a prompt to the agent.
func (c *chat) begin(s started) tea.Cmd {
	c.starting = false
	c.session = s.session
	c.hold(s.session.ID)
	c.see(s.session)
	if c.agent.Runner == nil {
		c.page.Fault("no model is available; choose one with /model")
		c.restore()
		return c.rest()
	}
	ctx, cancel := context.WithCancel(c.ctx)
	now := c.opt.Clock()
	r := &run{feed: newFeed(), cancel: cancel, prompt: s.text, seq: s.session.Seq, began: now, now: now, calls: map[string]page.ID{}, live: map[string]string{}}
	c.run, c.sending = r, ""
	var prompt trimtab.Message
	if s.text != "" {
		prompt = c.message(s.text)
	}
	agent, id := c.agent, s.session.ID
	c.runs.Go(func() {
		defer cancel()
		r.feed.close(c.pump(ctx, r, id, agent.Run(ctx, id, prompt)))
	})
	if len(c.after) > 0 { // the person asked for something else in the meantime
		c.interrupt()
	}
	return tea.Batch(c.watch(r), c.tickLater())
}

// message makes a message of a prompt, with what goes with it.
func (c *chat) message(text string) trimtab.Message {
	m := c.withPictures(text)
	for _, a := range c.asides {
		m.Parts = append(m.Parts, a)
	}
	c.asides = nil
	return m
}

func (c *chat) withPictures(text string) trimtab.Message {
	if c.opt.Prompt == nil {
		return trimtab.Prompt(text)
	}
	m, left := c.opt.Prompt(text)
	for _, why := range left {
		c.page.Notice(why)
	}
	pictures := 0
	for _, p := range m.Parts {
		if o, ok := p.(trimtab.Opaque); ok && o.Kind == "image" {
			pictures++
		}
	}
	if pictures > 0 {
		c.page.Notice("sent with " + plural.Count(pictures, "picture"))
	}
	return m
}

func (c *chat) watch(r *run) tea.Cmd {
	return func() tea.Msg { return r.feed.look(c.ctx, r) }
}

// pump fills the feed. The text of a note that lives one turn is in no event, so
// it is looked up while the note stands.
func (c *chat) pump(ctx context.Context, r *run, id string, events func(func(agent.Event, error) bool)) error {
	for ev, err := range events {
		if err != nil {
			return err
		}
		if st, ok := ev.(agent.Steered); ok && st.Change.Kind == trimtab.Injected && st.Change.Text == "" {
			st.Change.Text = c.noteText(ctx, id, st.Change)
			ev = st
		}
		r.feed.put(ev)
	}
	return nil
}

func (c *chat) noteText(ctx context.Context, id string, ch trimtab.Change) string {
	s, err := c.opt.Service.Session(ctx, id)
	if err != nil {
		return "" // only the words are missing; who and why are shown
	}
	for _, n := range s.Notes {
		if n.ID == ch.Note {
			return n.Text
		}
	}
	return ""
}

// events draws what a run brought.
func (c *chat) events(b batch) tea.Cmd {
	if b.run != c.run {
		return nil
	}
	look := false
	for _, ev := range b.events {
		c.draw(b.run, ev)
		switch ev.(type) {
		case agent.Delta, agent.Thought:
		default:
			look = true
		}
	}
	if b.end {
		return c.over(b.run, b.err)
	}
	if look {
		return tea.Batch(c.watch(b.run), c.refresh(), c.lookAtJobs())
	}
	return c.watch(b.run)
}

func (c *chat) draw(r *run, ev agent.Event) {
	switch ev := ev.(type) {
	case agent.Delta:
		c.endThought(r)
		if !r.replying {
			r.reply, r.replying = c.page.Reply(), true
		}
		c.page.Append(r.reply, ev.Text)
	case agent.Thought:
		if !r.thinking {
			r.thought, r.thinking = c.page.Thought(), true
		}
		c.page.Append(r.thought, ev.Text)
	case agent.Retrying:
		c.say(fmt.Sprintf("%s: asking again in %s", ev.Why, ev.Wait.Round(time.Second))) // each in the place of the last
	case agent.Replied:
		c.replied(r, ev.Message)
	case agent.Called:
		if r.open = append(r.open, ev.Call); len(r.open) == 1 {
			r.turnTo(c.opt.Clock())
		}
		r.calls[ev.Call.ID] = c.page.Call(ev.Call.Name, string(jsonscan.Readable(ev.Call.Input)))
	case agent.Output:
		r.heard = c.opt.Clock()
		c.page.Output(r.calls[ev.Call.ID], r.output(ev))
	case agent.Returned:
		r.open = slices.DeleteFunc(r.open, func(o trimtab.ToolCall) bool { return o.ID == ev.Call.ID })
		r.turnTo(c.opt.Clock())
		c.page.Result(r.calls[ev.Call.ID], ev.Result.Text, ev.Result.Failed)
		delete(r.live, ev.Call.ID)
		c.aside(r, ev)
		for _, e := range ev.Effects {
			if e.Spent != nil {
				c.sum.spend(c.opt, e.Spent.Model, e.Spent.Usage)
			}
			c.changed(r.calls[ev.Call.ID], e.Files)
			if e.Note != "" && !c.noted[e.Note] {
				c.noted[e.Note] = true // once is enough
				c.page.Notice(e.Note)
			}
		}
	case agent.Context:
		c.used, c.window = ev.Used, ev.Window
	case agent.Folded:
		c.page.Folded(foldLine(ev), ev.Summary)
	case agent.Steered:
		c.steered(ev.Change)
	case agent.Noticed:
		c.notify(ev.Notify)
	case agent.Faulted:
		c.page.Fault(ev.Fault.Error())
	case agent.Continued:
		c.page.Steering("Trimtab sends the agent on: " + ev.Continue.Why + "; it is asked to see to that or to say why not")
	case agent.Paused:
		r.paused = true
		c.page.Steering("Trimtab paused: " + ev.Why + "\nEnter goes on, or write what to do instead")
	case agent.Stopped:
		if text := ev.Reason.Words(); text != "" {
			c.page.Notice(text)
		}
	}
}

// turnTo notes that the first of the open calls begins.
func (r *run) turnTo(now time.Time) {
	r.tool, r.since, r.heard = "", now, time.Time{}
	if len(r.open) > 0 {
		r.tool = r.open[0].Name
	}
}

// maxLive is how much of a running command's output is kept for the screen.
const maxLive = 16 << 10

// output is the end of what a call has written, as a person would see it.
func (r *run) output(ev agent.Output) string {
	text := r.live[ev.Call.ID] + ev.Text
	if n := len(text) - maxLive; n > 0 {
		text = text[n:]
		text = text[strings.IndexByte(text, '\n')+1:]
	}
	r.live[ev.Call.ID] = text
	return tool.PlainOutput(text)
}

// maxShown is how many files of one call are shown.
const maxShown = 20

// changed shows what a call changed in files.
func (c *chat) changed(id page.ID, files []tool.FileChange) {
	for i, f := range files {
		if i == maxShown {
			c.page.Changed(id, fmt.Sprintf("--- %d more files\n[/diff shows all]\n", len(files)-i))
			return
		}
		c.page.Changed(id, f.Diff())
	}
}

func foldLine(f agent.Folded) string {
	return fmt.Sprintf("folded %s (%s): %s tokens became %s; Ctrl+T shows the summary, /frame unfold %s brings them back",
		plural.Count(f.Messages, "message"), shortened(f.Goal, 48), tokens(f.Before), tokens(f.After), f.Frame)
}

func (c *chat) notify(n trimtab.Notify) {
	if n.Warning {
		c.page.Fault(n.Text)
		return
	}
	c.page.Notice(n.Text)
}

func (c *chat) endThought(r *run) {
	if r.thinking {
		c.page.Close(r.thought, "")
		r.thinking = false
	}
}

// replied closes a reply that came in pieces, or shows one that came whole.
func (c *chat) replied(r *run, m trimtab.Message) {
	c.endThought(r)
	text := spoken(m)
	if !r.replying && text != "" {
		r.reply, r.replying = c.page.Reply(), true
	}
	if r.replying {
		c.page.Close(r.reply, text)
	}
	r.replying = false
	r.unsaved = nil
	if m.ID == "" { // only what is stored has a name
		r.unsaved = &m
	}
	c.sum.add(c.opt, m)
}

// spoken is what the model said in a message.
func spoken(m trimtab.Message) string {
	text := ""
	for _, p := range m.Parts {
		if t, ok := p.(trimtab.Text); ok && t.By == trimtab.Model {
			if text != "" {
				text += "\n\n"
			}
			text += t.Text
		}
	}
	return text
}

// steered shows a change to what the model sees. The page keeps it from view
// unless the person wants to see such things.
func (c *chat) steered(ch trimtab.Change) {
	if ch.Kind == trimtab.Copied { // a note that was shown, sent again
		return
	}
	if ch.Kind == trimtab.Injected {
		c.page.Note(ch.By, ch.Slot, ch.Text, fmt.Sprintf("%s (%s)", ch.Why, plural.Count(ch.Tokens, "token")))
		return
	}
	if ch.Kind != trimtab.Withheld && ch.Kind != trimtab.FoldedUp {
		ch.Text = "" // it was shown when it came
	}
	c.page.Change(ch.By, ch.Slot, string(ch.Kind), ch.Text, ch.Why)
}

// interrupt ends the run, if there is one.
func (c *chat) interrupt() bool {
	if c.run == nil {
		return false
	}
	c.run.cut = true
	c.run.cancel()
	c.dropAsks()
	return true
}

// over ends a run: what could not be saved is tried again, what waits comes next.
func (c *chat) over(r *run, err error) tea.Cmd {
	c.run = nil
	c.dropAsks()
	if r.replying { // it broke off
		c.page.Close(r.reply, "")
		r.replying = false
	}
	c.endThought(r)
	c.files.fresh = false
	cmds := []tea.Cmd{c.refresh(), c.findBranch(), c.lookAtJobs()}
	if !r.cut && len(c.queue) == 0 {
		cmds = append(cmds, c.ring(c.opt.Clock().Sub(r.began)))
	}
	if err != nil {
		c.page.Fault(strings.TrimPrefix(c.opt.Explain(err), "session "+c.session.ID+": ")) // it is the one on the screen
		cmds = append(cmds, c.rescue(r))
	}
	c.paused = r.paused
	switch {
	case len(c.after) > 0:
		c.restore()
		cmds = append(cmds, c.rest())
	case err != nil || r.cut || r.paused:
		c.restore()
	default:
		cmds = append(cmds, c.next())
	}
	return tea.Batch(cmds...)
}

// rescue saves what a run said and could not store, and gives a prompt back that
// was not stored.
func (c *chat) rescue(r *run) tea.Cmd {
	id := c.session.ID
	if r.unsaved != nil {
		m := *r.unsaved
		return c.enqueue(job{what: "the reply", do: func(ctx context.Context, _ place) (tea.Msg, error) {
			s, _, err := c.opt.Service.Handle(ctx, id, trimtab.Said{Message: m})
			return seen{s}, err
		}})
	}
	s, err := c.opt.Service.Session(c.ctx, id)
	if err != nil || s.Seq == r.seq {
		c.sending = r.prompt
	}
	return nil
}
