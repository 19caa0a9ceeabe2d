//go:build unix && screens

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/term"
)

// TestScreens draws the pictures of the README from the real chat: make screens.
func TestScreens(t *testing.T) {
	d := newChatEnv(t, nil)
	d.env = slices.DeleteFunc(d.env, func(v string) bool { return strings.HasPrefix(v, "ANTHROPIC") })
	d.env = append(d.env, "OLLAMA_HOST=127.0.0.1:1", "COLORTERM=truecolor")
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(d.dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("mill.go", "package mill\n\n// TODO: sails\nfunc Grind(corn int) (flour int) { return corn }\n")
	write("docs/plan.md", "# Plan\n\n- FIXME: the wind\n")
	save := func(c *term.Terminal, name string) {
		c.See(func(s *term.Screen) {
			if err := os.WriteFile(filepath.Join("..", "..", "docs", name), s.SVG(), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
	c := d.sit(96, 28)
	c.Type(ctrlO)
	c.Wait("verbose")
	c.Type(shiftTab)
	c.Wait("Mode: PLANNING")
	c.Type("automata: tidy this folder" + enter)
	c.Wait("I only looked", "> ask something")
	save(c, "chat.svg")
	c.Type("\x1b[1;5H") // Ctrl+Home
	c.Wait("first prompt in PLANNING")
	save(c, "notes.svg")
}
