// Package steer is the lineup: which interventions there are, in which order
// their notes stand, and the settings of each.
//
// The order is frame, mode, todo, automata: where the work stands comes first,
// then what the person chose, the tactical reminder before the strategic
// reflection. The siblings never import
// each other, and nothing outside names them one by one.
//
//	engine, err := steer.New(steer.Config{})
//
// A Config is one struct per room under the name that it has in the settings
// file; the zero value takes every default.
package steer

import (
	"errors"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer/automata"
	"github.com/trimtab/trimtab/steer/frame"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/steer/todo"
)

// Config holds the settings of the engine and of each intervention.
type Config struct {
	Steering trimtab.Config  `json:"steering" doc:"how notes behave, whoever makes them"`
	Frames   frame.Config    `json:"frames" doc:"work as a tree of frames; a finished one leaves the context and its summary stays"`
	Autonomy frame.Autonomy  `json:"autonomy" doc:"what the heuristics over frames may do"`
	Modes    mode.Config     `json:"modes" doc:"planning, research, code-review and debugging"`
	Todo     todo.Config     `json:"todoReminder" doc:"the reminder of the agent's todo list"`
	Automata automata.Config `json:"automataMode" doc:"periodic reflection, switched on by the word automata"`
}

// New returns an engine with the whole lineup.
func New(cfg Config) (*trimtab.Engine, error) {
	frames, err1 := frame.New(cfg.Frames, cfg.Autonomy)
	modes, err2 := mode.New(cfg.Modes)
	reminder, err3 := todo.New(cfg.Todo)
	reflection, err4 := automata.New(cfg.Automata)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	return trimtab.New(cfg.Steering, trimtab.Use(frames), trimtab.Use(modes), trimtab.Use(reminder), trimtab.Use(reflection))
}
