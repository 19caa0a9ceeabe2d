package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/llm"
)

// maxContinues is how often in a run steering may keep the agent from stopping.
const maxContinues = 8

// saveTime is how long a message may take to be stored once it was said.
const saveTime = 30 * time.Second

// run is a run under way.
type run struct {
	*Agent
	ctx    context.Context
	cancel context.CancelFunc
	id     string
	yield  func(Event, error) bool
	left   bool // the reader left

	session   trimtab.Session
	history   []trimtab.Message
	pause     *Paused
	continues int
	beside    int  // tokens of a request beside its messages, as measured; 0 is not yet known
	warned    bool // that the context fills
	shortened bool // the last request was too long, and the next one is shorter

	list  []tool.Tool // in the order in which they are offered
	tools map[string]tool.Tool

	offering []llm.Tool      // what the model is offered in this run
	offered  map[string]bool // by name; nil before the first request
	began    trimtab.Session // as it was at the first request
}

// drive is the loop. It returns the last event of the run.
func (r *run) drive(prompt trimtab.Message) (Event, error) {
	if err := r.open(prompt); err != nil {
		return r.cancelledOr(err)
	}
	r.equip()
	for steps := 0; ; steps++ {
		switch {
		case r.ctx.Err() != nil:
			return Stopped{Cancelled}, nil // an end, not an error
		case r.pause != nil:
			return *r.pause, nil
		case steps == r.opt.MaxSteps:
			return Stopped{Steps}, nil
		}
		if _, err := r.compact(false); err != nil {
			return r.cancelledOr(err)
		}
		if _, err := r.handle(r.ctx, trimtab.Calling{}); err != nil {
			return r.cancelledOr(err)
		}
		if r.pause != nil {
			return *r.pause, nil
		}
		end, err := r.step()
		if end != nil || err != nil {
			return end, err
		}
	}
}

// step asks the model once and does what it asks for. It returns the last event
// where the run is over.
func (r *run) step() (Event, error) {
	ans, err := r.ask()
	if errors.Is(err, llm.ErrLong) && !r.shortened { // the provider knows better than we do
		r.shortened = true
		folded, failed := r.compact(true)
		if failed != nil {
			return r.cancelledOr(failed)
		}
		if folded {
			return nil, nil // the loop asks again
		}
	}
	if err != nil {
		return nil, err
	}
	r.shortened = false
	if len(ans.message.Parts) == 0 && ans.cut {
		return Stopped{Cancelled}, nil // nothing was said yet
	}
	saved := r.say(&ans.message)
	r.emit(Replied{ans.message})
	r.measure(ans.message, ans.sent)
	r.emit(Context{Used: r.used(), Window: r.opt.Window})
	if saved != nil {
		return nil, fmt.Errorf("the reply could not be stored: %w; fix the store, then continue", saved)
	}
	switch {
	case ans.cut:
		return Stopped{Cancelled}, nil
	case ans.broke != nil:
		return nil, ans.broke
	}
	if calls := llm.Calls(ans.message); len(calls) > 0 {
		return nil, r.use(calls, ans.spoilt)
	}
	return r.stopping(ans.stop)
}

// open loads the history, closes calls that an earlier run left open, and says
// the prompt.
func (r *run) open(prompt trimtab.Message) error {
	if r.opt.History == nil {
		return errNoHistory
	}
	for m, err := range r.opt.History.Messages(r.ctx, r.id, 0) {
		if err != nil {
			return fmt.Errorf("load history: %w", err)
		}
		r.history = append(r.history, m)
	}
	if lost := unanswered(r.history); len(lost) > 0 {
		m := trimtab.Message{Role: trimtab.RoleTool}
		for _, c := range lost {
			m.Parts = append(m.Parts, trimtab.ToolResult{ID: c.ID, Failed: true, Text: "no result was recorded: the run was cut short, and the tool may or may not have run"})
		}
		if err := r.say(&m); err != nil {
			return fmt.Errorf("close open calls: %w", err)
		}
	}
	if len(prompt.Parts) == 0 {
		return nil
	}
	told := func() {}
	if r.opt.Aside != nil && prompt.IsPrompt() {
		var texts []trimtab.Text
		texts, told = r.opt.Aside(r.id)
		prompt.Parts = slices.Clip(prompt.Parts)
		for _, t := range texts {
			prompt.Parts = append(prompt.Parts, t)
		}
	}
	if err := r.say(&prompt); err != nil {
		return fmt.Errorf("store prompt: %w", err)
	}
	told()
	return nil
}

