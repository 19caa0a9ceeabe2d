//go:build unix && screens

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/internal/term"
)

// saveScreen writes what a terminal shows as a picture of the documents.
func saveScreen(t *testing.T, c *term.Terminal, name string) {
	t.Helper()
	c.See(func(s *term.Screen) {
		if err := os.WriteFile(filepath.Join("..", "..", "docs", name), s.SVG(), 0o644); err != nil {
			t.Fatal(err)
		}
	})
}

// TestScreens_Chat draws what the chat is for: an edit with its diff, a claim that nobody
// checked, and what became of it. The model plays a script; files, commands and steering are real.
func TestScreens_Chat(t *testing.T) {
	call := func(id, tool, input string) fakemodel.Call {
		return fakemodel.Call{ID: id, Name: tool, Input: json.RawMessage(input)}
	}
	d := newChatEnv(t, fakemodel.Replies(
		fakemodel.Reply{Calls: []fakemodel.Call{call("a", "read", `{"path":"mill.py"}`)}},
		fakemodel.Reply{Calls: []fakemodel.Call{call("b", "edit", `{"path":"mill.py","old_text":"def grind(corn):\n","new_text":"def grind(corn):\n    if corn < 0:\n        raise CornError(\"negative corn\")\n"}`)}},
		fakemodel.Reply{Text: "`grind` refuses negative corn now. All tests pass."},
		fakemodel.Reply{Text: "That is right, I did not run them.", Calls: []fakemodel.Call{call("c", "bash", `{"command":"python3 -m unittest"}`)}},
		fakemodel.Reply{Text: "They fail: there is no `CornError`. The test wants a `ValueError`.", Calls: []fakemodel.Call{call("d", "edit", `{"path":"mill.py","old_text":"raise CornError","new_text":"raise ValueError"}`), call("e", "bash", `{"command":"python3 -m unittest"}`)}},
		fakemodel.Reply{Text: "Mended. Now the tests do pass."}))
	d.env = append(d.env, "COLORTERM=truecolor", `TRIMTAB_TOOLS_ALLOW=["python3 -m unittest"]`)
	for name, text := range map[string]string{
		".gitignore":   "__pycache__/\n",
		"mill.py":      "def grind(corn):\n    return corn * 0.9\n",
		"test_mill.py": "import unittest\n\nimport mill\n\n\nclass Grind(unittest.TestCase):\n    def test_negative(self):\n        self.assertRaises(ValueError, mill.grind, -1)\n",
	} {
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := d.sit(92, 46)
	c.Type("let grind refuse negative corn" + enter)
	c.Wait("edit asks")
	c.Type("a")
	c.Wait("Now the tests do pass.", "> ask something")
	c.Gone("working")
	saveScreen(t, c, "chat.svg")
}

// TestScreens draws the picture of notes from the real chat: make screens.
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
	c := d.sit(96, 28)
	c.Type(ctrlO)
	c.Wait("verbose")
	c.Type(shiftTab)
	c.Wait("Mode: PLANNING")
	c.Type("automata: tidy this folder" + enter)
	c.Wait("I only looked", "> ask something")
	c.Type("\x1b[1;5H") // Ctrl+Home
	c.Wait("first prompt in PLANNING")
	saveScreen(t, c, "notes.svg")
}
