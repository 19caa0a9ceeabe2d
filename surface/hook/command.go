package hook

import (
	"context"
	"errors"
	"strings"

	"github.com/trimtab/trimtab"
)

// commandBegin begins a command of ours that is typed as a prompt.
const commandBegin = "/trimtab:"

// ownCommand is the command of ours that a prompt is, as it was typed. The hook of a
// prompt tells what was typed and not what a file of that name holds, so the command is
// the person's.
func ownCommand(prompt string) (ev trimtab.Asked, ok bool) {
	words := strings.Fields(prompt)
	if len(words) == 0 {
		return ev, false
	}
	name, ok := strings.CutPrefix(words[0], commandBegin)
	return trimtab.Asked{Command: name, Args: words[1:], Away: true}, ok && name != ""
}

// command carries out a command of ours. The prompt goes no further: the model has no
// part in it.
func (t *turn) command(ctx context.Context, ev trimtab.Asked) (Answer, error) {
	s, err := t.opt.Service.Session(ctx, t.id)
	begun := err == nil
	if errors.Is(err, trimtab.ErrNotFound) && !t.opt.Gateway {
		s, _, err = t.open(ctx)
		begun = err == nil
	}
	if err != nil && !errors.Is(err, trimtab.ErrNotFound) {
		return Answer{}, err
	}
	engine := t.opt.Service.Engine()
	if ev.Command == "status" {
		words := []string{"trimtab"}
		for _, st := range engine.Status(s) {
			words = append(words, st.Text)
		}
		return Answer{Block: strings.Join(words, " · ")}, nil
	}
	var out trimtab.Outcome
	if begun {
		_, out, err = t.opt.Service.Handle(ctx, t.id, ev)
	} else { // it waits for the first request
		err = nil
		_, out = engine.Step(trimtab.NewSession(t.id, t.opt.Clock()), ev, t.opt.Clock())
		if reply, bad := out.Reply(); bad == nil && !reply.Failed && len(ev.Args) > 0 && t.opt.Early != nil {
			err = t.opt.Early(ev)
		}
	}
	if err != nil {
		return Answer{}, err
	}
	reply, err := out.Reply()
	if errors.Is(err, trimtab.ErrNoReply) {
		return Answer{Block: "trimtab has no command " + ev.Command}, nil
	}
	return Answer{Block: reply.Text}, err
}

// blocked is the answer to a prompt that goes no further.
func blocked(a Answer) any { return decideOut{Decision: "block", Reason: fit(a.Block)} }
