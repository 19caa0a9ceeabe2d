package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/sessiontext"
	"github.com/trimtab/trimtab/internal/plural"
)

// showStatus tells what steers the session: its state, its price, every note that
// lives, with its reason, and what merely stands in the history.
func (c *chat) showStatus() tea.Cmd {
	id, model := c.session.ID, c.model
	if id == "" {
		c.page.Notice("no session yet: it begins with your first prompt or command\nmodel   " + model)
		return nil
	}
	return func() tea.Msg {
		s, err := c.opt.Service.Session(c.ctx, id)
		if err != nil {
			return told{err: err}
		}
		return told{text: statusText(s, model, c.opt.Service.Engine().Status(s))}
	}
}

func statusText(s trimtab.Session, model string, status []trimtab.Status) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-8s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("session", "%s  %s", s.ID, s.Title)
	line("model", "%s", model)
	line("step", "%d, %s, about %s", s.Step, plural.Count(s.Seq, "message"), plural.Count(s.Meter.Tokens(s.Meter.Bytes), "token"))
	for _, st := range status {
		line(st.By, "%s", sessiontext.StatusRow(st))
	}
	line("price", "%s of notes so far, %d of cached prefix given up", plural.Count(s.Meter.Added, "token"), s.Meter.Lost)
	for _, st := range sessiontext.NoteRows(s) {
		line(st.By, "%s", st.Text)
	}
	return strings.TrimRight(b.String(), "\n")
}
