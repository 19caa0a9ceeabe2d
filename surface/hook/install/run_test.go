package install

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func none(string) string { return "" }

// TestRun_WhatEachHostTakes: by flags, variables and a file of the run, or not at
// all, and then it is said.
func TestRun_WhatEachHostTakes(t *testing.T) {
	both := Want{Hooks: program, MCP: speaks}
	for host, want := range map[string]struct {
		hooks, mcp bool
		left       int
	}{
		"claude":   {true, true, 0},
		"codex":    {false, true, 1},
		"qwen":     {true, true, 0},
		"opencode": {false, true, 1},
		"gemini":   {false, false, 2},
		"goose":    {false, false, 2},
		"pi":       {false, false, 2},
		"emacs":    {false, false, 2},
	} {
		r, err := ForRun(host, both, none)
		if err != nil {
			t.Fatal(host, err)
		}
		settings, err := json.Marshal(r.Settings)
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(r.Args, " ") + string(settings) + string(r.File) + r.Env["OPENCODE_CONFIG_CONTENT"]
		if got := strings.Contains(all, program+" "+host+" "); got != want.hooks {
			t.Errorf("%s: hooks %v in %s", host, got, all)
		}
		if got := strings.Contains(all, "trim tab"); got != want.mcp {
			t.Errorf("%s: MCP %v in %s", host, got, all)
		}
		if len(r.Left) != want.left {
			t.Errorf("%s: %q", host, r.Left)
		}
		if r, err := ForRun(host, Want{}, none); err != nil || len(r.Args)+len(r.Env)+len(r.Left)+len(r.File)+len(r.Settings) > 0 {
			t.Errorf("%s: nothing is asked for: %+v %v", host, r, err)
		}
	}
}

// TestRun_ClaudesPromptIsNoServer: its flag takes all words that follow, so it is
// one word with its value.
func TestRun_ClaudesPromptIsNoServer(t *testing.T) {
	r, err := ForRun("claude", Want{MCP: speaks}, none)
	if err != nil || len(r.Args) != 1 || !strings.HasPrefix(r.Args[0], `--mcp-config={"mcpServers":{"trimtab":`) {
		t.Errorf("%q %v", r.Args, err)
	}
}

// TestRun_SettingsOfOthersAreNotHidden: a variable or a file that is there stays.
func TestRun_SettingsOfOthersAreNotHidden(t *testing.T) {
	both := Want{Hooks: program, MCP: speaks}
	set := func(name, value string) func(string) string {
		return func(n string) string {
			if n == name {
				return value
			}
			return ""
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "system-defaults.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		host   string
		getenv func(string) string
	}{
		"qwen's variable":   {"qwen", set("QWEN_CODE_SYSTEM_DEFAULTS_PATH", "/x")},
		"qwen's file":       {"qwen", set("QWEN_CODE_SYSTEM_SETTINGS_PATH", filepath.Join(dir, "settings.json"))},
		"opencode's config": {"opencode", set("OPENCODE_CONFIG_CONTENT", "{}")},
	} {
		r, err := ForRun(c.host, both, c.getenv)
		if err != nil || len(r.Env) > 0 || r.File != nil || !slices.ContainsFunc(r.Left, func(s string) bool { return strings.Contains(s, "as it is") || strings.Contains(s, "as they are") }) {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}
