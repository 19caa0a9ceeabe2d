// Package steer is the lineup: which interventions there are, in which order
// their notes stand, and the settings of each.
//
// The order is frame, mode, focus, todo, automata, guard, stop, then programs by name, and
// last what a person muted, which says nothing: where
// the work stands comes first, then what the person chose and the goal of it, the tactical
// reminder before the strategic reflection, then what goes wrong just now, and last whether
// the agent may stop. The siblings never import each other, but for
// the one definition of a mode, and nothing outside names them one by one.
//
//	engine, err := steer.New(steer.Config{}, steer.With(trimtab.Use(mine)))
//
// A Config is one struct per package under the name that it has in the settings
// file; the zero value takes every default. Options add to the lineup: With and
// Before interventions of one's own, Modes modes from files.
package steer

import (
	"errors"
	"maps"
	"slices"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/todotool"
	"github.com/trimtab/trimtab/steer/automata"
	"github.com/trimtab/trimtab/steer/external"
	"github.com/trimtab/trimtab/steer/focus"
	"github.com/trimtab/trimtab/steer/frame"
	"github.com/trimtab/trimtab/steer/guard"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/steer/mute"
	"github.com/trimtab/trimtab/steer/stop"
	"github.com/trimtab/trimtab/steer/todo"
)

// Config holds the settings of the engine and of each intervention.
type Config struct {
	Steering trimtab.Config  `json:"steering" doc:"how notes behave, whoever makes them"`
	Frames   frame.Config    `json:"frames" doc:"work as a tree of frames; a finished one leaves the context and its summary stays"`
	Autonomy frame.Autonomy  `json:"autonomy" doc:"what the heuristics over frames may do"`
	Modes    mode.Config     `json:"modes" doc:"planning, research, code-review, debugging, and modes with a goal"`
	Focus    focus.Config    `json:"focus" doc:"what keeps a session in a mode with a goal on it"`
	Todo     todo.Config     `json:"todoReminder" doc:"the reminder of the agent's todo list"`
	Automata automata.Config `json:"automataMode" doc:"periodic reflection, switched on by the word automata"`
	Guard    guard.Config    `json:"guard" doc:"whether an agent that goes in circles is told"`
	Stop     stop.Config     `json:"stop" doc:"whether an agent that stops with work left is sent on"`
	Verify   stop.Verify     `json:"verify" doc:"whether an agent that stops before its changes were checked is sent on"`

	Interventions map[string]external.Program `json:"interventions" guard:"user" doc:"programs that steer, by name; see docs/howto/intervention.md"`
}

// New returns an engine with the whole lineup, and what the options add to it.
func New(cfg Config, opts ...Option) (*trimtab.Engine, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	all := withOwn(o.modes)
	frames, err1 := frame.New(cfg.Frames, cfg.Autonomy)
	chosen, err2 := mode.New(cfg.Modes, all...)
	goals, err3 := focus.New(cfg.Focus, all...)
	reminder, err4 := todo.New(cfg.Todo)
	reflection, err5 := automata.New(cfg.Automata)
	watch, err7 := guard.New(cfg.Guard)
	ending, err6 := stop.New(cfg.Stop, cfg.Verify)
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7); err != nil {
		return nil, err
	}
	if cfg.Steering.Todos == nil {
		cfg.Steering.Todos = todotool.Tools{}
	}
	lineup := []trimtab.Steerer{trimtab.Use(frames), trimtab.Use(modes{chosen, goals}), trimtab.Use(reminder), trimtab.Use(reflection), trimtab.Use(watch), trimtab.Use(ending)}
	for _, id := range slices.Sorted(maps.Keys(cfg.Interventions)) {
		program, err := external.New(id, cfg.Interventions[id])
		if err != nil {
			return nil, err
		}
		lineup = append(lineup, trimtab.Use(program))
	}
	lineup, err := o.add(lineup)
	if err != nil {
		return nil, err
	}
	return trimtab.New(cfg.Steering, append(lineup, trimtab.Use(mute.New(names(lineup)...)))...)
}

// withOwn lists the modes with a goal that are built in, and then those from files.
func withOwn(own []mode.Definition) []mode.Definition {
	all := mode.Sessions()
	for _, def := range own {
		i := slices.IndexFunc(all, func(d mode.Definition) bool { return d.ID == def.ID })
		switch {
		case i < 0:
			all = append(all, def)
		case def.ID == mode.Custom:
			all[i] = def
		}
	}
	return all
}
