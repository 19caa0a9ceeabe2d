package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// longRun is how long a run takes for which a person may have gone elsewhere.
const longRun = 20 * time.Second

// ring calls a person who looks elsewhere: by the terminal's bell, which terminals and
// multiplexers turn into what the person chose for it.
func (c *chat) ring(took time.Duration) tea.Cmd {
	if !c.away && took < longRun {
		return nil
	}
	return tea.Raw("\a")
}
