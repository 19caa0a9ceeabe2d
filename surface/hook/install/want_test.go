package install

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	speaks = []string{"/opt/trim tab/trimtab", "--data", `/d/"x"`, "mcp"}
	toml   = map[string]string{
		"empty":    "",
		"some":     "model = \"gpt-5.5\"\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n",
		"no end":   "model = \"gpt-5.5\"",
		"crlf":     "model = \"gpt-5.5\"\r\n[tui]\r\ntheme = 1\r\n",
		"comments": "# mine\n\n[mcp_servers.other] # yes\ncommand = \"x\"\n# end\n",
	}
)

const served = "http://127.0.0.1:8787"

func change(t *testing.T, plan Plan, err error) Plan {
	t.Helper()
	if err == nil {
		err = plan.Apply(at)
	}
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// files are the settings of a host, as they stand.
func files(t *testing.T, p Place) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, path := range p.Files {
		if b, err := os.ReadFile(path); err == nil {
			all[path] = string(b)
		}
	}
	return all
}

// TestInstall_ServerAndGatewayComeAndGo: after uninstall every byte is as it was,
// and where somebody else wrote in between, only ours are taken.
func TestInstall_ServerAndGatewayComeAndGo(t *testing.T) {
	for _, host := range []string{"claude", "codex", "gemini", "qwen"} {
		texts := examples
		for name := range maps.Keys(texts) {
			t.Run(host+", "+name, func(t *testing.T) {
				p := place(t, host, env(t))
				for _, path := range p.Files {
					switch {
					case filepath.Ext(path) != ".toml":
						put(t, path, texts[name])
					case name == "two spaces":
						put(t, path, toml["some"])
					}
				}
				want := Want{Hooks: program, MCP: speaks}
				if p.how.gateway {
					want.Gateway = served
				}
				before := files(t, p)
				plan, err := p.Add(want)
				change(t, plan, err)
				st, err := p.State()
				if err != nil || cmp.Diff(speaks, st.MCP) != "" || st.Gateway != want.Gateway || len(st.Missing) > 0 {
					t.Fatalf("%+v %v\n%v", st, err, files(t, p))
				}
				if plan, err := p.Add(Want{Hooks: program}); err != nil || len(plan.Changes) > 0 {
					t.Errorf("asked for again, without a word of the server: %v\n%s", err, plan.Diff())
				}
				with := files(t, p)
				uninstall(t, p)
				if diff := cmp.Diff(before, files(t, p)); diff != "" {
					t.Errorf("uninstalled: %s", diff)
				}
				for path, text := range with { // the person wrote, too
					put(t, path, text+"\n")
				}
				if err := os.RemoveAll(p.folder()); err != nil {
					t.Fatal(err)
				}
				uninstall(t, p)
				for path, text := range files(t, p) {
					if strings.Contains(text, "trimtab") || strings.Contains(text, served) {
						t.Errorf("ours is left in %s:\n%s", path, text)
					}
				}
			})
		}
	}
}

// TestInstall_WhatIsThePersonsOwnStays: a server of our name, a base URL or a
// provider that somebody else set is not written over.
func TestInstall_WhatIsThePersonsOwnStays(t *testing.T) {
	for name, c := range map[string]struct {
		host, text string
		file       int
		want       Want
		says       string
	}{
		"a server of our name": {"gemini", `{"mcpServers":{"trimtab":{"command":"/x/other"}}}`, 0, Want{MCP: speaks}, "not ours"},
		"servers are no list":  {"gemini", `{"mcpServers":[]}`, 0, Want{MCP: speaks}, "no object"},
		"a base URL":           {"claude", `{"env":{"ANTHROPIC_BASE_URL":"https://proxy.example"}}`, 0, Want{Gateway: served}, "https://proxy.example already"},
		"a provider":           {"codex", "model_provider = \"azure\"\n", 1, Want{Gateway: served}, `"azure" already`},
		"a server in TOML":     {"codex", "[ mcp_servers . \"trimtab\" ]\ncommand = \"x\"\n", 1, Want{MCP: speaks}, "not ours"},
		"a provider's table":   {"codex", "[model_providers.trimtab]\nname = \"x\"\n", 1, Want{Gateway: served}, "not ours"},
		"no place for a URL":   {"gemini", `{}`, 0, Want{Gateway: served}, "trimtab run"},
		"no place for MCP":     {"goose", `{}`, 0, Want{MCP: speaks}, "no place"},
	} {
		t.Run(name, func(t *testing.T) {
			p := place(t, c.host, env(t))
			put(t, p.Files[c.file], c.text)
			c.want.Hooks = program
			plan, err := p.Add(c.want)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v\n%s", err, plan.Diff())
			}
		})
	}
	p := place(t, "claude", env(t))
	put(t, p.Files[0], `{"env":{"ANTHROPIC_BASE_URL":"https://proxy.example"}}`)
	install(t, p, program)
	uninstall(t, p)
	if got := text(t, p.Files[0]); !strings.Contains(got, "proxy.example") {
		t.Errorf("the person's base URL is gone: %s", got)
	}
}

