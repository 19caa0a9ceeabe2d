package client_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/client"
)

// every calls f with each client and API that there is a command for.
func every(t *testing.T, f func(t *testing.T, name string)) {
	t.Helper()
	for _, name := range client.Names() {
		if len(client.APIs(name)) == 0 {
			t.Errorf("there is no way to run %s", name)
		}
		for _, api := range client.APIs(name) {
			t.Run(name+":"+api, func(t *testing.T) { f(t, name+":"+api) })
		}
	}
}

// all is everything that a command tells its client.
func all(c client.Cmd) string {
	return strings.Join(slices.Concat(c.Args, c.Env), "\n") + fmt.Sprint(c.Files)
}

func TestSevenClientsArePinned(t *testing.T) {
	if got := strings.Join(client.Names(), " "); got != "claude codex opencode gemini qwen goose pi" {
		t.Errorf("the clients are %s", got)
	}
	for _, name := range client.Names() {
		if v, err := client.Version(name); err != nil || strings.Count(v, ".") != 2 {
			t.Errorf("%s has the version %q, %v", name, v, err)
		}
	}
	if _, err := client.Version("emacs"); err == nil || !strings.Contains(err.Error(), "claude") {
		t.Errorf("an unknown client gives %v", err)
	}
}

func TestACommandPointsAtTheModelAndAsksThePrompt(t *testing.T) {
	every(t, func(t *testing.T, name string) {
		cmd, err := client.Command(name, "http://127.0.0.1:4711/", "say {url} hi")
		if err != nil {
			t.Fatal(err)
		}
		told := all(cmd)
		if !strings.Contains(told, "http://127.0.0.1:4711") || strings.Contains(told, "4711//") || strings.Contains(told, "{prompt}") || strings.Contains(told, "{point}") {
			t.Errorf("told %s", told)
		}
		if !slices.Contains(cmd.Args, "say {url} hi") {
			t.Errorf("the prompt is not an argument of its own: %q", cmd.Args)
		}
	})
}

// For runs through trimtab, which does the pointing.
func TestWithoutAURLNothingPointsAtAModel(t *testing.T) {
	every(t, func(t *testing.T, name string) {
		cmd, err := client.Command(name, "", "hi")
		if err != nil {
			t.Fatal(err)
		}
		told := all(cmd)
		for _, word := range []string{"http", "{url}", "{point}", "BASE_URL", "_HOST="} {
			if strings.Contains(told, word) {
				t.Errorf("told %q in %s", word, told)
			}
		}
	})
}

func TestTheCommandsAreThoseThatWereSeenToWork(t *testing.T) {
	for name, want := range map[string]client.Cmd{
		"claude": {
			Name: "claude", API: "anthropic",
			Args: []string{"-p", "hi", "--output-format", "json", "--allowedTools", "Bash"},
			Env:  []string{"ANTHROPIC_API_KEY=sk-test", "ANTHROPIC_BASE_URL=http://h"}, Files: map[string]string{},
		},
		"codex": {
			Name: "codex", API: "responses",
			Args: []string{
				"exec", "--skip-git-repo-check", "-m", "gpt-5.5", "-c", "model_provider=steer",
				"-c", `model_providers.steer={name="Steer",base_url="http://h/v1",wire_api="responses",env_key="OPENAI_API_KEY"}`, "hi",
			},
			Env: []string{"OPENAI_API_KEY=sk-test"}, Files: map[string]string{},
		},
		"gemini": {
			Name: "gemini", API: "gemini",
			Args:  []string{"-p", "hi", "--approval-mode", "yolo"},
			Env:   []string{"GEMINI_API_KEY=sk-test", "GEMINI_CLI_TRUST_WORKSPACE=true", "GOOGLE_GEMINI_BASE_URL=http://h"},
			Files: map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`},
		},
		"goose:anthropic": {
			Name: "goose", API: "anthropic",
			Args: []string{"run", "--with-builtin", "developer", "-t", "hi"},
			Env:  []string{"GOOSE_DISABLE_KEYRING=1", "GOOSE_MODE=auto", "GOOSE_PROVIDER=anthropic", "GOOSE_MODEL=claude-sonnet-4-5", "ANTHROPIC_API_KEY=sk-test", "ANTHROPIC_HOST=http://h"}, Files: map[string]string{},
		},
	} {
		got, err := client.Command(name, "http://h", "hi")
		if err != nil {
			t.Fatal(err)
		}
		delete(got.Files, ".config/trimtab/trimtab.json") // ours, not the client's
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: want -, got +\n%s", name, d)
		}
	}
	for _, name := range []string{"emacs", "claude:gemini"} {
		if _, err := client.Command(name, "http://h", "hi"); err == nil {
			t.Errorf("there is a command for %s", name)
		}
	}
}
