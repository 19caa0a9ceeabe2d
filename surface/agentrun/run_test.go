package agentrun_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/host/launch"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/agentrun"
	"github.com/trimtab/trimtab/surface/hook/install"
)

// machine is a home folder, a project in it, and agents on the path that are scripts.
type machine struct {
	t    *testing.T
	home string
	env  map[string]string
	told *bytes.Buffer
}

func newMachine(t *testing.T, files map[string]string) machine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the agents of this test are shell scripts")
	}
	m := machine{t, t.TempDir(), map[string]string{}, &bytes.Buffer{}}
	m.env["HOME"] = m.home
	for name, text := range files {
		path, mode := filepath.Join(m.home, name), os.FileMode(0o600)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "bin/") {
			mode = 0o700
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(m.home, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	return m
}

func (m machine) find(name string, upstreams map[string]string, args ...string) (agentrun.Agent, error) {
	return agentrun.Find(agentrun.Options{
		Name: name, Args: args, Upstreams: upstreams, Dir: m.home, Getenv: func(k string) string { return m.env[k] },
		Want: install.Want{Hooks: "trimtab hook", Few: true}, Place: func() (install.Place, error) { return install.Place{}, errors.New("none") },
		Tell: func(string, ...any) {},
	})
}

// server is one to which nobody comes.
type server struct{}

func (server) Serve(ctx context.Context, l net.Listener) error {
	<-ctx.Done()
	return l.Close()
}

func (m machine) run(a agentrun.Agent, turns, passed int64) (code int, stderr string) {
	m.t.Helper()
	var out bytes.Buffer
	count := func(n int64) func() int64 { return func() int64 { return n } }
	backend := func(net.Listener, string) (agentrun.Server, func() int64, func() int64, error) {
		return server{}, count(turns), count(passed), nil
	}
	code, err := a.Run(m.t.Context(), backend, launch.Process{Session: "s", Environ: os.Environ(), Out: &out, Err: &out})
	if err != nil {
		m.t.Fatal(err)
	}
	return code, out.String()
}

// TestH9_ARunThroughWhichNothingCameSaysSo: with the agent's exit code, and not where
// nobody expected a request.
func TestH9_ARunThroughWhichNothingCameSaysSo(t *testing.T) {
	m := newMachine(t, map[string]string{"bin/claude": "#!/bin/sh\nexit 3\n"})
	for _, c := range []struct {
		args          []string
		turns, passed int64
		want          string
	}{
		{[]string{"-p", "hello"}, 0, 0, "no request of claude came through"},
		{nil, 0, 0, "no request of claude came through"},
		{[]string{"-p", "hello"}, 0, 2, "2 requests of claude came through the gateway and none was steered"},
		{[]string{"-p", "hello"}, 1, 2, ""},
		{[]string{"--version"}, 0, 0, ""},
		{[]string{"mcp", "list"}, 0, 0, ""},
		{[]string{"-p", "--", "--help"}, 0, 0, "no request of claude"},
	} {
		a, err := m.find("claude", nil, c.args...)
		if err != nil {
			t.Fatal(err)
		}
		code, text := m.run(a, c.turns, c.passed)
		if code != 3 || c.want == "" && text != "" || !strings.Contains(text, c.want) || strings.Count(text, "\n") > 1 {
			t.Errorf("%q: code %d, %q, want %q", c.args, code, text, c.want)
		}
	}
}

// TestH9_ABaseURLInTheSettingsIsReplacedForTheRun: in one file of settings with the hooks
// and the status line, since the agent takes one; the secret is not on the command line.
func TestH9_ABaseURLInTheSettingsIsReplacedForTheRun(t *testing.T) {
	m := newMachine(t, map[string]string{
		"bin/claude": "#!/bin/sh\n", ".claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"https://gw.example/llm"}}`,
		"mine.json": `{"env":{"A":"b","ANTHROPIC_BASE_URL":"https://mine.example"},"hooks":{"Stop":[{"hooks":[]}]}}`,
	})
	for _, c := range []struct {
		args []string
		up   string
		want []string
	}{
		{[]string{"-p", "hi"}, "https://gw.example/llm", nil},
		{[]string{"--settings", filepath.Join(m.home, "mine.json"), "-p", "hi"}, "https://mine.example", []string{`"A":"b"`, `"Stop":[{"hooks":[]}`}},
	} {
		a, err := m.find("claude", nil, c.args...)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := a.Describe(&text); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(text.String()), "\n")
		command := lines[len(lines)-1]
		if a.Upstreams["anthropic"] != c.up || strings.Count(command, "--settings") != 1 || !strings.HasSuffix(command, "--settings FILE -p hi") {
			t.Errorf("%v: %s", a.Upstreams, command)
		}
		for _, want := range append(c.want, `"ANTHROPIC_BASE_URL":"http://127.0.0.1:PORT/k/SECRET"`, "statusLine", "UserPromptSubmit") {
			if !strings.Contains(a.Fill("http://127.0.0.1:PORT/k/SECRET", "S", "FILE").File.Text, want) {
				t.Errorf("the settings of the run lack %s: %s", want, a.File.Text)
			}
		}
	}
}

