package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/surface/tui/edit"
)

// login asks for a provider's key.
func (c *chat) login(provider string) tea.Cmd {
	if c.opt.Keys == nil || c.opt.SaveKey == nil {
		c.complain("keys cannot be entered here")
		return nil
	}
	items := c.opt.Keys()
	for _, it := range items {
		if provider != "" && (strings.EqualFold(it.Name, provider) || strings.EqualFold(it.Key, provider)) {
			c.dialog = &secret{of: it}
			return nil
		}
	}
	d := newPick("login", "filter the providers")
	d.items, d.none = items, "no provider takes a key"
	d.choose = func(c *chat, it Item) tea.Cmd {
		c.dialog = &secret{of: it}
		return nil
	}
	c.dialog = d
	return nil
}

// secret takes a key that is typed or pasted, and never shows it.
type secret struct {
	of   Item
	text edit.Text
}

// saved is a key that was entered.
type saved struct {
	of  Item
	err error
}

func (d *secret) key(c *chat, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "esc", "ctrl+c":
		c.close()
	case "enter":
		value := strings.TrimSpace(d.text.String())
		if value == "" {
			return nil
		}
		c.close()
		of, save := d.of, c.opt.SaveKey
		return func() tea.Msg { return saved{of, save(of.Key, value)} }
	case "backspace":
		d.text.Backspace()
	case "ctrl+u":
		d.text.Clear()
	default:
		if k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt) == 0 {
			d.text.Insert(k.Text)
		}
	}
	return nil
}

func (d *secret) paste(text string) { d.text.Insert(strings.TrimSpace(text)) }

func (d *secret) scroll(int) {}

func (d *secret) view(c *chat, width, _ int) (lines []string, x, y int) {
	l := &c.look
	dots := strings.Repeat("•", min(d.text.Size(), max(width-4, 1)))
	return []string{
		fit(l.accent(" login")+"  the key of "+l.strong(termsafe.Line(d.of.Name))+", as "+termsafe.Line(d.of.Key), width),
		l.accent(" > ") + dots,
		l.dim(fit(" Enter keeps it in the system's keyring, Esc closes; it is not shown, stored or logged elsewhere", width)),
	}, 3 + len([]rune(dots)), 1
}

func (c *chat) saved(s saved) tea.Cmd {
	if s.err != nil {
		c.page.Fault("login: " + c.opt.Explain(s.err))
		return nil
	}
	c.say("the key of " + s.of.Name + " is kept; /model chooses one of its models")
	if c.model == "demo" && c.opt.Model == "" { // now there is a better default
		return c.choose("")
	}
	return nil
}
