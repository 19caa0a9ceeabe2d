package tui

import (
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer"
)

// namesake is an intervention with a command of the chat.
type namesake string

func (namesake) Name() string { return "namesake" }

func (n namesake) Commands() []trimtab.Command { return []trimtab.Command{{Name: string(n)}} }

func (namesake) Steer(_ trimtab.Turn, m int) (int, []trimtab.Action) { return m, nil }

func TestNoInterventionTakesACommandOfTheChat(t *testing.T) {
	names := []string{"exit"} // another word for quit
	for _, c := range ownCommands() {
		names = append(names, c.Name)
	}
	for _, name := range names {
		_, err := steer.New(steer.Config{}, steer.With(trimtab.Use(namesake(name))))
		if err == nil || !strings.Contains(err.Error(), "the chat's own") {
			t.Errorf("/%s: %v", name, err)
		}
	}
}
