package loop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// result closes a call and asks what came of it.
func (r Progress) result(mem ProgressMemory, res trimtab.ToolResult) (ProgressMemory, *Alarm) {
	i := slices.IndexFunc(mem.Open, func(p pend) bool { return p.ID == trimtab.Clip(res.ID, maxID) })
	if i < 0 {
		return mem, nil
	}
	call := mem.Open[i]
	mem.Open = slices.Concat(mem.Open[:i], mem.Open[i+1:])
	if call.Act == todo {
		return mem, nil
	}
	d := digestOf(res.Text)
	has := func(m mark) bool { return d.marks&m != 0 }
	if call.Act != wait && call.Act != write && has(markPending) && pending(res.Text) {
		call.Act = wait
	}
	late := has(markLate) && overtime(res.Text)
	wrong := has(markWrong) && (call.Act == run || call.Act == write && call.Shell) && lost(res.Text)
	failed := res.Failed || late || wrong
	e := entry{exact: mix(call.Key*31 + d.exact), tag: call.Key, sketch: d.sketch}
	if has(markCount) || strings.IndexByte(res.Text, '%') >= 0 {
		e.tag = mix(call.Key ^ outcome(res.Text))
	}
	shown := r.compare(mem, e)
	mem.Count++
	mem.Waiting = call.Act == wait
	mem.Results = mem.Results.add(e, r.cfg.Window)
	var alarm *Alarm
	switch {
	case failed:
		mem, alarm = r.failure(mem, call, res.Text, late)
	case vain(res.Text):
		mem.Failed++
	default:
		mem = mem.success(call, res.Text)
	}
	if alarm == nil {
		mem, alarm = r.streak(mem, call, res.Text, failed, late)
	}
	for _, family := range []func(ProgressMemory) (ProgressMemory, *Alarm){
		func(m ProgressMemory) (ProgressMemory, *Alarm) { return r.checked(m, call, res) },
		func(m ProgressMemory) (ProgressMemory, *Alarm) { return m.passed(call, res.Text, failed) },
		func(m ProgressMemory) (ProgressMemory, *Alarm) { return m.lookedUp(call, res.Text, failed) },
	} {
		if alarm == nil {
			mem, alarm = family(mem)
		}
	}
	if alarm == nil && mem.Failed >= mem.limit(r.cfg.Failures) {
		alarm = &Alarm{Kind: Failures, Times: mem.Failed, Why: fmt.Sprintf("the last %d tool calls all failed or found nothing, the newest: `%s`", mem.Failed, call.Name)}
	}
	if alarm != nil {
		if alarm.Cause == 0 {
			alarm.Cause = call.cause()
		}
		return mem, alarm
	}
	changed := call.Act == write && !failed && shown != again
	if changed {
		mem.Since, mem.Steps = nil, nil
		mem.Errors = slices.Clone(mem.Errors)
		for i := range mem.Errors {
			mem.Errors[i].Changes++
		}
		mem.Streaks = slices.Clone(mem.Streaks)
		for i := range mem.Streaks {
			mem.Streaks[i].Moved = true
		}
		mem.Checks = slices.Clone(mem.Checks)
		for i := range mem.Checks {
			mem.Checks[i].Changes++
		}
		mem.Lookups = nil // who looks whether something is gone is glad to find nothing
	}
	first := !slices.Contains(mem.Since, call.Key)
	if first {
		mem.Since = append(slices.Clip(mem.Since), call.Key)
		mem.Since = mem.Since[max(0, len(mem.Since)-maxSince):]
	}
	switch {
	case changed, shown == news:
		return mem.moved(), nil
	case shown == again && !first: // who looks again after a change has a reason
		if mem, alarm = r.idle(mem, call); alarm != nil {
			alarm.Cause = call.cause()
		}
		return mem, alarm
	}
	mem.Other++
	return mem, nil
}

// novelty is how new the result of a call is.
type novelty int

const (
	news  novelty = iota // it was not seen before
	known                // another call showed it
	again                // this call showed it
)

// compare looks a result up among those before it: by its exact hash first, and
// where that is new by its likeness. Tests that come out otherwise are news,
// however alike the rest of the output is.
func (r Progress) compare(mem ProgressMemory, e entry) novelty {
	best := news
	mem.Results.each(r.cfg.Window, func(o *entry) bool {
		switch {
		case o.exact == e.exact:
			best = again
		case !e.near(&o.sketch, r.cfg.Similarity):
		case o.tag == e.tag:
			best = again
		default:
			best = known
		}
		return best != again
	})
	return best
}

