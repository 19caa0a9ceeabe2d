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

	"github.com/trimtab/trimtab/host/launch"
	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// TestRealClients runs each real agent headless through `trimtab run`, against a
// strict model on loopback, and looks at what the model received.
func TestRealClients(t *testing.T) {
	trimtab := built(t)
	for _, name := range []string{"claude", "codex", "gemini", "qwen", "goose", "goose:anthropic", "opencode", "pi"} {
		t.Run(strings.ReplaceAll(name, ":", "-"), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
			defer cancel()
			host, _, _ := strings.Cut(name, ":")
			paths, err := client.Install(ctx, host)
			if err != nil {
				t.Fatalf("install: %v", err)
			}
			runClient(ctx, t, trimtab, name, host, paths)
		})
	}
}

// built is the program as people run it.
func built(t *testing.T) string {
	t.Helper()
	trimtab := filepath.Join(t.TempDir(), "trimtab")
	if out, err := exec.Command("go", "build", "-o", trimtab, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return trimtab
}

func runClient(ctx context.Context, t *testing.T, trimtab, name, host string, paths client.Paths) {
	var calls []fakemodel.Call
	for i := range 10 {
		calls = append(calls, fakemodel.Run(fmt.Sprintf("echo step-%d", i)))
	}
	model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("All done here.", calls...)})
	agent, err := client.Command(name, "", "automata: please tidy this folder")
	if err != nil {
		t.Fatal(err)
	}
	agent.Home = t.TempDir()
	data := t.TempDir()
	before, stdout := launched(ctx, t, trimtab, host, &agent, paths, model, "--data", data, "--mode", "planning")
	model.NoneRefused(t)
	if !strings.Contains(stdout, "All done here.") {
		t.Errorf("the agent's answer did not come through: %s", tail(stdout))
	}
	checkMain(t, model, slices.Contains([]string{"claude", "gemini", "qwen"}, host), host == "opencode" || host == "claude")
	checkSide(t, model)
	for _, file := range before { // an agent may rewrite its own settings; nothing of ours may be in them
		after, err := os.ReadFile(filepath.Join(agent.Home, file.name))
		if err != nil || strings.Contains(strings.ToLower(string(after)), "trimtab") || strings.Contains(string(after), "127.0.0.1") {
			t.Errorf("%s of the user has something of ours: %v\n%s", file.name, err, after)
		}
	}
	out, err := exec.CommandContext(ctx, trimtab, "session", "list", "--all", "--data", data).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "please tidy") {
		t.Errorf("the session is not stored: %v\n%s", err, out)
	}
}

// launched runs an agent through trimtab to its end. It returns the files of the
// agent's user as they were before, and what the agent printed.
func launched(ctx context.Context, t *testing.T, trimtab, host string, agent *client.Cmd, paths client.Paths, model *fakemodel.Server, flags ...string) (before []file, printed string) {
	t.Helper()
	cmd, err := agent.Prepare(ctx, paths)
	if err != nil {
		t.Fatal(err)
	}
	known, _ := launch.Find(host)
	bin := t.TempDir() // the agent under the name that people have it under
	if err := os.Symlink(paths.Bin, filepath.Join(bin, known.Command)); err != nil {
		t.Fatal(err)
	}
	before = tree(t, agent.Home)
	args := append([]string{"run"}, flags...)
	for _, provider := range []string{"anthropic", "openai", "gemini"} {
		args = append(args, "--upstream", provider+"="+model.URL)
	}
	run := exec.CommandContext(ctx, trimtab, append(append(args, host), agent.Args...)...)
	run.Dir, run.WaitDelay = cmd.Dir, 5*time.Second
	for _, e := range cmd.Env {
		if path, ok := strings.CutPrefix(e, "PATH="); ok {
			e = "PATH=" + bin + string(os.PathListSeparator) + path
		}
		run.Env = append(run.Env, e)
	}
	var stdout, stderr bytes.Buffer
	run.Stdout, run.Stderr = &stdout, &stderr
	if err := run.Run(); err != nil {
		t.Fatalf("%v\nstdout: %s\nstderr: %s\n%s", err, tail(stdout.String()), tail(stderr.String()), dump(model))
	}
	return before, stdout.String()
}

