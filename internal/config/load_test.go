package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/config"
)

func TestNoSourcesGiveTheDefaults(t *testing.T) {
	got, report := config.Load[settings](config.Sources{})
	if diff := cmp.Diff(defaults(), got, compare); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	expect(t, report)
	valid(t, got)
}

func TestEachLayerStandsOverTheOneBeforeIt(t *testing.T) {
	key := "automataMode.initialTurns"
	from := config.Sources{}
	check := func(want int, origin config.Origin) {
		t.Helper()
		got, report := config.Load[settings](from)
		if got.AutomataMode.InitialTurns != want || report.Origins[key] != origin {
			t.Errorf("got %d from %+v, want %d from %+v", got.AutomataMode.InitialTurns, report.Origins[key], want, origin)
		}
		expect(t, report)
	}
	check(8, config.Origin{Layer: "built in"})

	from.Layers = append(from.Layers, config.Layer{Name: "user", File: "u.json", Data: []byte("{\n \"automataMode\": {\n  \"initialTurns\": 9}}")})
	check(9, config.Origin{Layer: "user", File: "u.json", Line: 3})

	from.Layers = append(from.Layers, config.Layer{Name: "project", File: "p.json", Data: []byte(`{"automataMode": {"initialTurns": 10}}`), Guarded: true})
	check(10, config.Origin{Layer: "project", File: "p.json", Line: 1})

	from.Env = []string{"TRIMTAB_AUTOMATA_MODE_INITIAL_TURNS=11"}
	check(11, config.Origin{Layer: "environment", Name: "TRIMTAB_AUTOMATA_MODE_INITIAL_TURNS"})

	from.Sets = []string{key + "=12", key + "=13"}
	check(13, config.Origin{Layer: "flags", Name: "--set"})
}

// What was set for one run holds in the programs of ours that the run's agent starts.
func TestFlagsGoOnAsVariables(t *testing.T) {
	env := config.Environ[settings]([]string{"todoReminder.initialTurns=20", "gateway.upstreams.openai=c", "nobody=1", "todoReminder.initialTurns=21"})
	if want := []string{"TRIMTAB_TODO_REMINDER_INITIAL_TURNS=20", "TRIMTAB_TODO_REMINDER_INITIAL_TURNS=21"}; !slices.Equal(env, want) {
		t.Fatalf("%q, want %q", env, want)
	}
	got, report := config.Load[settings](config.Sources{Env: env})
	if got.TodoReminder.InitialTurns != 21 {
		t.Errorf("%d", got.TodoReminder.InitialTurns)
	}
	expect(t, report)
}

func TestALowerLayerKeepsWhatAHigherOneDoesNotSet(t *testing.T) {
	from := config.Sources{Layers: []config.Layer{
		{Name: "user", Data: []byte(`{"todoReminder": {"initialTurns": 20, "repeatTurns": 21}, "gateway": {"upstreams": {"openai": "a", "anthropic": "b"}, "hosts": ["x", "y"]}}`)},
		{Name: "more", Data: []byte(`{"todoReminder": {"repeatTurns": 30}, "gateway": {"upstreams": {"openai": "c"}, "hosts": ["z"]}}`)},
	}}
	got, report := config.Load[settings](from)
	want := defaults()
	want.TodoReminder.InitialTurns, want.TodoReminder.RepeatTurns = 20, 30
	want.Gateway.Upstreams = map[string]string{"gemini": "https://gemini.example", "openai": "c", "anthropic": "b"}
	want.Gateway.Hosts = []string{"z"}
	if diff := cmp.Diff(want, got, compare); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	expect(t, report)
	if o := report.Origins["gateway.upstreams.anthropic"]; o.Layer != "user" {
		t.Errorf("gateway.upstreams.anthropic comes from %q", o.Layer)
	}
}

func TestA10_ABadValueIsRefusedByNameWithTheAllowedRange(t *testing.T) {
	for _, bad := range []string{"0", "-1", "1001", "2.5", "8.0", "1e3", `"8"`, "true", "null", "[]", "{}", "99999999999999999999"} {
		t.Run(bad, func(t *testing.T) {
			got, report := config.Load[settings](user("{\n  \"automataMode\": {\n    \"initialTurns\": " + bad + "\n  }\n}"))
			shown := bad
			switch bad {
			case "[]":
				shown = "a list"
			case "{}":
				shown = "an object"
			}
			expect(t, report, "trimtab.json:3:21: automataMode.initialTurns: "+shown+" is not allowed; give a whole number from 1 to 1000")
			if got.AutomataMode.InitialTurns != 8 {
				t.Errorf("initialTurns is %d, want the default", got.AutomataMode.InitialTurns)
			}
			valid(t, got)
		})
	}
}

