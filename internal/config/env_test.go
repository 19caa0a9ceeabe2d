package config_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/config"
)

func TestEveryKeyHasAnEnvironmentName(t *testing.T) {
	type names struct {
		A int `json:"cacheTTL"`
		B int `json:"HTTPPort"`
		C int `json:"automation_enabled"`
		D int `json:"dry-run"`
		E int `json:"utf8Only"`
	}
	var got []string
	for _, k := range config.Keys[names]() {
		got = append(got, k.Env...)
	}
	want := []string{"TRIMTAB_CACHE_TTL", "TRIMTAB_HTTP_PORT", "TRIMTAB_AUTOMATION_ENABLED", "TRIMTAB_DRY_RUN", "TRIMTAB_UTF8_ONLY"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	keys := config.Keys[settings]()
	i := slices.IndexFunc(keys, func(k config.Key) bool { return k.Path == "todoReminder.initialTurns" })
	if diff := cmp.Diff([]string{"TRIMTAB_TODO_REMINDER_INITIAL_TURNS"}, keys[i].Env); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheEnvironmentSetsEveryKindOfKey(t *testing.T) {
	got, report := config.Load[settings](config.Sources{Env: []string{
		"PATH=/bin", "=C:=C:\\", "broken",
		"TRIMTAB_TODO_REMINDER_ENABLED=false",
		"TRIMTAB_TODO_REMINDER_INITIAL_TURNS= 30 ",
		"TRIMTAB_STEERING_BUDGET=2.5e-1",
		"TRIMTAB_MODEL= demo:x ",
		"TRIMTAB_GATEWAY_HOSTS=a, b,,c",
		"TRIMTAB_GATEWAY_UPSTREAMS=openai=https://o/?a=b, anthropic=https://a",
		"FLAME_AUTONOMY_LEVEL=auto",
		"FLAME_PUSH_THRESHOLD=0",
		`FLAME_ENABLED_HEURISTICS=["depth"]`,
	}})
	want := defaults()
	want.TodoReminder.Enabled, want.TodoReminder.InitialTurns = new(false), 30
	want.Steering.Budget, want.Model = 0.25, " demo:x "
	want.Gateway.Hosts = []string{"a", "b", "c"}
	want.Gateway.Upstreams = map[string]string{"gemini": "https://gemini.example", "openai": "https://o/?a=b", "anthropic": "https://a"}
	want.Autonomy.Level, want.Autonomy.Push, want.Autonomy.Heuristics = "auto", new(0), []string{"depth"}
	if diff := cmp.Diff(want, got, compare); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	expect(t, report)
}

func TestAKeysOwnNameStandsOverItsFurtherOnes(t *testing.T) {
	from := config.Sources{Env: []string{"TRIMTAB_AUTONOMY_LEVEL=manual", "FLAME_AUTONOMY_LEVEL=auto"}}
	got, report := config.Load[settings](from)
	if got.Autonomy.Level != "manual" {
		t.Errorf("level is %q from %v", got.Autonomy.Level, report.Origins["autonomy.level"])
	}
	from.Env[0] = "TRIMTAB_AUTONOMY_LEVEL=mad"
	if got, _ = config.Load[settings](from); got.Autonomy.Level != "auto" {
		t.Errorf("with its own name refused, level is %q", got.Autonomy.Level)
	}
}

func TestProblemsOfTheEnvironment(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"TRIMTAB_TODO_REMINDER_INITAL_TURNS=3", "TRIMTAB_TODO_REMINDER_INITAL_TURNS: there is no such setting; did you mean TRIMTAB_TODO_REMINDER_INITIAL_TURNS?"},
		{"TRIMTAB_DTAA=/x", "TRIMTAB_DTAA: there is no such setting; did you mean TRIMTAB_DATA?"},
		{"TRIMTAB_STEERING_BUDGET=NaN", "TRIMTAB_STEERING_BUDGET: steering.budget: NaN is not allowed; give a number from 0.001 to 1"},
		{"TRIMTAB_STEERING_BIAS=Inf", "TRIMTAB_STEERING_BIAS: steering.bias: Inf is not allowed; give a number"},
		{"TRIMTAB_STEERING_BIAS=0x10", "TRIMTAB_STEERING_BIAS: steering.bias: 0x10 is not allowed; give a number"},
		{"TRIMTAB_STEERING_OFFSET=+1", "TRIMTAB_STEERING_OFFSET: steering.offset: +1 is not allowed; give a whole number"},
		{"TRIMTAB_STEERING_OFFSET=9007199254740992", "TRIMTAB_STEERING_OFFSET: steering.offset: 9007199254740992 is not allowed; give a whole number"},
		{"TRIMTAB_TODO_REMINDER_ENABLED=yes", "TRIMTAB_TODO_REMINDER_ENABLED: todoReminder.enabled: yes is not allowed; give true or false"},
		{"FLAME_ENABLED_HEURISTICS=depth,luck", "FLAME_ENABLED_HEURISTICS: autonomy.enabledHeuristics: depth,luck is not allowed; give a list of failure, depth, topic"},
		{"TRIMTAB_GATEWAY_HOSTS=[1]", "TRIMTAB_GATEWAY_HOSTS: gateway.hosts: [1] is not allowed; give a list of text"},
		{"TRIMTAB_GATEWAY_HOSTS=[", "TRIMTAB_GATEWAY_HOSTS: gateway.hosts: [ is not allowed; give a list of text"},
		{"TRIMTAB_GATEWAY_UPSTREAMS=x", "TRIMTAB_GATEWAY_UPSTREAMS: gateway.upstreams: x is not allowed; give an object of text"},
		{`TRIMTAB_GATEWAY_UPSTREAMS={"a":1}`, `TRIMTAB_GATEWAY_UPSTREAMS: gateway.upstreams: {"a":1} is not allowed; give an object of text`},
		{"TRIMTAB_MODEL=\xff", "TRIMTAB_MODEL: model: \ufffd is not allowed; give text"},
	} {
		got, report := config.Load[settings](config.Sources{Env: []string{c.set, "TRIMTAB_DATA=/data", "TRIMTAB_MODE=", "FLAME_OTHER=1"}, Ignore: []string{"TRIMTAB_DATA", "TRIMTAB_CONFIG"}})
		expect(t, report, c.want)
		if diff := cmp.Diff(defaults(), got, compare); diff != "" {
			t.Errorf("%s had an effect (-want +got):\n%s", c.set, diff)
		}
	}
}

