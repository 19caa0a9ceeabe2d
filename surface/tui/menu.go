package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/surface/tui/fuzzy"
)

// menu is what the word under the cursor may become.
type menu struct {
	items []Item
	at    int
	word  int  // bytes before the cursor that the choice replaces
	moved bool // the person went through it
	shut  bool // the person closed it; the next key opens it again
}

const (
	menuRows   = 6
	maxMatches = 50
)

// files is what can be named with @. While it is read anew, what was there serves.
type files struct {
	index *fuzzy.Index // nil until it was read
	fresh bool         // nothing was changed since
	asked bool         // it is being read
}

// found are the paths of the project.
type found struct {
	index *fuzzy.Index
	err   error
}

// suggest brings the menu up to date with the text.
func (c *chat) suggest() tea.Cmd {
	before := c.text.Before()
	row, _ := c.text.At()
	c.menu = menu{}
	var cmd tea.Cmd
	if row == 0 && strings.HasPrefix(before, "/") {
		c.menu.items, c.menu.word = c.suggestCommand(before)
	} else {
		at, part, ok := namedFile(before)
		if !ok {
			return nil
		}
		cmd = c.findFiles()
		c.menu.items = c.matchFiles(part)
		c.menu.word = len(before) - at
	}
	if len(c.menu.items) == 1 && c.menu.items[0].Name == before[len(before)-c.menu.word:] {
		c.menu = menu{} // it is written already
	}
	return cmd
}

// namedFile finds the file that is being named at the end of a line: where its @ stands,
// and what is written of it. One with blanks stands in quotes.
func namedFile(before string) (at int, part string, ok bool) {
	if at = strings.LastIndex(before, `@"`); at >= 0 && begins(before, at) && !strings.Contains(before[at+2:], `"`) {
		return at, before[at+2:], true
	}
	at = strings.LastIndexAny(before, " \t") + 1
	part, ok = strings.CutPrefix(before[at:], "@")
	return at, part, ok && !strings.Contains(part, `"`)
}

// begins reports whether a word begins there.
func begins(text string, at int) bool { return at == 0 || text[at-1] == ' ' || text[at-1] == '\t' }

// findFiles reads which files there are, unless that is known.
func (c *chat) findFiles() tea.Cmd {
	if c.opt.Files == nil || c.files.fresh || c.files.asked {
		return nil
	}
	c.files.asked = true
	return func() tea.Msg {
		list, err := c.opt.Files(c.ctx)
		if err != nil {
			return found{err: err}
		}
		return found{index: fuzzy.New(list)}
	}
}

func (c *chat) found(f found) tea.Cmd {
	if f.err != nil {
		c.files = files{fresh: true} // else every key would ask again
		return func() tea.Msg { return told{err: f.err} }
	}
	c.files = files{index: f.index, fresh: true}
	return c.suggest()
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

// matchFiles returns the paths that fit best what was written of one.
func (c *chat) matchFiles(part string) (items []Item) {
	if c.files.index == nil {
		if c.files.asked {
			return []Item{{Name: "@" + part, Text: "reading the names of files"}}
		}
		return nil
	}
	for _, p := range c.files.index.Match(strings.TrimPrefix(part, "./"), maxMatches) {
		items = append(items, Item{Name: naming(p)})
	}
	return items
}

// naming is how a prompt names a file.
func naming(path string) string {
	switch {
	case !strings.ContainsAny(path, " \t"):
		return "@" + path
	case strings.HasSuffix(path, "/"): // a folder is not the end
		return `@"` + path
	}
	return `@"` + path + `"`
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

// complete writes as much of a command as is certain, or what is marked.
func (c *chat) complete() tea.Cmd {
	m := c.menu
	word := m.items[m.at].Name
	if !m.moved && len(m.items) > 1 && len(m.items) < maxMatches && word[0] != '@' { // files are found by any letters: the marked one is meant
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
			name = l.accent("▸ " + name)
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
