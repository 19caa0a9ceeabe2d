package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
)

// turn is what the model sees in a request: all it knows.
type turn struct {
	prompt  string          // the newest that a person typed
	tools   map[string]bool // what it is offered
	told    bool            // it has said that it is a demo
	work    []toolUse       // its calls since the prompt
	replies int             // its replies since the prompt
	answers int             // those that called nothing
	last    []trimtab.ToolCall
	notes   []string // who wrote the notes at the end of the request that it has not mentioned in this turn
	seen    []string // whose notes it has mentioned in this turn; a note rides on every request while it lives

	number, step int // which turn this is, and which reply comes next; for the ids of calls
}

// toolUse is a call and what came of it.
type toolUse struct {
	call   trimtab.ToolCall
	result *trimtab.ToolResult
}

// look reads a request.
func look(r llm.Request) turn {
	t := turn{tools: map[string]bool{}}
	for _, tool := range r.Tools {
		t.tools[tool.Name] = true
	}
	for _, m := range r.Messages {
		t.hear(m)
	}
	if t.step == 0 {
		t.number++ // no call of this turn yet: the highest number is an older turn's
	}
	t.step++
	return t
}

func (t *turn) hear(m trimtab.Message) {
	for _, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			if p.By == trimtab.Ours && m.Role != trimtab.RoleAssistant {
				for name := range strings.SplitSeq(m.From, "+") {
					if !slices.Contains(t.seen, name) && !slices.Contains(t.notes, name) {
						t.notes = append(t.notes, name)
					}
				}
			}
		case trimtab.ToolResult:
			for i := range t.work {
				if t.work[i].call.ID == p.ID {
					t.work[i].result = &p
				}
			}
		}
	}
	switch {
	case m.IsPrompt():
		t.prompt = m.Typed()
		t.work, t.last, t.seen, t.replies, t.answers, t.step = nil, nil, nil, 0, 0, 0
	case m.Role == trimtab.RoleAssistant:
		t.replied(m)
	}
}

func (t *turn) replied(m trimtab.Message) {
	t.replies++
	t.notes = nil
	t.seen = append(t.seen, mentioned(m.Text())...)
	t.told = t.told || strings.Contains(m.Text(), confession)
	t.last = llm.Calls(m)
	if len(t.last) == 0 && !broken(m) {
		t.answers++
	}
	for _, c := range t.last {
		t.work = append(t.work, toolUse{call: c})
		var number, step, k int
		if n, _ := fmt.Sscanf(c.ID, callID, &number, &step, &k); n == 3 {
			t.number, t.step = max(t.number, number), max(t.step, step)
		}
	}
}

// callID is the form of the ids that the model gives its calls. From them it sees
// how far it is, even where earlier messages were folded away.
const callID = "demo-%d-%d-%d"

// broken reports whether a reply was interrupted: someone else wrote its end.
func broken(m trimtab.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p trimtab.Part) bool {
		text, ok := p.(trimtab.Text)
		return ok && text.By == trimtab.Host
	})
}

// tried returns the calls of a tool since the prompt.
func (t turn) tried(tool string) []toolUse {
	var all []toolUse
	for _, d := range t.work {
		if d.call.Name == tool {
			all = append(all, d)
		}
	}
	return all
}

// did reports whether this call was made since the prompt.
func (t turn) did(c trimtab.ToolCall) bool { return t.toolUse(c) != nil }

func (t turn) toolUse(c trimtab.ToolCall) *toolUse {
	for i, d := range t.work {
		if d.call.Name == c.Name && bytes.Equal(normal(d.call.Input), normal(c.Input)) {
			return &t.work[i]
		}
	}
	return nil
}

// just reports whether the last reply called a tool.
func (t turn) just(tool string) bool {
	return slices.ContainsFunc(t.last, func(c trimtab.ToolCall) bool { return c.Name == tool })
}

// call makes a tool call. Its id comes later.
func call(tool string, input any) trimtab.ToolCall {
	raw, err := json.Marshal(input)
	if err != nil {
		raw = []byte("{}") // none of our inputs
	}
	return trimtab.ToolCall{Name: tool, Input: raw}
}

// normal is JSON in one form, however it was written.
func normal(raw []byte) []byte {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return raw
	}
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

// named gives the calls of a reply their ids.
func (t turn) named(calls []trimtab.ToolCall) []trimtab.ToolCall {
	out := slices.Clone(calls)
	for i := range out {
		out[i].ID = fmt.Sprintf(callID, t.number, t.step, i+1)
	}
	return out
}