func TestA10_TheOtherKeysStillTakeEffect(t *testing.T) {
	got, report := config.Load[settings](user(`{
  // a comment
  "todoReminder": {"initialTurns": 0, "repeatTurns": 7, "stuckTaskTurns": -3, "enabled": "no"},
  "automataMode": {"enabled": false, "initialTurns": 20},
}`))
	want := defaults()
	want.TodoReminder.RepeatTurns = 7
	want.AutomataMode = automata{new(false), 20}
	if diff := cmp.Diff(want, got, compare); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	expect(t, report,
		"trimtab.json:3:36: todoReminder.initialTurns: 0 is not allowed; give a whole number from 1 to 1000",
		"trimtab.json:3:75: todoReminder.stuckTaskTurns: -3 is not allowed; give a whole number from 1 to 1000",
		`trimtab.json:3:90: todoReminder.enabled: "no" is not allowed; give true or false`)
}

func TestA10_ARefusedValueLeavesTheLowerLayers(t *testing.T) {
	from := user(`{"automataMode": {"initialTurns": 20}}`)
	from.Layers = append(from.Layers, config.Layer{Name: "project", File: "p.json", Data: []byte(`{"automataMode": {"initialTurns": 0}}`)})
	from.Env = []string{"TRIMTAB_AUTOMATA_MODE_INITIAL_TURNS=x"}
	from.Sets = []string{"automataMode.initialTurns=1.5"}
	got, report := config.Load[settings](from)
	if got.AutomataMode.InitialTurns != 20 || report.Origins["automataMode.initialTurns"].Layer != "user" {
		t.Errorf("got %d from %v", got.AutomataMode.InitialTurns, report.Origins["automataMode.initialTurns"])
	}
	expect(t, report,
		"p.json:1:35: automataMode.initialTurns: 0 is not allowed; give a whole number from 1 to 1000",
		"TRIMTAB_AUTOMATA_MODE_INITIAL_TURNS: automataMode.initialTurns: x is not allowed; give a whole number from 1 to 1000",
		"--set: automataMode.initialTurns: 1.5 is not allowed; give a whole number from 1 to 1000")
}

func TestAZeroThatIsGivenIsNotAnAbsentOne(t *testing.T) {
	got, report := config.Load[settings](user(`{"steering": {"cacheSeconds": 0}, "autonomy": {"pushThreshold": 0, "suggestInContext": false, "enabledHeuristics": []}}`))
	expect(t, report)
	if *got.Steering.CacheTTL != 0 || *got.Autonomy.Push != 0 || *got.Autonomy.Suggest || got.Autonomy.Heuristics == nil {
		t.Errorf("got %v, %v, %v, %v", *got.Steering.CacheTTL, *got.Autonomy.Push, *got.Autonomy.Suggest, got.Autonomy.Heuristics)
	}
	valid(t, got)
}