// TestD1_ARealClientIsHeldToAGoal: the mode's goal stands at the first prompt, and
// a criterion that the reply meets moves the session on.
func TestD1_ARealClientIsHeldToAGoal(t *testing.T) {
	trimtab := built(t)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	paths, err := client.Install(ctx, "claude")
	if err != nil {
		t.Fatalf("install: %v", err)
	}
	met := fakemodel.Reply{Text: "## Audience defined\nBakers who are up before the birds, and those who like warm bread at seven.\n[DONE: audience_defined]", Calls: []fakemodel.Call{fakemodel.Run("echo on")}}
	model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(met, fakemodel.Reply{Text: "All done here."})})
	agent, err := client.Command("claude", "", "a landing page for a mill")
	if err != nil {
		t.Fatal(err)
	}
	agent.Home = t.TempDir()
	data := t.TempDir()
	launched(ctx, t, trimtab, "claude", &agent, paths, model, "--data", data, "--mode", "copywrite")
	model.NoneRefused(t)
	first := model.Main()[0].Transcript()
	if !strings.Contains(first, "audience_defined") {
		t.Errorf("the goal does not stand at the prompt:\n%s", first)
	}
	list, err := exec.CommandContext(ctx, trimtab, "session", "list", "--all", "--json", "--data", data).Output()
	if err != nil {
		t.Fatal(err)
	}
	var sessions []struct {
		ID string `json:"sessionId"`
	}
	if err := json.Unmarshal(list, &sessions); err != nil || len(sessions) != 1 {
		t.Fatalf("%v: %s", err, list)
	}
	out, err := exec.CommandContext(ctx, trimtab, "focus", "--session", sessions[0].ID, "--data", data).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "✓ audience_defined") {
		t.Errorf("the criterion is not met: %v\n%s", err, out)
	}
}

// checkMain looks at the main turns: mode, notes, order, anchors, whole prefixes. The
// mode's entry stands before the prompt; behind it where the agent adds notes itself, or
// writes its own opening into the same message.
func checkMain(t *testing.T, model *fakemodel.Server, behind, todos bool) {
	t.Helper()
	all := model.Main()
	if len(all) < 11 {
		t.Fatalf("%d main turns, want at least 11\n%s", len(all), dump(model))
	}
	for i, r := range all[:11] {
		got := r.Transcript()
		entry, prompt := strings.Index(got, "You are in PLANNING MODE"), strings.LastIndex(got, "please tidy this folder")
		if reply := strings.Index(got, "\nassistant"); strings.Count(got, "You are in PLANNING MODE") != 1 || behind != (entry > prompt) || reply >= 0 && entry > reply {
			t.Fatalf("request %d: the entry prompt does not stand once at the prompt:\n%s", i+1, got)
		}
		todo, look := strings.Index(got, "no todo list has been written"), strings.Index(got, "Time to look up")
		if i < 8 && (todo >= 0 || look >= 0) || i >= 8 && (look < prompt || look < todo || (todo > prompt) != todos) { // no reminder of a tool that is not offered
			t.Fatalf("request %d: the reminder is at %d and the reflection at %d:\n%s", i+1, todo, look, got)
		}
		if string(r.Raw("system")) != string(all[0].Raw("system")) || string(r.Raw("tools")) != string(all[0].Raw("tools")) {
			t.Errorf("request %d: system or tools differ from the first request's", i+1)
		}
		if i > 8 && !strings.HasPrefix(words(r), words(all[i-1])) {
			t.Errorf("request %d does not begin with what request %d held:\n%s\n---\n%s", i+1, i, words(all[i-1]), words(r))
		}
	}
}

// words is what the model reads of the conversation itself: hosts keep adding
// thinking and notes of their own, and our notes ride behind it.
func words(r fakemodel.Request) string {
	var out strings.Builder
	for _, item := range r.Items {
		text := fmt.Sprintln(item)
		rides := strings.Contains(text, "A note of Trimtab") || strings.Contains(text, "no todo list has been written") || strings.Contains(text, "Time to look up")
		if item.Role != "system" && item.Kind != fakemodel.Thinking && !rides {
			out.WriteString(text)
		}
	}
	return out.String()
}

// checkSide sees that side calls were left alone.
func checkSide(t *testing.T, model *fakemodel.Server) {
	t.Helper()
	for _, r := range model.Requests() {
		if r.Side != "" && (strings.Contains(string(r.Body), "You are in PLANNING MODE. Before writing") || strings.Contains(string(r.Body), "Time to look up from the work")) {
			t.Errorf("a side call (%s) was steered:\n%s", r.Side, r.Transcript())
		}
	}
}

type file struct{ name, text string }

// tree is every file below a folder.
func tree(t *testing.T, dir string) []file {
	t.Helper()
	var all []file
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all = append(all, file{name, string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func tail(s string) string { return s[max(0, len(s)-2000):] }

func dump(model *fakemodel.Server) string {
	var out strings.Builder
	for _, r := range model.Requests() {
		fmt.Fprintf(&out, "%s %s side=%q refused=%v\n", r.Method, r.Path, r.Side, r.Refused)
	}
	return out.String()
}
