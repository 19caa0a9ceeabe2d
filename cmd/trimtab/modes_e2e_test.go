//go:build e2e

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// modeTrip is a session of real Claude Code on its default model, prompt by prompt, each
// in a process of its own.
type modeTrip struct {
	t       *testing.T
	ctx     context.Context
	trimtab string
	paths   client.Paths
	model   *fakemodel.Server
	home    string
	data    string
	env     []string
	begun   bool
	during  atomic.Pointer[func()] // called once, while the model replies
}

func newModeTrip(t *testing.T) *modeTrip {
	m := &modeTrip{t: t, trimtab: built(t), home: t.TempDir(), data: t.TempDir()}
	var cancel context.CancelFunc
	m.ctx, cancel = context.WithTimeout(t.Context(), 8*time.Minute)
	t.Cleanup(cancel)
	var err error
	if m.paths, err = client.Install(m.ctx, "claude"); err != nil {
		t.Fatalf("install: %v", err)
	}
	steps := fakemodel.ToolThenText("All done here.", fakemodel.Run("echo one"), fakemodel.Run("echo two"))
	m.model = fakemodel.Start(t, fakemodel.Options{ThinkByDefault: true, Script: func(r fakemodel.Request) fakemodel.Reply {
		if do := m.during.Swap(nil); do != nil {
			(*do)()
		}
		return steps(r)
	}})
	for name, text := range map[string]string{
		".config/trimtab/modes/first.json": `{"id":"first","name":"First","entryPrompt":"FIRST-ENTRY is all there is."}`,
		".config/trimtab/modes/later.json": `{"id":"later","name":"Later","reminderPrompt":"LATER-REMINDER is all there is."}`,
		"work/.claude/commands/look.md":    "Look at the folder: $ARGUMENTS",
	} {
		file := filepath.Join(m.home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// say is a prompt; it returns what the model received in its turn.
func (m *modeTrip) say(prompt string, flags ...string) (turn []string) {
	m.t.Helper()
	agent, err := client.Command("claude", "", prompt)
	if err != nil {
		m.t.Fatal(err)
	}
	agent.Home, agent.Dir = m.home, filepath.Join(m.home, "work")
	if m.begun {
		agent.Args = append(agent.Args, "--continue")
	}
	before := len(m.model.Main())
	m.env = agent.Environ(m.paths)
	m.begun = true
	launched(m.ctx, m.t, m.trimtab, "claude", &agent, m.paths, m.model, append([]string{"--data", m.data}, flags...)...)
	for _, r := range m.model.Main()[before:] {
		turn = append(turn, r.Transcript())
	}
	if len(turn) != 3 {
		m.t.Fatalf("%q: %d main turns, want 3", prompt, len(turn))
	}
	return turn
}

// run is a command of ours in another terminal.
func (m *modeTrip) run(args ...string) string {
	cmd := exec.CommandContext(m.ctx, m.trimtab, append(args, "--data", m.data)...)
	cmd.Dir, cmd.Env = filepath.Join(m.home, "work"), m.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		m.t.Errorf("%q: %v\n%s", args, err, stderr.String())
	}
	return stdout.String()
}

// counts holds each request of a turn to how often words stand in it.
func counts(t *testing.T, turn []string, want map[string]int) {
	t.Helper()
	for i, got := range turn {
		for words, n := range want {
			if c := strings.Count(got, words); c != n {
				t.Fatalf("request %d of the turn: %q stands %d times, want %d:\n%s", i+1, words, c, n, got[max(0, strings.Index(got, "\nuser")):])
			}
		}
	}
}

// TestModes_M2_M12_ThroughRealClaudeCode on its default model, from what the model
// received. It adds notes itself, so they stand right behind the prompt (H2).
func TestModes_M2_M12_ThroughRealClaudeCode(t *testing.T) {
	m := newModeTrip(t)
	const planning, still, over = "You are in PLANNING MODE", "still in PLANNING MODE", "PLANNING MODE is over"
	const debugging, research = "You are in DEBUGGING MODE", "You are in RESEARCH MODE"
	// behind sees that a text stands between a prompt and the reply to it.
	behind := func(turn []string, prompt, words string) {
		t.Helper()
		for _, got := range turn {
			_, rest, ok := strings.Cut(got, "user text "+prompt)
			rest, _, _ = strings.Cut(rest, "\nassistant ")
			if !ok || !strings.Contains(rest, words) {
				t.Fatalf("%q does not stand at the prompt %q:\n%s", words, prompt, got)
			}
		}
	}

	// M2: the first prompt in a mode brings its entry, once, and it is kept.
	turn := m.say("one, look around", "--mode", "planning")
	behind(turn, "one, look around", planning)
	counts(t, turn, map[string]int{planning: 1, still: 0})

	// M7, M3: the session is opened again, with its mode; a later prompt brings the
	// reminder, on every request of its turn at the same place, and not the entry.
	turn = m.say("two, go on")
	behind(turn, "one, look around", planning)
	behind(turn, "two, go on", still)
	counts(t, turn, map[string]int{planning: 1, still: 1, "until the next prompt": 1})

	// M4: Normal adds nothing but that the mode is over, once.
	m.run("mode", "normal")
	turn = m.say("three, go on")
	behind(turn, "three, go on", over)
	counts(t, turn, map[string]int{planning: 1, still: 1, over: 1})
	counts(t, m.say("four, go on"), map[string]int{planning: 1, still: 1, over: 1})

	// M5: modes that no prompt was sent in leave no trace; one that is entered again
	// brings its entry again.
	for _, mode := range []string{"debugging", "normal", "research", "debugging"} {
		m.run("mode", mode)
	}
	turn = m.say("five, go on")
	behind(turn, "five, go on", debugging)
	counts(t, turn, map[string]int{debugging: 1, research: 0, "RESEARCH": 0, over: 1})
	m.run("mode", "planning")
	turn = m.say("six, go on")
	behind(turn, "six, go on", planning)
	counts(t, turn, map[string]int{planning: 2, "DEBUGGING MODE is over": 1})

	// M11: a change while the model replies takes effect with the next prompt.
	change := func() {
		for range 50 { // the prompt is stored a moment after it was sent; before that the change would come first
			if strings.Contains(m.run("session", "export", "--format", "json"), "seven, go on") {
				break
			}
		}
		m.run("mode", "research")
	}
	m.during.Store(&change)
	turn = m.say("seven, go on")
	behind(turn, "seven, go on", still)
	counts(t, turn, map[string]int{still: 2, research: 0})
	turn = m.say("eight, go on")
	behind(turn, "eight, go on", research)
	counts(t, turn, map[string]int{still: 2, research: 1, over: 2})

	// M8: a slash command brings no text of a mode, also where it asks the model.
	counts(t, m.say("/look at nothing"), map[string]int{"RESEARCH MODE": strings.Count(turn[2], "RESEARCH MODE")})

	// M10: an entry or a reminder that is empty brings nothing.
	m.run("mode", "first")
	counts(t, m.say("nine, go on"), map[string]int{"FIRST-ENTRY": 1})
	notes := map[string]int{"hook additional context": strings.Count(m.say("ten, go on")[2], "hook additional context"), "FIRST-ENTRY": 1}
	counts(t, m.say("eleven, go on"), notes)
	m.run("mode", "later")
	counts(t, m.say("twelve, go on"), map[string]int{"LATER-REMINDER": 0})
	turn = m.say("thirteen, go on")
	behind(turn, "thirteen, go on", "LATER-REMINDER")
	counts(t, turn, map[string]int{"LATER-REMINDER": 1})
	m.model.NoneRefused(t)

	// M12: the title is the person's; the entry is marked in the export, and what M3 says
	// of reminders holds there.
	var list []struct {
		ID    string `json:"sessionId"`
		Title string `json:"title"`
	}
	if err := json.Unmarshal([]byte(m.run("session", "list", "--json")), &list); err != nil || len(list) != 1 || list[0].Title != "one, look around" {
		t.Errorf("%v: %+v", err, list)
	}
	export := m.run("session", "export", "--format", "json")
	var doc struct {
		Messages []struct {
			Origin  string          `json:"origin"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		ModeState struct {
			Mode string `json:"mode"`
		} `json:"modeState"`
	}
	if err := json.Unmarshal([]byte(export), &doc); err != nil || doc.ModeState.Mode != "later" {
		t.Fatalf("%v: %s", err, tail(export))
	}
	entries := 0
	for _, msg := range doc.Messages {
		switch entry := bytes.Contains(msg.Content, []byte(planning)); {
		case entry && strings.HasPrefix(msg.Origin, "mode"): // with that another one is over, mode+mode
			entries++
		case entry || bytes.Contains(msg.Content, []byte(still)):
			t.Errorf("text of a mode that is not marked: %+v %s", msg.Origin, msg.Content)
		}
	}
	if entries != 2 {
		t.Errorf("%d entries are marked in the export, want 2", entries)
	}
}
