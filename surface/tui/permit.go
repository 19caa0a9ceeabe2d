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
)

// question is a tool that waits for the person's answer.
type question struct {
	ask    tool.Ask
	answer chan tool.Answer // takes one
	at     int              // the answer that the arrows are on
	first  int              // the first line of the detail that is shown
	since  time.Time        // answers typed before are none: see sudden
}

// permit asks the person, and waits. It is called by the agent.
func (c *chat) permit(ctx context.Context, ask tool.Ask) (tool.Answer, error) {
	q := &question{ask: ask, answer: make(chan tool.Answer, 1)}
	c.send(q)
	select {
	case a := <-q.answer:
		return a, nil
	case <-ctx.Done(): // whoever cancels a run drops its questions
		return tool.Refuse, ctx.Err()
	}
}

// pause is how long the keys must rest before they count as an answer, where a
// question came while the person was writing.
const pause = time.Second

func (c *chat) question(q *question) tea.Cmd {
	if c.run == nil || c.run.cut {
		q.answer <- tool.Refuse
		return nil
	}
	if now := c.opt.Clock(); now.Sub(c.typed) < pause {
		q.since = now.Add(pause)
	}
	c.asks = append(c.asks, q)
	return nil
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
		q.answer <- tool.Refuse
	}
	c.asks = nil
}

// choices are the answers, in the order in which they are shown.
func (q *question) choices() []tool.Answer {
	if q.ask.Rule == "" {
		return []tool.Answer{tool.Once, tool.Refuse}
	}
	return []tool.Answer{tool.Once, tool.Always, tool.Refuse}
}

func (q *question) key(c *chat, k tea.KeyPressMsg) tea.Cmd {
	choices := q.choices()
	name := k.String()
	if q.sudden(c, name) {
		return nil
	}
	switch name {
	case "y", "Y", "1":
		q.reply(c, tool.Once)
	case "a", "A":
		if q.ask.Rule != "" {
			q.reply(c, tool.Always)
		}
	case "n", "N", "esc", "ctrl+c":
		q.reply(c, tool.Refuse)
	case "enter":
		q.reply(c, choices[q.at])
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
	}
	return nil
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

func (q *question) reply(c *chat, a tool.Answer) {
	c.withdraw(q)
	q.answer <- a
}

func (q *question) paste(string) {}

func (q *question) scroll(lines int) { q.first += lines }

func (q *question) view(c *chat, width, height int) (lines []string, x, y int) {
	l := &c.look
	lines = append(lines, fit(l.badge(" "+termsafe.Line(q.ask.Tool))+" asks: "+l.strong(termsafe.Line(q.ask.Title)), width))
	detail := q.detail(l, width-2)
	rows := max(1, height-4-len(q.ask.Rule)/max(width-3, 1))
	for _, line := range window(detail, &q.first, rows) {
		lines = append(lines, "  "+line)
	}
	if more := len(detail) - q.first - rows; more > 0 {
		lines = append(lines, l.dim("  "+plural.Count(more, "line")+" below, ↓ shows them"))
	}
	names := map[tool.Answer]string{tool.Once: "y once", tool.Always: "a always", tool.Refuse: "n refuse"}
	row := ""
	for i, a := range q.choices() {
		if i == q.at {
			row += l.badge(" ▸ " + names[a])
		} else {
			row += "   " + names[a]
		}
	}
	lines = append(lines, fit(row, width))
	if q.ask.Rule != "" {
		rule := ansi.Hardwrap("always allows for this session: "+termsafe.Line(q.ask.Rule), max(width-3, 2), true)
		for row := range strings.SplitSeq(rule, "\n") { // what is allowed is read whole
			lines = append(lines, "   "+l.dim(row))
		}
	}
	return lines, 0, -1
}

// detail is the whole of what is asked, broken to the width: nothing of a command
// may be out of sight. A diff has its colours.
func (q *question) detail(l *look, width int) []string {
	text := strings.TrimRight(termsafe.Text(q.ask.Detail), "\n")
	if text == "" || text == termsafe.Text(q.ask.Title) {
		return strings.Split(ansi.Hardwrap(termsafe.Text(q.ask.Title), max(width, 2), true), "\n")
	}
	text = strings.ReplaceAll(text, "\t", "    ")
	isDiff := strings.HasPrefix(text, "--- ") || strings.Contains(text, "\n@@ ") || strings.HasPrefix(text, "@@ ")
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		paint := func(s string) string { return s }
		if isDiff {
			switch {
			case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
				paint = l.strong
			case strings.HasPrefix(line, "+"):
				paint = l.good
			case strings.HasPrefix(line, "-"):
				paint = l.bad
			case strings.HasPrefix(line, "@@"):
				paint = l.accent
			}
		}
		for row := range strings.SplitSeq(ansi.Hardwrap(line, max(width, 2), true), "\n") {
			out = append(out, paint(row))
		}
	}
	return out
}