// unanswered returns the calls of the newest reply that have no result, if nothing
// but results came after it.
func unanswered(history []trimtab.Message) []trimtab.ToolCall {
	at := len(history) - 1
	for at >= 0 && history[at].Role == trimtab.RoleTool {
		at--
	}
	if at < 0 || history[at].Role != trimtab.RoleAssistant {
		return nil
	}
	calls := llm.Calls(history[at])
	for _, m := range history[at+1:] {
		for _, p := range m.Parts {
			if res, ok := p.(trimtab.ToolResult); ok {
				calls = slices.DeleteFunc(calls, func(c trimtab.ToolCall) bool { return c.ID == res.ID })
			}
		}
	}
	return calls
}

// stopping asks whether the agent may stop.
func (r *run) stopping(stop llm.StopReason) (Event, error) {
	ev := trimtab.Stopping{Continued: r.continues > 0}
	if c := r.opt.Checker; c != nil && r.session.Project != "" {
		ev.Runs, ev.Wrote = true, c.Look(r.ctx, r.session.Project)
	}
	out, err := r.handle(r.ctx, ev)
	if err == nil {
		out, err = r.check(out)
	}
	if err != nil {
		return r.cancelledOr(err)
	}
	if r.pause != nil {
		return *r.pause, nil
	}
	m := trimtab.Message{Role: trimtab.RoleUser}
	var from []string
	for _, t := range out.Actions {
		c, ok := t.Action.(trimtab.Continue)
		if !ok {
			continue
		}
		if r.continues == maxContinues {
			return Stopped{Pushed}, nil
		}
		r.emit(Continued{t.By, c})
		m.Parts = append(m.Parts, trimtab.Text{Text: c.Text, By: trimtab.Ours, From: t.By})
		from = append(from, t.By)
	}
	if len(m.Parts) == 0 {
		return Stopped{reason(stop)}, nil
	}
	r.continues++
	m.From = strings.Join(from, "+")
	if err := r.say(&m); err != nil {
		return nil, fmt.Errorf("store what steering says: %w", err)
	}
	return nil, nil
}

// check runs the check that steering asks for, and returns what it says to the receipt.
func (r *run) check(out trimtab.Outcome) (trimtab.Outcome, error) {
	for _, t := range out.Actions {
		if c, ok := t.Action.(trimtab.Check); ok && r.opt.Checker != nil {
			r.emit(Noticed{t.By, trimtab.Notify{Text: "checks the work: " + c.Command}})
			return r.handle(r.ctx, trimtab.Checked{Receipt: r.opt.Checker.Check(r.ctx, r.session.Project, c.Command)})
		}
	}
	return out, nil
}

func reason(stop llm.StopReason) Reason {
	switch stop {
	case llm.StopLength:
		return Length
	case llm.StopRefused:
		return Refused
	}
	return Ended
}

// say adds a message to the history. What was said is stored even when the run is
// being cancelled.
func (r *run) say(m *trimtab.Message) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), saveTime)
	defer cancel()
	if _, err := r.handle(ctx, trimtab.Said{Message: *m}); err != nil {
		return err
	}
	m.ID = r.session.Last.ID
	r.history = append(r.history, *m)
	return nil
}

// handle takes an event through the session service and tells what came of it.
func (r *run) handle(ctx context.Context, ev trimtab.Event) (trimtab.Outcome, error) {
	s, out, err := r.service.Handle(ctx, r.id, ev)
	if err != nil {
		return out, err
	}
	r.session = s
	for _, c := range out.Changes {
		r.emit(Steered{c})
	}
	for _, t := range out.Actions {
		switch a := t.Action.(type) {
		case trimtab.Notify:
			r.emit(Noticed{t.By, a})
		case trimtab.Pause:
			if r.pause == nil {
				r.pause = &Paused{t.By, a.Why}
			}
		}
	}
	for _, f := range out.Faults {
		r.emit(Faulted{f})
	}
	return out, nil
}

// emit hands an event to the reader. Where the reader leaves, the run is cancelled.
func (r *run) emit(ev Event) {
	if !r.left && !r.yield(ev, nil) {
		r.left = true
		r.cancel()
	}
}

// cancelledOr takes an error that came of cancelling for what it is.
func (r *run) cancelledOr(err error) (Event, error) {
	if r.ctx.Err() != nil {
		return Stopped{Cancelled}, nil // an end, not an error
	}
	return nil, err
}
