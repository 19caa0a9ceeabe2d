//go:build e2e && unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// newcomer follows docs/start/your-agent.md: a terminal with the agent, and a second one.
type newcomer struct {
	*trip
	model  *fakemodel.Server
	screen *pane // with the agent
	second *pane
	log    strings.Builder
	before string // Claude Code's settings, before trimtab install
}

func (n *newcomer) settings() string {
	text, err := os.ReadFile(filepath.Join(n.home, ".claude", "settings.json"))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// TestFiveMinutes_ANewcomerSeesTheFirstNote types the page "Your agent in five minutes", to
// the word and in its order, into the real Claude Code and into a second terminal. The model
// is a fake one on loopback. What the page says is seen on the screens, and the model reads
// the note of the mode and the one that nobody asked for.
func TestFiveMinutes_ANewcomerSeesTheFirstNote(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Fatal("tmux is not on PATH; Claude Code is driven on a terminal of it")
	}
	page, err := os.ReadFile("../../docs/start/your-agent.md")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Minute)
	defer cancel()
	paths, err := client.Install(ctx, "claude")
	if err != nil {
		t.Fatalf("install: %v", err)
	}
	n := meet(ctx, t, paths)
	first := true
	for _, b := range fences(string(page)) {
		for line := range strings.Lines(b.text) {
			line = strings.TrimSpace(line)
			switch {
			case b.kind == "text":
				err = n.prompt(line)
			case b.kind == "sh" && first:
				first = false
				err = n.run(line)
			case b.kind == "sh":
				err = n.command(line)
			default:
				err = fmt.Errorf("the page has a block of %q, and a newcomer does not know what to do with it", b.kind)
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s\nterminal one:\n%s\nterminal two:\n%s", line, err, n.log.String(), n.screen.text(), n.second.text())
			}
		}
	}
	t.Log(n.log.String())
	for _, want := range []string{"Mode: PLANNING", "trimtab · PLANNING · 1 note"} {
		if !strings.Contains(n.log.String(), want) || !strings.Contains(string(page), want) {
			t.Errorf("%q was not seen, or the page does not tell of it", want)
		}
	}
	for _, want := range []string{"PLANNING MODE", "Before you stop"} {
		if !slices.ContainsFunc(n.model.Main(), func(r fakemodel.Request) bool { return strings.Contains(string(r.Body), want) }) {
			t.Errorf("the model never read %q", want)
		}
		if _, shown, _ := strings.Cut(n.log.String(), "---- trimtab session show"); !strings.Contains(shown, want) {
			t.Errorf("trimtab session show does not show %q", want)
		}
	}
	if out, err := exec.Command("sh", filepath.Join(n.work(), "hello.sh")).CombinedOutput(); err != nil || string(out) != "hello\n" {
		t.Errorf("hello.sh: %q, %v", out, err)
	}
	n.model.NoneRefused(t)
	if settings := n.settings(); n.before == "" || settings != n.before {
		t.Errorf("uninstall did not put back every byte of\n%s\nbut left\n%s", n.before, settings)
	}
}

// TestFiveMinutes_TheSameWithoutTrimtab is what the README tells as before: the same Claude
// Code and the same model end with a script that does not run.
func TestFiveMinutes_TheSameWithoutTrimtab(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	paths, err := client.Install(ctx, "claude")
	if err != nil {
		t.Fatalf("install: %v", err)
	}
	home := t.TempDir()
	work := filepath.Join(home, "work")
	model := fakemodel.Start(t, fakemodel.Options{Script: hasty(work)})
	agent, err := client.Command("claude", model.URL, "write hello.sh, a script that prints hello")
	if err != nil {
		t.Fatal(err)
	}
	agent.Home = home
	result, err := agent.Run(ctx, paths)
	if err != nil || !strings.Contains(result.Stdout, "Done: hello.sh prints hello.") {
		t.Fatalf("%v\n%s\n%s", err, result.Stdout, result.Stderr)
	}
	if out, err := exec.Command("sh", filepath.Join(work, "hello.sh")).CombinedOutput(); err == nil {
		t.Errorf("hello.sh works: %s", out)
	}
}

// hasty is a model that writes a script with a mistake in it and says that it is done. It
// finds the mistake when it is asked to run the script.
func hasty(work string) fakemodel.Script {
	write := func(text string) fakemodel.Call {
		return fakemodel.Call{Name: "Write", Input: object(map[string]any{"file_path": filepath.Join(work, "hello.sh"), "content": text})}
	}
	return fakemodel.Session(
		fakemodel.Part{Word: "--version flag", Steps: []fakemodel.Reply{{Text: "Three steps: a constant, a flag, a line in main."}}},
		fakemodel.Part{Word: "hello.sh, a script", Steps: []fakemodel.Reply{
			{Text: "I will write it.", Calls: []fakemodel.Call{write("ecoh hello\n")}},
			{Text: "Done: hello.sh prints hello."},
		}},
		fakemodel.Part{Word: "Before you stop: you changed", Steps: []fakemodel.Reply{
			{Text: "I have not run it. I do so now.", Calls: []fakemodel.Call{fakemodel.Run("sh hello.sh")}},
			{Text: "A mistake of mine in the first word.", Calls: []fakemodel.Call{write("echo hello\n")}},
			{Text: "Once more.", Calls: []fakemodel.Call{fakemodel.Run("sh hello.sh")}},
			{Text: "It failed, and is mended: hello.sh prints hello."},
		}},
	)
}

