//go:build e2e

package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// installedHost is what a host is known to do after trimtab install.
type installedHost struct {
	name   string
	flags  []string                     // of trimtab install
	resume func(args []string) []string // a run that goes on with the newest session
	first  []string                     // for every run, right behind the first argument
	deaf   bool                         // its model sees nothing but the reason to go on
	stops  bool                         // it ends at the first stop, without asking
	places []string                     // where it keeps what install writes, below the home folder
}

func installedHosts() []installedHost {
	behind := func(words ...string) func([]string) []string {
		return func(args []string) []string { return append(args, words...) }
	}
	return []installedHost{
		{name: "claude", resume: behind("--continue"), places: []string{".claude/settings.json", ".claude.json"}},
		{name: "claude", flags: []string{"--plugin"}, resume: behind("--continue"), places: []string{".claude/settings.json", ".claude.json", ".claude/skills"}},
		{name: "codex", first: []string{"--dangerously-bypass-hook-trust"}, places: []string{".codex"}, resume: func(args []string) []string {
			return slices.Insert(args, len(args)-1, "resume", "--last")
		}},
		{name: "opencode", stops: true, places: []string{".config/opencode"}, resume: func(args []string) []string {
			return slices.Insert(args, 1, "--continue")
		}},
		{name: "gemini", resume: behind("--resume", "latest"), places: []string{".gemini/settings.json"}},
		{name: "gemini", flags: []string{"--plugin"}, resume: behind("--resume", "latest"), places: []string{".gemini/settings.json", ".gemini/extensions"}},
		{name: "qwen", resume: behind("--continue"), places: []string{".qwen/settings.json"}},
		{name: "goose", deaf: true, places: []string{".agents"}, resume: func(args []string) []string { return slices.Insert(args, 1, "--resume") }},
		{name: "pi", resume: behind("--continue"), places: []string{".pi/agent/extensions"}},
	}
}

