package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/llm"
)

// equip gathers the tools of a run. The first of a name counts.
func (r *run) equip() {
	r.tools = map[string]tool.Tool{}
	add := func(tools []tool.Tool) {
		for _, t := range tools {
			if _, twice := r.tools[t.Name]; !twice {
				r.list = append(r.list, t)
				r.tools[t.Name] = t
			}
		}
	}
	add(r.opt.Tools)
	if r.opt.More == nil || r.ctx.Err() != nil {
		return
	}
	tools, faults := r.opt.More(r.ctx)
	add(tools)
	for _, f := range faults {
		r.emit(Faulted{f})
	}
}

// offer is what the model is offered. It is chosen once for a run: a mode that is changed
// while the model works counts with the next prompt, and a list of tools that changes
// between two requests would cost the provider's whole cached prefix.
func (r *run) offer() []llm.Tool {
	if r.offered != nil {
		return r.offering
	}
	r.offered, r.began = map[string]bool{}, r.session
	for _, t := range r.list {
		if r.opt.Offer == nil || r.opt.Offer(r.session, t.Tool) {
			r.offering = append(r.offering, t.Tool)
			r.offered[t.Name] = true
		}
	}
	return r.offering
}

// consent asks the person about a call that wants to be asked for. It returns why
// the call may not run.
func (r *run) consent(ctx context.Context, j *job) (why string) {
	if j.tool.Ask == nil {
		return ""
	}
	if ctx.Err() != nil {
		return r.why()
	}
	ask, need, err := j.tool.Question(ctx, j.call.Input)
	switch {
	case err != nil:
		r.emit(Faulted{trimtab.Fault{By: "tool " + j.call.Name, Text: err.Error()}})
		return "not run: it could not be told what the call would do"
	case !need:
		return ""
	case r.opt.Permit == nil:
		return fmt.Sprintf("not run: %s changes something, which a person has to allow, and nobody is there to be asked; do what you can without it and say what is left to do", j.call.Name)
	}
	reply, err := r.opt.Permit(ctx, ask)
	switch {
	case ctx.Err() != nil:
		return r.why()
	case err != nil:
		r.emit(Faulted{trimtab.Fault{By: "ask the person", Text: err.Error()}})
		return "not run: the person could not be asked"
	case reply.Answer == tool.Always && j.tool.Always != nil && ask.Rule != "":
		if err := j.tool.Always(ctx, ask, reply.Scope); err != nil {
			r.emit(Faulted{trimtab.Fault{By: "remember what is allowed", Text: err.Error()}})
		}
		return ""
	case reply.Answer == tool.Once, reply.Answer == tool.Always:
		return ""
	case reply.Answer == tool.Stop:
		r.cancel()
		return r.why()
	case strings.TrimSpace(reply.Why) != "":
		return "not run: the person declined and says what to do instead: " + strings.TrimSpace(reply.Why)
	}
	return "not run: the person declined; do not try the same in another way: ask what they want instead, or go on without it"
}
