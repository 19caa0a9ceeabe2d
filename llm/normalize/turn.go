package normalize

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// Talk is a conversation in order.
type Talk struct {
	System []string // system messages that stood before all others
	Turns  []Turn   // user and assistant by turns; the first and the last are the user's
}

// Turn is what one side says before the other answers.
type Turn struct {
	Role    trimtab.Role // user or assistant
	Results []Result     // of the user: one for each call of the turn before, in its order
	Says    []Say        // one for each message
}

// Say is what one message says.
type Say struct {
	Note  bool           // it is ours, and may be gone from the next request
	Parts []trimtab.Part // text that is not blank, Opaque and, of the assistant, calls
}

// Result answers a call.
type Result struct {
	ID     string
	Name   string // of the tool
	Text   string
	Failed bool
}

// What is said where the history has nothing that the APIs insist upon.
const (
	goOn     = "Go on."
	noResult = "no result was recorded"
)

// Order makes turns of a history for the model of this name. What a model thought
// goes back only to itself: providers sign it for the model that thought it.
func Order(messages []trimtab.Message, model string) Talk {
	o := ordering{model: model, used: map[string]bool{}}
	for _, m := range messages {
		switch {
		case m.Role == trimtab.RoleAssistant:
			o.reply(m)
		case m.Role == trimtab.RoleSystem && len(o.talk.Turns) == 0:
			if text := m.Text(); strings.TrimSpace(text) != "" {
				o.talk.System = append(o.talk.System, valid(text))
			}
		default:
			o.hear(m)
		}
	}
	if len(o.talk.Turns) > 0 {
		o.user()
		o.settle()
	}
	return o.talk
}

// ordering is an Order under way.
type ordering struct {
	model string
	talk  Talk
	used  map[string]bool // ids so far
	calls int             // calls so far
	open  []pending       // calls of the last reply
}

// pending is a call that wants its result.
type pending struct {
	was      string // its id in the history
	answered bool
}

// last returns the newest turn; there is one.
func (o *ordering) last() *Turn { return &o.talk.Turns[len(o.talk.Turns)-1] }

// user sees to it that the newest turn is the user's, with a place for each result.
func (o *ordering) user() *Turn {
	if n := len(o.talk.Turns); n == 0 || o.last().Role != trimtab.RoleUser {
		t := Turn{Role: trimtab.RoleUser}
		if n > 0 {
			for _, say := range o.last().Says {
				for _, p := range say.Parts {
					if c, ok := p.(trimtab.ToolCall); ok {
						t.Results = append(t.Results, Result{ID: c.ID, Name: c.Name, Text: noResult, Failed: true})
					}
				}
			}
		}
		o.talk.Turns = append(o.talk.Turns, t)
	}
	return o.last()
}

// settle ends a turn of the user's: it may not be empty.
func (o *ordering) settle() {
	if t := o.user(); len(t.Results) == 0 && len(t.Says) == 0 {
		t.Says = []Say{{Parts: []trimtab.Part{trimtab.Text{Text: goOn, By: trimtab.Host}}}}
	}
	o.open = nil
}

// reply takes a message of the assistant's.
func (o *ordering) reply(m trimtab.Message) {
	own := o.model != "" && m.Model == o.model
	var parts []trimtab.Part
	speaks := false
	for _, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			if strings.TrimSpace(p.Text) != "" {
				p.Text, speaks = valid(p.Text), true
				parts = append(parts, p)
			}
		case trimtab.ToolCall:
			speaks = true
			parts = append(parts, p)
		case trimtab.Opaque:
			if own {
				parts = append(parts, p)
			}
		}
	}
	if !speaks { // no API takes a reply that holds only thinking
		return
	}
	o.settle()
	for i, p := range parts {
		if c, ok := p.(trimtab.ToolCall); ok {
			o.open = append(o.open, pending{was: c.ID})
			c.ID, c.Name = o.id(c.ID), valid(cmp.Or(c.Name, "unnamed"))
			parts[i] = c
		}
	}
	o.talk.Turns = append(o.talk.Turns, Turn{Role: trimtab.RoleAssistant, Says: []Say{{Parts: parts}}})
}

// hear takes a message of anybody else's.
func (o *ordering) hear(m trimtab.Message) {
	var parts []trimtab.Part
	for _, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			if strings.TrimSpace(p.Text) != "" {
				p.Text = valid(p.Text)
				parts = append(parts, p)
			}
		case trimtab.Opaque:
			parts = append(parts, p)
		case trimtab.ToolResult:
			if !o.answer(p) && strings.TrimSpace(p.Text) != "" {
				parts = append(parts, trimtab.Text{Text: "A tool that was called earlier gave this result:\n" + valid(p.Text), By: trimtab.Tool})
			}
		}
	}
	if len(parts) > 0 {
		t := o.user()
		t.Says = append(t.Says, Say{Note: m.From != "", Parts: parts})
	}
}

// answer puts a result in the place of its call, if there is one that waits.
func (o *ordering) answer(r trimtab.ToolResult) bool {
	for i, c := range o.open {
		if c.was == r.ID && !c.answered {
			o.open[i].answered = true
			to := &o.user().Results[i]
			to.Text, to.Failed = valid(r.Text), r.Failed
			return true
		}
	}
	return false
}

var plainID = lazyregexp.Pattern(`^[a-zA-Z0-9_-]{1,64}$`)

// id is an id that every API takes and no call before has: the call's own where
// it is such a one.
func (o *ordering) id(was string) string {
	o.calls++
	id := was
	for n := o.calls; !plainID().MatchString(id) || o.used[id]; n++ {
		id = fmt.Sprintf("call_%d", n)
	}
	o.used[id] = true
	return id
}

func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
