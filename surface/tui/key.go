package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab/surface/tui/edit"
)

// key takes a key. A dialog takes it before the chat, and the chat before the
// editor. What is pasted is not a key and never comes here.
func (c *chat) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if name != "ctrl+c" {
		c.leaving = false
	}
	if c.queued.try == 0 && c.toast.text != "" && c.opt.Clock().Sub(c.toast.at) > toastTime {
		c.toast, c.leaving = toast{}, false
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
	case "ctrl+s":
		return c.findIn(""), true
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

// leave clears what is written, else interrupts the run; twice in a row it leaves.
func (c *chat) leave() tea.Cmd {
	if c.leaving {
		return tea.Quit
	}
	c.leaving = true
	switch {
	case c.text.Empty() && c.interrupt():
		c.say("interrupted; Ctrl+C again exits")
		return nil
	case c.text.Empty():
		c.say("Ctrl+C again exits")
		return nil
	}
	c.text.Clear()
	c.given = given{}
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
	if c.typed.Sub(c.looked) > time.Second && !c.busy() { // another terminal may have changed the mode
		c.looked = c.typed
		return tea.Batch(c.refresh(), c.write(k, name))
	}
	return c.write(k, name)
}

func (c *chat) write(k tea.KeyPressMsg, name string) tea.Cmd {
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
			move(&c.text)
			break
		}
		if k.Text == "" || k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModSuper|tea.ModMeta) != 0 {
			return nil
		}
		if k.Text == "/" {
			c.setAside()
		}
		c.insert(k.Text)
	}
	c.bringBack()
	return c.suggest()
}

// moves are the keys that a person's fingers know from other editors.
var moves = map[string]func(*edit.Text){
	"left": (*edit.Text).Left, "ctrl+b": (*edit.Text).Left,
	"right": (*edit.Text).Right, "ctrl+f": (*edit.Text).Right,
	"home": (*edit.Text).Home, "ctrl+a": (*edit.Text).Home,
	"end": (*edit.Text).End, "ctrl+e": (*edit.Text).End,
	"alt+left": (*edit.Text).WordLeft, "ctrl+left": (*edit.Text).WordLeft, "alt+b": (*edit.Text).WordLeft,
	"alt+right": (*edit.Text).WordRight, "ctrl+right": (*edit.Text).WordRight, "alt+f": (*edit.Text).WordRight,
	"alt+<": (*edit.Text).Top, "alt+>": (*edit.Text).Bottom,
	"backspace": (*edit.Text).Backspace, "ctrl+h": (*edit.Text).Backspace, "shift+backspace": (*edit.Text).Backspace,
	"delete": (*edit.Text).Delete, "ctrl+d": (*edit.Text).Delete,
	"ctrl+w": (*edit.Text).KillWord, "alt+backspace": (*edit.Text).KillWord, "ctrl+backspace": (*edit.Text).KillWord,
	"alt+d": (*edit.Text).KillWordRight, "ctrl+delete": (*edit.Text).KillWordRight,
	"ctrl+u": (*edit.Text).KillBefore, "ctrl+k": (*edit.Text).KillAfter,
	"ctrl+y": func(e *edit.Text) { e.Yank() },
	"ctrl+z": (*edit.Text).Undo, "ctrl+_": (*edit.Text).Undo, "ctrl+/": (*edit.Text).Undo,
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
