package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/config"
)

func TestEntriesListEveryKeyInItsOrderWithItsOrigin(t *testing.T) {
	from := user("{\"todoReminder\": {\"initialTurns\": 3},\n\"gateway\": {\"upstreams\": {\"openai\": \"https://o/?a&b\"}}}")
	from.Env = []string{"FLAME_AUTONOMY_LEVEL=auto"}
	from.Sets = []string{"model=demo"}
	cfg, report := config.Load[settings](from)
	var got []string
	for _, e := range config.Entries(cfg, report) {
		got = append(got, strings.Join([]string{e.Key, string(e.Value), string(e.Default), e.Origin.String()}, " "))
	}
	want := []string{
		"todoReminder.enabled true true built in",
		"todoReminder.initialTurns 3 8 trimtab.json:1",
		"todoReminder.repeatTurns 4 4 built in",
		"todoReminder.stuckTaskTurns 12 12 built in",
		"automataMode.enabled true true built in",
		"automataMode.initialTurns 8 8 built in",
		`steering.retract "strict" "strict" built in`,
		"steering.budget 0.1 0.1 built in",
		"steering.cacheSeconds 300 300 built in",
		"steering.bias 0 0 built in",
		"steering.offset 0 0 built in",
		`autonomy.level "auto" "suggest" FLAME_AUTONOMY_LEVEL`,
		"autonomy.pushThreshold 70 70 built in",
		"autonomy.suggestInContext true true built in",
		"autonomy.enabledHeuristics [] [] built in",
		`gateway.listen "127.0.0.1:0" "127.0.0.1:0" built in`,
		`gateway.upstreams.gemini "https://gemini.example" "https://gemini.example" built in`,
		`gateway.upstreams.openai "https://o/?a&b" null trimtab.json:2`,
		`gateway.hosts ["localhost"] ["localhost"] built in`,
		`forge.url "" "" built in`,
		`forge.command "" "" built in`,
		`model "demo" "" --set`,
		"automation.maxPerDay 5 5 built in",
		"automation.automation_enabled false false built in",
		"plugins.servers {} {} built in",
		"plugins.own {} {} built in",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if doc := config.Entries(cfg, report)[1].Doc; doc != "steps before the first reminder" {
		t.Errorf("doc is %q", doc)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"run", "serve", "install", "uninstall", "status", "session", "automata", "todoReminder", "initialTurns"}
	for word, want := range map[string]string{
		"rnu": "run", "srve": "serve", "instal": "install", "uninstal": "uninstall", "STATUS": "status", "sesion": "session",
		"intialTruns": "initialTurns", "todoreminder": "todoReminder", "auto": "automata", "s": "", "": "", "se": "", "banana": "", "x": "",
		strings.Repeat("run", 100): "", "run": "run",
	} {
		if got := config.Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
	if got := config.Nearest("deliberate", []string{"deliberate2", "Deliberate"}); got != "Deliberate" {
		t.Errorf("a difference in case only is nearest, got %q", got)
	}
	if got := config.Nearest("conf", []string{"confound", "confederate"}); got != "" {
		t.Errorf("two begin with it, got %q", got)
	}
}

func TestCheckFindsWrongDeclarations(t *testing.T) {
	check := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	check(config.Check[int](), "int is not a struct")
	check(config.Check[struct {
		A []int `json:"a"`
	}](), "a []int is not a type of setting")
	check(config.Check[struct {
		A *reminder `json:"a"`
	}](), "not a type of setting")
	check(config.Check[struct {
		A int `json:"a" min:"1"`
	}](), "a needs a default: its zero value is not allowed")
	check(config.Check[struct {
		A int `json:"a" default:"5" min:"6"`
	}](), `a has the default "5"; it takes a whole number of at least 6`)
	check(config.Check[struct {
		A string `json:"a" default:"x" enum:"y,z"`
	}](), `a has the default "x"; it takes y or z`)
	check(config.Check[struct {
		A string `json:"a" enum:"y,z"`
	}](), "a needs a default")
	check(config.Check[struct {
		A int `json:"a" enum:"1,2"`
	}](), "a has an enum")
	check(config.Check[struct {
		A string `json:"a" max:"9"`
	}](), `a has the limit "9", which is invalid for type string`)
	check(config.Check[struct {
		A int `json:"a" max:"9.5"`
	}](), `a has the limit "9.5", which is invalid for type int`)
	check(config.Check[struct {
		A int `json:"a" default:"300" min:"0"`
	}](), "a allows 0, which its package would take for unset and replace by 300; make it a pointer")
	check(config.Check[struct {
		A bool `json:"a" default:"true"`
	}](), "make it a pointer")
	check(config.Check[struct {
		A int `json:"aB"`
		B struct {
			B int `json:"b"`
		} `json:"a"`
	}](), "a.b has the environment name TRIMTAB_A_B, as has aB")
	check(config.Check[struct {
		limits
		B int `json:"maxPerDay"`
	}](), "maxPerDay is declared twice")
	check(config.Check[struct {
		A int `json:"a.b"`
	}](), "a.b is not a name")
	check(config.Check[struct {
		A int `json:"a" guard:"root"`
	}](), `a has the guard "root"`)
	check(config.Check[struct {
		A struct{ B int } `json:"a"`
	}](), "a is a section without a key")
	check(config.Check[struct {
		A int `json:"a" hide:"yes"`
	}](), `a has hide "yes"`)
	check(config.Check[struct {
		A map[string]struct{} `json:"a"`
	}](), "a.* is a section without a key")
	check(config.Check[struct {
		A map[string]plugin `json:"a" default:"{}"`
	}](), "a has a default, which a map of structs does not take")
	check(config.Check[struct {
		A map[string]struct {
			B int `json:"b" default:"5" min:"6"`
		} `json:"a"`
	}](), `a.*.b has the default "5"; it takes a whole number of at least 6`)
	check(config.Check[struct {
		A map[string]struct {
			B string `json:"b" env:"B"`
		} `json:"a"`
	}](), "a.*.b has the environment name B; what is inside an entry has none")
	check(config.Check[struct {
		A map[string]struct {
			B map[string]plugin `json:"b"`
		} `json:"a"`
	}](), "a.*.b map[string]config_test.plugin is not a type of setting")
	check(config.Check[struct {
		A map[string]*plugin `json:"a"`
	}](), "not a type of setting")
	check(config.Check[struct {
		A map[int]plugin `json:"a"`
	}](), "not a type of setting")
}
