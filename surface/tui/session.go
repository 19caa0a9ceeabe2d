package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/surface/tui/page"
)

// opened is a session to go on with.
type opened struct {
	session  trimtab.Session
	out      trimtab.Outcome
	messages []trimtab.Message
	changes  map[string][]tool.FileChange // by call
	damaged  error                        // some of it could not be read
}

// open goes on with a session: it is told that it was resumed, and its messages
// are read.
func (c *chat) open(id string) tea.Cmd {
	return c.idle(func() tea.Cmd {
		return c.enqueue(job{
			what: "resume " + id,
			do:   func(ctx context.Context, _ place) (tea.Msg, error) { return c.load(ctx, id) },
			fail: func() tea.Cmd { return c.settleModel("") },
		})
	})
}

func (c *chat) load(ctx context.Context, id string) (tea.Msg, error) {
	s, out, err := c.opt.Service.Handle(ctx, id, trimtab.Resumed{})
	if err != nil {
		return nil, err
	}
	o := c.read(ctx, s)
	o.out = out
	return o, nil
}

// read reads the messages of a session.
func (c *chat) read(ctx context.Context, s trimtab.Session) opened {
	o := opened{session: s, messages: make([]trimtab.Message, 0, s.Seq)}
	for m, err := range c.opt.Messages(ctx, s.ID, 0) {
		if err != nil {
			o.damaged = err
			continue
		}
		o.messages = append(o.messages, m)
	}
	if c.opt.Changes != nil {
		o.changes = c.opt.Changes(s.ID)
	}
	return o
}

// settleModel chooses the model of a session that was opened, unless the person
// named another one, and some model where there is none yet.
func (c *chat) settleModel(of string) tea.Cmd {
	switch {
	case c.opt.Model == "" && of != "" && of != c.model:
		return c.choose(of)
	case c.agent.Runner == nil:
		return c.choose(c.opt.Model)
	}
	return nil
}

// opened shows a session that is gone on with.
func (c *chat) opened(o opened) tea.Cmd {
	c.show(o)
	c.hold(o.session.ID)
	c.outcome(o.out)
	if o.session.Project != "" && o.session.Project != c.opt.Folder {
		c.page.Notice("this session was begun in " + o.session.Project + "; tools work in " + c.opt.Folder)
	}
	if c.opt.LostJobs != nil && !c.readOnly() { // in another chat they run still
		if text := c.opt.LostJobs(o.session.ID); text != "" {
			c.page.Notice(text)
		}
	}
	c.page.Bottom()
	text := fmt.Sprintf("resumed, %s", plural.Count(len(o.messages), "message"))
	if brokeOff(o.messages) {
		text += `; it ended during a reply: say "go on"`
	}
	c.say(text)
	return c.settleModel(o.session.Model)
}

// show draws a session that was read.
func (c *chat) show(o opened) {
	c.session, c.sum, c.paused, c.used = o.session, sum{}, false, inView(o, c.takenBack(o.session)(o.session.Seq))
	c.see(o.session)
	c.page.Clear()
	notes := map[string][]trimtab.Note{}
	for _, n := range o.session.Notes {
		if n.Seated() && n.Life == trimtab.Kept {
			notes[n.Seat.ID] = append(notes[n.Seat.ID], n)
		}
	}
	calls := map[string]page.ID{}
	var typed recalled
	gone := c.takenBack(o.session)
	for i, m := range o.messages {
		if m.IsPrompt() {
			typed = append(typed, m.Typed())
		}
		if gone(i + 1) {
			c.sum.add(c.opt, m) // it was paid for
			if !gone(i) {
				c.page.Folded("taken back here: "+oneLine(m.Typed()), m.Typed())
			}
			continue
		}
		c.notes(notes[m.ID], false)
		c.replay(m, calls, o.changes)
		c.notes(notes[m.ID], true)
	}
	c.past.add(typed)
	if o.damaged != nil {
		c.page.Fault("some messages could not be read: " + c.opt.Explain(o.damaged))
	}
	c.page.Bottom()
}

// inView is about how many tokens the next request has: what is folded is not in it. Where
// turns were folded before the last request, its bytes say nothing of its tokens: then it is
// what the provider counted, and what came since. Where some were taken back after it, they
// are not in that.
func inView(o opened, undone bool) int {
	m, bytes := o.session.Meter, 0
	if m.Context == 0 {
		return 0
	}
	if m.Context < m.Tokens(m.ContextBytes) && !undone {
		for _, message := range o.messages[min(m.SentSeq, len(o.messages)):] {
			bytes += message.Size()
		}
		return m.Context + m.Tokens(bytes)
	}
	for _, message := range o.session.View(o.messages) {
		bytes += message.Size()
	}
	return max(0, m.Context-m.Tokens(m.ContextBytes)) + m.Tokens(bytes)
}

// oneLine is the beginning of a text.
func oneLine(text string) string {
	return shortened(text, 100)
}

// shortened is a text in one line, cut where it is longer.
func shortened(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if short := trimtab.Clip(text, most); len(short) < len(text) {
		return strings.TrimRight(short, " ") + "…"
	}
	return text
}

// brokeOff reports whether the model was still to speak when a session ended.
func brokeOff(messages []trimtab.Message) bool {
	if len(messages) == 0 {
		return false
	}
	last := messages[len(messages)-1]
	return last.Role != trimtab.RoleAssistant || slices.ContainsFunc(last.Parts, func(p trimtab.Part) bool {
		_, called := p.(trimtab.ToolCall)
		return called
	})
}

func (c *chat) notes(all []trimtab.Note, after bool) {
	for _, n := range all {
		if n.Seat.After == after {
			c.page.Note(n.By, n.Slot, n.Text, n.Why)
		}
	}
}

