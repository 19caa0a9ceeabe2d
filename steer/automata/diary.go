package automata

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// Diary is what happened since the last reflection. It stays small: beyond
// maxTools tools and maxCalls different calls it only counts.
type Diary struct {
	Tools  []Count `json:"tools,omitempty"`
	Calls  []Count `json:"calls,omitempty"` // by name and input, to see repetition
	Errors int     `json:"errors,omitempty"`
}

// Count is how often something happened.
type Count struct {
	Name string `json:"name"`
	Key  uint64 `json:"key,omitempty"`
	N    int    `json:"n"`
}

const maxTools, maxCalls, repeated = 40, 60, 3

// note returns the diary with a message in it.
func (d Diary) note(m trimtab.Message) Diary {
	for _, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.ToolCall:
			h := fnv.New64a()
			h.Write([]byte(p.Name))
			h.Write([]byte{0})
			h.Write(p.Input)
			d.Tools = count(d.Tools, Count{Name: p.Name}, maxTools)
			d.Calls = count(d.Calls, Count{Name: p.Name, Key: h.Sum64()}, maxCalls)
		case trimtab.ToolResult:
			if p.Failed {
				d.Errors++
			}
		}
	}
	return d
}

func count(list []Count, c Count, most int) []Count {
	list = slices.Clone(list)
	for i := range list {
		if list[i].Name == c.Name && list[i].Key == c.Key {
			list[i].N++
			return list
		}
	}
	if len(list) == most {
		return list
	}
	c.N = 1
	return append(list, c)
}

// lines tells the diary in at most six lines.
func (d Diary) lines(steps int, open []trimtab.Todo) []string {
	out := []string{plural(steps, "step") + " since the last look back"}
	if len(d.Tools) > 0 {
		tools := slices.SortedStableFunc(slices.Values(d.Tools), func(a, b Count) int { return cmp.Compare(b.N, a.N) })
		var names []string
		for _, c := range tools[:min(5, len(tools))] {
			names = append(names, fmt.Sprintf("%s ×%d", c.Name, c.N))
		}
		out = append(out, "tools used: "+strings.Join(names, ", "))
	}
	if d.Errors > 0 {
		out = append(out, plural(d.Errors, "tool call")+" failed")
	}
	if len(open) > 0 {
		out = append(out, plural(len(open), "todo")+" open, the first: "+open[0].Text)
	}
	for _, c := range d.Calls {
		if c.N >= repeated && len(out) < 6 {
			out = append(out, fmt.Sprintf("the same %s call was made %d times", c.Name, c.N))
		}
	}
	return out
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
