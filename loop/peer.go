package loop

import (
	"fmt"
	"slices"

	"github.com/trimtab/trimtab"
)

// The rules of other agents, as they publish them, on the same stream as ours.
// Where their sources leave a choice we take the one that lets them find more:
// calls are equal by name and input, whatever was said beside them, and a rule
// that would have ended the session goes on watching afresh.

// Equal is the rule of agents that count equal calls in a row.
type Equal struct {
	name       string
	warn, stop int
	but        []string // keys of the input that do not count
	afresh     bool     // after an alarm the count begins again
	prompts    bool     // a person's prompt begins the count again
}

// EqualMemory is the last call and how often it was made in a row.
type EqualMemory struct {
	Last uint64 `json:"last,omitempty"`
	N    int    `json:"n,omitempty"`
}

// Opencode asks at every call that equals the two before it.
func Opencode() Equal { return Equal{name: "opencode", stop: 3, prompts: true} }

// Roo stops at a call that equals the three before it, and counts afresh.
func Roo() Equal { return Equal{name: "roo", stop: 4, afresh: true} }

// Cline warns at the third equal call and stops at the fifth. The agent's own
// checklist, which rides along with every call, does not count.
func Cline() Equal { return Equal{name: "cline", warn: 3, stop: 5, but: []string{"task_progress"}} }

// Name is the name of the agent.
func (r Equal) Name() string { return r.name }

// See counts the calls of a message.
func (r Equal) See(mem EqualMemory, m trimtab.Message) (EqualMemory, *Alarm) {
	if ours(m) {
		return mem, nil
	}
	if r.prompts && m.IsPrompt() {
		mem = EqualMemory{}
	}
	var alarm *Alarm
	for _, c := range calls(m) {
		key := callKey(c.Name, c.Input, r.but...)
		if mem.N > 0 && key == mem.Last {
			mem.N++
		} else {
			mem = EqualMemory{key, 1}
		}
		switch {
		case mem.N == r.warn:
			alarm = r.alarm(Warn, c.Name, mem.N)
		case mem.N == r.stop, mem.N > r.stop && r.prompts:
			alarm = r.alarm(Stop, c.Name, mem.N)
			if r.afresh {
				mem = EqualMemory{}
			}
		}
	}
	return mem, alarm
}

func (r Equal) alarm(level Level, tool string, n int) *Alarm {
	return &Alarm{By: r.name, Kind: SameCall, Level: level, Times: n, Why: fmt.Sprintf("%d equal calls of %s in a row", n, brief(tool, 60))}
}

// Crush is the rule of Crush: in the last 10 steps, one step with its results
// more than 5 times.
type Crush struct{}

// CrushMemory is the step under way and those before it.
type CrushMemory struct {
	Open  []open   `json:"open,omitempty"`
	Step  []uint64 `json:"step,omitempty"`  // calls and results of the step under way
	Steps []uint64 `json:"steps,omitempty"` // the newest last; 0 is a step without calls
}

const crushSteps, crushMost = 10, 5

// Name is "crush".
func (Crush) Name() string { return "crush" }

// See adds a step when all its calls are answered.
func (r Crush) See(mem CrushMemory, m trimtab.Message) (CrushMemory, *Alarm) {
	if ours(m) {
		return mem, nil
	}
	if m.Role == trimtab.RoleAssistant {
		mem.Open, mem.Step = nil, nil
		asked := calls(m)
		for _, c := range asked {
			mem.Open = opened(mem.Open, c, callKey(c.Name, c.Input))
		}
		if len(asked) == 0 {
			return mem.step(0), nil
		}
		return mem, nil
	}
	for _, p := range m.Parts {
		result, ok := p.(trimtab.ToolResult)
		if !ok {
			continue
		}
		var o open
		if o, mem.Open, ok = answered(mem.Open, result); !ok {
			continue
		}
		mem.Step = append(slices.Clip(mem.Step), mix(o.Key*31+resultKey(result)))
		if len(mem.Open) > 0 {
			continue
		}
		slices.Sort(mem.Step) // results may come in any order
		sum := uint64(1)
		for _, h := range mem.Step {
			sum = mix(sum*31 + h)
		}
		mem = mem.step(sum)
		if n := mem.most(); len(mem.Steps) == crushSteps && n > crushMost {
			return CrushMemory{}, &Alarm{By: r.Name(), Kind: SameCall, Level: Stop, Times: n, Why: fmt.Sprintf("%d of the last %d steps made the same calls with the same results", n, crushSteps)}
		}
	}
	return mem, nil
}

func (mem CrushMemory) step(sum uint64) CrushMemory {
	mem.Steps = append(slices.Clip(mem.Steps), sum)
	mem.Steps, mem.Step = mem.Steps[max(0, len(mem.Steps)-crushSteps):], nil
	return mem
}

// most is how often the most frequent step with calls occurs.
func (mem CrushMemory) most() int {
	best := 0
	for _, s := range mem.Steps {
		n := 0
		for _, o := range mem.Steps {
			if s == o && s != 0 {
				n++
			}
		}
		best = max(best, n)
	}
	return best
}