// replay draws a stored message.
func (c *chat) replay(m trimtab.Message, calls map[string]page.ID, changes map[string][]tool.FileChange) {
	c.sum.add(c.opt, m)
	if m.From != "" {
		c.page.Note(m.From, "", m.Text(), "said by steering")
		return
	}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			c.replayText(m, p)
		case trimtab.ToolCall:
			calls[p.ID] = c.page.Call(p.Name, string(jsonscan.Readable(p.Input)))
		case trimtab.ToolResult:
			if id, ok := calls[p.ID]; ok {
				c.page.Result(id, p.Text, p.Failed)
				c.changed(id, changes[p.ID])
				delete(calls, p.ID)
			}
		case trimtab.Opaque: // thinking, an image: nothing to show
		}
	}
}

func (c *chat) replayText(m trimtab.Message, t trimtab.Text) {
	switch {
	case t.By == trimtab.Person:
		c.page.Prompt(t.Text)
	case m.Role == trimtab.RoleAssistant && t.By != trimtab.Host:
		c.page.Close(c.page.Reply(), t.Text)
	default:
		c.page.Notice(t.Text)
	}
}

// listed are sessions or models to choose from.
type listed struct {
	dialog *pick
	items  []Item
	err    error
}

func (c *chat) listed(l listed) {
	if l.dialog != c.dialog {
		return // it was closed in the meantime
	}
	l.dialog.wait = false
	if l.err != nil {
		c.close()
		c.page.Fault(c.opt.Explain(l.err))
		return
	}
	l.dialog.items = l.items
	c.learn(l)
	for i, it := range l.items {
		if it.Name == l.dialog.now {
			l.dialog.at = i
		}
	}
}

// pickSession lists the sessions of this folder; a key shows those of all.
func (c *chat) pickSession() tea.Cmd {
	if c.opt.Sessions == nil {
		c.complain("there are no sessions to choose from")
		return nil
	}
	d := newPick("resume", "filter by what was said first")
	all := false
	d.none = "no sessions in this folder yet"
	d.keys = ", Ctrl+A: all folders"
	d.choose = func(c *chat, it Item) tea.Cmd { return c.open(it.Key) }
	d.other = func(c *chat, name string) (tea.Cmd, bool) {
		if name != "ctrl+a" {
			return nil, false
		}
		all = !all
		d.keys, d.none = ", Ctrl+A: this folder", "no sessions yet"
		if !all {
			d.keys, d.none = ", Ctrl+A: all folders", "no sessions in this folder yet"
		}
		return c.listSessions(d, all), true
	}
	c.dialog = d
	return c.listSessions(d, all)
}

func (c *chat) listSessions(d *pick, all bool) tea.Cmd {
	d.wait = true
	return func() tea.Msg {
		infos, err := c.opt.Sessions(c.ctx, all)
		l := listed{dialog: d, err: err}
		now := c.opt.Clock()
		for _, i := range infos {
			it := Item{Name: i.Title, Key: i.ID, Text: fmt.Sprintf("%-4s %s", ago(now.Sub(i.Updated)), i.ID)}
			if it.Name == "" {
				it.Name = "(nothing said)"
			}
			if all {
				it.Text += "  " + i.Project
			}
			l.items = append(l.items, it)
		}
		return l
	}
}

// ago tells how long something is past, in few letters.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

func (c *chat) pickModel() tea.Cmd {
	if c.opt.Models == nil {
		c.complain("there are no models to choose from")
		return nil
	}
	d := newPick("model", "filter the models")
	d.wait, d.none, d.now = true, "no models", c.model
	d.choose = func(c *chat, it Item) tea.Cmd { return c.prefer(it.Name) }
	d.keys = ", /login enters a key"
	c.dialog = d
	return func() tea.Msg {
		items, err := c.opt.Models(c.ctx)
		return listed{d, items, err}
	}
}

// prefer takes a model that the person named, for this chat and those to come.
func (c *chat) prefer(name string) tea.Cmd { return c.chooseModel(name, true) }

// choose takes another model for the prompts to come. Prompts that are sent in
// the meantime wait for it.
func (c *chat) choose(name string) tea.Cmd { return c.chooseModel(name, false) }

func (c *chat) chooseModel(name string, keep bool) tea.Cmd {
	return c.enqueue(job{
		what: "model", once: true,
		do: func(ctx context.Context, _ place) (tea.Msg, error) {
			chosen, err := c.opt.Agent(ctx, name, c.permit)
			if err == nil && keep && c.opt.Keep != nil {
				err := c.opt.Keep(chosen.Name)
				if err != nil { // it is chosen all the same
					chosen.Note = strings.TrimSpace(chosen.Note + "\n" + c.opt.Explain(err))
				}
			}
			return chosen, err
		},
		fail: func() tea.Cmd {
			if c.agent.Runner == nil && name != c.opt.Model {
				return c.choose(c.opt.Model) // the session's own is gone; another will do
			}
			return nil
		},
	})
}

func (c *chat) chosen(m Chosen) {
	if c.agent.Runner != nil {
		c.say("Model: " + m.Name)
	}
	c.model, c.agent, c.window = m.Name, m, 0
	if m.Note != "" {
		c.page.Notice(m.Note)
	}
}

// learn keeps what was listed, for completion.
func (c *chat) learn(l listed) {
	var names []string
	for _, it := range l.items {
		if it.Off == "" {
			names = append(names, cmp.Or(it.Key, it.Name))
		}
	}
	if c.values == nil {
		c.values = map[string][]string{}
	}
	c.values[l.dialog.title] = names
}
