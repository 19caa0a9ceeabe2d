package tui

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/trimtab/trimtab/internal/termsafe"
)

// piece is a part of the footer. The pieces with the largest rank go first when
// the width is too small.
type piece struct {
	text  string
	short string // said instead before anything is dropped; "" is the same
	rank  int
	paint func(string) string
}

// footer says where one is. The mode is the last thing that a narrow terminal
// loses.
func (c *chat) footer() string {
	pieces := c.pieces()
	for !c.fits(pieces) {
		worst := -1
		for i, p := range pieces {
			if worst < 0 || p.rank >= pieces[worst].rank {
				worst = i
			}
		}
		switch p := &pieces[worst]; {
		case p.short != "" && p.short != p.text:
			p.text, p.short = p.short, ""
		case len(pieces) == 1:
			p.text = fit(p.text, c.width-1)
			return p.paint(p.text)
		default:
			pieces = append(pieces[:worst], pieces[worst+1:]...)
		}
	}
	var out []string
	for _, p := range pieces {
		out = append(out, p.paint(p.text))
	}
	return " " + strings.Join(out, c.look.dim(" · "))
}

func (c *chat) fits(pieces []piece) bool {
	n := 1
	for i, p := range pieces {
		if i > 0 {
			n += 3
		}
		n += ansi.StringWidth(p.text)
	}
	return n <= c.width
}

func (c *chat) pieces() []piece {
	l := &c.look
	all := []piece{{text: c.folder(), short: termsafe.Line(filepath.Base(c.opt.Folder)), rank: 5, paint: l.dim}}
	add := func(text string, rank int, paint func(string) string) {
		if text != "" {
			all = append(all, piece{text: termsafe.Line(text), rank: rank, paint: paint})
		}
	}
	add(c.branch, 7, l.dim)
	add(c.model, 2, l.dim)
	for _, st := range c.status {
		if st.By == "mode" {
			add(st.Text, 1, func(s string) string { return l.strong(l.steer(s)) })
		} else {
			add(st.Text, 4, l.steer)
		}
	}
	text, full := c.context()
	paint := l.dim
	switch {
	case full >= 90:
		paint = l.bad
	case full >= 65:
		paint = l.warn
	}
	add(text, 3, paint)
	if c.sum.any {
		add(tokens(c.sum.in)+" in "+tokens(c.sum.out)+" out", 8, l.dim)
		if c.sum.priced && c.sum.dollars > 0 {
			add(money(c.sum.dollars), 6, l.dim)
		}
	}
	add(c.jobs.footer(), 4, l.warn)
	if c.verbose {
		add("verbose", 9, l.dim)
	}
	add(c.agent.Sandbox, 10, l.dim)
	return all
}

func (c *chat) folder() string {
	dir := c.opt.Folder
	if rest, ok := strings.CutPrefix(dir, c.opt.Home); ok && c.opt.Home != "" && (rest == "" || rest[0] == filepath.Separator) {
		dir = "~" + rest
	}
	return termsafe.Line(dir)
}

// context is how much of the model's context the next request takes, with the reply
// that was just given; full is that in hundredths, 0 where the window is not known.
func (c *chat) context() (text string, full int) {
	used, m := c.used, c.session.Meter
	if used == 0 && m.Context > 0 {
		used = max(0, m.Context+m.Tokens(m.Bytes)-m.Tokens(m.ContextBytes))
	}
	if used == 0 {
		used = m.Tokens(m.Bytes)
	}
	if used == 0 {
		return "", 0
	}
	window := c.window
	if window == 0 && c.opt.Window != nil {
		window = c.opt.Window(c.model)
	}
	if window > 0 {
		full = (used*100 + window - 1) / window
		return fmt.Sprintf("context %d%%", full), full
	}
	return "context " + tokens(used), 0
}

// title is what the terminal's window is called.
func (c *chat) title() string {
	words := []string{"trimtab"}
	for _, st := range c.status {
		if st.By == "mode" {
			words = append(words, st.Text)
		}
	}
	name := c.session.Title
	if name == "" {
		name = filepath.Base(c.opt.Folder)
	}
	return termsafe.Line(strings.Join(append(words, name), " · "))
}
