package loop

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/trimtab/trimtab"
)

// open is a call that waits for its result.
type open struct {
	ID  string `json:"id"`
	Key uint64 `json:"key"`
}

const (
	maxOpen = 64  // calls under way at once; older ones are given up
	maxID   = 128 // bytes of an id
)

// answered takes the call that a result answers out of the list.
func answered(list []open, r trimtab.ToolResult) (open, []open, bool) {
	i := slices.IndexFunc(list, func(o open) bool { return o.ID == trimtab.Clip(r.ID, maxID) })
	if i < 0 {
		return open{}, list, false
	}
	return list[i], slices.Concat(list[:i], list[i+1:]), true
}

func opened(list []open, c trimtab.ToolCall, key uint64) []open {
	list = append(slices.Clip(list), open{trimtab.Clip(c.ID, maxID), key})
	return list[max(0, len(list)-maxOpen):]
}

// calls returns the tool calls of a message.
func calls(m trimtab.Message) []trimtab.ToolCall {
	var out []trimtab.ToolCall
	for _, p := range m.Parts {
		if c, ok := p.(trimtab.ToolCall); ok {
			out = append(out, c)
		}
	}
	return out
}

// resultKey is the identity of what a tool returned.
func resultKey(r trimtab.ToolResult) uint64 {
	h := xxhash.Sum64String(r.Text)
	if r.Failed {
		h++
	}
	return mix(h)
}
