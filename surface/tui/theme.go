package tui

import (
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab/surface/tui/page"
)

// themeAuto goes by what the terminal says of its background.
const themeAuto = "auto"

var themeWords = map[string]string{
	themeAuto: "by the terminal's background", "dark": "for a dark background", "light": "for a light one", "warm": "dark, in the colours of paper and lamps",
	"contrast": "dark, with much contrast", "basic": "the terminal's own 16 colours", "plain": "no colours",
}

func themeNames() []string {
	return append([]string{themeAuto}, slices.Sorted(maps.Keys(page.Named()))...)
}

// chooseTheme lists the themes, each shown while the arrows are on it, or takes one.
func (c *chat) chooseTheme(name string) tea.Cmd {
	before := c.look.named
	if name != "" {
		if !slices.Contains(themeNames(), name) {
			c.complain("no theme " + name + "; /theme lists them")
			return nil
		}
		c.wear(name)
		return c.keepTheme(name)
	}
	d := newPick("theme", "filter the themes")
	d.now = before
	for _, n := range themeNames() {
		d.items = append(d.items, Item{Name: n, Text: themeWords[n]})
		if n == before {
			d.at = len(d.items) - 1
		}
	}
	d.moved = func(c *chat, it Item) { c.wear(it.Name) }
	d.left = func(c *chat) { c.wear(before) }
	d.choose = func(c *chat, it Item) tea.Cmd {
		c.wear(it.Name)
		return c.keepTheme(it.Name)
	}
	c.dialog = d
	return nil
}

// wear draws everything in a theme.
func (c *chat) wear(name string) {
	if name != c.look.named {
		c.look.named = name
		c.page.SetTheme(c.look.choose())
	}
}

func (c *chat) keepTheme(name string) tea.Cmd {
	c.say("Theme: " + name)
	if c.opt.KeepTheme == nil {
		return nil
	}
	return func() tea.Msg {
		if err := c.opt.KeepTheme(name); err != nil {
			return told{err: err}
		}
		return nil
	}
}
