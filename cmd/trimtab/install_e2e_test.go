//go:build e2e

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
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
	plain  bool                         // its own resume sends each function response twice, which its API refuses: a session without tools is resumed
	places []string                     // where it keeps what install writes, below the home folder
}

func installedHosts() []installedHost {
	behind := func(words ...string) func([]string) []string {
		return func(args []string) []string { return append(args, words...) }
	}
	return []installedHost{
		{name: "claude", resume: behind("--continue"), places: []string{".claude/settings.json", ".claude.json"}},
		{name: "claude", flags: []string{"--plugin"}, resume: behind("--continue"), places: []string{".claude/settings.json", ".claude/skills"}},
		{name: "codex", first: []string{"--dangerously-bypass-hook-trust"}, places: []string{".codex"}, resume: func(args []string) []string {
			return slices.Insert(args, len(args)-1, "resume", "--last")
		}},
		{name: "opencode", stops: true, places: []string{".config/opencode"}, resume: func(args []string) []string {
			return slices.Insert(args, 1, "--continue")
		}},
		{name: "gemini", plain: true, resume: behind("--resume", "latest"), places: []string{".gemini/settings.json"}},
		{name: "gemini", flags: []string{"--plugin"}, plain: true, resume: behind("--resume", "latest"), places: []string{".gemini/settings.json", ".gemini/extensions"}},
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
				model.NoneRefused(t)
				var asked []string
				for _, r := range model.Main() {
					r.Items = r.Visible()
					asked = append(asked, r.Transcript())
				}
				if len(asked) == 0 && !strings.HasPrefix(prompt, "/") {
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

			remembered := "step-8"
			if h.plain {
				remembered = "Both halves are there"
				run("the second folder", false, over)
			}
			if len(h.flags) > 0 { // a plugin has slash commands
				asked = run("/trimtab:mode planning", true, over)
				if len(asked) > 0 != (h.name != "claude") || len(asked) > 0 && !strings.Contains(asked[0], "PLANNING") { // Claude Code's hook of the prompt answers it without a request
					t.Errorf("the slash command was not run: %q", asked)
				}
			} else {
				ours("mode", "planning")
			}
			asked = run("and the other folder", true, over)
			if !h.deaf && !strings.Contains(asked[0], "PLANNING MODE") {
				t.Errorf("resumed, the mode is not told:\n%s", tail(asked[0]))
			}
			if !strings.Contains(asked[0], remembered) {
				t.Errorf("it was not resumed:\n%s", tail(asked[0]))
			}
			if sessions := ours("session", "list", "--all", "--json"); (strings.Count(sessions, `"`+h.name+`:`) != 1) != h.plain {
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
			if err == nil && !d.IsDir() && slices.Contains([]string{".json", ".jsonc", ".toml", ".js", ".ts"}, ext) && !strings.Contains(path, "node_modules") {
				text, err := os.ReadFile(path)
				found[strings.TrimPrefix(path, home)] = string(text)
				return err
			}
			return nil // a place that is not there holds no file
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// pluggedIn is an agent whose plugin of ours is installed, ready to be started.
func pluggedIn(ctx context.Context, t *testing.T, bin, host, url, prompt string, settings map[string]string) (*exec.Cmd, client.Paths, client.Cmd) {
	t.Helper()
	paths, err := client.Install(ctx, host)
	if err != nil {
		t.Fatalf("install: %v", err)
	}
	agent, err := client.Command(host, url, prompt)
	if err != nil {
		t.Fatal(err)
	}
	agent.Home = t.TempDir()
	for name, text := range settings {
		agent.Files[name] = text
	}
	cmd, err := agent.Prepare(ctx, paths)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(ctx, filepath.Join(bin, "trimtab"), "install", host, "--yes")
	c.Env, c.Dir = cmd.Env, cmd.Dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return cmd, paths, agent
}

// TestH11_APluginIsNeverInTheWay: where trimtab is gone, hangs or answers rubbish, the
// real agents finish as if there were no plugin.
func TestH11_APluginIsNeverInTheWay(t *testing.T) {
	bin := programs(t)
	for host, file := range map[string]string{"opencode": ".config/opencode/plugins/trimtab.js", "pi": ".pi/agent/extensions/trimtab.ts"} {
		for name, program := range map[string]string{"gone": `["/nowhere/trimtab"]`, "hangs": `["sleep","60"]`, "rubbish": `["echo","{\"notes\": 7}","#"]`, "no JSON": `["echo","panic:"]`} {
			t.Run(host+"-"+name, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
				defer cancel()
				model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("All done here.", fakemodel.Run("echo one"))})
				cmd, _, agent := pluggedIn(ctx, t, bin, host, model.URL, "automata: please tidy this folder", nil)
				path := filepath.Join(agent.Home, filepath.FromSlash(file))
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				from := bytes.Index(text, []byte("const program = "))
				to := from + bytes.IndexByte(text[from:], '\n')
				if err := os.WriteFile(path, slices.Concat(text[:from], []byte("const program = "+program), text[to:]), 0o600); err != nil {
					t.Fatal(err)
				}
				if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "All done here.") {
					t.Errorf("%v\n%s", err, tail(string(out)))
				}
				model.NoneRefused(t)
				if main := model.Main(); len(main) != 2 || strings.Contains(main[1].Transcript(), "Trimtab") {
					t.Errorf("%d main turns\n%s", len(main), dump(model))
				}
			})
		}
	}
}