// ownSettings are what the newcomer has set for Claude Code: it asks. Its auto mode has a
// check on the server, which the fake model does not have.
const ownSettings = "{\n  \"permissions\": {\"defaultMode\": \"default\"}\n}\n"

// meet prepares a machine with Claude Code, trimtab and two terminals.
func meet(ctx context.Context, t *testing.T, paths client.Paths) *newcomer {
	t.Helper()
	home, err := os.UserHomeDir()
	if err == nil {
		home, err = os.MkdirTemp(home, "trimtab-e2e-") // not t.TempDir: what is written below /tmp is nobody's work
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	n := &newcomer{trip: &trip{c: travelClaude(), ctx: ctx, t: t, home: home}}
	n.c.dialogs = append(n.c.dialogs, dialog{"Make auto mode your default", []string{"Down", "Enter"}})
	n.model = fakemodel.Start(t, fakemodel.Options{Script: hasty(n.work())})
	agent, err := client.Command("claude", n.model.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	agent.Home, agent.Env = n.home, append(agent.Env, n.c.env...)
	delete(agent.Files, ".config/trimtab/trimtab.json") // a newcomer has no settings
	for name, text := range n.c.files {
		agent.Files[name] = strings.ReplaceAll(text, "{work}", n.work())
	}
	agent.Files[".claude/settings.json"] = ownSettings
	cmd, err := agent.Prepare(ctx, paths)
	if err != nil {
		t.Fatal(err)
	}
	bin := programs(t)
	if err := os.Symlink(paths.Bin, filepath.Join(bin, "claude")); err != nil {
		t.Fatal(err)
	}
	shell := exec.CommandContext(ctx, "/bin/sh", "-i")
	shell.Dir = cmd.Dir
	for _, e := range cmd.Env {
		if path, ok := strings.CutPrefix(e, "PATH="); ok {
			e = "PATH=" + bin + string(os.PathListSeparator) + path
		}
		shell.Env = append(shell.Env, e)
	}
	shell.Env = append(shell.Env, "PS1=ready$ ")
	n.screen, n.second = startPane(ctx, t, shell), startPane(ctx, t, shell)
	return n
}

// see notes what is on a terminal.
func (n *newcomer) see(p *pane, typed string) {
	fmt.Fprintf(&n.log, "---- %s\n%s\n", typed, strings.TrimSpace(p.text()))
}

// await waits until something is on a terminal, and answers what Claude Code asks.
func (n *newcomer) await(p *pane, what string, holds func(text string) bool) error {
	n.pane = p
	return n.within(6*time.Minute, what, func() bool {
		text := p.text()
		if strings.Contains(text, "Do you want to") && p.press("Enter") == nil {
			return false
		}
		return holds(text)
	})
}

// run types a command into the first terminal and waits for the agent.
func (n *newcomer) run(line string) error {
	if err := n.type1(n.screen, line); err != nil {
		return err
	}
	err := n.await(n.screen, "Claude Code", func(text string) bool { return strings.Contains(text, n.c.ready) && n.still() })
	n.see(n.screen, line)
	return err
}

// prompt types a line at the prompt of Claude Code and waits until it is answered.
func (n *newcomer) prompt(line string) error {
	asks := len(n.model.Main())
	n.pane = n.screen
	for try := 1; ; try++ { // what is typed before the agent listens is lost
		if err := n.screen.write(line); err != nil {
			return err
		}
		err := n.within(time.Minute, "the prompt on the screen", func() bool { return strings.Contains(n.screen.text(), line) && n.still() })
		if err == nil {
			break
		}
		if try == 3 {
			return err
		}
		if err := n.screen.press(n.c.clear...); err != nil {
			return err
		}
	}
	if err := n.screen.press("Enter"); err != nil {
		return err
	}
	err := n.await(n.screen, "the answer", func(text string) bool {
		if mode, is := strings.CutPrefix(line, "/trimtab:mode "); is {
			return strings.Contains(text, "Mode: "+strings.ToUpper(mode)) && n.still()
		}
		return len(n.model.Main()) > asks && strings.Contains(text, "trimtab · ") && n.still() && n.answered(line, text)
	})
	n.see(n.screen, line)
	return err
}

// answered reports whether the last reply to a prompt is on the screen, and the line below
// the prompt tells of it.
func (n *newcomer) answered(line, text string) bool {
	if strings.Contains(line, "hello.sh") {
		return strings.Contains(text, "is mended")
	}
	return strings.Contains(text, "Three steps") && strings.Contains(text, "1 note")
}

// command types a command into the second terminal, says yes where it asks, and waits for
// the next prompt.
func (n *newcomer) command(line string) error {
	if strings.HasPrefix(line, "trimtab install") {
		n.before = n.settings()
	}
	if err := n.type1(n.second, "clear; "+line+"; echo end-of-command"); err != nil {
		return err
	}
	said := false
	err := n.await(n.second, "its end", func(text string) bool {
		if strings.Contains(text, "[y/N]") && !said {
			said = n.type1(n.second, "y") == nil
		}
		return strings.Contains(text, "\nend-of-command")
	})
	history, bad := n.second.tmux("capture-pane", "-p", "-S", "-2000")
	if err == nil {
		err = bad
	}
	fmt.Fprintf(&n.log, "---- %s\n%s\n", line, strings.TrimSpace(history))
	return err
}

// type1 types a line and Enter.
func (n *newcomer) type1(p *pane, line string) error {
	if err := p.write(line); err != nil {
		return err
	}
	return p.press("Enter")
}
