//go:build e2e && unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// TestH9_OurStatusLineStandsBesideOwnSettings: on a terminal, with settings that the
// person hands over with the flag that we use, too: their hook runs, our status line is
// seen, and the request is steered.
func TestH9_OurStatusLineStandsBesideOwnSettings(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("no tmux on this system")
	}
	trimtab := built(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	paths, err := client.Install(ctx, "claude")
	if err != nil {
		t.Fatalf("install: %v", err)
	}
	model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(fakemodel.Reply{Text: "All done here."})})
	agent, err := client.Command("claude", "", "")
	if err != nil {
		t.Fatal(err)
	}
	agent.Home = t.TempDir()
	agent.Env = append(agent.Env, travelClaude().env...)
	work := filepath.Join(agent.Home, "work")
	for name, text := range travelClaude().files {
		agent.Files[name] = strings.ReplaceAll(text, "{work}", work)
	}
	agent.Files["mine.json"] = `{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"touch $HOME/hooked"}]}]}}`
	cmd, err := agent.Prepare(ctx, paths)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(paths.Bin, filepath.Join(bin, "claude")); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(ctx, trimtab, "run", "--mode", "planning", "--data", t.TempDir(), "--upstream", "anthropic="+model.URL, "claude", "--settings", filepath.Join(agent.Home, "mine.json"))
	run.Dir = cmd.Dir
	for _, e := range cmd.Env {
		if path, ok := strings.CutPrefix(e, "PATH="); ok {
			e = "PATH=" + bin + string(os.PathListSeparator) + path
		}
		run.Env = append(run.Env, e)
	}
	p := startPane(ctx, t, run)
	see := func(words ...string) {
		t.Helper()
		for {
			text, missing := p.text(), ""
			for _, w := range words {
				if !strings.Contains(text, w) {
					missing = w
				}
			}
			if missing == "" {
				return
			}
			if err := pause(ctx, 200*time.Millisecond); err != nil || p.ended() {
				t.Fatalf("%q is not seen:\n%s", missing, text)
			}
		}
	}
	see("❯")
	if err := p.write("please tidy this folder"); err != nil {
		t.Fatal(err)
	}
	see("please tidy this folder")
	if err := p.press("Enter"); err != nil {
		t.Fatal(err)
	}
	see("All done here.", "trimtab", "PLANNING")
	if _, err := os.Stat(filepath.Join(agent.Home, "hooked")); err != nil {
		t.Errorf("the person's own hook did not run: %v", err)
	}
	if main := model.Main(); len(main) == 0 || !strings.Contains(main[0].Transcript(), "PLANNING MODE") {
		t.Errorf("%d main turns, not steered", len(main))
	}
}