func TestProblemsOfAFile(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"unknown key", `{"todoReminder": {"intialTurns": 3}}`, "trimtab.json:1:19: todoReminder.intialTurns: there is no such key; did you mean todoReminder.initialTurns?"},
		{"other case", `{"TodoReminder": {}}`, "trimtab.json:1:2: TodoReminder: there is no such key; did you mean todoReminder?"},
		{"in the wrong section", `{"stuckTaskTurns": 3}`, "trimtab.json:1:2: stuckTaskTurns: there is no such key; did you mean todoReminder.stuckTaskTurns?"},
		{"nothing near", `{"zzzzzzz": "sk-secret"}`, "trimtab.json:1:2: zzzzzzz: there is no such key"},
		{"dotted", `{"todoReminder.initialTurns": 3}`, `trimtab.json:1:2: todoReminder.initialTurns: a dot does not lead into a section here; nest the names: {"todoReminder": {"initialTurns": …}}`},
		{"a field without a key", `{"Untagged": 1}`, "trimtab.json:1:2: Untagged: there is no such key"},
		{"enum", `{"steering": {"retract": "soft"}}`, `trimtab.json:1:26: steering.retract: "soft" is not allowed; give strict or cache`},
		{"number out of range", `{"steering": {"budget": 1e400}}`, "trimtab.json:1:25: steering.budget: 1e400 is not allowed; give a number from 0.001 to 1"},
		{"section of the wrong kind", `{"steering": 3}`, "trimtab.json:1:14: steering: 3 is not allowed; give an object"},
		{"null section", `{"steering": null}`, "trimtab.json:1:14: steering: null is not allowed; give an object"},
		{"list item of the wrong kind", `{"gateway": {"hosts": ["a", 3]}}`, "trimtab.json:1:29: gateway.hosts: 3 is not allowed; give a list of text"},
		{"list item out of the enum", `{"autonomy": {"enabledHeuristics": ["depth", "luck"]}}`, `trimtab.json:1:46: autonomy.enabledHeuristics: "luck" is not allowed; give a list of failure, depth, topic`},
		{"text for a list", `{"gateway": {"hosts": "a"}}`, `trimtab.json:1:23: gateway.hosts: "a" is not allowed; give a list of text`},
		{"list for a map", `{"gateway": {"upstreams": []}}`, "trimtab.json:1:27: gateway.upstreams: a list is not allowed; give an object of text"},
		{"map entry of the wrong kind", `{"gateway": {"upstreams": {"openai": 1}}}`, "trimtab.json:1:38: gateway.upstreams.openai: 1 is not allowed; give text"},
		{"empty text over a default", `{"gateway": {"listen": ""}}`, `trimtab.json:1:24: gateway.listen: "" is not allowed; give text that is not empty`},
		{"$schema that is no text", `{"$schema": 1}`, "trimtab.json:1:13: $schema: 1 is not allowed; give text"},
		{"columns are characters", `{/* äöü€ */ "modle": "x"}`, "trimtab.json:1:13: modle: there is no such key; did you mean model?"},
		{"not an object", `[1]`, "trimtab.json:1:1: the file holds a list; give an object; nothing in this file takes effect"},
		{"NaN", `{"steering": {"budget": NaN}}`, "trimtab.json:1:25: it is not valid JSON: invalid literal: NaN; nothing in this file takes effect"},
		{"cut off", "{\"model\":\n \"x", "trimtab.json:2:4: it is not valid JSON: parsing string: unexpected EOF; nothing in this file takes effect"},
		{"not UTF-8", "{\n\"model\": \"\xff\"}", "trimtab.json:2:11: it is not UTF-8 text; nothing in this file takes effect"},
		{"too large", `{"model": "` + strings.Repeat("x", config.MaxFile) + `"}`, "trimtab.json: it is larger than 1048576 bytes; nothing in this file takes effect"},
		{"too deep", `{"a": ` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + "}", "trimtab.json:1:70: objects and lists are nested deeper than 64; nothing in this file takes effect"},
		{"for the terminal", "{\"\\u001b[31mred\\u202e\": 1}", `trimtab.json:1:2: \u001b[31mred\u202e: there is no such key`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, report := config.Load[settings](user(c.text))
			expect(t, report, c.want)
			if diff := cmp.Diff(defaults(), got, compare); diff != "" {
				t.Errorf("it had an effect (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatAFileMayHave(t *testing.T) {
	for name, text := range map[string]string{
		"a schema":                "{\"$schema\": \"https://example.org/s.json\", \"model\": \"m\"}",
		"a byte order mark":       "\ufeff{\"model\": \"m\"}",
		"comments and commas":     "// one\n{\"model\": /* two */ \"m\",} // three",
		"escapes in names":        `{"mod\u0065l": "m"}`,
		"64 levels in a comment":  "{\"model\": \"m\"} //" + strings.Repeat("[", 100),
		"brackets in a string":    `{"$schema": "\"` + strings.Repeat("[", 100) + `", "model": "m"}`,
		"Windows line ends":       "{\r\n\"model\": \"m\"\r\n}\r\n",
		"brackets in /* these */": "/*" + strings.Repeat("{", 100) + "*/{\"model\": \"m\"}",
	} {
		t.Run(name, func(t *testing.T) {
			got, report := config.Load[settings](user(text))
			expect(t, report)
			if got.Model != "m" {
				t.Errorf("model is %q", got.Model)
			}
		})
	}
	for name, text := range map[string]string{"nothing": "", "only white space": " \n\t\r\n"} {
		_, report := config.Load[settings](user(text))
		if len(report.Problems) > 0 {
			t.Errorf("%s: %v", name, lines(report))
		}
	}
}

func TestADuplicateKeyIsReportedAndTheLastOneCounts(t *testing.T) {
	got, report := config.Load[settings](user(`{
"model": "a", "model": "b",
"automataMode": {"initialTurns": 9}, "automataMode": {"initialTurns": 10, "initialTurns": 0}}`))
	expect(t, report,
		"trimtab.json:2:15: model: it is given more than once; the last one counts",
		"trimtab.json:3:38: automataMode: it is given more than once; the last one counts",
		"trimtab.json:3:75: automataMode.initialTurns: it is given more than once; the last one counts",
		"trimtab.json:3:91: automataMode.initialTurns: 0 is not allowed; give a whole number from 1 to 1000")
	if got.Model != "b" || got.AutomataMode.InitialTurns != 8 {
		t.Errorf("got %q and %d", got.Model, got.AutomataMode.InitialTurns)
	}
}

func TestABrokenFileLeavesTheOtherLayersAlone(t *testing.T) {
	from := config.Sources{
		Layers: []config.Layer{
			{Name: "user", File: "u.json", Data: []byte(`{"model": "m"}`)},
			{Name: "project", File: "p.json", Data: []byte(`{"model": "n", "automataMode": }`)},
		},
		Sets: []string{"automataMode.initialTurns=9"},
	}
	got, report := config.Load[settings](from)
	if got.Model != "m" || got.AutomataMode.InitialTurns != 9 {
		t.Errorf("got %q and %d", got.Model, got.AutomataMode.InitialTurns)
	}
	expect(t, report, "p.json:1:32: it is not valid JSON: invalid character '}' at start of value; nothing in this file takes effect")
}

func TestP16_AProjectMayNotSetWhatIsTheUsers(t *testing.T) {
	project := `{
  "gateway": {"upstreams": {"anthropic": "https://evil.example"}, "hosts": ["h"]},
  "forge": {"command": "rm", "url": "x"},
  "model": "theirs"
}`
	from := config.Sources{Layers: []config.Layer{{Name: "project", File: "p.json", Data: []byte(project), Guarded: true}}}
	got, report := config.Load[settings](from)
	want := defaults()
	want.Model, want.Gateway.Hosts = "theirs", []string{"h"}
	if diff := cmp.Diff(want, got, compare); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	expect(t, report,
		"p.json:2:15: gateway.upstreams: a project may not set this; set it in your own config",
		"p.json:3:3: forge: a project may not set this; set it in your own config")

	from.Layers[0].Guarded = false
	from.Env = []string{"TRIMTAB_FORGE_URL=y"}
	from.Sets = []string{"gateway.upstreams.openai=z"}
	got, report = config.Load[settings](from)
	expect(t, report)
	if got.Forge != (forge{"y", "rm"}) || got.Gateway.Upstreams["openai"] != "z" || got.Gateway.Upstreams["anthropic"] != "https://evil.example" {
		t.Errorf("the user's own layers are refused: %+v %+v", got.Forge, got.Gateway)
	}
}

func TestP16_EverySpellingOfAGuardedKeyIsRefused(t *testing.T) {
	for _, text := range []string{
		`{"gateway": {"upstre\u0061ms": {"openai": "x"}}}`,
		`{"gateway": {"Upstreams": {"openai": "x"}}}`,
		`{"Gateway": {"upstreams": {"openai": "x"}}}`,
		`{"gateway.upstreams": {"openai": "x"}}`,
		`{"gateway": {"upstreams.openai": "x"}}`,
		`{"gateway": {}, "gateway": {"upstreams": {"openai": "x"}}}`,
		`{"f\u006frge": {"command": "x"}}`,
		`{"forge.command": "x"}`,
	} {
		got, report := config.Load[settings](config.Sources{Layers: []config.Layer{{Name: "project", Data: []byte(text), Guarded: true}}})
		if diff := cmp.Diff(defaults(), got, compare); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		if len(report.Problems) == 0 {
			t.Errorf("%s: no problem reported", text)
		}
	}
}

func TestALayerListsAHundredProblems(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for i := range 40_000 {
		fmt.Fprintf(&b, `"todoRemindr%d":0,`, i)
	}
	b.WriteString("}")
	_, report := config.Load[settings](user(b.String()))
	if len(report.Problems) != 101 {
		t.Fatalf("%d problems", len(report.Problems))
	}
	if got := report.Problems[100].Error(); got != "trimtab.json: 39900 more problems are not listed" {
		t.Error(got)
	}
}

func TestAPasswordInAURLIsNotShown(t *testing.T) {
	secret := "postgres://me:s3cr@t:x@db.example/x?y=http://a:s3cr@b"
	from := user(`{"automataMode": {"initialTurns": "` + secret + `"}, "forge": {"url": "` + secret + `"}, "gateway": {"hosts": ["` + secret + `"], "upstreams": {"a": "` + secret + `"}}}`)
	from.Env = []string{"TRIMTAB_AUTOMATA_MODE_INITIAL_TURNS=" + secret}
	from.Sets = []string{"automataMode.initialTurns=" + secret}
	got, report := config.Load[settings](from)
	if len(report.Problems) != 3 || got.Forge.URL != secret {
		t.Fatalf("%v, %q", lines(report), got.Forge.URL)
	}
	all := fmt.Sprint(report.Problems, lines(report))
	for _, e := range config.Entries(got, report) {
		all += string(e.Value) + string(e.Default)
	}
	if strings.Contains(all, "s3cr") || !strings.Contains(all, "postgres://me:***@db.example") {
		t.Error(all)
	}
}
