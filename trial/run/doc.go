// Package run makes the runs of a trial: each on a fresh copy of its task, in a sandbox, by
// an agent that cannot see the tests, which are run afterwards.
//
// A run is kept in a folder of its own, by a key of all that it depends on: the task, the
// arm's settings, the agent and its version, the model, the seed. A trial that is killed
// goes on where it was, and another trial uses what was measured before, as long as
// nothing is different. A run that was cut short is made again.
//
// Agents are started as trimtab -p (our own) or trimtab run (the others), so what is measured
// is what people use. This package reads no flags and draws nothing.
//
//	report, err := run.Do(ctx, run.Request{Dirs: dirs, Arms: []string{"off", "on"}, Agent: "own", Model: "scripted", Repeat: 3}, env)
package run

import (
	_ "embed"

	"github.com/trimtab/trimtab/agent/sandbox"
)

// About describes a trial for the help.
//
//go:embed about.txt
var About string

// Confined is the sandbox of agents and tests: the one of the settings, and none only where
// the person says that it may be.
func Confined(cfg sandbox.Config, unconfined bool) sandbox.Config {
	if !unconfined && (cfg.Mode == "" || cfg.Mode == "auto" || cfg.Mode == "none") {
		cfg.Mode = "require"
	}
	return cfg
}
