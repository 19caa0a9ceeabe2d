//go:build e2e

package main

import (
	"bytes"
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

	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// TestRealHooks installs our hooks into the throwaway home of each real agent and
// runs it against a strict model: an agent that stops with work left goes on once
// and then stops.
func TestRealHooks(t *testing.T) {
	bin := programs(t)
	announce := fakemodel.Reply{Text: "The first half is done. Now I'll write the second half."}
	changes, finished, unchecked := fakemodel.Run("printf 'package a\\n' > a.go"), fakemodel.Reply{Text: "Both halves are there and all tests pass."}, "you changed a.go"
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
		{
			"codex",
			[]fakemodel.Call{{Name: "update_plan", Input: json.RawMessage(`{"plan":[{"step":"Write the first half","status":"completed"},{"step":"Write the second half","status":"pending"}]}`)}},
			fakemodel.Reply{Text: "That is enough for now."},
			"Write the second half (pending)",
			[]string{"--dangerously-bypass-hook-trust"},
		},
		{"codex", []fakemodel.Call{fakemodel.Run("echo one")}, announce, "announced a next step", []string{"--dangerously-bypass-hook-trust"}},
		{"gemini", []fakemodel.Call{fakemodel.Run("echo one")}, announce, "announced a next step", nil},
		{"qwen", []fakemodel.Call{fakemodel.Run("echo one")}, announce, "announced a next step", nil},
		{"goose", []fakemodel.Call{fakemodel.Run("echo one")}, announce, "announced a next step", nil},
		{"pi", []fakemodel.Call{fakemodel.Run("echo one")}, announce, "announced a next step", nil},

		// J9: code changed and nothing was run since.
		{"claude", []fakemodel.Call{changes}, finished, unchecked, nil},
		{"codex", []fakemodel.Call{changes}, finished, unchecked, []string{"--dangerously-bypass-hook-trust"}},
		{"gemini", []fakemodel.Call{changes}, finished, unchecked, nil},
		{"qwen", []fakemodel.Call{changes}, finished, unchecked, nil},
		{"goose", []fakemodel.Call{changes}, finished, unchecked, nil},
		{"pi", []fakemodel.Call{changes}, finished, unchecked, nil},
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

// programs builds all of ours side by side.
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
	for _, host := range []string{"claude", "codex", "opencode", "gemini", "qwen"} {
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
				newest := main[len(main)-1]
				newest.Items = newest.Visible() // copies that have cleared themselves are in the request, and are not seen
				last := newest.Transcript()
				asks := 1
				if gateway && host != "claude" && host != "opencode" {
					asks = 0 // the gateway sees that no todo tool is offered
				}
				for words, want := range map[string]int{"no todo list has been written": asks, "Time to look up": 1} {
					if n := strings.Count(last, words); n != want {
						t.Errorf("%q stands %d times in the last of %d requests, want %d", words, n, len(main), want)
					}
				}
				if log, err := os.ReadFile(filepath.Join(agent.Home, ".local", "share", "trimtab", "hook", "log")); err == nil {
					t.Errorf("the hooks' log: %s", log)
				}
			})
		}
	}
}

// TestRealStopAsksForAnImprovement: a real agent meets the same error again and
// again and stops. It does not wait for anybody to look back; soon a request waits
// for a person, once, however often it stops.
func TestRealStopAsksForAnImprovement(t *testing.T) {
	bin := programs(t)
	for _, host := range []string{"claude", "codex"} {
		t.Run(host, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			paths, err := client.Install(ctx, host)
			if err != nil {
				t.Fatalf("install: %v", err)
			}
			var calls []fakemodel.Call
			for i := range 6 {
				calls = append(calls, fakemodel.Run(fmt.Sprintf("echo 'cannot open conf.json: no such file' >&2; exit %d", 3+i%2)))
			}
			model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("It cannot be done.", calls...)})
			agent, err := client.Command(host, model.URL, "please make the tests pass")
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
			settings := filepath.Join(agent.Home, ".config", "trimtab")
			if err := errors.Join(os.MkdirAll(settings, 0o700),
				os.WriteFile(filepath.Join(settings, "trimtab.json"), []byte(`{"automation":{"automation_enabled":true}}`), 0o600)); err != nil {
				t.Fatal(err)
			}
			ours := func(name string, args ...string) string {
				c := exec.CommandContext(ctx, name, args...)
				c.Env, c.Dir = cmd.Env, cmd.Dir
				out, err := c.CombinedOutput()
				if err != nil && ctx.Err() == nil {
					t.Fatalf("%s %v: %v\n%s", name, args, err, out)
				}
				return string(out)
			}
			ours("git", "init", "-q")
			ours(filepath.Join(bin, "trimtab"), "install", host, "--yes")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, tail(string(out)))
			}
			list := ""
			for ctx.Err() == nil && !strings.Contains(list, `"state": "awaiting_approval"`) {
				list = ours(filepath.Join(bin, "trimtab"), "improve", "list", "--json")
			}
			if n := strings.Count(list, `"id": "workflow_`); n != 1 || !strings.Contains(list, `"`+host+`:`) {
				data := filepath.Join(agent.Home, ".local", "share", "trimtab", "hook")
				decisions, _ := os.ReadFile(filepath.Join(data, "decisions"))
				log, _ := os.ReadFile(filepath.Join(data, "log"))
				t.Errorf("%d requests: %s\ndecisions: %s\nlog: %s", n, list, decisions, log)
			}
		})
	}
}

