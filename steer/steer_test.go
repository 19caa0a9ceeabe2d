package steer_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/trimtabtest"
)

// TestSessions plays the promises of the specification, a script each.
func TestSessions(t *testing.T) {
	trimtabtest.Run(t, "testdata/*.session", build)
}

// build takes the settings of a script, and under "own" the modes that a person
// has in files.
func build(config []byte) (*trimtab.Engine, error) {
	var cfg struct {
		steer.Config
		Own []mode.Definition `json:"own"`
	}
	if len(config) > 0 {
		if err := json.Unmarshal(config, &cfg); err != nil {
			return nil, err
		}
	}
	for _, def := range cfg.Own {
		if flaws := mode.Check(def); len(flaws) > 0 {
			return nil, flaws[0]
		}
	}
	return steer.New(cfg.Config, steer.Modes(cfg.Own...))
}

// TestNoFileChangesABuiltInMode gives modes under the names of built-in ones, as if
// nobody had checked them.
func TestNoFileChangesABuiltInMode(t *testing.T) {
	own := []mode.Definition{{ID: "copywrite", Name: "Theirs", Entry: "x"}, {ID: "planning", Name: "Theirs", Entry: "x"}, {ID: "custom", Name: "Mine", Entry: "x"}}
	engine, err := steer.New(steer.Config{}, steer.Modes(own...))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	for id, want := range map[string]string{"copywrite": "Mode: Copywriting", "planning": "Mode: PLANNING", "custom": "Mode: Mine"} {
		_, out := engine.Step(trimtab.NewSession("s", now), trimtab.Asked{Command: "mode", Args: []string{id}}, now)
		if r, err := out.Reply(); err != nil || r.Text != want {
			t.Errorf("%s: %q, %v", id, r.Text, err)
		}
	}
}

// BenchmarkNew is what every start of the program pays for its lineup.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := steer.New(steer.Config{}); err != nil {
			b.Fatal(err)
		}
	}
}
