package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// past is what the person typed before, oldest first.
type past struct {
	entries []string
	at      int    // entries that were gone back by; 0 is what is being written
	draft   string // what was being written before going back
	asked   bool   // earlier sessions were looked up
}

const maxRecalled = 1000

// push adds what was sent.
func (p *past) push(text string) {
	p.entries = append(slices.DeleteFunc(p.entries, func(s string) bool { return s == text }), text)
	p.at, p.draft = 0, ""
}

// recalled is what was typed in earlier sessions.
type recalled []string

// add puts what earlier sessions hold in front of what this one does.
func (p *past) add(earlier recalled) {
	seen := map[string]bool{}
	for _, s := range p.entries {
		seen[s] = true
	}
	var front []string
	for _, s := range slices.Backward(earlier) {
		if s = strings.TrimSpace(s); s != "" && !seen[s] && len(front) < maxRecalled {
			seen[s] = true
			front = append(front, s)
		}
	}
	slices.Reverse(front)
	p.entries = append(front, p.entries...)
}

// lookUp asks once for what earlier sessions hold.
func (c *chat) lookUp() tea.Cmd {
	if c.past.asked || c.opt.Recall == nil {
		return nil
	}
	c.past.asked = true
	return func() tea.Msg {
		all, err := c.opt.Recall(c.ctx)
		if err != nil {
			return told{err: err}
		}
		return recalled(all)
	}
}

// older shows what was typed before.
func (c *chat) older() tea.Cmd {
	p := &c.past
	if p.at < len(p.entries) {
		if p.at == 0 {
			p.draft = c.text.String()
		}
		p.at++
		c.text.Set(p.entries[len(p.entries)-p.at])
	}
	c.menu = menu{shut: true}
	return c.lookUp()
}

// newer comes back toward what was being written.
func (c *chat) newer() {
	p := &c.past
	if p.at == 0 {
		return
	}
	p.at--
	text := p.draft
	if p.at > 0 {
		text = p.entries[len(p.entries)-p.at]
	}
	c.text.Set(text)
	c.menu = menu{shut: true}
}

// searchPast lists what was typed, the newest first.
func (c *chat) searchPast() tea.Cmd {
	d := newPick("history", "filter what you typed")
	d.fill = func(c *chat) []Item {
		var items []Item
		for _, s := range slices.Backward(c.past.entries) {
			items = append(items, Item{Name: s})
		}
		return items
	}
	d.choose = func(c *chat, it Item) tea.Cmd {
		c.text.Set(it.Name)
		return nil
	}
	d.none = "nothing was typed yet"
	c.dialog = d
	return c.lookUp()
}
