// Package subprocess asks programs for advice on what happens in sessions: each is
// a command that reads a line of JSON for every event and answers with a line. It
// is a session.Advisor; docs/howto/intervention.md has the protocol.
//
// A program is started when it is first needed and kept. One that is too slow,
// writes too much, answers nonsense or ends is killed with all that it started,
// and started again later, ever more seldom. The session never waits longer than
// the program's timeout, and never fails: each such event has a fault.
//
//	programs := subprocess.New(cfg.Interventions)
//	defer programs.Close()
//	service := session.New(engine, store, session.Options{Advisor: programs})
package subprocess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer/external"
)

// What a program may answer.
const (
	maxAnswer  = 64 << 10 // bytes of one line
	maxActions = 8        // of one answer
)

// When a program that failed is started again.
const (
	firstPause   = time.Second
	longestPause = time.Minute
)

// Programs are the programs of one session service. They are safe for use by
// several goroutines.
type Programs struct {
	all []*program
	now func() time.Time
}

// New returns the programs of the settings, in the order of their names. None is
// started yet.
func New(programs map[string]external.Program) *Programs {
	p := &Programs{now: time.Now}
	good, _ := external.Usable(programs)
	for _, id := range slices.Sorted(maps.Keys(good)) {
		p.all = append(p.all, newProgram(id, good[id]))
	}
	return p
}

// Close ends the programs. They are not started again.
func (p *Programs) Close() {
	var wg sync.WaitGroup
	for _, one := range p.all {
		wg.Go(one.close)
	}
	wg.Wait()
}

// question is the line that a program reads.
type question struct {
	Session trimtab.Info    `json:"session"`
	Event   json.RawMessage `json:"event"`
}

// Advise asks the programs that want to hear of this kind of event.
func (p *Programs) Advise(ctx context.Context, s trimtab.Info, ev trimtab.Event) (all []trimtab.Advised, faults []trimtab.Fault) {
	kind := kindOf(ev)
	var line []byte
	for _, one := range p.all {
		if !slices.Contains(one.Events, kind) {
			continue
		}
		if line == nil {
			event, err := trimtab.EncodeEvent(ev)
			if err == nil {
				line, err = json.Marshal(question{s, event})
			}
			if err != nil {
				return nil, []trimtab.Fault{{By: one.name, Text: "not asked: " + err.Error()}}
			}
			line = append(line, '\n')
		}
		answer, err := one.ask(ctx, p.now, line)
		if errors.Is(err, errResting) {
			continue // the fault was told when it failed
		}
		var acts []trimtab.Taken
		if err == nil {
			acts, err = read(answer, kind)
		}
		if err != nil {
			faults = append(faults, trimtab.Fault{By: one.name, Text: err.Error()})
		}
		if len(acts) > 0 {
			all = append(all, trimtab.Advised{By: one.name, Actions: acts})
		}
	}
	return all, faults
}

// read reads an answer to an event. Actions that may not be, or mean nothing here,
// are left out; the error names the first.
func read(line []byte, kind string) (acts []trimtab.Taken, err error) {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return nil, nil
	}
	var answer struct {
		Actions []json.RawMessage `json:"actions"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return nil, fmt.Errorf("its answer cannot be read: %w", err)
	}
	if len(answer.Actions) > maxActions {
		return nil, fmt.Errorf("it wants %d actions at once; the limit is %d", len(answer.Actions), maxActions)
	}
	for _, raw := range answer.Actions {
		var one trimtab.Taken
		wrong := json.Unmarshal(slices.Concat([]byte(`{"action":`), raw, []byte(`}`)), &one)
		if wrong == nil {
			wrong = fits(one.Action, kind)
		}
		switch {
		case wrong == nil:
			acts = append(acts, one)
		case err == nil:
			err = fmt.Errorf("an action was left out: %w", wrong)
		}
	}
	return acts, err
}

// fits says why an action is no answer to an event of this kind.
func fits(a trimtab.Action, kind string) error {
	if !external.Allowed(a) {
		return errors.New("a program may inject, retract, notify, continue and deny")
	}
	switch a := a.(type) {
	case trimtab.Deny:
		if kind != "using" {
			return fmt.Errorf("deny answers using, not %s", kind)
		}
	case trimtab.Continue:
		if kind != "stopping" {
			return fmt.Errorf("continue answers stopping, not %s", kind)
		}
	case trimtab.Inject:
		places := []trimtab.Place{"", trimtab.AtEnd, trimtab.BeforePrompt}
		lives := []trimtab.Life{"", trimtab.Once, trimtab.OneTurn, trimtab.Standing, trimtab.Kept}
		if !slices.Contains(places, a.Place) || !slices.Contains(lives, a.Life) {
			return fmt.Errorf("place %q or life %q is not known", a.Place, a.Life)
		}
	}
	return nil
}

func kindOf(ev trimtab.Event) string {
	switch ev.(type) {
	case trimtab.Said:
		return "said"
	case trimtab.Calling:
		return "calling"
	case trimtab.Using:
		return "using"
	case trimtab.Stopping:
		return "stopping"
	case trimtab.Asked:
		return "asked"
	case trimtab.Resumed:
		return "resumed"
	case trimtab.Rewritten:
		return "rewritten"
	case trimtab.Reset:
		return "reset"
	}
	return ""
}