// TestH9_WhatIsSaidForTheRunCountsMost: over what was found, by the name of a provider or
// of an upstream of the person's own.
func TestH9_WhatIsSaidForTheRunCountsMost(t *testing.T) {
	m := newMachine(t, map[string]string{"bin/codex": "#!/bin/sh\n", ".codex/config.toml": "model_provider = \"mine\"\n[model_providers.mine]\nbase_url = \"https://gw.example/v1\"\n"})
	a, err := m.find("codex", map[string]string{"mine": "https://other.example/v1", "openai": "https://o.example"})
	if err != nil || a.Named["mine"] != "https://other.example/v1" || a.Upstreams["openai"] != "https://o.example" {
		t.Errorf("%v: %v %v", err, a.Named, a.Upstreams)
	}
}

// TestH9_AnErrandIsNotRefused: a person without a login has to be able to log in.
func TestH9_AnErrandIsNotRefused(t *testing.T) {
	m := newMachine(t, map[string]string{"bin/codex": "#!/bin/sh\n", "bin/qwen": "#!/bin/sh\n"})
	if _, err := m.find("codex", nil, "exec", "hello"); err == nil {
		t.Error("codex without a login was started")
	}
	for _, name := range []string{"codex", "qwen"} {
		for _, args := range [][]string{{"login"}, {"--version"}} {
			if _, err := m.find(name, nil, args...); err != nil {
				t.Errorf("%s %q: %v", name, args, err)
			}
		}
	}
}

// TestH9_OnlyAGatewayOfOursIsLeftOut: a company's may have a path that begins alike.
func TestH9_OnlyAGatewayOfOursIsLeftOut(t *testing.T) {
	for base, want := range map[string]string{
		"https://gw.example/k/team":                         "https://gw.example/k/team",
		"http://127.0.0.1:1/k/team":                         "http://127.0.0.1:1/k/team",
		address.URL("http://127.0.0.1:8787", address.New()): "",
	} {
		m := newMachine(t, map[string]string{"bin/claude": "#!/bin/sh\n", ".claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"` + base + `"}}`})
		if a, err := m.find("claude", nil); err != nil || a.Upstreams["anthropic"] != want {
			t.Errorf("%s: %v, %v", base, a.Upstreams, err)
		}
	}
}

// TestH9_SettingsInAVariableAreJoined: of opencode's providers and the MCP server.
func TestH9_SettingsInAVariableAreJoined(t *testing.T) {
	m := newMachine(t, map[string]string{"bin/opencode": "#!/bin/sh\n", ".config/opencode/opencode.json": `{"provider":{"mine":{"options":{"baseURL":"https://gw.example/v1"}}}}`})
	a, err := agentrun.Find(agentrun.Options{
		Name: "opencode", Dir: m.home, Getenv: func(k string) string { return m.env[k] }, Asked: true,
		Want: install.Want{MCP: []string{"trimtab", "mcp"}}, Place: func() (install.Place, error) { return install.Place{}, errors.New("none") }, Tell: func(string, ...any) {},
	})
	if text := a.Env["OPENCODE_CONFIG_CONTENT"]; err != nil || !strings.Contains(text, `"mcp"`) || !strings.Contains(text, `"baseURL":"{url}/u/mine"`) {
		t.Errorf("%v: %s", err, text)
	}
}