// TestRealRunTakesHooksAndServers: with --hooks and --mcp an agent is kept from
// stopping once, is offered our tools, and has nothing of it in its own files.
func TestRealRunTakesHooksAndServers(t *testing.T) {
	bin := programs(t)
	for _, c := range []struct {
		host  string
		hooks bool
		tool  string // the name that a tool of ours has in its requests
	}{
		{"claude", true, "mcp__trimtab__flame_push"},
		{"codex", false, "flame_push"},
		{"qwen", true, "mcp__trimtab__flame_push"},
		{"opencode", false, "trimtab_flame_push"},
	} {
		t.Run(c.host, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			paths, err := client.Install(ctx, c.host)
			if err != nil {
				t.Fatalf("install: %v", err)
			}
			announce := fakemodel.Reply{Text: "The first half is done. Now I'll write the second half."}
			model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(
				fakemodel.Reply{Text: "Let me look.", Calls: []fakemodel.Call{fakemodel.Run("echo one")}},
				announce, announce, announce, announce)})
			agent, err := client.Command(c.host, "", "please write both halves")
			if err != nil {
				t.Fatal(err)
			}
			agent.Home = t.TempDir()
			cmd, err := agent.Prepare(ctx, paths)
			if err != nil {
				t.Fatal(err)
			}
			cmd = throughGateway(ctx, t, cmd, bin, c.host, paths, model.URL, agent.Args, "--hooks", "--mcp")
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\nstdout: %s\nstderr: %s\n%s", err, tail(stdout.String()), tail(stderr.String()), dump(model))
			}
			model.NoneRefused(t)
			main := model.Main()
			last, want := string(main[len(main)-1].Body), 2
			if c.hooks {
				want = 3 // the tool, the stop, and the one time it was sent on
				if !strings.Contains(last, opened) {
					t.Errorf("the last request does not hold the reason to go on:\n%s", tail(last))
				}
			}
			if len(main) != want {
				t.Errorf("%d main turns, want %d\n%s", len(main), want, dump(model))
			}
			if !strings.Contains(last, c.tool) {
				t.Errorf("%s is not in the last request:\n%s", c.tool, tail(last))
			}
			untouched(t, agent.Home)
		})
	}
}

// untouched: nothing of ours stands in the settings below a home folder.
func untouched(t *testing.T, home string) {
	t.Helper()
	for _, name := range []string{".claude/settings.json", ".claude.json", ".codex/config.toml", ".codex/hooks.json", ".gemini/settings.json", ".qwen/settings.json", ".config/opencode/opencode.json"} {
		text, err := os.ReadFile(filepath.Join(home, filepath.FromSlash(name)))
		if err == nil && bytes.Contains(text, []byte("trimtab")) && bytes.Contains(text, []byte("hook")) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// throughGateway runs the same agent by trimtab run.
func throughGateway(ctx context.Context, t *testing.T, cmd *exec.Cmd, bin, host string, paths client.Paths, url string, args []string, flags ...string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir() // the agent under the name that people have it under
	if err := os.Symlink(paths.Bin, filepath.Join(dir, host)); err != nil {
		t.Fatal(err)
	}
	words := append([]string{"run"}, flags...)
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
