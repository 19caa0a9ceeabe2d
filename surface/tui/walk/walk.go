// Package walk shows a person, on a terminal, the notes that would be given in recorded
// sessions, and hands their keys on. What a key means and what stands on the screen is
// decided by replay/judge; it reads and writes no file itself.
//
//	err := walk.Run(ctx, judge.NewWalk(sessions, book))
package walk

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab/replay/judge"
)

// screen is the walk as a program of a terminal.
type screen struct {
	walk          *judge.Walk
	width, height int
}

// Run walks until the person ends it or ctx does. Whatever was said until then is saved.
func Run(ctx context.Context, w *judge.Walk) error {
	_, err := tea.NewProgram(&screen{walk: w, width: 80, height: 24}, tea.WithContext(ctx)).Run()
	if errors.Is(err, context.Canceled) || errors.Is(err, tea.ErrInterrupted) {
		return nil // an end, not an error
	}
	return err
}

// Init asks for nothing: the size comes by itself.
func (s *screen) Init() tea.Cmd { return nil }

// Update hands keys on.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		if s.walk.Key(msg.String()) {
			return s, tea.Quit
		}
	}
	return s, nil
}

// View is the screen as it is now.
func (s *screen) View() tea.View {
	v := tea.NewView(s.walk.View(s.width, s.height))
	v.AltScreen = true
	return v
}
