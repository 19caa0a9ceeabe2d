package config_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/trimtab/trimtab/internal/config"
)

func layered(texts ...string) config.Sources {
	var from config.Sources
	for i, text := range texts {
		name := fmt.Sprint("l", i+1)
		from.Layers = append(from.Layers, config.Layer{Name: name, File: name + ".json", Data: []byte(text)})
	}
	return from
}

func servers(t *testing.T, from config.Sources, want map[string]plugin, problems ...string) config.Report {
	t.Helper()
	got, report := config.Load[settings](from)
	if diff := cmp.Diff(want, got.Plugins.Servers); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	expect(t, report, problems...)
	valid(t, got)
	return report
}

func TestEntriesAreReadWithTheirDefaults(t *testing.T) {
	servers(t, user(`{"plugins": {"servers": {
  "files": {"command": "npx", "args": ["-y", "files"], "env": {"ROOT": "/"}, "trust": true, "retries": 0}, // one
  "web-1": {"kind": "http"},
  "empty": {},
}}}`), map[string]plugin{
		"files": {Command: "npx", Args: []string{"-y", "files"}, Env: map[string]string{"ROOT": "/"}, Trust: true, Retries: new(0), Kind: "stdio"},
		"web-1": {Retries: new(3), Kind: "http"},
		"empty": {Retries: new(3), Kind: "stdio"},
	})
}

func TestOnlyTheBadKeyOfAnEntryIsRefused(t *testing.T) {
	servers(t, user(`{"plugins": {"servers": {
  "a": {"comand": "x", "args": ["y", 3], "env": {"A": "b", "B": 1}, "trust": "yes",
    "retries": 10, "kind": "tcp", "command": "run", "owner": null},
  "b": 3, "c": null, "d": [], "e": "x",
  "good": {"command": "good"}
}}}`), map[string]plugin{
		"a":    {Command: "run", Env: map[string]string{"A": "b"}, Retries: new(3), Kind: "stdio"},
		"good": {Command: "good", Retries: new(3), Kind: "stdio"},
	},
		"trimtab.json:2:9: plugins.servers.a.comand: there is no such key; did you mean plugins.servers.a.command?",
		"trimtab.json:2:38: plugins.servers.a.args: 3 is not allowed; give a list of text",
		"trimtab.json:2:65: plugins.servers.a.env.B: 1 is not allowed; give text",
		`trimtab.json:2:78: plugins.servers.a.trust: "yes" is not allowed; give true or false`,
		"trimtab.json:3:16: plugins.servers.a.retries: 10 is not allowed; give a whole number from 0 to 9",
		`trimtab.json:3:28: plugins.servers.a.kind: "tcp" is not allowed; give stdio or http`,
		"trimtab.json:3:62: plugins.servers.a.owner: null is not allowed; give text",
		"trimtab.json:4:8: plugins.servers.b: 3 is not allowed; give an object",
		"trimtab.json:4:16: plugins.servers.c: null is not allowed; give an object",
		"trimtab.json:4:27: plugins.servers.d: a list is not allowed; give an object",
		`trimtab.json:4:36: plugins.servers.e: "x" is not allowed; give an object`)
	servers(t, user(`{"plugins": {"servers": ["a"]}}`), nil, "trimtab.json:1:25: plugins.servers: a list is not allowed; give an object of objects")
	servers(t, user(`{"plugins": {"servers.a": {"command": "x"}}}`), nil, `trimtab.json:1:14: plugins.servers.a: a dot does not lead into a section here; nest the names: {"servers": {"a": …}}`)
}

func TestALaterLayerAddsAndReplacesEntriesByName(t *testing.T) {
	report := servers(t, layered(
		"{\"plugins\": {\"servers\": {\n\"a\": {\"command\": \"a1\", \"args\": [\"x\"], \"env\": {\"A\": \"1\"}},\n\"b\": {\"command\": \"b1\"}}}}",
		"{\"plugins\": {\"servers\": {\"c\": {\"command\": \"c2\"},\n\"a\": {\n\"command\": \"a2\"}}}}",
	), map[string]plugin{
		"a": {Command: "a2", Retries: new(3), Kind: "stdio"}, // none of the args and variables of another command
		"b": {Command: "b1", Retries: new(3), Kind: "stdio"},
		"c": {Command: "c2", Retries: new(3), Kind: "stdio"},
	})
	for path, want := range map[string]string{
		"plugins.servers": "l2.json:2", "plugins.servers.a": "l2.json:2", "plugins.servers.a.command": "l2.json:3", "plugins.servers.a.args": "built in",
		"plugins.servers.a.env.A": "", "plugins.servers.b.command": "l1.json:3", "plugins.servers.c.command": "l2.json:1",
	} {
		if got := report.Origins[path].String(); got != want {
			t.Errorf("%s comes from %q, want %q", path, got, want)
		}
	}
}

