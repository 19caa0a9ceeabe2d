//go:build e2e

package main

import (
	"bytes"
	"context"
	"encoding/json"
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

// TestRealHooks installs our hooks into the throwaway home of each real agent and
// runs it against a strict model: an agent that stops with work left goes on once
// and then stops.
func TestRealHooks(t *testing.T) {
	bin := programs(t)
	announce := fakemodel.Reply{Text: "The first half is done. Now I'll write the second half."}
	for _, c := range []struct {
		host   string
		calls  []fakemodel.Call
		stops  fakemodel.Reply
		reason string
		args   []string
	}{
		{
			"claude",
			[]fakemodel.Call{{Name: "TaskCreate", Input: json.RawMessage(`{"subject":"Write the second half","description":"of the report"}`)}},
			fakemodel.Reply{Text: "That is enough for now."},
			"Write the second half (pending)",
			[]string{"--allowedTools", "Bash,TaskCreate,ToolSearch"},
		},
		{"claude", []fakemodel.Call{fakemodel.Run("echo one")}, announce, "announced a next step", nil},
		{"codex", []fakemodel.Call{fakemodel.Run("echo one")}, announce, "announced a next step", []string{"--dangerously-bypass-hook-trust"}},
		{"gemini", []fakemodel.Call{fakemodel.Run("echo one")}, announce, "announced a next step", nil},
		{"qwen", []fakemodel.Call{fakemodel.Run("echo one")}, announce, "announced a next step", nil},
		{"goose", []fakemodel.Call{fakemodel.Run("echo one")}, announce, "announced a next step", nil},
	} {
		t.Run(c.host+"-"+c.calls[0].Name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			paths, err := client.Install(ctx, c.host)
			if err != nil {
				t.Fatalf("install: %v", err)
			}
			replies := []fakemodel.Reply{{Text: "Let me look.", Calls: c.calls}, c.stops}
			for range 6 {
				replies = append(replies, c.stops)
			}
			model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(replies...)})
			agent, err := client.Command(c.host, model.URL, "automata: please write both halves")
			if err != nil {
				t.Fatal(err)
			}
			agent.Home = t.TempDir()
			if i := slices.Index(agent.Args, "exec"); c.host == "codex" && i >= 0 {
				agent.Args = slices.Insert(agent.Args, i+1, c.args...)
			} else {
				agent.Args = append(agent.Args, c.args...)
			}
			cmd, err := agent.Prepare(ctx, paths)
			if err != nil {
				t.Fatal(err)
			}
			install := exec.CommandContext(ctx, filepath.Join(bin, "trimtab"), "install", c.host, "--yes")
			install.Env, install.Dir = cmd.Env, cmd.Dir
			if out, err := install.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil {
				t.Errorf("%v\nstdout: %s\nstderr: %s", err, tail(stdout.String()), tail(stderr.String()))
			}
			model.NoneRefused(t)
			main := model.Main()
			if len(main) != 3 { // the tool, the stop, and the one time it was sent on
				t.Errorf("%d main turns, want 3\n%s", len(main), dump(model))
			}
			last := string(main[len(main)-1].Body)
			if !strings.Contains(last, opened) || !strings.Contains(last, c.reason) {
				t.Errorf("the last request does not hold the reason to go on (%s):\n%s", c.reason, tail(last))
			}
			data := filepath.Join(agent.Home, ".local", "share", "trimtab")
			if log, err := os.ReadFile(filepath.Join(data, "hook", "log")); err == nil {
				t.Errorf("the hooks' log: %s", log)
			}
			show := exec.CommandContext(ctx, filepath.Join(bin, "trimtab"), "session", "list", "--all", "--json")
			show.Env, show.Dir = cmd.Env, cmd.Dir
			out, err := show.CombinedOutput()
			if err != nil || !bytes.Contains(out, []byte(`"`+c.host+`:`)) {
				t.Errorf("session list: %v\n%s", err, out)
			}
		})
	}
}

// opened is how every reason to go on begins.
const opened = "Before you stop: "

// programs builds both of ours side by side.
func programs(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	for _, name := range []string{"trimtab", "trimtab-hook"} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, name), "../"+name).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return bin
}

// TestRealHooksRemind: after eight steps the reminder and the reflection stand
// before the model, once: by hooks alone, and with a gateway beside them.
func TestRealHooksRemind(t *testing.T) {
	bin := programs(t)
	for _, host := range []string{"claude", "codex", "gemini", "qwen"} {
		for _, gateway := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s-gateway-%v", host, gateway), func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
				defer cancel()
				paths, err := client.Install(ctx, host)
				if err != nil {
					t.Fatalf("install: %v", err)
				}
				var calls []fakemodel.Call
				for i := range 9 {
					calls = append(calls, fakemodel.Run(fmt.Sprintf("echo step-%d", i)))
				}
				model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("All done here.", calls...)})
				url := model.URL
				if gateway {
					url = ""
				}
				agent, err := client.Command(host, url, "automata: please tidy this folder")
				if err != nil {
					t.Fatal(err)
				}
				agent.Home = t.TempDir()
				if host == "codex" {
					agent.Args = slices.Insert(agent.Args, 1, "--dangerously-bypass-hook-trust")
				}
				cmd, err := agent.Prepare(ctx, paths)
				if err != nil {
					t.Fatal(err)
				}
				install := exec.CommandContext(ctx, filepath.Join(bin, "trimtab"), "install", host, "--yes")
				install.Env, install.Dir = cmd.Env, cmd.Dir
				if out, err := install.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				if gateway {
					cmd = throughGateway(ctx, t, cmd, bin, host, paths, model.URL, agent.Args)
				}
				var stdout, stderr bytes.Buffer
				cmd.Stdout, cmd.Stderr = &stdout, &stderr
				if err := cmd.Run(); err != nil {
					t.Fatalf("%v\nstdout: %s\nstderr: %s\n%s", err, tail(stdout.String()), tail(stderr.String()), dump(model))
				}
				model.NoneRefused(t)
				main := model.Main()
				last := string(main[len(main)-1].Body)
				for _, words := range []string{"no todo list has been written", "Time to look up"} {
					if n := strings.Count(last, words); n != 1 {
						t.Errorf("%q stands %d times in the last of %d requests", words, n, len(main))
					}
				}
				if log, err := os.ReadFile(filepath.Join(agent.Home, ".local", "share", "trimtab", "hook", "log")); err == nil {
					t.Errorf("the hooks' log: %s", log)
				}
			})
		}
	}
}

// throughGateway runs the same agent by trimtab run.
func throughGateway(ctx context.Context, t *testing.T, cmd *exec.Cmd, bin, host string, paths client.Paths, url string, args []string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir() // the agent under the name that people have it under
	if err := os.Symlink(paths.Bin, filepath.Join(dir, host)); err != nil {
		t.Fatal(err)
	}
	words := []string{"run"}
	for _, provider := range []string{"anthropic", "openai", "gemini"} {
		words = append(words, "--upstream", provider+"="+url)
	}
	run := exec.CommandContext(ctx, filepath.Join(bin, "trimtab"), append(append(words, host), args...)...)
	run.Dir, run.WaitDelay = cmd.Dir, 5*time.Second
	for _, e := range cmd.Env {
		if path, ok := strings.CutPrefix(e, "PATH="); ok {
			e = "PATH=" + dir + string(os.PathListSeparator) + path
		}
		run.Env = append(run.Env, e)
	}
	return run
}
