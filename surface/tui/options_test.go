package tui_test

import (
	"testing"

	"github.com/trimtab/trimtab/surface/tui"
)

func TestAThemeOfTheSettingsComesBeforeTheLastChoice(t *testing.T) {
	for theme, want := range map[string]string{"last": "warm", "dark": "dark", "auto": "auto"} {
		if got := (tui.Config{Theme: theme}).Named("warm"); got != want {
			t.Errorf("%s: %s, want %s", theme, got, want)
		}
	}
}