func TestABadEntryDoesNotReplaceAGoodOne(t *testing.T) {
	report := servers(t, layered(
		`{"plugins": {"servers": {"a": {"command": "a1", "args": ["x"]}}}}`,
		`{"plugins": {"servers": {"a": {"command": "a2", "args": 3}, "b": {"command": "b2"}}}}`,
		`{"plugins": {"servers": {"a": null, "b": {"command": "b3"}}}}`,
	), map[string]plugin{
		"a": {Command: "a1", Args: []string{"x"}, Retries: new(3), Kind: "stdio"},
		"b": {Command: "b3", Retries: new(3), Kind: "stdio"},
	},
		"l2.json:1:57: plugins.servers.a.args: 3 is not allowed; give a list of text",
		"l2.json:1:26: plugins.servers.a: the one of l1.json:1 stays, because of what is wrong in this one",
		"l3.json:1:31: plugins.servers.a: null is not allowed; give an object")
	if got := report.Origins["plugins.servers.a.command"].Layer; got != "l1" {
		t.Errorf("the command comes from %q", got)
	}
}

func TestAnEntryGivenTwiceInAFileCountsOnce(t *testing.T) {
	servers(t, user(`{"plugins": {"servers": {"a": {"command": "1", "trust": true}, "a": {"command": "2", "command": "3"}}}}`),
		map[string]plugin{"a": {Command: "3", Retries: new(3), Kind: "stdio"}},
		"trimtab.json:1:64: plugins.servers.a: it is given more than once; the last one counts",
		"trimtab.json:1:86: plugins.servers.a.command: it is given more than once; the last one counts")
}

func TestNamesOfEntriesArePlain(t *testing.T) {
	const why = ": invalid entry name; give up to 64 letters, digits, _ and -"
	long := strings.Repeat("x", 65)
	servers(t, user(`{"plugins": {"servers": {"": {}, "a.b": {}, "a b": {}, "\u001b[31m": {}, "é": {}, "`+long+`": {}, "`+long[:64]+`": {}}}}`),
		map[string]plugin{long[:64]: {Retries: new(3), Kind: "stdio"}},
		"trimtab.json:1:26: plugins.servers."+why,
		"trimtab.json:1:34: plugins.servers.a.b"+why,
		"trimtab.json:1:45: plugins.servers.a b"+why,
		`trimtab.json:1:56: plugins.servers.\u001b[31m`+why,
		"trimtab.json:1:74: plugins.servers.é"+why,
		"trimtab.json:1:83: plugins.servers."+long+why)
}

func TestAMapTakesALimitedNumberOfEntries(t *testing.T) {
	var all []string
	for i := range config.MaxEntries {
		all = append(all, fmt.Sprintf(`"e%d": {}`, i))
	}
	full := `{"plugins": {"servers": {` + strings.Join(all, ", ") + "}}}"
	got, report := config.Load[settings](layered(full, `{"plugins": {"servers": {"more": {}, "e7": {"command": "x"}}}}`))
	expect(t, report, "l2.json:1:26: plugins.servers.more: there are 256 already, and no more are taken")
	if len(got.Plugins.Servers) != config.MaxEntries || got.Plugins.Servers["e7"].Command != "x" {
		t.Errorf("%d entries, e7 is %+v", len(got.Plugins.Servers), got.Plugins.Servers["e7"])
	}
}

func TestP16_AProjectSetsNothingOfTheUsersInEntries(t *testing.T) {
	own := `{"plugins": {"own": {"a": {"command": "mine"}}, "servers": {"a": {"command": "mine", "owner": "me"}}}}`
	theirs := `{"plugins": {"own": {"a": {"command": "evil"}, "b": {"command": "evil"}}, "servers": {"a": {"command": "theirs"}, "b": {"owner": "them", "command": "theirs"}, "c": {"own\u0065r": "them"}}}}`
	from := layered(own, theirs)
	from.Layers[1].Guarded = true
	got, report := config.Load[settings](from)
	want := plugins{
		Own: map[string]plugin{"a": {Command: "mine", Retries: new(3), Kind: "stdio"}},
		Servers: map[string]plugin{
			"a": {Command: "theirs", Owner: "me", Retries: new(3), Kind: "stdio"}, // what they may not set, they may not clear
			"b": {Command: "theirs", Retries: new(3), Kind: "stdio"},
			"c": {Retries: new(3), Kind: "stdio"},
		},
	}
	if diff := cmp.Diff(want, got.Plugins); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	expect(t, report,
		"l2.json:1:14: plugins.own: a project may not set this; set it in your own config",
		"l2.json:1:121: plugins.servers.b.owner: a project may not set this; set it in your own config",
		"l2.json:1:166: plugins.servers.c.owner: a project may not set this; set it in your own config")
	if o := report.Origins["plugins.servers.a.owner"]; o.Layer != "l1" {
		t.Errorf("the owner comes from %q", o.Layer)
	}
}

