package automata

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/plural"
)

// Diary is what happened since the last reflection. It stays small: beyond
// maxTools tools and maxCalls different calls it only counts.
type Diary struct {
	Tools  []Count `json:"tools,omitempty"`
	Calls  []Count `json:"calls,omitempty"` // by name and input, to see repetition
	Open   []Open  `json:"open,omitempty"`  // calls without a result yet
	Errors int     `json:"errors,omitempty"`
}

// Count is how often something happened: a tool was used, or a call gave the same
// result in a row.
type Count struct {
	Name string `json:"name"`
	Key  uint64 `json:"key,omitempty"`
	Told uint64 `json:"told,omitempty"` // the result
	N    int    `json:"n"`
}

// Open is a call whose result has not come.
type Open struct {
	ID  string `json:"id"`
	Key uint64 `json:"key"`
}

const maxTools, maxCalls, maxOpen, repeated = 40, 60, 32, 3

// note returns the diary with a message in it.
func (d Diary) note(m trimtab.Message) Diary {
	for _, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.ToolCall:
			key := hash(p.Name, string(p.Input))
			d.Tools = count(d.Tools, Count{Name: p.Name}, maxTools)
			if !slices.ContainsFunc(d.Calls, func(c Count) bool { return c.Name == p.Name && c.Key == key }) {
				d.Calls = count(d.Calls, Count{Name: p.Name, Key: key}, maxCalls)
			}
			if len(d.Open) < maxOpen {
				d.Open = append(slices.Clip(d.Open), Open{p.ID, key})
			}
		case trimtab.ToolResult:
			if p.Failed {
				d.Errors++
			}
			d.told(p)
		}
	}
	return d
}

// told counts a result: a call that gives the same one again and again is worth a
// word, and one that gives another each time, such as a test between edits, is not.
func (d *Diary) told(r trimtab.ToolResult) {
	i := slices.IndexFunc(d.Open, func(o Open) bool { return o.ID == r.ID })
	if i < 0 {
		return
	}
	key := d.Open[i].Key
	d.Open = slices.Delete(slices.Clone(d.Open), i, i+1)
	n := slices.IndexFunc(d.Calls, func(c Count) bool { return c.Key == key })
	if n < 0 {
		return
	}
	d.Calls = slices.Clone(d.Calls)
	c := &d.Calls[n]
	if told := hash(r.Text); told != c.Told {
		c.Told, c.N = told, 0
	}
	c.N++
}

func hash(texts ...string) uint64 {
	h := fnv.New64a()
	for _, text := range texts {
		_, _ = io.WriteString(h, text) // a hash takes everything
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
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

// lines tells the diary in at most six lines. Since is what the steps are counted
// from.
func (d Diary) lines(steps int, since string) []string {
	out := []string{plural.Count(steps, "step") + " since " + since}
	if len(d.Tools) > 0 {
		tools := slices.SortedStableFunc(slices.Values(d.Tools), func(a, b Count) int { return cmp.Compare(b.N, a.N) })
		var names []string
		for _, c := range tools[:min(5, len(tools))] {
			names = append(names, fmt.Sprintf("%s ×%d", c.Name, c.N))
		}
		text := "tools used: " + strings.Join(names, ", ")
		if more := len(tools) - len(names); more > 0 {
			text += " and " + plural.Count(more, "other")
		}
		out = append(out, text)
	}
	if d.Errors > 0 {
		out = append(out, plural.Count(d.Errors, "tool call")+" failed")
	}
	for _, c := range d.Calls {
		if c.N >= repeated && len(out) < 6 {
			out = append(out, fmt.Sprintf("the same %s call gave the same result %d times", c.Name, c.N))
		}
	}
	return out
}