// idle notes a call that gave again what it gave before. It takes a while until
// waiting counts, and two rounds until several calls in turn are a circle: who
// looks at many things a second time may have lost them. Who does as much else in
// between is not in one: a click shows nothing new, but the screen after it may.
func (r Progress) idle(mem ProgressMemory, call pend) (ProgressMemory, *Alarm) {
	if call.Act == wait {
		if mem.Waits++; mem.Waits%patience != 0 {
			return mem, nil
		}
	}
	mem.Idle = append(slices.Clip(mem.Idle), idle{call.Key, call.Name})
	mem.Idle = mem.Idle[max(0, len(mem.Idle)-maxIdle):]
	var names []string
	var keys []uint64
	for _, i := range mem.Idle {
		if !slices.Contains(keys, i.Key) {
			keys, names = append(keys, i.Key), append(names, "`"+i.Name+"`")
		}
	}
	n := len(mem.Idle)
	if n < mem.limit(max(r.cfg.Repeats, 2*len(keys))) || n <= mem.Other {
		return mem, nil
	}
	if len(keys) == 1 {
		n += mem.Told
		if call.Act == wait {
			n *= patience
		}
		return mem, &Alarm{Kind: SameCall, Times: n + 1, Why: fmt.Sprintf("`%s` gave the same result %d times and nothing changed in between", call.Name, n+1)}
	}
	shown := strings.Join(names[:min(3, len(names))], ", ")
	if len(names) > 3 {
		shown += ", …"
	}
	return mem, &Alarm{Kind: Cycle, Times: n, Why: fmt.Sprintf("the last %d calls only repeated %d earlier ones with the same results: %s", n, len(keys), shown)}
}

// success forgets the errors that the call has overcome: its own, and for a tool
// that does one thing, all of that tool. What a call says that succeeds is no error
// either, whoever else says it.
func (mem ProgressMemory) success(call pend, result string) ProgressMemory {
	mem.Failed = 0
	over := func(t trouble) bool {
		return t.Call == call.Key || t.Tool != 0 && t.Tool == call.Tool || strings.Contains(result, strings.TrimSuffix(t.Text, "…"))
	}
	if slices.ContainsFunc(mem.Errors, over) {
		mem.Errors = slices.DeleteFunc(slices.Clone(mem.Errors), over)
	}
	return mem
}

// failure counts an error that came back. It did only if the rest of the output
// is the same too: tools that complain of something else at every start would be
// taken for it otherwise. One that another error has taken the place of is over.
func (r Progress) failure(mem ProgressMemory, call pend, result string, late bool) (ProgressMemory, *Alarm) {
	mem.Failed++
	line, sign := fault(result)
	most := r.cfg.Errors
	if late { // whatever was run: the error is that it takes too long
		line, sign, most = "timed out", 1, most+lateMore
	}
	if line == "" {
		return mem, nil
	}
	shape := digestOf(unplaced(result)).sketch
	same := func(t trouble) bool { return t.Sign == sign && (late || t.alike(&shape, r.cfg.Similarity)) }
	mem.Errors = slices.DeleteFunc(slices.Clone(mem.Errors), func(t trouble) bool {
		return (t.Call == call.Key || t.Sign == sign) && !same(t) || mem.Count-t.Last > recent
	})
	i := slices.IndexFunc(mem.Errors, same)
	if i < 0 {
		t := trouble{Sign: sign, Text: brief(line, 80), Shape: window{}.add(entry{sketch: shape}, 1)}
		if !call.Shell {
			t.Tool = call.Tool
		}
		mem.Errors = append(mem.Errors, t)
		mem.Errors = mem.Errors[max(0, len(mem.Errors)-maxErrors):]
		i = len(mem.Errors) - 1
	}
	t := &mem.Errors[i]
	if t.N > 0 && t.Call == call.Key && t.Changes == 0 && !late { // the very same once more, and nothing was done about it
		most--
	}
	t.N, t.Call, t.Last = t.N+1, call.Key, mem.Count
	if t.N-t.Told < mem.limit(most) {
		return mem, nil
	}
	if late {
		return mem, &Alarm{Kind: SameError, Times: t.N, Why: fmt.Sprintf("%d calls ran into the time limit, the newest: `%s`", t.N, call.Name)}
	}
	after := "with nothing changed in between"
	if t.Changes == 1 {
		after = "after a change that did not help"
	} else if t.Changes > 1 {
		after = fmt.Sprintf("after %d changes that did not help", t.Changes)
	}
	return mem, &Alarm{Kind: SameError, Times: t.N, Why: fmt.Sprintf("the same error came back %d times, %s: %q", t.N, after, t.Text)}
}

// alike reports whether an output is like the one that the error came with first.
func (t trouble) alike(s *sketch, above float64) bool {
	found := false
	t.Shape.each(1, func(e *entry) bool { found = e.near(s, above); return false })
	return found
}