func TestTheEnvironmentAndFlagsSetEntries(t *testing.T) {
	from := user(`{"plugins": {"servers": {"a": {"command": "a1", "args": ["x"]}}}}`)
	from.Env = []string{`TRIMTAB_PLUGINS_SERVERS={"b": {"command": "b1", "trsut": true}, "c": {"kind": "http"},}`}
	from.Sets = []string{
		"plugins.servers.a.trust=true", "plugins.servers.a.args=y,z", "plugins.servers.a.env.A=1", "plugins.servers.a.env.B.C=2",
		`plugins.servers.c={"command": "c2"}`, "plugins.servers.new.command=n",
	}
	report := servers(t, from, map[string]plugin{
		"a":   {Command: "a1", Args: []string{"y", "z"}, Env: map[string]string{"A": "1", "B.C": "2"}, Trust: true, Retries: new(3), Kind: "stdio"},
		"b":   {Command: "b1", Retries: new(3), Kind: "stdio"},
		"c":   {Command: "c2", Retries: new(3), Kind: "stdio"},
		"new": {Command: "n", Retries: new(3), Kind: "stdio"},
	}, "TRIMTAB_PLUGINS_SERVERS: plugins.servers.b.trsut: there is no such key; did you mean plugins.servers.b.trust?")
	for path, want := range map[string]string{"a.command": "trimtab.json:1", "a.trust": "--set", "a.env.A": "--set", "b.command": "TRIMTAB_PLUGINS_SERVERS", "c.kind": "built in", "a": "--set"} {
		if got := report.Origins["plugins.servers."+path].String(); got != want {
			t.Errorf("%s comes from %q, want %q", path, got, want)
		}
	}
}

func TestNothingInsideAnEntryHasAnEnvironmentName(t *testing.T) {
	from := user(`{"plugins": {"servers": {"a": {"command": "x"}}}}`)
	from.Env = []string{"TRIMTAB_PLUGINS_SERVERS_A_COMMAND=evil"}
	servers(t, from, map[string]plugin{"a": {Command: "x", Retries: new(3), Kind: "stdio"}},
		"TRIMTAB_PLUGINS_SERVERS_A_COMMAND: there is no such setting")
}

func TestProblemsOfEntriesFromText(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"plugins.servers=secret", "--set: plugins.servers: it is not JSON; give an object of objects as in a settings file"},
		{"plugins.servers=", "--set: plugins.servers: it is not JSON; give an object of objects as in a settings file"},
		{"plugins.servers=[1]", "--set: plugins.servers: a list is not allowed; give an object of objects"},
		{"plugins.servers.a=secret", "--set: plugins.servers.a: it is not JSON; give an object as in a settings file"},
		{"plugins.servers.a=3", "--set: plugins.servers.a: 3 is not allowed; give an object"},
		{"plugins.servers.a.comand=x", "--set: plugins.servers.a.comand: there is no such key; did you mean plugins.servers.a.command?"},
		{"plugins.servers.a.retries=x", "--set: plugins.servers.a.retries: x is not allowed; give a whole number from 0 to 9"},
		{"plugins.servers.a b.command=x", "--set: plugins.servers.a b: invalid entry name; give up to 64 letters, digits, _ and -"},
		{"plugins.servers.a.=x", "--set: plugins.servers.a.: there is no such key; did you mean plugins.servers.a.env?"},
		{"plugins.servers..command=x", "--set: plugins.servers.: invalid entry name; give up to 64 letters, digits, _ and -"},
		{"plugins.servers.a.command.x=x", "--set: plugins.servers.a.command.x: there is no such key; did you mean plugins.servers.a.command?"},
	} {
		servers(t, config.Sources{Sets: []string{c.set}}, nil, c.want)
	}
}

