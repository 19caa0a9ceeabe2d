package tui

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/trimtab/trimtab/internal/termsafe"
)

// menu is what the word under the cursor may become.
type menu struct {
	items []Item
	at    int
	word  int  // bytes before the cursor that the choice replaces
	moved bool // the person went through it
	shut  bool // the person closed it; the next key opens it again
}

const menuRows = 6

// files is what can be named with @.
type files struct {
	found
	asked bool
}

// found are the paths below a folder.
type found struct {
	dir  string
	list []string
}

// suggest brings the menu up to date with the text.
func (c *chat) suggest() tea.Cmd {
	before := c.text.Before()
	row, _ := c.text.At()
	c.menu = menu{}
	switch {
	case row == 0 && strings.HasPrefix(before, "/"):
		c.menu.items, c.menu.word = c.suggestCommand(before)
	default:
		at := strings.LastIndexAny(before, " \t") + 1
		if !strings.HasPrefix(before[at:], "@") {
			return nil
		}
		part := before[at+1:]
		if dir := path.Dir(part + "x"); !c.files.asked || c.files.dir != dir {
			return c.findFiles(dir, part)
		}
		c.menu.items = matchFiles(c.files.list, part)
		c.menu.word = len(before) - at
	}
	if len(c.menu.items) == 1 && c.menu.items[0].Name == before[len(before)-c.menu.word:] {
		c.menu = menu{} // it is written already
	}
	return nil
}

func (c *chat) findFiles(dir, part string) tea.Cmd {
	if c.opt.Files == nil {
		return nil
	}
	return func() tea.Msg {
		list, err := c.opt.Files(c.ctx, part)
		if err != nil {
			return told{err: err}
		}
		return found{dir, list}
	}
}

// suggestCommand completes a command, or its first argument.
func (c *chat) suggestCommand(before string) (items []Item, word int) {
	name, arg, spaced := strings.Cut(before[1:], " ")
	if !spaced {
		for _, cmd := range c.commands() {
			if strings.HasPrefix(cmd.Name, strings.ToLower(name)) {
				items = append(items, Item{Name: "/" + cmd.Name, Text: cmd.Short})
			}
		}
		return items, len(before)
	}
	if strings.Contains(arg, " ") {
		return nil, 0
	}
	for _, cmd := range c.commands() {
		if cmd.Name != name {
			continue
		}
		for _, v := range cmd.Values {
			if strings.HasPrefix(strings.ToLower(v), strings.ToLower(arg)) {
				items = append(items, Item{Name: v})
			}
		}
	}
	return items, len(arg)
}

// matchFiles returns the paths that fit best what was written of one: those whose
// name begins with it, those whose path does, those that hold it.
func matchFiles(all []string, part string) []Item {
	part = strings.ToLower(part)
	type hit struct {
		path string
		rank int
	}
	var hits []hit
	for _, p := range all {
		low := strings.ToLower(p)
		rank := 3
		switch {
		case strings.HasPrefix(low, part):
			rank = 0
		case strings.HasPrefix(path.Base(low), part):
			rank = 1
		case strings.Contains(low, part):
			rank = 2
		}
		if rank < 3 {
			hits = append(hits, hit{p, rank})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/")))
	})
	var items []Item
	for _, h := range hits[:min(len(hits), 50)] {
		items = append(items, Item{Name: "@" + h.path})
	}
	return items
}

// menuKey goes through an open menu.
func (c *chat) menuKey(name string) (tea.Cmd, bool) {
	n := len(c.menu.items)
	if n == 0 {
		if name == "tab" { // a tab is no text here
			return c.suggest(), true
		}
		return nil, false
	}
	switch name {
	case "up":
		c.menu.at, c.menu.moved = (c.menu.at+n-1)%n, true
	case "down":
		c.menu.at, c.menu.moved = (c.menu.at+1)%n, true
	case "tab":
		return c.complete(), true
	case "enter":
		if !c.menu.moved {
			return nil, false
		}
		return c.complete(), true
	default:
		return nil, false
	}
	return nil, true
}

// complete writes as much as is certain, or what was chosen.
func (c *chat) complete() tea.Cmd {
	m := c.menu
	word := m.items[m.at].Name
	if !m.moved && len(m.items) > 1 {
		typed := c.text.Before()
		typed = typed[len(typed)-m.word:]
		if common := commonStart(m.items); len(common) > len(typed) && strings.HasPrefix(strings.ToLower(common), strings.ToLower(typed)) {
			c.text.Replace(m.word, common)
			return c.suggest()
		}
	}
	if !strings.HasSuffix(word, "/") { // a folder is not the end
		word += " "
	}
	c.text.Replace(m.word, word)
	return c.suggest()
}

func commonStart(items []Item) string {
	start := items[0].Name
	for _, it := range items[1:] {
		for !strings.HasPrefix(it.Name, start) {
			start = start[:len(start)-1]
		}
	}
	return strings.ToValidUTF8(start, "")
}

// view draws the menu, a window around the choice.
func (m menu) view(l *look, width int) []string {
	if len(m.items) == 0 {
		return nil
	}
	first := max(0, min(m.at-menuRows/2, len(m.items)-menuRows))
	last := min(len(m.items), first+menuRows)
	wide := 0
	for _, it := range m.items[first:last] {
		wide = max(wide, ansi.StringWidth(it.Name))
	}
	wide = min(wide, max(8, width/2))
	var out []string
	for i, it := range m.items[first:last] {
		name := fit(termsafe.Line(it.Name), wide)
		name += strings.Repeat(" ", wide-ansi.StringWidth(name))
		if first+i == m.at {
			name = l.badge("▸ " + name)
		} else {
			name = "  " + name
		}
		out = append(out, fit("  "+name+"  "+l.dim(termsafe.Line(it.Text)), width))
	}
	if rest := len(m.items) - last; rest > 0 && width > 20 {
		more := fmt.Sprintf("%d more ↓", rest)
		out[len(out)-1] = pair(fit(out[len(out)-1], width-ansi.StringWidth(more)-2), l.dim(more), width)
	}
	return out
}
