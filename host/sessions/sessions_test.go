package sessions_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/host/sessions"
)

func dirs(t *testing.T, env map[string]string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, d := range sessions.Dirs(func(name string) string { return env[name] }) {
		all[d.Host] = append(all[d.Host], filepath.ToSlash(d.Path))
	}
	return all
}

func TestSessionsAreBelowTheHomeFolderOrWhereAVariableSays(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	base := filepath.ToSlash(home)
	want := map[string][]string{
		"claude": {base + "/.claude/projects"}, "codex": {base + "/.codex/sessions", base + "/.codex/archived_sessions"},
		"opencode": {base + "/.local/share/opencode"}, "gemini": {base + "/.gemini/tmp"}, "qwen": {base + "/.qwen/projects"},
		"goose": {base + "/.local/share/goose/sessions"}, "pi": {base + "/.pi/agent/sessions"},
	}
	if diff := cmp.Diff(want, dirs(t, map[string]string{"HOME": home, "CODEX_HOME": "not/absolute"})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, dirs(t, map[string]string{"USERPROFILE": home})); diff != "" {
		t.Error(diff)
	}
	other := filepath.ToSlash(filepath.Join(t.TempDir(), "other"))
	if diff := cmp.Diff(map[string][]string{"claude": {other + "/projects"}, "opencode": {other + "/opencode"}, "goose": {other + "/goose/sessions"}},
		dirs(t, map[string]string{"CLAUDE_CONFIG_DIR": other, "XDG_DATA_HOME": other})); diff != "" {
		t.Error(diff)
	}
}

func TestFilesAreKnownByTheirNames(t *testing.T) {
	for _, d := range sessions.Dirs(func(string) string { return t.TempDir() }) {
		for name, hosts := range map[string]string{"rollout-1.jsonl": "codex claude qwen pi", "session-1.json": "gemini", "opencode.db": "opencode", "sessions.db": "goose", "notes.md": ""} {
			want := slices.Contains(strings.Fields(hosts), d.Host)
			if got := d.Holds(name); got != want {
				t.Errorf("%s holds %s: %v", d.Host, name, got)
			}
		}
	}
}
