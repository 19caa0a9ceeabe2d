package agent

import (
	"context"
	"fmt"

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

// offer chooses what the model is offered in the next request.
func (r *run) offer() []llm.Tool {
	var tools []llm.Tool
	r.offered = map[string]bool{}
	for _, t := range r.list {
		if r.opt.Offer == nil || r.opt.Offer(r.session, t.Tool) {
			tools = append(tools, t.Tool)
			r.offered[t.Name] = true
		}
	}
	return tools
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
	answer, err := r.opt.Permit(ctx, ask)
	switch {
	case ctx.Err() != nil:
		return r.why()
	case err != nil:
		r.emit(Faulted{trimtab.Fault{By: "ask the person", Text: err.Error()}})
		return "not run: the person could not be asked"
	case answer == tool.Always && j.tool.Always != nil && ask.Rule != "":
		j.tool.Always(ctx, ask)
		return ""
	case answer == tool.Once, answer == tool.Always:
		return ""
	}
	return "not run: the person declined; do not try the same in another way: ask what they want instead, or go on without it"
}
