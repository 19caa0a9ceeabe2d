package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// key takes a key. A dialog takes it before the chat, and the chat before the
// editor. What is pasted is not a key and never comes here.
func (c *chat) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if name != "ctrl+c" {
		c.leaving = false
	}
	if name == "ctrl+l" {
		return tea.ClearScreen
	}
	if d := c.shown(); d != nil {
		return d.key(c, k)
	}
	if c.chord {
		c.chord = false
		if name == "ctrl+e" {
			return c.external()
		}
	}
	if cmd, taken := c.global(name); taken {
		return cmd
	}
	if cmd, taken := c.menuKey(name); taken {
		return cmd
	}
	return c.editKey(k, name)
}

// global are the keys of the chat itself.
func (c *chat) global(name string) (tea.Cmd, bool) {
	switch name {
	case "shift+tab":
		return c.ask("mode", "+"), true
	case "ctrl+shift+tab":
		return c.ask("mode", "-"), true
	case "ctrl+n":
		return c.fresh(), true
	case "ctrl+o":
		c.verbose = !c.verbose
		c.page.SetVerbose(c.verbose)
		if c.verbose {
			c.say("verbose: every note of steering is shown with its reason")
		} else {
			c.say("notes of steering are hidden")
		}
	case "ctrl+t":
		c.page.ToggleAll()
	case "ctrl+c":
		return c.leave(), true
	case "ctrl+d":
		if !c.text.Empty() {
			return nil, false
		}
		return tea.Quit, true
	case "esc":
		return c.escape(), true
	case "pgup", "shift+pgup":
		c.page.PageUp()
	case "pgdown", "shift+pgdown":
		c.page.PageDown()
	case "shift+up":
		c.page.Scroll(-1)
	case "shift+down":
		c.page.Scroll(1)
	case "ctrl+home":
		c.page.Top()
	case "ctrl+end":
		c.page.Bottom()
	case "ctrl+r":
		return c.searchPast(), true
	case "ctrl+g":
		return c.external(), true
	case "ctrl+x":
		c.chord = true
	case "f1":
		c.dialog = c.help()
	case "?":
		if !c.text.Empty() {
			return nil, false
		}
		c.dialog = c.help()
	default:
		return nil, false
	}
	return nil, true
}

// leave clears what is written; twice in a row it leaves.
func (c *chat) leave() tea.Cmd {
	if c.leaving {
		return tea.Quit
	}
	c.leaving = true
	if c.text.Empty() {
		c.say("Ctrl+C again exits")
		return nil
	}
	c.text.Clear()
	c.suggest()
	c.say("cleared; Ctrl+Z brings it back, Ctrl+C again exits")
	return nil
}

// escape closes, interrupts or gives up, whatever is nearest.
func (c *chat) escape() tea.Cmd {
	if len(c.menu.items) > 0 {
		c.menu = menu{shut: true}
		return nil
	}
	if c.interrupt() {
		return nil
	}
	if cmd, ok := c.giveUp(); ok {
		return cmd
	}
	c.toast = toast{}
	return nil
}

// editKey writes.
func (c *chat) editKey(k tea.KeyPressMsg, name string) tea.Cmd {
	c.typed = c.opt.Clock()
	switch name {
	case "enter":
		if before := c.text.Before(); strings.HasSuffix(before, `\`) { // for terminals that have no Shift+Enter
			c.text.Replace(1, "")
			c.text.Insert("\n")
			break
		}
		return c.submit()
	case "shift+enter", "alt+enter", "ctrl+enter", "ctrl+j":
		c.insert("\n")
	case "up", "ctrl+p":
		if !c.text.Up(c.textWidth()) {
			return c.older()
		}
	case "down":
		if !c.text.Down(c.textWidth()) {
			c.newer()
		}
	default:
		if move := moves[name]; move != nil {
			move(c)
			break
		}
		if k.Text == "" || k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModSuper|tea.ModMeta) != 0 {
			return nil
		}
		c.insert(k.Text)
	}
	return c.suggest()
}

// moves are the keys that a person's fingers know from other editors.
var moves = map[string]func(*chat){
	"left": func(c *chat) { c.text.Left() }, "ctrl+b": func(c *chat) { c.text.Left() },
	"right": func(c *chat) { c.text.Right() }, "ctrl+f": func(c *chat) { c.text.Right() },
	"home": func(c *chat) { c.text.Home() }, "ctrl+a": func(c *chat) { c.text.Home() },
	"end": func(c *chat) { c.text.End() }, "ctrl+e": func(c *chat) { c.text.End() },
	"alt+left": func(c *chat) { c.text.WordLeft() }, "ctrl+left": func(c *chat) { c.text.WordLeft() }, "alt+b": func(c *chat) { c.text.WordLeft() },
	"alt+right": func(c *chat) { c.text.WordRight() }, "ctrl+right": func(c *chat) { c.text.WordRight() }, "alt+f": func(c *chat) { c.text.WordRight() },
	"alt+<": func(c *chat) { c.text.Top() }, "alt+>": func(c *chat) { c.text.Bottom() },
	"backspace": func(c *chat) { c.text.Backspace() }, "ctrl+h": func(c *chat) { c.text.Backspace() }, "shift+backspace": func(c *chat) { c.text.Backspace() },
	"delete": func(c *chat) { c.text.Delete() }, "ctrl+d": func(c *chat) { c.text.Delete() },
	"ctrl+w": func(c *chat) { c.text.KillWord() }, "alt+backspace": func(c *chat) { c.text.KillWord() }, "ctrl+backspace": func(c *chat) { c.text.KillWord() },
	"alt+d": func(c *chat) { c.text.KillWordRight() }, "ctrl+delete": func(c *chat) { c.text.KillWordRight() },
	"ctrl+u": func(c *chat) { c.text.KillBefore() }, "ctrl+k": func(c *chat) { c.text.KillAfter() },
	"ctrl+y": func(c *chat) { c.text.Yank() },
	"ctrl+z": func(c *chat) { c.text.Undo() }, "ctrl+_": func(c *chat) { c.text.Undo() }, "ctrl+/": func(c *chat) { c.text.Undo() },
}

func (c *chat) insert(text string) {
	if !c.text.Insert(text) {
		c.complain("the text is too long; put it into a file and name that with @")
	}
}

// paste takes what was pasted as text, whatever it holds.
func (c *chat) paste(text string) tea.Cmd {
	if d := c.shown(); d != nil {
		d.paste(text)
		return nil
	}
	c.typed = c.opt.Clock()
	c.insert(text)
	return c.suggest()
}

func (c *chat) wheel(m tea.MouseWheelMsg) {
	by := 0
	switch m.Button {
	case tea.MouseWheelUp:
		by = -3
	case tea.MouseWheelDown:
		by = 3
	}
	if d := c.shown(); d != nil {
		d.scroll(by)
		return
	}
	c.page.Scroll(by)
}

// click opens or folds what a tool returned.
func (c *chat) click(m tea.MouseClickMsg) {
	if id, ok := c.page.At(m.Y); ok && m.Button == tea.MouseLeft && c.shown() == nil {
		c.page.Toggle(id)
	}
}
