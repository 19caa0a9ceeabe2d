package tui

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestChat_A7_AKeyIsEnteredInTheChat: typed or pasted, never shown, and a keyring that
// does not take it is told of.
func TestChat_A7_AKeyIsEnteredInTheChat(t *testing.T) {
	var name, value string
	var fails error
	on(t, setup{options: func(o *Options) {
		o.Keys = func() []Item {
			return []Item{{Name: "anthropic", Key: "ANTHROPIC_API_KEY"}, {Name: "openai", Key: "OPENAI_API_KEY"}}
		}
		o.SaveKey = func(n, v string) error { name, value = n, v; return fails }
	}}, func(b *bench) {
		b.press("/login", "enter")
		b.sees("anthropic", "openai")
		b.press("down", "enter")
		b.sees("the key of openai")
		b.tell(tea.PasteMsg{Content: " sk-canary\n"})
		b.press("1")
		b.misses("canary")
		b.press("enter")
		b.sees("the key of openai is kept")
		if name != "OPENAI_API_KEY" || value != "sk-canary1" {
			t.Errorf("%s=%s", name, value)
		}
		fails = errors.New("the keyring is locked")
		b.press("/login anthropic", "enter", "sk-other", "enter")
		b.sees("login: the keyring is locked")
		b.misses("sk-other")
		if strings.Contains(b.page.Text(), "sk-") || len(b.past.entries) > 0 && strings.Contains(strings.Join(b.past.entries, " "), "sk-") {
			t.Error("the key is in the transcript or in what was typed")
		}
	})
}

// TestChat_A7_AChosenModelIsRemembered, and only one that the person chose.
func TestChat_A7_AChosenModelIsRemembered(t *testing.T) {
	var kept []string
	on(t, setup{options: func(o *Options) { o.Keep = func(m string) error { kept = append(kept, m); return nil } }}, func(b *bench) {
		b.press("/model gone", "enter")
		if len(kept) > 0 {
			t.Errorf("kept %q", kept)
		}
		b.press("/model anthropic/large", "enter")
		if len(kept) != 1 || kept[0] != "anthropic/large" {
			t.Errorf("kept %q", kept)
		}
	})
}