// TestH11_InstalledInTheRealAgents: after trimtab install a real agent shows its model
// the notes of its session, goes on where work is left and is the same session when it is
// resumed; after trimtab uninstall every file is as it was, and no note comes.
func TestH11_InstalledInTheRealAgents(t *testing.T) {
	bin := programs(t)
	for _, h := range installedHosts() {
		t.Run(h.name+strings.Join(h.flags, ""), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
			defer cancel()
			paths, err := client.Install(ctx, h.name)
			if err != nil {
				t.Fatalf("install: %v", err)
			}
			home := t.TempDir()
			// run is one run of the agent, and all that its model was asked in it.
			run := func(prompt string, again bool, replies ...fakemodel.Reply) []string {
				t.Helper()
				model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(replies...)})
				agent, err := client.Command(h.name, model.URL, prompt)
				if err != nil {
					t.Fatal(err)
				}
				agent.Home, agent.Args = home, slices.Insert(agent.Args, 1, h.first...)
				if again {
					agent.Args = h.resume(agent.Args)
				}
				for name := range agent.Files {
					if _, err := os.Stat(filepath.Join(home, filepath.FromSlash(name))); err == nil && !strings.Contains(agent.Files[name], model.URL) {
						delete(agent.Files, name) // as install left it
					}
				}
				cmd, err := agent.Prepare(ctx, paths)
				if err != nil {
					t.Fatal(err)
				}
				var out bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &out
				if err := cmd.Run(); err != nil {
					t.Errorf("%v: %v\n%s", agent.Args, err, tail(out.String()))
				}
				if h.name != "gemini" || !again { // its own resume sends function responses twice
					model.NoneRefused(t)
				}
				var asked []string
				for _, r := range model.Main() {
					r.Items = r.Visible()
					asked = append(asked, r.Transcript())
				}
				if len(asked) == 0 {
					t.Fatalf("no request came\n%s", tail(out.String()))
				}
				return asked
			}
			ours := func(args ...string) string {
				t.Helper()
				c := exec.CommandContext(ctx, filepath.Join(bin, "trimtab"), args...)
				c.Env, c.Dir = client.Cmd{Home: home}.Environ(paths), filepath.Join(home, "work")
				out, err := c.CombinedOutput()
				if err != nil {
					t.Fatalf("trimtab %v: %v\n%s", args, err, out)
				}
				return string(out)
			}

			steps := []fakemodel.Reply{}
			for i := range 9 {
				steps = append(steps, fakemodel.Reply{Calls: []fakemodel.Call{fakemodel.Run(fmt.Sprintf("echo step-%d", i))}})
			}
			announce := fakemodel.Reply{Text: "The first half is done. Now I'll write the second half."}
			over := fakemodel.Reply{Text: "Both halves are there."}

			run("say hello", false, over) // whatever it writes at its first start is there
			before := settingsFiles(t, home, h.places)
			ours(append([]string{"install", h.name, "--yes"}, h.flags...)...)
			ours("uninstall", h.name, "--yes")
			if diff := cmp.Diff(before, settingsFiles(t, home, h.places)); diff != "" {
				t.Errorf("install and uninstall changed files:\n%s", diff)
			}
			ours(append([]string{"install", h.name, "--yes"}, h.flags...)...)
			installed := settingsFiles(t, home, h.places)

			asked := run("automata: please tidy this folder", false, append(steps, announce, over, over)...)
			last := asked[len(asked)-1]
			if n := strings.Count(last, "Time to look up"); n != 1 && !h.deaf {
				t.Errorf("the reflection stands %d times in the last of %d requests:\n%s", n, len(asked), tail(last))
			}
			if on := strings.Contains(last, opened); on == h.stops {
				t.Errorf("it was sent on: %v; %d requests\n%s", on, len(asked), tail(last))
			}

			ours("mode", "planning")
			asked = run("and the other folder", true, over)
			if !h.deaf && !strings.Contains(asked[0], "PLANNING MODE") {
				t.Errorf("resumed, the mode is not told:\n%s", tail(asked[0]))
			}
			if !strings.Contains(asked[0], "step-8") {
				t.Errorf("it was not resumed:\n%s", tail(asked[0]))
			}
			if sessions := ours("session", "list", "--all", "--json"); strings.Count(sessions, `"`+h.name+`:`) != 1 {
				t.Errorf("sessions of %s: %s", h.name, sessions)
			}
			if log, err := os.ReadFile(filepath.Join(home, ".local", "share", "trimtab", "hook", "log")); err == nil {
				t.Errorf("the hooks' log: %s", log)
			}

			now := settingsFiles(t, home, h.places)
			ours("uninstall", h.name, "--yes")
			after := settingsFiles(t, home, h.places)
			for path, text := range before {
				if now[path] == installed[path] && after[path] != text {
					t.Errorf("%s is not as it was:\n%s", path, cmp.Diff(text, after[path]))
				}
			}
			for path, text := range after {
				if strings.Contains(text, "trimtab") && !strings.Contains(text, "hooks.state") { // Codex notes which hooks it has seen
					t.Errorf("%s still has ours:\n%s", path, tail(text))
				}
			}
			asked = run("automata: the third folder", false, append(slices.Clone(steps), over)...)
			if last = asked[len(asked)-1]; strings.Contains(last, "Time to look up") || strings.Contains(last, opened) {
				t.Errorf("uninstalled, and a note came:\n%s", tail(last))
			}
		})
	}
}

// settingsFiles is the files below places of a home folder, by their paths.
func settingsFiles(t *testing.T, home string, places []string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, place := range places {
		root := filepath.Join(home, filepath.FromSlash(place))
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			ext := filepath.Ext(path)
			if err != nil || d.IsDir() || !slices.Contains([]string{".json", ".jsonc", ".toml", ".js", ".ts"}, ext) || strings.Contains(path, "node_modules") {
				return nil
			}
			text, err := os.ReadFile(path)
			found[strings.TrimPrefix(path, home)] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}
