package codex

import (
	"sort"

	"github.com/trimtab/trimtab/internal/jsonscan"
)

// rolled says which lines the person took back by going to an earlier turn.
type rolled struct {
	turns []int    // where the turns that stand begin
	cuts  [][2]int // the first line of what was taken back, and the line that did it
}

// Plan notes where turns begin, and which of them were rolled back.
func (r *rolled) Plan(b []byte, n int) {
	var kind []byte
	c := jsonscan.Object(b)
	for c.Field() {
		switch string(c.Key) {
		case "type":
			if kind = c.Take(); !jsonscan.Is(kind, "event_msg") {
				return
			}
		case "payload":
			if kind == nil || c.Peek() != '{' {
				return
			}
			in := c.Down('{')
			r.event(&in, n)
			return
		}
	}
}

// event looks at the type of an event, which comes first.
func (r *rolled) event(c *jsonscan.Cursor, n int) {
	if !c.Field() || string(c.Key) != "type" {
		return
	}
	kind := c.Take()
	switch {
	case jsonscan.Is(kind, "task_started"), jsonscan.Is(kind, "turn_started"):
		r.turns = append(r.turns, n)
	case jsonscan.Is(kind, "thread_rolled_back"):
		for c.Next() {
			if string(c.Key) == "num_turns" {
				k, _ := jsonscan.Int(c.Value)
				r.back(k, n)
			}
		}
	}
}

func (r *rolled) back(turns, n int) {
	if turns <= 0 || len(r.turns) == 0 {
		return
	}
	from := max(0, len(r.turns)-turns)
	r.cuts = append(r.cuts, [2]int{r.turns[from], n})
	r.turns = r.turns[:from]
}

// Planned joins cuts that hold one another.
func (r *rolled) Planned() {
	sort.Slice(r.cuts, func(i, j int) bool { return r.cuts[i][0] < r.cuts[j][0] })
	out := r.cuts[:0]
	for _, cut := range r.cuts {
		if k := len(out); k > 0 && cut[0] <= out[k-1][1] {
			out[k-1][1] = max(out[k-1][1], cut[1])
			continue
		}
		out = append(out, cut)
	}
	r.cuts = out
}

// dead reports whether line n was taken back. Lines come in order.
func (r *rolled) dead(n int) bool {
	for len(r.cuts) > 0 && n > r.cuts[0][1] {
		r.cuts = r.cuts[1:]
	}
	return len(r.cuts) > 0 && n >= r.cuts[0][0]
}
