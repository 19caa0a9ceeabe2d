//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// TestChat_A1_PasteIsUnaltered: what is pasted reaches the model as it was, and is made harmless
// only where it is drawn.
func TestChat_A1_PasteIsUnaltered(t *testing.T) {
	d := newChatEnv(t, says("ok"))
	c := d.sit(100, 24)
	text := "\tall:\n\t\tgo build\nمی\u200cخواهم \u200f\ufeff \U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F end"
	c.Paste(strings.ReplaceAll(text, "\n", "\r"))
	c.Wait("          go build", "end")
	c.Type(enter)
	if got := d.lastPrompt(1); got != text {
		t.Errorf("the request holds %q\nwant %q", got, text)
	}
}

// TestChat_A1_FiveThousandLines of tabs, Persian and flags.
func TestChat_A1_FiveThousandLines(t *testing.T) {
	d := newChatEnv(t, says("ok"))
	c := d.sit(100, 24)
	text := strings.Repeat("\tall: می\u200cخواهم \U0001F1EE\U0001F1F7\n", 5000) + "the end"
	c.Paste(text)
	c.Wait("the end")
	c.Type(enter)
	if got := d.lastPrompt(1); got != text {
		t.Errorf("the request does not hold what was pasted (%d of %d bytes)", len(got), len(text))
	}
}

// lastPrompt is the last text of the user in the model's nth request.
func (d *chatEnv) lastPrompt(n int) (text string) {
	d.t.Helper()
	d.got(n)
	for _, item := range d.model.Main()[n-1].Items {
		if item.Role == "user" {
			text = item.Text
		}
	}
	return text
}

// TestChat_B15_AChatBeginsWhereNothingCanBeSaved, says so, and answers.
func TestChat_B15_AChatBeginsWhereNothingCanBeSaved(t *testing.T) {
	d := newChatEnv(t, says("I am here"))
	d.env = append(d.env, "TRIMTAB_DATA="+filepath.Join(d.dir, "README.md", "data")) // below a file there can be no folder
	c := d.sit(100, 24)
	c.Wait("nothing of this chat is saved")
	c.Type("hello" + enter)
	c.Wait("I am here")
}

// TestChat_A2_EscStopsTheRunFromAQuestion, and the model is not asked again.
func TestChat_A2_EscStopsTheRunFromAQuestion(t *testing.T) {
	call := func(id string) fakemodel.Call {
		return fakemodel.Call{ID: id, Name: "bash", Input: json.RawMessage(`{"command":"rm -rf x"}`)}
	}
	d := newChatEnv(t, fakemodel.Replies(fakemodel.Reply{Calls: []fakemodel.Call{call("a"), call("b"), call("c")}}, fakemodel.Reply{Text: "go on?"}))
	c := d.sit(100, 24)
	c.Type("clean up" + enter)
	c.Wait("bash asks", "Esc stop the run")
	c.Type(escape)
	c.Wait("interrupted")
	c.Gone("asks:")
	if n := len(d.model.Main()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// TestChat_2_UndoOnATerminal: an edit shows as a diff, a command its output, and /undo puts
// files and conversation back.
func TestChat_2_UndoOnATerminal(t *testing.T) {
	d := newChatEnv(t, fakemodel.Replies(
		fakemodel.Reply{Calls: []fakemodel.Call{{ID: "a", Name: "read", Input: json.RawMessage(`{"path":"README.md"}`)}}},
		fakemodel.Reply{Calls: []fakemodel.Call{
			{ID: "b", Name: "edit", Input: json.RawMessage(`{"path":"README.md","old_text":"# Windmill","new_text":"# Watermill"}`)},
			{ID: "c", Name: "bash", Input: json.RawMessage(`{"command":"echo by a command > made.txt; echo grinding"}`)},
		}},
		fakemodel.Reply{Text: "It is a watermill now."}))
	c := d.sit(100, 30)
	c.Type("rename it" + enter)
	c.Wait("edit asks", "1 - # Windmill", "1 + # Watermill")
	c.Type("y")
	c.Wait("bash asks")
	c.Type("y")
	c.Wait("edit README.md", "+1 −1", "grinding", "made.txt", "It is a watermill now.")
	c.Gone("working")
	c.Type("/undo" + enter)
	c.Wait("2 files put back", "taken back here: rename it", "> rename it")
	if text, err := os.ReadFile(filepath.Join(d.dir, "README.md")); err != nil || string(text) != "# Windmill\n" {
		t.Errorf("README.md is %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(d.dir, "made.txt")); !os.IsNotExist(err) {
		t.Errorf("made.txt: %v", err)
	}
}