func TestProblemsOfFlags(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"model", "--set: model: it has no value; give key=value"},
		{"", "--set: it has no value; give key=value"},
		{"=x", "--set: there is no such key"},
		{"modell=x", "--set: modell: there is no such key; did you mean model?"},
		{"todoReminder.intialTurns=3", "--set: todoReminder.intialTurns: there is no such key; did you mean todoReminder.initialTurns?"},
		{"steering=x", "--set: steering: it is a section; set one of its keys: retract, budget, cacheSeconds, bias, offset"},
		{"steering.offset=", "--set: steering.offset: empty text is not allowed; give a whole number"},
		{"gateway.listen=", "--set: gateway.listen: empty text is not allowed; give text that is not empty"},
		{"gateway.upstreams.=x", "--set: gateway.upstreams.: there is no such key; did you mean gateway.upstreams?"},
		{"gateway.upstreams.a=\xff", "--set: gateway.upstreams.a: \ufffd is not allowed; give text"},
		{"$schema=x", "--set: $schema: there is no such key"},
	} {
		got, report := config.Load[settings](config.Sources{Sets: []string{c.set}})
		expect(t, report, c.want)
		if diff := cmp.Diff(defaults(), got, compare); diff != "" {
			t.Errorf("%s had an effect (-want +got):\n%s", c.set, diff)
		}
	}
}

func TestFlagsSetEveryKindOfKey(t *testing.T) {
	got, report := config.Load[settings](config.Sources{Sets: []string{
		"model=a=b", "autonomy.enabledHeuristics=", "gateway.upstreams.my.own=https://x", "automation.maxPerDay=7", `gateway.upstreams={"a": "b",}`,
	}})
	expect(t, report)
	want := defaults()
	want.Model, want.Autonomy.Heuristics, want.Automation.PerDay = "a=b", []string{}, 7
	want.Gateway.Upstreams["my.own"], want.Gateway.Upstreams["a"] = "https://x", "b"
	if diff := cmp.Diff(want, got, compare); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
