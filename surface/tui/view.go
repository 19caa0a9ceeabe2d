package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/trimtab/trimtab/internal/termsafe"
)

// View draws the screen: the conversation, then what just happened, the editor or
// a dialog, and the footer.
func (c *chat) View() tea.View {
	v := tea.View{AltScreen: true, MouseMode: tea.MouseModeCellMotion, WindowTitle: c.title(), ReportFocus: true}
	if c.width < 1 || c.height < 1 {
		return v
	}
	lower, x, y := c.lower()
	above := c.height - len(lower)
	if above > 0 {
		c.page.Resize(c.width, above)
		lower = append(strings.Split(c.page.View(), "\n"), lower...)
	} else {
		lower = lower[len(lower)-c.height:]
	}
	for i, line := range lower {
		lower[i] = fit(line, c.width)
	}
	v.Content = strings.Join(lower, "\n")
	if y >= 0 && above+y >= 0 {
		v.Cursor = tea.NewCursor(min(x, c.width-1), above+y)
	}
	return v
}

// lower is the part of the screen below the conversation, and the cursor's place
// in it; y is negative where there is none.
func (c *chat) lower() (lines []string, x, y int) {
	lines = append(lines, c.waiting()...)
	lines = append(lines, c.news()...)
	if c.height > 6 {
		lines = append(lines, c.look.dim(strings.Repeat("─", c.width)))
	}
	if d := c.shown(); d != nil {
		body, dx, dy := d.view(c, c.width, max(3, c.height-len(lines)-min(6, c.height/3)))
		if dy >= 0 {
			dy += len(lines)
		}
		lines = append(lines, body...)
		return append(lines, c.footer()), dx, dy
	}
	rows, x, y := c.text.Rows(c.textWidth(), c.textHeight())
	if c.text.Empty() {
		rows[0] = c.look.dim(fit(c.invitation(), c.textWidth()))
	}
	y += len(lines)
	for i, row := range rows {
		mark := "  "
		if i == 0 {
			mark = c.look.accent("> ")
		}
		lines = append(lines, mark+row)
	}
	lines = append(lines, c.menu.view(&c.look, c.width)...)
	return append(lines, c.footer()), x + 2, y
}

// shown is the dialog on the screen. A question of a tool comes before any other.
func (c *chat) shown() dialog {
	if len(c.asks) > 0 {
		return c.asks[0]
	}
	return c.dialog
}

func (c *chat) textWidth() int  { return max(2, c.width-3) } // the mark, and a place for the cursor
func (c *chat) textHeight() int { return min(max(1, c.height/3), 12) }

func (c *chat) invitation() string {
	switch {
	case c.paused:
		return "Enter goes on, or say what to do instead"
	case c.busy():
		return "write on; it is sent when the reply is done"
	}
	return "ask something; / for commands, ? for help"
}

// waiting are the prompts that wait for the end of the run.
func (c *chat) waiting() []string {
	const most = 3
	var out []string
	for i, q := range c.queue {
		if i == most {
			out = append(out, c.look.dim(fmt.Sprintf("  and %d more queued", len(c.queue)-most)))
			break
		}
		line, _, _ := strings.Cut(q, "\n")
		out = append(out, c.look.dim("  queued: "+termsafe.Line(line)))
	}
	return out
}

// news says what just happened, and that a run is under way. It is there even
// when it is empty, so that the page need not move.
func (c *chat) news() []string {
	life := c.life()
	if c.toast.text == "" {
		if life == "" && c.height <= 10 {
			return nil
		}
		return []string{c.look.dim(" " + life)}
	}
	paint := c.look.quiet
	if c.toast.bad {
		paint = c.look.bad
	}
	rows := strings.Split(ansi.Wordwrap(c.toast.text, max(c.width-2, 2), " "), "\n")
	for i, row := range rows {
		rows[i] = paint(" " + row)
	}
	rows[0] = pair(rows[0], c.look.dim(life), c.width)
	return rows[:min(len(rows), 3)]
}

// life is a sign that something is under way.
func (c *chat) life() string {
	r := c.run
	switch {
	case r != nil && r.cut:
		return "interrupting"
	case r != nil && len(c.asks) > 0:
		return "waiting for your answer"
	case r != nil:
		took := r.now.Sub(r.began)
		return fmt.Sprintf("%s working %s%s, Esc interrupts", sign(int(took/ticks)), span(took), r.doing())
	case c.starting && c.queued.try == 0:
		return "sending"
	}
	return ""
}

// quietTime is how long a command may be silent before that is said.
const quietTime = 10 * time.Second

// doing says what runs, where it takes long or says nothing.
func (r *run) doing() string {
	ran := r.now.Sub(r.since)
	if r.tool == "" || ran < quietTime {
		return ""
	}
	text := fmt.Sprintf(" (%s %s", r.tool, span(ran))
	if r.heard.IsZero() {
		return text + ", no output yet)"
	}
	if silent := r.now.Sub(r.heard); silent >= quietTime {
		return text + ", silent for " + span(silent) + ")"
	}
	return text + ")"
}

// span is a time in few letters.
func span(d time.Duration) string {
	switch s := int(d.Seconds()); {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm %02ds", s/60, s%60)
	default:
		return fmt.Sprintf("%dh %02dm", s/3600, s/60%60)
	}
}

// sign is a sign of life.
func sign(n int) string {
	signs := []string{"·", "•", "●", "•"}
	return signs[n%len(signs)]
}
