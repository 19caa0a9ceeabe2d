// Package external is the intervention behind which a program outside the process
// stands. The program is asked by session/subprocess, between steps; what it wants
// comes into the engine as Advised, and this intervention does it under the
// program's name. So budget, order, price, journal and replay hold for it as for
// any other, and the engine stays pure.
//
// It never runs anything and believes nothing: actions that are not allowed to a
// program are left out, with a notice.
package external

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/lazyregexp"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Program is a command that speaks JSON lines. Its name in the settings is that of
// its intervention.
type Program struct {
	Command string   `json:"command" doc:"the program to start"`
	Args    []string `json:"args,omitempty" doc:"its arguments"`
	Events  []string `json:"events" doc:"what it is asked about: said, calling, using, stopping, asked, resumed, rewritten, reset"`
	Timeout int      `json:"timeout,omitempty" default:"500" min:"10" max:"60000" doc:"milliseconds that one answer may take; then the session goes on without it"`
}

// Events are the kinds that a program may ask for.
var Events = []string{"said", "calling", "using", "stopping", "asked", "resumed", "rewritten", "reset"}

// taken are names that mean something else: those of the built-in interventions,
// and what signs faults.
var taken = []string{"frame", "mode", "focus", "todo", "automata", "stop", "engine", "session"}

var name = lazyregexp.Pattern(`^[a-z][a-z0-9-]{0,31}$`)

const maxPrograms = 16

// Check says what is wrong with a program of this name.
func Check(id string, p Program) error {
	switch {
	case !name().MatchString(id):
		return errors.New("its name is not 1 to 32 small letters, digits and hyphens")
	case slices.Contains(taken, id):
		return fmt.Errorf("%q is the name of something built in; choose another", id)
	case strings.TrimSpace(p.Command) == "":
		return errors.New("command is missing")
	case len(p.Events) == 0:
		return fmt.Errorf("events is missing; give some of %s", strings.Join(Events, ", "))
	}
	for _, e := range p.Events {
		if !slices.Contains(Events, e) {
			return fmt.Errorf("events: %q is none; there are %s", e, strings.Join(Events, ", "))
		}
	}
	_, err := settingtag.Fill(p)
	return err
}

// Usable returns the programs that can be used, and what is wrong with each of the
// others: one that is wrong takes nothing from the rest.
func Usable(all map[string]Program) (good map[string]Program, wrong map[string]error) {
	good, wrong = map[string]Program{}, map[string]error{}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		filled, _ := settingtag.Fill(all[id])
		switch err := Check(id, all[id]); {
		case err != nil:
			wrong[id] = err
		case len(good) == maxPrograms:
			wrong[id] = fmt.Errorf("there are %d already, which is the limit", maxPrograms)
		default:
			good[id] = filled
		}
	}
	return good, wrong
}

// Wants reports whether one of the programs asks for one of these kinds of events.
func Wants(all map[string]Program, kinds ...string) bool {
	for _, p := range all {
		if slices.ContainsFunc(p.Events, func(e string) bool { return slices.Contains(kinds, e) }) {
			return true
		}
	}
	return false
}

// External does what one program asks for.
type External struct{ name string }

// New returns the intervention of a program.
func New(id string, p Program) (External, error) {
	if err := Check(id, p); err != nil {
		return External{}, fmt.Errorf("interventions.%s: %w", id, err)
	}
	return External{id}, nil
}

// Name is the name of the program in the settings.
func (e External) Name() string { return e.name }

// Steer does what the program asked for, as far as a program may. It remembers
// nothing: a program that wants to remember something does so itself.
func (e External) Steer(t trimtab.Turn, m struct{}) (struct{}, []trimtab.Action) {
	ev, ok := t.Event.(trimtab.Advised)
	if !ok || ev.By != e.name {
		return m, nil
	}
	var acts []trimtab.Action
	for _, taken := range ev.Actions {
		if !Allowed(taken.Action) {
			acts = append(acts, trimtab.Notify{Warning: true, Text: fmt.Sprintf("%s asked for %T, which no program may", e.name, taken.Action)})
			continue
		}
		if in, ok := taken.Action.(trimtab.Inject); ok {
			in.Requested = false // the person asked for the program, not for this
			taken.Action = in
		}
		acts = append(acts, taken.Action)
	}
	return m, acts
}

// Allowed reports whether a program may ask for an action. Folding changes what
// the agent sees of its own work, queued work acts outside the session, and a
// reply belongs to a command: none of them is left to a program.
func Allowed(a trimtab.Action) bool {
	switch a.(type) {
	case trimtab.Inject, trimtab.Retract, trimtab.Notify, trimtab.Continue, trimtab.Deny:
		return true
	case trimtab.Fold, trimtab.Unfold, trimtab.Reply, trimtab.Pause, trimtab.Enqueue:
	}
	return false
}
