package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// settings has the shape of the real config.
type settings struct {
	TodoReminder reminder   `json:"todoReminder"`
	AutomataMode automata   `json:"automataMode"`
	Steering     steering   `json:"steering"`
	Autonomy     autonomy   `json:"autonomy"`
	Gateway      gateway    `json:"gateway"`
	Forge        forge      `json:"forge" guard:"user"`
	Model        string     `json:"model" doc:"the model of our own agents"`
	Automation   automation `json:"automation"`
	Plugins      plugins    `json:"plugins"`

	Untagged func()
	Hidden   chan int `json:"-"`
}

type reminder struct {
	Enabled        *bool `json:"enabled" default:"true" doc:"remind at all"`
	InitialTurns   int   `json:"initialTurns" default:"8" min:"1" max:"1000" doc:"steps before the first reminder"`
	RepeatTurns    int   `json:"repeatTurns" default:"4" min:"1" max:"1000" doc:"steps between reminders"`
	StuckTaskTurns int   `json:"stuckTaskTurns" default:"12" min:"1" max:"1000" doc:"steps after which an item is stuck"`
}

type automata struct {
	Enabled      *bool `json:"enabled" default:"true" doc:"reflect at all"`
	InitialTurns int   `json:"initialTurns" default:"8" min:"1" max:"1000" doc:"steps between reflections"`
}

type steering struct {
	Retract  string  `json:"retract" default:"strict" enum:"strict,cache" doc:"when a note vanishes"`
	Budget   float64 `json:"budget" default:"0.1" min:"0.001" max:"1" doc:"share of the context that notes may take"`
	CacheTTL *int    `json:"cacheSeconds" default:"300" min:"0" max:"86400" doc:"life of a cached prefix"`
	Bias     float64 `json:"bias"`
	Offset   int     `json:"offset"`
}

type autonomy struct {
	Level      string   `json:"level" default:"suggest" enum:"manual,suggest,auto" env:"FLAME_AUTONOMY_LEVEL"`
	Push       *int     `json:"pushThreshold" default:"70" min:"0" max:"100" env:"FLAME_PUSH_THRESHOLD"`
	Suggest    *bool    `json:"suggestInContext" default:"true" env:"FLAME_SUGGEST_IN_CONTEXT"`
	Heuristics []string `json:"enabledHeuristics" enum:"failure,depth,topic" env:"FLAME_ENABLED_HEURISTICS"`
}

type gateway struct {
	Listen    string            `json:"listen" default:"127.0.0.1:0"`
	Upstreams map[string]string `json:"upstreams" default:"gemini=https://gemini.example" guard:"user" doc:"where requests go"`
	Hosts     []string          `json:"hosts" default:"localhost"`
}

type forge struct {
	URL     string `json:"url"`
	Command string `json:"command"`
}

type automation struct {
	limits
	Enabled bool `json:"automation_enabled"`
}

type limits struct {
	PerDay int `json:"maxPerDay" default:"5" min:"1"`
}

type plugins struct {
	Servers map[string]plugin `json:"servers" doc:"programs by name"`
	Own     map[string]plugin `json:"own" guard:"user"`
}

type plugin struct {
	Command string            `json:"command,omitempty" doc:"the program"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Trust   bool              `json:"trust,omitempty"`
	Retries *int              `json:"retries" default:"3" min:"0" max:"9" doc:"how often"`
	Kind    string            `json:"kind" default:"stdio" enum:"stdio,http"`
	Owner   string            `json:"owner" guard:"user"`
}

func TestTheSettingsOfTheseTestsAreWellDeclared(t *testing.T) {
	if err := config.Check[settings](); err != nil {
		t.Fatal(err)
	}
}

func user(text string) config.Sources {
	return config.Sources{Layers: []config.Layer{{Name: "user", File: "trimtab.json", Data: []byte(text)}}}
}

func defaults() settings {
	return settings{
		TodoReminder: reminder{new(true), 8, 4, 12},
		AutomataMode: automata{new(true), 8},
		Steering:     steering{Retract: "strict", Budget: 0.1, CacheTTL: new(300)},
		Autonomy:     autonomy{Level: "suggest", Push: new(70), Suggest: new(true)},
		Gateway:      gateway{"127.0.0.1:0", map[string]string{"gemini": "https://gemini.example"}, []string{"localhost"}},
		Automation:   automation{limits: limits{5}},
	}
}

var compare = cmp.AllowUnexported(automation{})

// valid reports what a package would find wrong in a loaded config, or change: its
// Fill must neither refuse nor replace anything.
func valid(t *testing.T, s settings) {
	t.Helper()
	same(t, s.TodoReminder)
	same(t, s.AutomataMode)
	same(t, s.Steering)
	same(t, s.Autonomy)
	same(t, s.Gateway)
	same(t, s.Forge)
	same(t, s.Automation.limits)
	for _, all := range []map[string]plugin{s.Plugins.Servers, s.Plugins.Own} {
		for name, p := range all {
			same(t, p)
			if name == "" || len(name) > config.MaxName || len(all) > config.MaxEntries {
				t.Errorf("%d entries, one of them %q", len(all), name)
			}
		}
	}
	for _, h := range s.Autonomy.Heuristics {
		if h != "failure" && h != "depth" && h != "topic" {
			t.Errorf("autonomy.enabledHeuristics holds %q", h)
		}
	}
}

func same[T any](t *testing.T, loaded T) {
	t.Helper()
	filled, err := settingtag.Fill(loaded)
	if err != nil {
		t.Errorf("%T: %v", loaded, err)
	}
	if diff := cmp.Diff(loaded, filled); diff != "" {
		t.Errorf("%T: Fill changes what was loaded (-loaded +used):\n%s", loaded, diff)
	}
}

func lines(r config.Report) []string {
	var all []string
	for _, p := range r.Problems {
		all = append(all, p.Error())
	}
	return all
}

func expect(t *testing.T, r config.Report, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, lines(r)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}
