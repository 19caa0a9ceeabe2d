package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/surface/tui/edit"
)

// question is a tool that waits for the person's answer.
type question struct {
	ask    tool.Ask
	answer chan tool.Reply // takes one
	at     int             // the choice that the arrows are on
	first  int             // the first line of the detail that is shown
	since  time.Time       // answers typed before are none: see sudden
	why    *edit.Text      // what to do instead, while the person writes it
}

// choice is an answer that can be given.
type choice struct {
	keys  string // letters that give it
	label string
	reply tool.Reply
	say   bool // the person says what to do instead
	stop  bool
}

// permit asks the person, and waits. It is called by the agent.
func (c *chat) permit(ctx context.Context, ask tool.Ask) (tool.Reply, error) {
	q := &question{ask: ask, answer: make(chan tool.Reply, 1)}
	c.send(q)
	select {
	case a := <-q.answer:
		return a, nil
	case <-ctx.Done(): // whoever cancels a run drops its questions
		return tool.Reply{}, ctx.Err()
	}
}

// pause is how long the keys must rest before they count as an answer, where a
// question came while the person was writing.
const pause = time.Second

func (c *chat) question(q *question) tea.Cmd {
	if c.run == nil || c.run.cut {
		q.answer <- tool.Reply{}
		return nil
	}
	if now := c.opt.Clock(); now.Sub(c.typed) < pause {
		q.since = now.Add(pause)
	}
	c.asks = append(c.asks, q)
	return c.ring(c.opt.Clock().Sub(c.run.began))
}

func (c *chat) withdraw(q *question) {
	for i, other := range c.asks {
		if other == q {
			c.asks = append(c.asks[:i], c.asks[i+1:]...)
			return
		}
	}
}

// dropAsks refuses what is still asked when a run is over, or is to be.
func (c *chat) dropAsks() {
	for _, q := range c.asks {
		q.answer <- tool.Reply{}
	}
	c.asks = nil
}

// choices are the answers, in the order in which they are shown.
func (q *question) choices() []choice {
	always := func(s tool.Scope) tool.Reply { return tool.Reply{Answer: tool.Always, Scope: s} }
	all := []choice{{keys: "yY1", label: "y yes, once", reply: tool.Reply{Answer: tool.Once}}}
	if q.ask.Rule != "" {
		all = append(all, choice{keys: "aA", label: "a always in this session", reply: always(tool.ForSession)})
	}
	if q.ask.Rule != "" && q.ask.Lasts {
		all = append(all,
			choice{keys: "pP", label: "p in this project", reply: always(tool.ForProject)},
			choice{keys: "uU", label: "u everywhere", reply: always(tool.ForUser)})
	}
	return append(all,
		choice{keys: "nN", label: "n no"},
		choice{keys: "rR", label: "r no, and say why", say: true},
		choice{label: "Esc stop the run", stop: true})
}

func (q *question) key(c *chat, k tea.KeyPressMsg) tea.Cmd {
	choices := q.choices()
	name := k.String()
	if q.why != nil {
		q.whyKey(c, k, name)
		return nil
	}
	if q.sudden(c, name) {
		return nil
	}
	switch name {
	case "esc", "ctrl+c":
		q.stop(c)
	case "enter":
		q.choose(c, choices[q.at])
	case "left", "shift+tab":
		q.at = (q.at + len(choices) - 1) % len(choices)
	case "right", "tab":
		q.at = (q.at + 1) % len(choices)
	case "up":
		q.first--
	case "down":
		q.first++
	case "pgup":
		q.first -= 10
	case "pgdown", "space":
		q.first += 10
	default:
		for _, ch := range choices {
			if len(k.Text) == 1 && strings.Contains(ch.keys, k.Text) {
				q.choose(c, ch)
				break
			}
		}
	}
	return nil
}

func (q *question) choose(c *chat, ch choice) {
	switch {
	case ch.stop:
		q.stop(c)
	case ch.say:
		q.why = &edit.Text{}
	default:
		q.reply(c, ch.reply)
	}
}

// stop ends the run that asks: one refusal would only bring its next question.
func (q *question) stop(c *chat) {
	if !c.interrupt() {
		q.reply(c, tool.Reply{Answer: tool.Stop})
	}
}

