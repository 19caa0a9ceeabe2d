package install

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pelletier/go-toml/v2"

	"github.com/trimtab/trimtab/host"
)

var (
	speaks = []string{"/opt/trim tab/trimtab", "--data", `/d/"x"`, "mcp"}
	tomls  = map[string]string{
		"empty":    "",
		"some":     "model = \"gpt-5.5\"\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n",
		"no end":   "model = \"gpt-5.5\"",
		"crlf":     "model = \"gpt-5.5\"\r\n[tui]\r\ntheme = 1\r\n",
		"comments": "# mine\n\n[mcp_servers.other] # yes\ncommand = \"x\"\n# end\n",
		"mark":     "\uFEFFmodel = \"gpt-5.5\"\n[tui]\ntheme = 1\n",
		"text":     "notes = \"\"\"\n[like a table]\n\"\"\"\nsmall = nan\nsince = 2026-11-15T10:00:00Z\n",
		"dotted":   "mcp_servers.other.command = \"x\"\n[model_providers]\n[mcp_servers.third]\ncommand = \"y\"\n",
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
						put(t, path, tomls["some"])
					}
				}
				want := Want{Hooks: program, MCP: speaks}
				if p.how.Gateway {
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
		"servers are no list":  {"gemini", `{"mcpServers":[]}`, 0, Want{MCP: speaks}, "not an object"},
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
	for name, before := range tomls {
		with, err := putTOML([]byte(before), Want{MCP: speaks, Gateway: served})
		if err != nil {
			t.Fatal(err)
		}
		have, err := foundTOML(with)
		if diff := cmp.Diff(Want{MCP: speaks, Gateway: served}, have); diff != "" || err != nil {
			t.Errorf("%s: %v %s\n%s", name, err, diff, with)
		}
		const theirs = "[hooks.state]\nx = 1\n"
		after, err := cutTOML(append(with, theirs...))
		if want := before; err != nil || !strings.HasPrefix(string(after), want) || !strings.HasSuffix(string(after), theirs) || strings.Contains(string(after), "trimtab") {
			t.Errorf("%s: %v\n%q\nwant\n%q and theirs", name, err, after, before)
		}
	}
}

// TestInstall_ValidTOMLStaysValid: whatever a person may write in a config.toml,
// what install makes of it is valid, says what it said before and ours, and goes
// again byte for byte; or install says what, where and what to do, and changes
// nothing. Seeded bug: the document looked at line by line.
func TestInstall_ValidTOMLStaysValid(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		refuses []string // what the message says; none is no refusal
	}{
		"an inline table of servers":        {"model = \"m\"\nmcp_servers = { files = { command = \"x\" } }\n", []string{"config.toml: line 2: mcp_servers is an inline table", "[mcp_servers.NAME]"}},
		"an inline table of providers":      {"model_providers = { azure = { name = \"x\" } }\n", []string{"line 1: model_providers is an inline table", "[model_providers.NAME]"}},
		"our name below the servers":        {"[mcp_servers]\ntrimtab = { command = \"x\" }\n", []string{"mcp_servers.trimtab", "not ours", "codex mcp remove"}},
		"our name, escaped":                 {"[mcp_servers]\n\"trim\\u0074ab\" = { command = \"x\" }\n", []string{"not ours"}},
		"our name below the providers":      {"[model_providers]\ntrimtab.name = \"x\"\n", []string{"model_providers.trimtab", "not ours"}},
		"a provider behind a string":        {"notes = \"\"\"\n[like a table]\n\"\"\"\nmodel_provider = \"azure\"\n", []string{"model_provider is \"azure\" already"}},
		"a provider only inside a string":   {"notes = \"\"\"\nmodel_provider = 1\n[mcp_servers.trimtab]\n\"\"\"\n", nil},
		"a provider in a table":             {"[profiles.x]\nmodel_provider = \"azure\"\n", nil},
		"a byte-order mark":                 {"\uFEFFmodel = \"m\"\n[mcp_servers.files]\ncommand = \"x\"\n", nil},
		"a byte-order mark and a provider":  {"\uFEFFmodel_provider = \"azure\"\n", []string{"model_provider is \"azure\" already"}},
		"nothing but a byte-order mark":     {"\uFEFF", nil},
		"servers as dotted keys":            {"mcp_servers.files = { command = \"x\" }\n", nil},
		"an empty table of servers":         {"[mcp_servers]\n[tui]\n", nil},
		"servers are a list":                {"[[mcp_servers]]\ncommand = \"x\"\n", []string{"line 1: mcp_servers is not a table"}},
		"servers are a word":                {"mcp_servers = \"x\"\n", []string{"line 1: mcp_servers is not a table"}},
		"not TOML":                          {"model = \"m\"\nmodel = \"n\"\n", []string{"not valid TOML", "line 2", "fix"}},
		"an inline table over lines (v1.1)": {"tui = {\n  theme = 1, # dark\n}\n", nil},
		"our mark in a string":              {"notes = \"\"\"\n" + tomlMark + "\n" + tomlServer + "\n\"\"\"\n", []string{"by hand"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := place(t, "codex", env(t))
			put(t, p.servers, c.text)
			before := files(t, p)
			plan, err := p.Add(Want{Hooks: program, MCP: speaks, Gateway: served})
			if len(c.refuses) > 0 {
				for _, says := range c.refuses {
					if err == nil || !strings.Contains(err.Error(), says) {
						t.Errorf("%q is not said: %v\n%s", says, err, plan.Diff())
					}
				}
				if diff := cmp.Diff(before, files(t, p)); diff != "" {
					t.Errorf("it was changed: %s", diff)
				}
				return
			}
			change(t, plan, err)
			checkTOML(t, []byte(c.text), []byte(text(t, p.servers)))
			if st, err := p.State(); err != nil || st.Gateway != served || !slices.Equal(st.MCP, speaks) {
				t.Errorf("%+v %v", st, err)
			}
			uninstall(t, p)
			if diff := cmp.Diff(before, files(t, p)); diff != "" {
				t.Errorf("uninstalled: %s", diff)
			}
		})
	}
}

