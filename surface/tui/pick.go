package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/surface/tui/edit"
)

// pick is a list to choose from, filtered by what is typed.
type pick struct {
	title  string
	hint   string // what typing does
	keys   string // further keys, for the last line
	none   string // said of an empty list
	now    string // the item that is in force
	items  []Item
	fill   func(c *chat) []Item // asked at each draw; nil: items stay as they are
	choose func(c *chat, it Item) tea.Cmd
	other  func(c *chat, name string) (tea.Cmd, bool) // a key of this list's own; may be nil
	moved  func(c *chat, it Item)                     // told where the arrows are; may be nil
	left   func(c *chat)                              // told that nothing was chosen; may be nil
	wait   bool                                       // the items are on their way

	filter edit.Text
	at     int
}

func newPick(title, hint string) *pick { return &pick{title: title, hint: hint} }

// shown are the items that hold every word of the filter.
func (d *pick) shown(c *chat) []Item {
	if d.fill != nil {
		d.items = d.fill(c)
	}
	words := strings.Fields(strings.ToLower(d.filter.String()))
	var out []Item
next:
	for _, it := range d.items {
		text := strings.ToLower(it.Name + " " + it.Text)
		for _, w := range words {
			if !strings.Contains(text, w) {
				continue next
			}
		}
		out = append(out, it)
	}
	d.at = max(0, min(d.at, len(out)-1))
	return out
}

func (d *pick) key(c *chat, k tea.KeyPressMsg) tea.Cmd {
	items := d.shown(c)
	name := k.String()
	if d.other != nil {
		if cmd, taken := d.other(c, name); taken {
			return cmd
		}
	}
	switch name {
	case "esc", "ctrl+c":
		c.close()
		if d.left != nil {
			d.left(c)
		}
		return nil
	case "up", "ctrl+p":
		d.at--
	case "down", "ctrl+n":
		d.at++
	case "pgup":
		d.at -= 10
	case "pgdown":
		d.at += 10
	case "home":
		d.at = 0
	case "end":
		d.at = len(items)
	case "enter":
		return d.enter(c, items)
	case "backspace":
		d.filter.Backspace()
	case "ctrl+w":
		d.filter.KillWord()
	case "ctrl+u":
		d.filter.Clear()
	default:
		if k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt) == 0 {
			d.filter.Insert(k.Text)
			d.at = 0
		}
	}
	if items = d.shown(c); d.moved != nil && len(items) > 0 {
		d.moved(c, items[d.at])
	}
	return nil
}

func (d *pick) enter(c *chat, items []Item) tea.Cmd {
	if len(items) == 0 {
		return nil
	}
	it := items[d.at]
	if it.Off != "" {
		c.complain(it.Name + ": " + it.Off)
		return nil
	}
	c.close()
	c.toast = toast{}
	return d.choose(c, it)
}

func (d *pick) paste(text string) {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	d.filter.Insert(line)
}

func (d *pick) scroll(lines int) { d.at += lines / 3 }

func (d *pick) view(c *chat, width, height int) (lines []string, x, y int) {
	items := d.shown(c)
	l := &c.look
	filter := termsafe.Line(d.filter.String())
	head := l.accent(" "+d.title) + "  "
	x = ansi.StringWidth(head) + ansi.StringWidth(filter)
	if filter == "" {
		filter = l.dim(d.hint)
	}
	lines = append(lines, fit(head+filter, width))
	rows := max(1, height-3)
	first := max(0, min(d.at-rows/2, len(items)-rows))
	last := min(len(items), first+rows)
	wide := d.wide(items[first:last], width)
	for i, it := range items[first:last] {
		lines = append(lines, d.row(l, it, first+i == d.at, wide, width))
	}
	switch {
	case d.wait:
		lines = append(lines, l.dim("   loading"))
	case len(d.items) == 0:
		lines = append(lines, l.dim("   "+d.none))
	case len(items) == 0:
		lines = append(lines, l.dim("   no matches"))
	}
	keys := "Enter chooses, Esc closes" + d.keys
	if len(items) > rows {
		keys = fmt.Sprintf("%d of %d, ", d.at+1, len(items)) + keys
	}
	return append(lines, l.dim(fit(" "+keys, width))), x, 0
}

func (d *pick) wide(items []Item, width int) int {
	wide := 0
	for _, it := range items {
		wide = max(wide, ansi.StringWidth(termsafe.Line(it.Name)))
	}
	if len(items) > 0 && items[0].Text == "" {
		return width - 4
	}
	return min(wide, max(10, width/2))
}

func (d *pick) row(l *look, it Item, here bool, wide, width int) string {
	name := fit(termsafe.Line(it.Name), wide)
	name += strings.Repeat(" ", max(0, wide-ansi.StringWidth(name)))
	text := it.Text
	if it.Off != "" {
		text = it.Off
	}
	switch {
	case here:
		name = l.accent(" ▸ " + name)
	case it.Off != "":
		name = l.dim("   " + name)
	default:
		name = "   " + name
	}
	if text != "" {
		name += "  " + l.dim(termsafe.Line(text))
	}
	return fit(name, width)
}
