package install

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"

	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

const program = "/opt/trimtab/trimtab-hook"

// examples are settings as people have them.
var examples = map[string]string{
	"empty object":   "{}",
	"empty file":     "",
	"one line":       `{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}`,
	"one line, none": `{"model":"opus"}`,
	"two spaces": `{
  "model": "opus",
  "env": { "A": "1" },
  "permissions": {
    "allow": ["Bash(go test:*)"]
  }
}
`,
	"hooks of another": `{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          { "type": "command", "command": "check-bash" }
        ]
      }
    ],
    "Stop": []
  },
  "theme": "dark"
}
`,
	"tabs":   "{\n\t\"theme\": \"dark\",\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}\n\t\t]\n\t}\n}\n",
	"crlf":   "{\r\n  \"theme\": \"dark\"\r\n}\r\n",
	"no end": "{\n  \"a\": 1\n}",
	"comments": `// mine
{
  "theme": "dark", // at night
  /* hooks
     of mine */
  "hooks": {
    // said at the end
    "Stop": [
      {"hooks": [{"type": "command", "command": "say done"}]}, // really
    ],
  }, // that is all
}
`,
	"comment at the end": "{\n  \"a\": 1 // one\n  // two\n}\n",
	"empty hooks":        "{\n  \"hooks\": {}\n}\n",
	"hooks on one line":  "{\n  \"hooks\": {\"Stop\": [ ]},\n  \"b\": [1, 2]\n}\n",
	"named twice":        "{\n  \"hooks\": 7,\n  \"hooks\": {}\n}\n",
}

func env(t *testing.T) Env {
	t.Helper()
	return Env{Home: t.TempDir(), Data: t.TempDir(), Getenv: func(string) string { return "" }}
}

func place(t *testing.T, host string, e Env) Place {
	t.Helper()
	p, err := Find(host, e)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var at = time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)

func install(t *testing.T, p Place, program string) Plan {
	t.Helper()
	plan, err := p.Add(Want{Hooks: program, Args: strings.Fields(program)})
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Apply(at); err != nil {
		t.Fatal(err)
	}
	return plan
}

// withSettings are the hosts whose hooks stand in a settings file.
func withSettings() []host.Host {
	return slices.DeleteFunc(spool.Hosts(), func(h host.Host) bool { return h.Install.Code != "" })
}

func uninstall(t *testing.T, p Place) Plan {
	t.Helper()
	plan, err := p.Remove()
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Apply(at); err != nil {
		t.Fatal(err)
	}
	return plan
}

