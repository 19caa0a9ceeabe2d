//go:build e2e && unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/sessiontext"
	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// insideTrip is a session on a terminal in which the person gives our commands from
// inside the agent's own screen.
type insideTrip struct{ *trip }

// TestH10_InsideTheScreen changes the mode of each real agent from inside its screen:
// with the shell that it has for its person, before the first prompt and after it, and
// again after a resume, there with a slash command where it takes one for a run. A tool of the model that gives the same command changes nothing.
// What the person sees is logged.
func TestH10_InsideTheScreen(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Fatal("tmux is not on PATH; the agents are driven on a terminal of it")
	}
	program := built(t)
	for _, c := range travelClients() {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			paths, err := client.Install(ctx, c.name)
			if err != nil {
				t.Fatalf("install: %v", err)
			}
			say := func(word string, calls ...fakemodel.Call) fakemodel.Part {
				p := fakemodel.Part{Word: "travel-" + word}
				for _, call := range calls {
					p.Steps = append(p.Steps, fakemodel.Reply{Text: "Let me try.", Calls: []fakemodel.Call{call}})
				}
				p.Steps = append(p.Steps, fakemodel.Reply{Text: "That is all: ready-" + word + "."})
				return p
			}
			tr := insideTrip{&trip{c: c, trimtab: program, parts: []fakemodel.Part{
				say("one"), say("two"), say("three", fakemodel.Run("trimtab mode normal; trimtab status")), say("four"), say("nine"),
			}}}
			tr.prepare(ctx, t, paths)
			tr.c.own = "see the other test"
			defer tr.save(t)
			if err := os.MkdirAll(filepath.Join(tr.data, "bin"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(program, filepath.Join(tr.data, "bin", "trimtab")); err != nil && !errors.Is(err, os.ErrExist) {
				t.Fatal(err)
			}
			for _, name := range []string{".profile", ".bashrc"} { // some start a login shell, which has a PATH of its own
				if err := os.WriteFile(filepath.Join(tr.home, name), []byte("export PATH="+shellWord(filepath.Join(tr.data, "bin"))+":$PATH\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			shown := false // the mode, and how it is changed, on the screen or in the title
			for i, step := range []struct {
				do   func() error
				mode string // afterwards
			}{
				{func() error { return tr.start(c.args) }, ""},
				{func() error { return tr.escape("trimtab mode planning") }, ""},
				{func() error { return tr.prompt("please do travel-one", "one") }, "planning"},
				{func() error { return tr.escape("trimtab mode research") }, ""},
				{func() error { return tr.prompt("please do travel-two", "two") }, "research"},
				{func() error { return tr.prompt("please do travel-three", "three") }, "research"}, // the model has a shell too
				{func() error { return tr.prompt("please do travel-nine", "nine") }, "research"},
				{tr.quit, ""},
				{func() error { return tr.start(c.resume) }, ""},
				{tr.resumed, ""},
				{tr.last, ""},
				{func() error { return tr.prompt("please do travel-four", "four") }, "debugging"},
				{tr.quit, ""},
			} {
				err := step.do()
				fmt.Fprintf(&tr.screens, "---- after step %d, %d requests, %s\n%s\n", i+1, len(tr.model.Requests()), tr.title(), tr.pane.text())
				if err != nil {
					t.Fatalf("step %d: %v\n%s", i+1, err, tr.pane.text())
				}
				if seen := tr.title() + tr.pane.text(); strings.Contains(seen, "trimtab · RESEARCH") && strings.Contains(seen, "trimtab:mode") || strings.Contains(seen, "trimtab · RESEARCH") && strings.Contains(seen, "!trimtab mode") {
					shown = true
				}
				if step.mode == "" {
					continue
				}
				if got := tr.mode(); got != step.mode {
					t.Errorf("step %d: mode %q, want %q", i+1, got, step.mode)
				}
				main := tr.model.Requests()
				if i := slices.IndexFunc(main, func(r fakemodel.Request) bool {
					return strings.Contains(strings.ToUpper(string(r.Body)), strings.ToUpper(step.mode)+" MODE")
				}); i < 0 {
					t.Errorf("step %d: the model was never told of %s mode", i+1, step.mode)
				}
			}
			if !shown {
				t.Error("the person never saw the mode and how to change it")
			}
		})
	}
}

// escape types a command into the agent's own shell. Where there is none it is a prompt.
func (tr insideTrip) escape(command string) error {
	before := len(tr.model.Requests())
	if err := tr.pane.write("!"); err != nil {
		return err
	}
	_ = pause(tr.ctx, 700*time.Millisecond) // the agent changes its line at the mark
	if err := tr.pane.write(command); err != nil {
		return err
	}
	_ = pause(tr.ctx, 700*time.Millisecond)
	if err := tr.pane.press("Enter"); err != nil {
		return err
	}
	answer := "Mode: " + strings.ToUpper(command[strings.LastIndex(command, " ")+1:])
	done := func() bool {
		return strings.Contains(tr.pane.text(), answer) || tr.c.name == "goose" && len(tr.model.Requests()) > before
	}
	if err := tr.within(time.Minute, "the answer of the command", done); err != nil {
		return err
	}
	if tr.c.name == "gemini" || tr.c.name == "qwen" { // their shell stays until it is left
		if err := tr.pane.press("Escape"); err != nil {
			return err
		}
	}
	return tr.settle()
}

// last enters debugging mode: by a slash command where the agent takes one for a run.
func (tr insideTrip) last() error {
	if !slices.Contains([]string{"claude", "opencode", "pi"}, tr.c.name) {
		return tr.escape("trimtab mode debugging")
	}
	if err := tr.command("/trimtab:mode debugging"); err != nil {
		return err
	}
	if err := tr.within(time.Minute, "the answer of the command", func() bool { return strings.Contains(tr.pane.text(), "Mode: DEBUGGING") }); err != nil {
		return err
	}
	return tr.settle()
}

// title is the terminal's.
func (tr insideTrip) title() string {
	out, err := tr.pane.tmux("display-message", "-p", "#{pane_title}")
	if err != nil {
		return err.Error()
	}
	return "title " + strings.TrimSpace(out)
}

// mode is what trimtab status says in the folder, from outside.
func (tr insideTrip) mode() string {
	cmd := exec.CommandContext(tr.ctx, tr.trimtab, "status", "--json", "--data", tr.data)
	cmd.Dir, cmd.Env = tr.work(), []string{"HOME=" + tr.home}
	out, err := cmd.Output()
	if err != nil {
		return err.Error()
	}
	var r sessiontext.Report
	if err := json.Unmarshal(out, &r); err != nil {
		return err.Error()
	}
	i := slices.IndexFunc(r.Status, func(s trimtab.Status) bool { return s.By == "mode" })
	if i < 0 {
		return "normal"
	}
	return strings.ToLower(r.Status[i].Text)
}
