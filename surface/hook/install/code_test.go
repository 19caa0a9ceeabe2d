package install

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

var asked = Want{
	Hooks: "'/opt/my tools/trimtab-hook'", Args: []string{"/opt/my tools/trimtab-hook"}, Plugin: true,
	Server: []string{"/opt/my tools/trimtab", "mcp"},
}

func wanted(h string) Want {
	w := asked
	w.Plugin = h != "opencode" && h != "pi"
	return w
}

func apply1(t *testing.T, p Place, w Want) Plan {
	t.Helper()
	plan, err := p.Add(w)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Apply(at); err != nil {
		t.Fatal(err)
	}
	return plan
}

// homeFiles are all files of a home, with their text.
func homeFiles(t *testing.T, home string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found[path] = text(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestH11_WhatIsOursAsAWholeComesAndGoes: a program that a host loads, and a plugin.
func TestH11_WhatIsOursAsAWholeComesAndGoes(t *testing.T) {
	for _, name := range []string{"opencode", "pi", "claude", "gemini"} {
		t.Run(name, func(t *testing.T) {
			e := env(t)
			p := place(t, name, e)
			w := wanted(name)
			beside := filepath.Join(filepath.Dir(p.all()[len(p.all())-1]), "mine.txt")
			put(t, beside, "mine")
			apply1(t, p, w)
			if again := apply1(t, p, w); len(again.Changes) > 0 {
				t.Errorf("the second time changes\n%s", again.Diff())
			}
			st, err := p.State()
			if err != nil || st.Old || len(st.Missing) > 0 && !w.Plugin || len(st.Commands)+len(st.PluginCommands) == 0 {
				t.Fatalf("%+v, %v", st, err)
			}
			for path, body := range homeFiles(t, e.Home) {
				if path == beside {
					continue
				}
				if strings.Contains(body, "__") || strings.Contains(body, `"trimtab hook`) || strings.Contains(body, "`trimtab ") || strings.Contains(body, "!{trimtab ") {
					t.Errorf("%s does not know the program:\n%s", path, body)
				}
				if _, ours := codeVersion([]byte(body)); !ours {
					t.Errorf("%s does not say of which version it is", path)
				}
				var v any
				if filepath.Ext(path) == ".json" && json.Unmarshal([]byte(body), &v) != nil || filepath.Ext(path) == ".toml" && toml.Unmarshal([]byte(body), &v) != nil {
					t.Errorf("%s cannot be read:\n%s", path, body)
				}
			}
			moved := w
			moved.Hooks, moved.Args = "/new/trimtab-hook", []string{"/new/trimtab-hook"}
			if plan := apply1(t, p, moved); len(plan.Changes) == 0 {
				t.Error("another program changes nothing")
			}
			uninstall(t, p)
			if left := homeFiles(t, e.Home); len(left) != 1 || left[beside] != "mine" {
				t.Errorf("left: %v", left)
			}
			apply1(t, p, w)
			if err := os.Remove(beside); err != nil {
				t.Fatal(err)
			}
			uninstall(t, p)
			if w.Plugin {
				if _, err := os.Stat(filepath.Join(e.Home, filepath.FromSlash(p.how.Plugin))); err == nil {
					t.Error("the folder of the plugin is left")
				}
			}
		})
	}
}

// TestH11_AFileOfOursThatIsOldIsToldOfAndReplaced.
func TestH11_AFileOfOursThatIsOldIsToldOfAndReplaced(t *testing.T) {
	for _, name := range []string{"opencode", "pi", "claude", "gemini"} {
		p := place(t, name, env(t))
		w := wanted(name)
		apply1(t, p, w)
		file := p.all()[len(p.all())-1]
		now := text(t, file)
		mark := "trimtab-plugin: " + name + " "
		put(t, file, strings.Replace(now, mark+"1", mark+"0", 1))
		if st, err := p.State(); err != nil || !st.Old {
			t.Errorf("%s: %+v, %v", name, st, err)
		}
		apply1(t, p, w)
		if got := text(t, file); got != now {
			t.Errorf("%s: it is still old:\n%s", name, got)
		}
		put(t, file, strings.Replace(now, mark+"1", mark+"0", 1)+"\n")
		uninstall(t, p)
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s: an old one stays behind uninstall", name)
		}
	}
}

// TestH11_AFileOfThePersonIsNotWrittenOver and stays behind uninstall.
func TestH11_AFileOfThePersonIsNotWrittenOver(t *testing.T) {
	for _, name := range []string{"opencode", "pi", "claude", "gemini"} {
		p := place(t, name, env(t))
		file := p.all()[len(p.all())-1]
		put(t, file, "// mine\n")
		if plan, err := p.Add(wanted(name)); err == nil || !strings.Contains(err.Error(), "not ours") {
			t.Errorf("%s: %v, %s", name, err, plan.Diff())
		}
		uninstall(t, p)
		if text(t, file) != "// mine\n" {
			t.Errorf("%s: it was changed", name)
		}
	}
}

// TestH11_NoPluginBesideHooks: each event would be told twice.
func TestH11_NoPluginBesideHooks(t *testing.T) {
	p := place(t, "claude", env(t))
	install(t, p, program)
	if _, err := p.Add(asked); err == nil || !strings.Contains(err.Error(), "uninstall claude first") {
		t.Error(err)
	}
	uninstall(t, p)
	apply1(t, p, asked)
	w := asked
	w.Plugin = false // install again, to bring it up to date
	apply1(t, p, w)
	if st, err := p.State(); err != nil || len(st.Commands) > 0 || len(st.PluginCommands) != len(p.events()) {
		t.Errorf("%+v, %v", st, err)
	}
	if _, err := place(t, "codex", env(t)).Add(asked); err == nil {
		t.Error("codex was given a plugin")
	}
}

// TestH11_AReadOnlyFileIsRefused: whoever made it so writes it with a program of theirs.
func TestH11_AReadOnlyFileIsRefused(t *testing.T) {
	p := place(t, "claude", env(t))
	put(t, p.Files[0], "{}")
	if err := os.Chmod(p.Files[0], 0o444); err != nil {
		t.Fatal(err)
	}
	plan, err := p.Add(Want{Hooks: program})
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Apply(at); err == nil || !strings.Contains(err.Error(), "read-only") || text(t, p.Files[0]) != "{}" {
		t.Errorf("%v, %s", err, text(t, p.Files[0]))
	}
}

func TestSwitchedOff_ReadsTheHostsOwnSettings(t *testing.T) {
	for body, want := range map[string]bool{
		`{}`: false, `{"disableAllHooks": true}`: true, `{"disableAllHooks": false}`: false, "{// no\n\"hooksConfig\": {\"enabled\": false,}}": true, `{"hooksConfig": {}}`: false, `{`: false,
	} {
		if got := switchedOff([]byte(body)); (got != "") != want {
			t.Errorf("%s: %q", body, got)
		}
	}
}

// The hooks of a plugin are those that install puts into settings.
func TestH11_APluginHasTheSameHooks(t *testing.T) {
	for _, name := range []string{"claude", "gemini"} {
		p := place(t, name, env(t))
		raw, err := plugins.ReadFile("plugin/" + name + "/hooks/hooks.json")
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Hooks map[string][]matched `json:"hooks"`
		}
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Hooks) != len(p.events()) {
			t.Errorf("%s: %d events, want %d", name, len(got.Hooks), len(p.events()))
		}
		for _, e := range p.events() {
			want := group(p.how, e, "trimtab hook "+name+" "+e.Name)
			if all := got.Hooks[e.Name]; len(all) != 1 || written(all[0], "", 0) != written(want, "", 0) {
				t.Errorf("%s %s: %+v, want %+v", name, e.Name, all, want)
			}
		}
	}
}

// TestH11_AnEditThatChangesMoreThanOursIsRefused: the check itself, whatever the code
// that edits does.
func TestH11_AnEditThatChangesMoreThanOursIsRefused(t *testing.T) {
	p := place(t, "claude", env(t))
	ours := `"Stop": [{"hooks": [{"type": "command", "command": "/opt/trimtab-hook claude Stop"}]}]`
	for with, ok := range map[string]bool{
		`{"a": 1, "hooks": {` + ours + `}}`:                                                      true,
		`{"a": 1, "mcpServers": {"trimtab": {"command": "/opt/trimtab", "args": ["mcp"]}}}`:      true,
		`{"a": 2, "hooks": {` + ours + `}}`:                                                      false,
		`{"hooks": {` + ours + `}}`:                                                              false,
		`{"a": 1, "b": {}, "hooks": {` + ours + `}}`:                                             false,
		`{"a": 1, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}`: false,
		`{"a": 1, "mcpServers": {"trimtab": {"command": "/opt/other", "args": ["mcp"]}}}`:        false,
	} {
		if err := p.onlyOurs(p.Files[0], []byte(`{"a": 1}`), []byte(with)); (err == nil) != ok {
			t.Errorf("%s: %v", with, err)
		}
	}
}
