package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/surface/tui/page"
)

// maxHits is how many lines a search lists.
const maxHits = 200

// findIn searches the conversation while the person types; what is chosen comes to the top
// of the screen.
func (c *chat) findIn(words string) tea.Cmd {
	d := newPick("find", "what was said or done here")
	d.filter.Insert(words)
	d.none = "nothing here holds these words"
	var hits []page.Hit
	last := "\x00"
	d.fill = func(c *chat) []Item {
		text := d.filter.String()
		if text != last {
			last, hits = text, nil
			if fields := strings.Fields(strings.ToLower(text)); len(fields) > 0 {
				hits = c.page.Find(fields, maxHits)
			}
		}
		items := make([]Item, len(hits))
		for i, h := range hits {
			items[i] = Item{Name: h.Line, Key: fmt.Sprint(int(h.ID))}
		}
		return items
	}
	d.choose = func(c *chat, it Item) tea.Cmd {
		for _, h := range hits {
			if fmt.Sprint(int(h.ID)) == it.Key {
				c.page.Show(h.ID)
				c.say("Ctrl+End comes back to the end, Ctrl+S searches again")
				break
			}
		}
		return nil
	}
	c.dialog = d
	return nil
}

// maxCopied is what terminals take for the clipboard, in bytes, with some to spare.
const maxCopied = 72 << 10

// copyOut puts a piece of the conversation on the clipboard, through the terminal: it works
// over SSH and needs no other program.
func (c *chat) copyOut(what string) tea.Cmd {
	text, name := "", "the last reply"
	switch what {
	case "", "reply":
		text = c.page.LastReply()
	case "code":
		text, name = lastCode(c.page.LastReply()), "the last code of the reply"
	case "all":
		text, name = c.page.Text(), "the conversation"
	default:
		c.complain("/copy copies the last reply; /copy code its last code, /copy all the conversation")
		return nil
	}
	switch {
	case text == "":
		c.complain("there is nothing to copy: no " + strings.TrimPrefix(name, "the "))
		return nil
	case len(text) > maxCopied:
		c.complain(name + " is too long for the clipboard; /export FILE.md writes it to a file")
		return nil
	}
	c.say("copied " + name + ", " + plural.Count(strings.Count(strings.TrimRight(text, "\n"), "\n")+1, "line"))
	return tea.SetClipboard(text)
}

// lastCode is the last fenced code of a text.
func lastCode(text string) string {
	code, fence := "", ""
	var open []string
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		switch {
		case fence == "" && (strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")):
			fence, open = bare[:3], nil
		case fence != "" && strings.HasPrefix(bare, fence):
			code, fence = strings.Join(open, ""), ""
		case fence != "":
			open = append(open, line)
		}
	}
	return code
}