// TestH11_OpencodeGoesOn: under opencode serve, as in its screen, a stop with work left
// is followed by one more turn, and no more.
func TestH11_OpencodeGoesOn(t *testing.T) {
	bin := programs(t)
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Minute)
	defer cancel()
	announce := fakemodel.Reply{Text: "The first half is done. Now I'll write the second half."}
	model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(announce, announce, announce, announce)})
	cmd, _, _ := pluggedIn(ctx, t, bin, "opencode", model.URL, "x", nil)
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listen.Addr().String()
	_ = listen.Close()
	cmd.Args = []string{cmd.Args[0], "serve", "--hostname", "127.0.0.1", "--port", address[strings.LastIndexByte(address, ':')+1:]}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cancel(); _ = cmd.Wait() }()
	post := func(path, body string, wait time.Duration) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+path, strings.NewReader(body))
		if err != nil {
			return "", err
		}
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		return string(text), err
	}
	var session struct {
		ID string `json:"id"`
	}
	for session.ID == "" && ctx.Err() == nil { // until it listens
		text, err := post("/session", "{}", time.Minute) // one that comes too early is never answered
		if err == nil {
			_ = json.Unmarshal([]byte(text), &session)
		}
		time.Sleep(200 * time.Millisecond)
	}
	said, err := post("/session/"+session.ID+"/message", `{"model":{"providerID":"anthropic","modelID":"claude-sonnet-4-5"},"parts":[{"type":"text","text":"write both halves"}]}`, 5*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for len(model.Main()) < 2 && ctx.Err() == nil {
		time.Sleep(200 * time.Millisecond)
	}
	if main := model.Main(); len(main) < 2 || !strings.Contains(main[1].Transcript(), opened) {
		t.Fatalf("it was not sent on: %s\n%s", tail(said), dump(model))
	}
	again, err := post("/session/"+session.ID+"/message", `{"model":{"providerID":"anthropic","modelID":"claude-sonnet-4-5"},"noReply":true,"parts":[{"type":"text","text":"a word, and no turn"}]}`, 5*time.Minute)
	if err != nil || len(model.Main()) != 2 {
		t.Errorf("%v; sent on more than once: %d turns\n%s", err, len(model.Main()), tail(again))
	}
	model.NoneRefused(t)
}

// TestF5_APoppedFrameLeavesTheRequestOfAPlugin: opencode's message transform hook folds
// what a frame held, without a gateway.
func TestF5_APoppedFrameLeavesTheRequestOfAPlugin(t *testing.T) {
	bin := programs(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	call := func(name, input string) fakemodel.Reply {
		return fakemodel.Reply{Calls: []fakemodel.Call{{Name: "trimtab_" + name, Input: json.RawMessage(input)}}}
	}
	work := func(command string) fakemodel.Reply {
		return fakemodel.Reply{Calls: []fakemodel.Call{fakemodel.Run(command)}}
	}
	model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(
		call("flame_push", `{"goal":"Count to many"}`), work("echo the-work; seq 1 2500"), work("echo the-work; seq 1 2500"), work("echo the-work; seq 1 2500"),
		call("flame_pop", `{"status":"completed","summary":"It was counted to many."}`), work("echo after"), fakemodel.Reply{Text: "All done here."})})
	server, err := json.Marshal(map[string]any{"mcp": map[string]any{"trimtab": map[string]any{"type": "local", "command": []string{filepath.Join(bin, "trimtab"), "mcp"}, "enabled": true}}})
	if err != nil {
		t.Fatal(err)
	}
	cmd, _, _ := pluggedIn(ctx, t, bin, "opencode", model.URL, "please count", map[string]string{".config/opencode/opencode.json": string(server)})
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, tail(string(out)))
	}
	model.NoneRefused(t)
	main := model.Main()
	last := main[len(main)-1].Transcript()
	if strings.Contains(last, "2499") || !strings.Contains(last, "It was counted to many.") || !strings.Contains(last, "after") {
		t.Errorf("the frame did not leave the last of %d requests:\n%s", len(main), last)
	}
}