// TestInstall_AnotherAddressTakesThePlaceOfTheOld, and an old server that of a new.
func TestInstall_AnotherAddressTakesThePlaceOfTheOld(t *testing.T) {
	for _, host := range []string{"claude", "codex"} {
		p := place(t, host, env(t))
		before := files(t, p)
		plan, err := p.Add(Want{Hooks: program, MCP: speaks, Gateway: served})
		change(t, plan, err)
		plan, err = p.Add(Want{Hooks: program, MCP: []string{"/new/trimtab", "mcp"}, Gateway: "http://127.0.0.1:9999"})
		change(t, plan, err)
		st, err := p.State()
		if err != nil || st.Gateway != "http://127.0.0.1:9999" || !slices.Equal(st.MCP, []string{"/new/trimtab", "mcp"}) {
			t.Errorf("%s: %+v %v", host, st, err)
		}
		for path, text := range files(t, p) {
			if strings.Contains(text, served) || strings.Contains(text, "trim tab") {
				t.Errorf("%s: the old one is left in %s:\n%s", host, path, text)
			}
		}
		uninstall(t, p)
		if diff := cmp.Diff(before, files(t, p)); diff != "" {
			t.Errorf("%s: %s", host, diff)
		}
	}
}

// TestInstall_TablesBehindOursStay: Codex adds its own tables where it likes.
// Seeded bug: a block that goes on to the end of the file.
func TestInstall_TablesBehindOursStay(t *testing.T) {
	for name, before := range toml {
		with, err := putTOML([]byte(before), Want{MCP: speaks, Gateway: served})
		if err != nil {
			t.Fatal(err)
		}
		have := foundTOML(with)
		if diff := cmp.Diff(Want{MCP: speaks, Gateway: served}, have); diff != "" {
			t.Errorf("%s: %s\n%s", name, diff, with)
		}
		const theirs = "[hooks.state]\nx = 1\n"
		after := string(cutTOML(append(with, theirs...)))
		if want := before; !strings.HasPrefix(after, want) || !strings.HasSuffix(after, theirs) || strings.Contains(after, "trimtab") {
			t.Errorf("%s:\n%q\nwant\n%q and theirs", name, after, before)
		}
	}
}

func FuzzTOML(f *testing.F) {
	for _, text := range toml {
		f.Add([]byte(text))
		with, err := putTOML([]byte(text), Want{MCP: speaks, Gateway: served})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(with)
	}
	f.Fuzz(func(t *testing.T, before []byte) {
		base := cutTOML(before)
		with, err := putTOML(base, Want{MCP: speaks, Gateway: served})
		if err != nil {
			return
		}
		if have := foundTOML(with); have.Gateway != served || !slices.Equal(have.MCP, speaks) {
			t.Fatalf("%+v in\n%s", have, with)
		}
		if again := cutTOML(with); strings.TrimSpace(string(again)) != strings.TrimSpace(string(base)) {
			t.Fatalf("%q came back as %q", base, again)
		}
	})
}

// FuzzSet: what is set can be read, and goes again.
func FuzzSet(f *testing.F) {
	for _, text := range examples {
		f.Add([]byte(text))
	}
	f.Add([]byte(`{"mcpServers":{"a":{}},"env":{}}`))
	f.Fuzz(func(t *testing.T, before []byte) {
		p := Place{Host: "claude", Files: []string{"s.json"}, servers: "s.json", how: manners["claude"]}
		if have, err := p.found("s.json", before); err != nil || have.Gateway != "" || len(have.MCP) > 0 {
			return
		}
		with, err := p.put("s.json", before, Want{MCP: speaks, Gateway: served})
		if err != nil {
			return
		}
		root, err := parse(with)
		if err != nil || !json.Valid(standard(root)) {
			t.Fatalf("%v:\n%s", err, with)
		}
		have, err := p.found("s.json", with)
		if err != nil || have.Gateway != served || !slices.Equal(have.MCP, speaks) {
			t.Fatalf("%+v %v:\n%s", have, err, with)
		}
		after, err := p.takeOut("s.json", with)
		if have, err2 := p.found("s.json", after); err != nil || err2 != nil || have.Gateway != "" || len(have.MCP) > 0 {
			t.Fatalf("%v %v ours are left:\n%s", err, err2, after)
		}
	})
}
