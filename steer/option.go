package steer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer/mode"
)

// Option adds something to the lineup that New builds.
type Option func(*options)

type options struct {
	modes []mode.Definition
	added []addition
}

// addition is interventions of the caller's own and the built-in one that they
// stand before; "" is behind all of them.
type addition struct {
	before string
	lineup []trimtab.Steerer
	option string // its name, for errors
}

// Modes adds modes from files. One that is called custom takes the place of the
// built-in one, and no other does.
func Modes(own ...mode.Definition) Option {
	return func(o *options) { o.modes = append(o.modes, own...) }
}

// With adds interventions behind the built-in ones, in this order: where their
// notes share a seat with built-in ones, they stand after them.
//
//	engine, err := steer.New(cfg, steer.With(trimtab.Use(mine)))
func With(own ...trimtab.Steerer) Option {
	return func(o *options) { o.added = append(o.added, addition{lineup: own, option: "With"}) }
}

// Before adds interventions in front of the one of this name: "frame", "mode",
// "todo", "automata", "stop", or one that an earlier option added.
func Before(name string, own ...trimtab.Steerer) Option {
	return func(o *options) { o.added = append(o.added, addition{before: name, lineup: own, option: "Before"}) }
}

// reservedCommands are the chat's own commands. It would answer them itself, and
// an intervention's command of the same name would never be called.
var reservedCommands = []string{"compact", "copy", "diff", "exit", "export", "find", "help", "jobs", "login", "model", "new", "quit", "redo", "resume", "rewind", "status", "theme", "tools", "undo"}

// reservedNames sign what comes from no intervention: faults of the engine and of
// the session service. A second speaker of that name could not be told apart.
var reservedNames = []string{"engine", "session"}

// add puts the caller's interventions into the lineup. That no two share a name or
// a command is checked by trimtab.New.
func (o options) add(lineup []trimtab.Steerer) ([]trimtab.Steerer, error) {
	for _, a := range o.added {
		for _, iv := range a.lineup {
			if err := usable(iv); err != nil {
				return nil, fmt.Errorf("steer.%s: %w", a.option, err)
			}
		}
		at := len(lineup)
		if a.option == "Before" {
			at = slices.IndexFunc(lineup, func(iv trimtab.Steerer) bool { return iv.Name() == a.before })
		}
		if at < 0 {
			return nil, fmt.Errorf("steer.Before: no intervention is called %q; there are %s", a.before, strings.Join(names(lineup), ", "))
		}
		lineup = slices.Insert(lineup, at, a.lineup...)
	}
	return lineup, nil
}

func usable(iv trimtab.Steerer) error {
	switch {
	case iv == nil:
		return errors.New("an intervention is nil")
	case iv.Name() == "":
		return errors.New("an intervention has no name")
	case slices.Contains(reservedNames, iv.Name()):
		return fmt.Errorf("no intervention may be called %q: faults of the %s itself have that name", iv.Name(), iv.Name())
	}
	for _, c := range iv.Commands() {
		if slices.Contains(reservedCommands, c.Name) {
			return fmt.Errorf("%s: the command %q is the chat's own; choose another name", iv.Name(), c.Name)
		}
	}
	return nil
}

func names(lineup []trimtab.Steerer) (all []string) {
	for _, iv := range lineup {
		all = append(all, iv.Name())
	}
	return all
}