// whyKey writes what to do instead.
func (q *question) whyKey(c *chat, k tea.KeyPressMsg, name string) {
	switch name {
	case "esc":
		q.why = nil
	case "ctrl+c":
		q.stop(c)
	case "enter":
		q.reply(c, tool.Reply{Answer: tool.Refuse, Why: q.why.String()})
	case "alt+enter", "shift+enter", "ctrl+j":
		q.why.Insert("\n")
	default:
		if move := moves[name]; move != nil {
			move(q.why)
		} else if k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModSuper|tea.ModMeta) == 0 {
			q.why.Insert(k.Text)
		}
	}
}

// sudden reports whether a key was meant for the editor: the question came while
// the person was writing, and they have not stopped.
func (q *question) sudden(c *chat, name string) bool {
	if q.since.IsZero() || name == "esc" || name == "ctrl+c" {
		return false
	}
	now := c.opt.Clock()
	if now.After(q.since) {
		q.since = time.Time{}
		return false
	}
	q.since = now.Add(pause)
	return true
}

func (q *question) reply(c *chat, a tool.Reply) {
	c.withdraw(q)
	if c.run != nil {
		c.run.since = c.opt.Clock() // what was asked about begins only now
	}
	q.answer <- a
}

func (q *question) paste(text string) {
	if q.why != nil {
		q.why.Insert(text)
	}
}

func (q *question) scroll(lines int) { q.first += lines }

func (q *question) view(c *chat, width, height int) (lines []string, x, y int) {
	l := &c.look
	head := l.accent(" "+termsafe.Line(q.ask.Tool)) + " asks: "
	title := termsafe.Line(q.ask.Title)
	detail, answers := q.detail(c, width-2), q.answers(l, width)
	switch fits := ansi.StringWidth(head)+ansi.StringWidth(title) <= width; {
	case fits && q.says(title):
		detail = nil // one line says it all
	case q.says(strings.TrimSuffix(title, " …")):
		title = "" // what is asked stands whole below
	}
	lines = append(lines, fit(head+l.strong(title), width))
	rows := max(1, height-2-len(answers))
	for _, line := range window(detail, &q.first, rows) {
		lines = append(lines, "  "+line)
	}
	if more := len(detail) - q.first - rows; more > 0 {
		lines = append(lines, l.dim("  "+plural.Count(more, "line")+" below, ↓ shows them"))
	}
	if q.why != nil {
		lines = append(lines, l.dim(fit(" what to do instead? Enter sends it, Esc goes back", width)))
		text, x, y := q.why.Rows(max(2, width-4), 3)
		y += len(lines)
		for i, row := range text {
			mark := "   "
			if i == 0 {
				mark = l.accent(" > ")
			}
			lines = append(lines, mark+row)
		}
		return lines, x + 3, y
	}
	return append(lines, answers...), 0, -1
}

// says reports whether all that is asked, or its beginning where the title is cut, is title.
func (q *question) says(title string) bool {
	detail := strings.TrimRight(termsafe.Text(q.ask.Detail), "\n")
	return detail == "" || detail == title || len(title) < len(termsafe.Line(q.ask.Title)) && strings.HasPrefix(detail, title)
}

// answers are the choices, as many on a row as fit, and what "always" would allow.
func (q *question) answers(l *look, width int) (lines []string) {
	row, used := "", 0
	for i, ch := range q.choices() {
		text := "   " + ch.label
		if n := ansi.StringWidth(text); used > 0 && used+n > width {
			lines, row, used = append(lines, row), "", 0
		}
		used += ansi.StringWidth(text)
		if i == q.at {
			text = l.accent(" ▸ " + ch.label)
		}
		row += text
	}
	lines = append(lines, row)
	if q.ask.Rule != "" {
		rule := ansi.Hardwrap("always allows: "+termsafe.Line(q.ask.Rule), max(width-3, 2), true)
		for row := range strings.SplitSeq(rule, "\n") { // what is allowed is read whole
			lines = append(lines, "   "+l.dim(row))
		}
	}
	return lines
}

// detail is the whole of what is asked, broken to the width: nothing of a command
// may be out of sight. A diff has its colours.
func (q *question) detail(c *chat, width int) []string {
	text := strings.TrimRight(termsafe.Text(q.ask.Detail), "\n")
	if text == "" || text == termsafe.Text(q.ask.Title) {
		return strings.Split(ansi.Hardwrap(termsafe.Text(q.ask.Title), max(width, 2), true), "\n")
	}
	if strings.HasPrefix(text, "--- ") && strings.Contains(text, "\n@@ ") {
		return c.page.DiffRows(q.ask.Detail, width)
	}
	text = strings.ReplaceAll(text, "\t", "    ")
	return strings.Split(ansi.Hardwrap(text, max(width, 2), true), "\n")
}