// plain is what a host reads: the values, without comments.
func plain(t *testing.T, text string) map[string]any {
	t.Helper()
	b, err := hujson.Standardize([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

func TestInstallThenUninstallGivesBackTheSameBytes(t *testing.T) {
	for _, h := range withSettings() {
		for name, before := range examples {
			t.Run(h.Name+", "+name, func(t *testing.T) {
				p := place(t, h.Name, env(t))
				put(t, p.Files[0], before)
				install(t, p, program)
				state, err := p.State()
				if err != nil || len(state.Missing) > 0 || len(state.Commands) != len(h.Hooks.Events) {
					t.Fatalf("%+v, %v\n%s", state, err, text(t, p.Files[0]))
				}
				if name != "comments" && name != "comment at the end" && !json.Valid([]byte(text(t, p.Files[0]))) {
					t.Errorf("plain JSON became something else:\n%s", text(t, p.Files[0]))
				}
				uninstall(t, p)
				if diff := cmp.Diff(before, text(t, p.Files[0])); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// TestUninstall_TakesOnlyOurs: without the record of what was there, our hooks
// are found by what they look like.
func TestUninstall_TakesOnlyOurs(t *testing.T) {
	for name, before := range examples {
		t.Run(name, func(t *testing.T) {
			p := place(t, "claude", env(t))
			put(t, p.Files[0], before)
			install(t, p, program)
			if err := os.RemoveAll(p.folder()); err != nil {
				t.Fatal(err)
			}
			uninstall(t, p)
			after := text(t, p.Files[0])
			if strings.Contains(after, "trimtab") {
				t.Errorf("ours are left:\n%s", after)
			}
			for _, theirs := range []string{"say done", "check-bash", "dark", "opus", "// mine", "// at night", "of mine */", "// said at the end", "// really", "// that is all", "// one", "// two"} {
				if strings.Contains(before, theirs) && !strings.Contains(after, theirs) {
					t.Errorf("%q is gone:\n%s", theirs, after)
				}
			}
			want, got := plain(t, or(before, "{}")), plain(t, after)
			delete(want, "hooks") // one that was empty may be gone
			hooks, _ := got["hooks"].(map[string]any)
			delete(got, "hooks")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if was, _ := plain(t, or(before, "{}"))["hooks"].(map[string]any); was != nil {
				for event, list := range was {
					if all, _ := list.([]any); len(all) > 0 && !cmp.Equal(list, hooks[event]) {
						t.Errorf("%s: %v became %v", event, list, hooks[event])
					}
				}
			}
		})
	}
}

func or(a, b string) string {
	if strings.TrimSpace(a) != "" {
		return a
	}
	return b
}

func TestUninstall_AFileThatWasChangedKeepsTheChange(t *testing.T) {
	p := place(t, "claude", env(t))
	put(t, p.Files[0], examples["hooks of another"])
	install(t, p, program)
	put(t, p.Files[0], strings.Replace(text(t, p.Files[0]), `"dark"`, `"light"`, 1))
	uninstall(t, p)
	after := text(t, p.Files[0])
	if !strings.Contains(after, `"light"`) || strings.Contains(after, "trimtab") || !strings.Contains(after, "check-bash") {
		t.Error(after)
	}
}

func TestInstall_IsIdempotentAndFollowsTheProgram(t *testing.T) {
	for _, h := range withSettings() {
		p := place(t, h.Name, env(t))
		put(t, p.Files[0], examples["two spaces"])
		install(t, p, program)
		once := text(t, p.Files[0])
		if again := install(t, p, program); len(again.Changes) > 0 {
			t.Errorf("%s: the second time changes\n%s", h.Name, again.Diff())
		}
		install(t, p, "'/new place/trimtab' hook")
		moved := text(t, p.Files[0])
		if strings.Contains(moved, program) || moved == once {
			t.Errorf("%s: the old program is still called:\n%s", h.Name, moved)
		}
		uninstall(t, p)
		if got := text(t, p.Files[0]); got != examples["two spaces"] {
			t.Errorf("%s: %s", h.Name, got)
		}
	}
}

func TestInstall_AFileThatWasNotThereGoesAgain(t *testing.T) {
	for _, h := range spool.Hosts() {
		e := env(t)
		p := place(t, h.Name, e)
		plan := install(t, p, program)
		if !strings.HasPrefix(plan.Diff(), "new file ") {
			t.Errorf("%s: %s", h.Name, plan.Diff())
		}
		for _, c := range plan.Changes {
			path := c.Path
			info, err := os.Stat(path)
			if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v %v", path, info, err)
			}
		}
		uninstall(t, p)
		for _, path := range p.Files {
			if _, err := os.Stat(path); err == nil {
				t.Errorf("%s: %s is still there", h.Name, path)
			}
		}
	}
}

func TestInstall_TouchesNothingWhereItCannotBeSure(t *testing.T) {
	for name, bad := range map[string]string{"no JSON": "{", "a list": "[]", "hooks are no object": `{"hooks":[]}`, "an event is no list": `{"hooks":{"Stop":{}}}`, "toml": "a = 1"} {
		p := place(t, "claude", env(t))
		put(t, p.Files[0], bad)
		if plan, err := p.Add(Want{Hooks: program}); err == nil {
			t.Errorf("%s: planned %s", name, plan.Diff())
		}
		if text(t, p.Files[0]) != bad {
			t.Errorf("%s: it was changed", name)
		}
	}
	p := place(t, "claude", env(t))
	put(t, p.Files[0], "{}")
	plan, err := p.Add(Want{Hooks: program})
	if err != nil {
		t.Fatal(err)
	}
	put(t, p.Files[0], `{"a":1}`)
	if err := plan.Apply(at); err == nil || text(t, p.Files[0]) != `{"a":1}` {
		t.Errorf("a file that changed after it was shown: %v, %s", err, text(t, p.Files[0]))
	}
	if _, err := Find("emacs", env(t)); err == nil {
		t.Error("an unknown host has a place")
	}
}

func TestInstall_KeepsABackupTheModeAndALink(t *testing.T) {
	e := env(t)
	p := place(t, "claude", e)
	real := filepath.Join(e.Home, "dotfiles", "settings.json")
	put(t, real, examples["two spaces"])
	if err := os.MkdirAll(filepath.Dir(p.Files[0]), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, p.Files[0]); err != nil {
		t.Skip("no links here:", err)
	}
	install(t, p, program)
	info, err := os.Lstat(p.Files[0])
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became a file: %v", err)
	}
	if info, err := os.Stat(real); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("the mode changed: %v %v", info, err)
	}
	kept, err := filepath.Glob(filepath.Join(e.Data, "install", "claude-2026*-settings.json"))
	if err != nil || len(kept) != 1 || text(t, kept[0]) != examples["two spaces"] {
		t.Errorf("backups: %v %v", kept, err)
	}
}

func TestTheHostsOwnFoldersAreHonoured(t *testing.T) {
	e := env(t)
	e.Getenv = func(name string) string {
		return map[string]string{"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x"}[name]
	}
	for host, want := range map[string]string{
		"claude": "/c/settings.json", "codex": "/x/hooks.json", "gemini": e.Home + "/.gemini/settings.json",
		"qwen": e.Home + "/.qwen/settings.json", "goose": e.Home + "/.agents/plugins/trimtab/hooks/hooks.json",
	} {
		if got := place(t, host, e).Files[0]; got != filepath.FromSlash(want) {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
	}
}

func TestCodex_IsToldOfAndItsTrustIsNeverWritten(t *testing.T) {
	e := env(t)
	p := place(t, "codex", e)
	if !strings.Contains(p.Note, "/hooks") || !strings.Contains(p.Note, "trust") {
		t.Errorf("the person is not told: %q", p.Note)
	}
	config := filepath.Join(e.Home, ".codex", "config.toml")
	put(t, config, "model = \"x\"\n")
	install(t, p, program)
	if text(t, config) != "model = \"x\"\n" || strings.Contains(text(t, p.Files[0]), "hash") {
		t.Error("a trust hash was written")
	}
	top := plain(t, text(t, p.Files[0]))
	if len(top) != 1 { // Codex refuses a file with other keys
		t.Errorf("hooks.json has %v", top)
	}
}

func TestTrust_ReadsWhatCodexSays(t *testing.T) {
	answers := `{"id":1,"result":{}}
{"method":"configWarning","params":{}}
{"id":2,"result":{"data":[{"cwd":"/","hooks":[{"command":"a codex Stop","enabled":true,"trustStatus":"trusted"},{"command":"b codex Stop","enabled":true,"trustStatus":"untrusted"},{"command":"c","enabled":false,"trustStatus":"trusted"}]}]}}
`
	var asked strings.Builder
	got, err := trust(&asked, strings.NewReader(answers), "/")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a codex Stop": "trusted", "b codex Stop": "untrusted", "c": "disabled"}, got); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(asked.String(), "hooks/list") {
		t.Error(asked.String())
	}
	for _, bad := range []string{"", "{\"id\":2,\"error\":{\"message\":\"no such method\"}}\n", "nonsense\n"} {
		if _, err := trust(&asked, strings.NewReader(bad), "/"); err == nil {
			t.Errorf("%q is an answer", bad)
		}
	}
}

func TestDiff(t *testing.T) {
	got := Plan{Changes: []Change{{"f", []byte("a\nb\nc\nd\ne\nf\ng\n"), []byte("a\nb\nc\nd\nE\nf\ng\nh\n")}}}.Diff()
	want := "change f\n  …\n  b\n  c\n  d\n- e\n+ E\n  f\n  g\n+ h\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzEdit: what can be read stays readable, our hooks come and go, and the rest
// stays what it was.
func FuzzEdit(f *testing.F) {
	for _, text := range examples {
		f.Add([]byte(text))
	}
	f.Add([]byte(`{"hooks":{"Stop":[null,7,{"hooks":null},{"hooks":[null]}]}}`))
	h, _, _ := spool.Find("claude", "")
	f.Fuzz(func(t *testing.T, before []byte) {
		if _, err := remove(before, "claude"); err != nil {
			return
		}
		if found, err := commands(before, "claude"); err != nil || len(found) > 0 {
			return
		}
		with, err := add(before, h.Install, h.Hooks.Events, func(e string) string { return program + " claude " + e })
		if err != nil {
			return
		}
		found, err := commands(with, "claude")
		if err != nil || len(found) != len(h.Hooks.Events) {
			t.Fatalf("%d hooks, %v:\n%s", len(found), err, with)
		}
		after, err := remove(with, "claude")
		if err != nil {
			t.Fatalf("%v:\n%s", err, after)
		}
		if found, err := commands(after, "claude"); err != nil || len(found) > 0 {
			t.Fatalf("ours are left (%v):\n%s", err, after)
		}
	})
}