// checkTOML reads both texts by go-toml, into JSON, and wants all of the first in
// the second, and nothing else but ours.
func checkTOML(t *testing.T, before, after []byte) {
	t.Helper()
	if bytes.LastIndex(after, byteOrderMark) > 0 {
		t.Errorf("a byte-order mark within the text:\n%q", after)
	}
	var docs [2]map[string]any
	for i, text := range [][]byte{before, after} {
		if err := toml.Unmarshal(bytes.TrimPrefix(text, byteOrderMark), &docs[i]); err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
	}
	if docs[1]["model_provider"] != "trimtab" {
		t.Errorf("model_provider is %v", docs[1]["model_provider"])
	}
	delete(docs[1], "model_provider")
	for name, keys := range map[string][]string{"mcp_servers": {"args", "command"}, "model_providers": {"base_url", "env_key", "name", "wire_api"}} {
		all, _ := docs[1][name].(map[string]any)
		ours, _ := all["trimtab"].(map[string]any)
		if !slices.Equal(slices.Sorted(maps.Keys(ours)), keys) {
			t.Errorf("%s.trimtab has %v", name, ours)
		}
		delete(all, "trimtab")
		if _, had := docs[0][name]; !had && len(all) == 0 {
			delete(docs[1], name)
		}
	}
	if diff := cmp.Diff(docs[0], docs[1], cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("the person's own has changed: %s\n%s", diff, after)
	}
}

// TestUninstall_WhatWasAddedToOursIsNotMoved: keys that somebody added to our
// table would become keys of the table before it.
func TestUninstall_WhatWasAddedToOursIsNotMoved(t *testing.T) {
	for name, added := range map[string]string{
		"a key":   "startup_timeout_sec = 20\n",
		"a table": "[mcp_servers.trimtab.env]\nA = \"1\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			p := place(t, "codex", env(t))
			put(t, p.servers, "[tui]\ntheme = 1\n")
			plan, err := p.Add(Want{Hooks: program, MCP: speaks})
			change(t, plan, err)
			put(t, p.servers, text(t, p.servers)+added)
			before := files(t, p)
			if plan, err := p.Remove(); err == nil || !strings.Contains(err.Error(), "by hand") {
				t.Errorf("%v\n%s", err, plan.Diff())
			}
			if diff := cmp.Diff(before, files(t, p)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestUninstall_MendsWhatWeBroke: versions before this one wrote a second table of
// the same name. Without the record of what was there, the lines are taken out.
func TestUninstall_MendsWhatWeBroke(t *testing.T) {
	const theirs = "mcp_servers = { files = { command = \"x\" } }\n"
	p := place(t, "codex", env(t))
	put(t, p.servers, theirs+"\n"+tomlMark+"\n"+tomlServer+"\ncommand = \"/x/trimtab\"\nargs = [\"mcp\"]\n")
	if _, err := p.Add(Want{Hooks: program}); err == nil || !strings.Contains(err.Error(), "uninstall") {
		t.Errorf("install says %v", err)
	}
	uninstall(t, p)
	if got := text(t, p.servers); got != theirs {
		t.Errorf("%q is left", got)
	}
}

// FuzzTOML: what is spliced in leaves all else as it was, can be read, and goes again.
func FuzzTOML(f *testing.F) {
	for _, text := range tomls {
		f.Add([]byte(text))
		with, err := putTOML([]byte(text), Want{MCP: speaks, Gateway: served})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(with)
	}
	f.Add([]byte("mcp_servers = { a = { command = \"x\" } }\n"))
	f.Add([]byte("[[mcp_servers]]\n[mcp_servers.a]\n"))
	f.Fuzz(func(t *testing.T, before []byte) {
		base, err := cutTOML(before)
		if err != nil {
			return
		}
		with, err := putTOML(base, Want{MCP: speaks, Gateway: served})
		if err != nil {
			return
		}
		if !bytes.Contains(base, []byte("\uFEFF")) {
			checkTOML(t, base, with)
		}
		if have, err := foundTOML(with); err != nil || have.Gateway != served || !slices.Equal(have.MCP, speaks) {
			t.Fatalf("%+v %v in\n%s", have, err, with)
		}
		again, err := cutTOML(with)
		if bytes.Contains(base, []byte(tomlMark)) {
			return // a mark in a string or a comment, which may be refused
		}
		if err != nil || strings.TrimSpace(string(again)) != strings.TrimSpace(string(base)) {
			t.Fatalf("%q came back as %q, %v", base, again, err)
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
		p := Place{Host: "claude", Files: []string{"s.json"}, servers: "s.json", how: host.Install{Gateway: true}}
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
