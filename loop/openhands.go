package loop

import (
	"fmt"
	"slices"

	"github.com/trimtab/trimtab"
)

// OpenHands is the rule of OpenHands, on what came since a person last spoke: the
// same call with the same result 4 times, the same call with an error 3 times, 3
// replies in a row that call nothing, or two calls that alternate over 6.
type OpenHands struct{}

// OpenHandsMemory is the newest calls with their results.
type OpenHandsMemory struct {
	Open  []open    `json:"open,omitempty"`
	Done  []toolUse `json:"done,omitempty"` // the newest last
	Alone int       `json:"alone,omitempty"`
}

// toolUse is a call and its result.
type toolUse struct {
	Call   uint64 `json:"call"`
	Result uint64 `json:"result"`
	Failed bool   `json:"failed,omitempty"`
}

const ohPairs, ohErrors, ohAlone, ohTurns = 4, 3, 3, 6

// Name is "openhands".
func (OpenHands) Name() string { return "openhands" }

// See looks at each result, and at replies without calls.
func (r OpenHands) See(mem OpenHandsMemory, m trimtab.Message) (OpenHandsMemory, *Alarm) {
	if ours(m) {
		return mem, nil
	}
	if m.IsPrompt() {
		mem = OpenHandsMemory{}
	}
	if m.Role == trimtab.RoleAssistant {
		asked := calls(m)
		for _, c := range asked {
			mem.Open = opened(mem.Open, c, callKey(c.Name, c.Input))
		}
		if mem.Alone++; len(asked) > 0 {
			mem.Alone = 0
		}
		if mem.Alone == ohAlone {
			return OpenHandsMemory{}, r.alarm(Monologue, ohAlone, "replies in a row call nothing and nobody answers")
		}
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
		mem.Done = append(slices.Clip(mem.Done), toolUse{o.Key, resultKey(result), result.Failed})
		mem.Done = mem.Done[max(0, len(mem.Done)-ohTurns):]
		if alarm := r.judge(mem.Done); alarm != nil {
			return OpenHandsMemory{}, alarm
		}
	}
	return mem, nil
}

func (r OpenHands) judge(done []toolUse) *Alarm {
	last := func(n int, f func(i int) bool) bool {
		for i := len(done) - n; i < len(done); i++ {
			if i < 0 || !f(i) {
				return false
			}
		}
		return true
	}
	newest := done[len(done)-1]
	switch {
	case last(ohPairs, func(i int) bool { return done[i].Call == newest.Call && done[i].Result == newest.Result }):
		return r.alarm(SameCall, ohPairs, "times the same call gave the same result")
	case last(ohErrors, func(i int) bool { return done[i].Call == newest.Call && done[i].Failed }):
		return r.alarm(SameError, ohErrors, "times the same call failed")
	case len(done) == ohTurns && last(ohTurns-2, func(i int) bool { return done[i] == done[i-2] }):
		return r.alarm(Cycle, ohTurns, "calls alternate between the same two, with the same results")
	}
	return nil
}

func (r OpenHands) alarm(kind Kind, n int, what string) *Alarm {
	return &Alarm{By: r.Name(), Kind: kind, Level: Stop, Times: n, Why: fmt.Sprintf("%d %s", n, what)}
}
