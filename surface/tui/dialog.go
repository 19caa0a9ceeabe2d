package tui

import (
	tea "charm.land/bubbletea/v2"
)

// dialog stands in the editor's place and takes the keys.
type dialog interface {
	key(c *chat, k tea.KeyPressMsg) tea.Cmd
	paste(text string)
	scroll(lines int)
	// view draws at most height lines. The cursor is at x, y in them; y is
	// negative where there is none.
	view(c *chat, width, height int) (lines []string, x, y int)
}

func (c *chat) close() { c.dialog = nil }

// window is a part of many lines, with where it begins kept in range.
func window(lines []string, first *int, height int) []string {
	*first = max(0, min(*first, len(lines)-height))
	return lines[*first:min(len(lines), *first+height)]
}
