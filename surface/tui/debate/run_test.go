package debate

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestTheHintIsNeverCut(t *testing.T) {
	for width := 10; width <= 200; width++ {
		text := hint(width)
		if n := len([]rune(text)); n > width || strings.Contains(text, "…") {
			t.Errorf("%d columns: %q", width, text)
		}
		if width >= 20 && (!strings.Contains(text, "/help") || !strings.Contains(text, "Ctrl+C stops")) {
			t.Errorf("%d columns do not say how to get help and how to stop: %q", width, text)
		}
	}
}

func TestTheLineIsEditedAsInTheChat(t *testing.T) {
	s := &screen{}
	s.text.Insert("no, two words")
	for _, k := range []tea.KeyPressMsg{
		{Code: 'a', Mod: tea.ModCtrl},
		{Code: tea.KeyDelete},
		{Code: tea.KeyDelete},
		{Code: tea.KeyDelete},
		{Code: tea.KeyDelete},
		{Code: 'e', Mod: tea.ModCtrl},
		{Code: tea.KeyLeft},
		{Code: 'k', Mod: tea.ModCtrl},
	} {
		s.key(k)
	}
	if got := s.text.String(); got != "two word" {
		t.Errorf("the line is %q", got)
	}
}