func TestEntriesListEveryKeyOfAnEntryWithItsOrigin(t *testing.T) {
	from := user("{\"plugins\": {\"servers\": {\"b\": {\"command\": \"x://u:pass@h\"},\n\"a\": {\"env\": {\"A\": \"1\"}}}}}")
	from.Sets = []string{"plugins.servers.a.retries=0"}
	cfg, report := config.Load[settings](from)
	var got []string
	for _, e := range config.Entries(cfg, report) {
		if strings.HasPrefix(e.Key, "plugins.servers") {
			got = append(got, strings.Join([]string{e.Key[len("plugins.servers."):], string(e.Value), string(e.Default), e.Origin.String()}, " "))
		}
	}
	want := []string{
		`a.command "" "" built in`, "a.args [] [] built in", `a.env.A "1" null trimtab.json:2`, "a.trust false false built in", "a.retries 0 3 --set",
		`a.kind "stdio" "stdio" built in`, `a.owner "" "" built in`,
		`b.command "x://u:***@h" "" trimtab.json:1`, "b.args [] [] built in", "b.env {} {} built in", "b.trust false false built in", "b.retries 3 3 built in",
		`b.kind "stdio" "stdio" built in`, `b.owner "" "" built in`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHiddenValuesAreNotShown(t *testing.T) {
	type hiding struct {
		Key     string `json:"key" hide:"true"`
		Port    int    `json:"port" hide:"true" max:"9"`
		Servers map[string]struct {
			Env map[string]string `json:"env" hide:"true"`
		} `json:"servers"`
	}
	cfg, report := config.Load[hiding](config.Sources{
		Layers: []config.Layer{{Name: "user", File: "u", Data: []byte(`{"key": "s3cret", "port": 12345, "servers": {"a": {"env": {"A": "s3cret", "B": 12345}}}}`)}},
		Env:    []string{"TRIMTAB_SERVERS=s3cret", "TRIMTAB_PORT=12345"},
		Sets:   []string{"servers.a.env.C=s3cret\xff"},
	})
	all := strings.Join(lines(report), "\n") + fmt.Sprint(report.Problems)
	for _, e := range config.Entries(cfg, report) {
		all += e.Key + string(e.Value) + string(e.Default) + "\n"
	}
	if strings.Contains(all, "s3cret") || strings.Contains(all, "12345") || !strings.Contains(all, `servers.a.env.A"***"`) || cfg.Key != "s3cret" || len(report.Problems) != 5 {
		t.Errorf("%d problems\n%s", len(report.Problems), all)
	}
}

// TestEntriesOfLayersAgreeWithAPlainModel: over layers put together at random,
// each name ends up with the entry of the last layer that gives it without a
// mistake, or of the first that gives it at all, and with nothing of any other.
func TestEntriesOfLayersAgreeWithAPlainModel(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", "b", "c"})
	rapid.Check(t, func(t *rapid.T) {
		want, mistakes := map[string]plugin{}, 0
		var texts []string
		for n := range rapid.IntRange(1, 5).Draw(t, "layers") {
			layer := map[string]any{}
			for range rapid.IntRange(0, 3).Draw(t, "entries") {
				name, entry, fresh, bad := names.Draw(t, "name"), map[string]any{}, plugin{Retries: new(3), Kind: "stdio"}, 0
				if rapid.Bool().Draw(t, "command") {
					fresh.Command = fmt.Sprint(name, n)
					entry["command"] = fresh.Command
				}
				if rapid.Bool().Draw(t, "retries") {
					fresh.Retries = new(n)
					entry["retries"] = n
				}
				if rapid.Bool().Draw(t, "env") {
					fresh.Env = map[string]string{fmt.Sprint("V", n): "x"}
					entry["env"] = fresh.Env
				}
				if rapid.IntRange(0, 3).Draw(t, "mistake") == 0 {
					entry["args"], bad = n, 1
				}
				if _, twice := layer[name]; twice {
					continue // one file gives a name once
				}
				layer[name] = entry
				mistakes += bad
				if _, there := want[name]; !there || bad == 0 {
					want[name] = fresh
				} else {
					mistakes++ // that the one before it stays is said, too
				}
			}
			text, err := json.Marshal(map[string]any{"plugins": map[string]any{"servers": layer}})
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
		}
		got, report := config.Load[settings](layered(texts...))
		if diff := cmp.Diff(want, got.Plugins.Servers); len(want)+len(got.Plugins.Servers) > 0 && diff != "" || len(report.Problems) != mistakes {
			t.Fatalf("%s\n%v, want %d mistakes (-want +got):\n%s", strings.Join(texts, "\n"), lines(report), mistakes, diff)
		}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			for _, key := range []string{"command", "env", "retries", "args", "kind"} {
				if report.Origins["plugins.servers."+name+"."+key].Layer == "" {
					t.Fatalf("%s of %s has no origin", key, name)
				}
			}
		}
	})
}
