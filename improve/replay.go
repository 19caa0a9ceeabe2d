package improve

import (
	"context"
	"fmt"
	"strings"
)

// TurnVerdict says how a replayed turn went.
type TurnVerdict string

// The verdicts.
const (
	WrongAgain TurnVerdict = "again"   // the same mistake
	WentRight  TurnVerdict = "right"   // not that one
	Unclear    TurnVerdict = "unclear" // the answer could not be read
)

// Answer is what an agent would do in a recorded turn, and how that was judged.
type Answer struct {
	Turn    int         `json:"turn"` // from 0
	Says    string      `json:"says"`
	Calls   []Call      `json:"calls,omitempty"`
	Verdict TurnVerdict `json:"verdict"`
	By      string      `json:"judged_by"` // "rule" or "agent"
	Why     string      `json:"why"`
	Asked   int         `json:"asked"` // how often, until it was so
}

// Text is an answer for a person.
func (a Answer) Text() string {
	lines := []string{}
	if a.Says != "" {
		lines = append(lines, a.Says)
	}
	for _, c := range a.Calls {
		lines = append(lines, "calls "+c.String())
	}
	if len(lines) == 0 {
		return "(nothing)"
	}
	return strings.Join(lines, "\n")
}

// Replayed is what replay says of a change of what agents are told.
type Replayed struct {
	Turns   int      `json:"turns"`   // that were replayed
	Wrong   int      `json:"wrong"`   // that go wrong without it
	Right   int      `json:"right"`   // of those, that go right with it
	Without []Answer `json:"without"` //
	With    []Answer `json:"with"`    // of those that go wrong without it
}

// Compare puts the answers without and with a change together.
func Compare(without, with []Answer) Replayed {
	o := Replayed{Turns: len(without), Without: without, With: with}
	for _, a := range without {
		if a.Verdict == WrongAgain {
			o.Wrong++
		}
	}
	for _, a := range with {
		if a.Verdict == WentRight {
			o.Right++
		}
	}
	return o
}

// Recurs reports whether any turn goes wrong with today's agent.
func (o Replayed) Recurs() bool { return o.Wrong > 0 }

// Better reports whether the change helps: of the turns that go wrong without it, more
// than half go right with it.
func (o Replayed) Better() bool { return o.Recurs() && 2*o.Right > o.Wrong }

func (o Replayed) String() string {
	if !o.Recurs() {
		return fmt.Sprintf("none of %d replayed turns goes wrong with today's agent", o.Turns)
	}
	return fmt.Sprintf("%d of %d replayed turns go wrong without it, and of those %d go right with it", o.Wrong, o.Turns, o.Right)
}

// Failed tells the agent that made the change which turns it does not help.
func (o Replayed) Failed() string {
	var b strings.Builder
	if o.Right == 0 {
		b.WriteString("replay is no better with the change than without it: ")
	} else {
		b.WriteString("the change does not help enough: ")
	}
	b.WriteString(o.String())
	for _, a := range o.With {
		if a.Verdict != WentRight {
			fmt.Fprintf(&b, "\n- turn %d, with the change: %s (%s)", a.Turn+1, a.Why, shorten(a.Text(), 600))
		}
	}
	return b.String()
}

// Pair is one turn without and with the change, for a person to read.
type Pair struct {
	Number        int // from 1
	Did, Outcome  string
	Without, With string
	How           string // how both were judged
}

// Pairs are the turns that went wrong without the change, with both texts.
func (o Replayed) Pairs(turns []Turn) []Pair {
	var out []Pair
	for _, a := range o.Without {
		if a.Verdict != WrongAgain || a.Turn >= len(turns) {
			continue
		}
		p := Pair{Number: a.Turn + 1, Did: turns[a.Turn].Did, Outcome: turns[a.Turn].Outcome, Without: a.Text(), How: "without: " + judged(a)}
		for _, b := range o.With {
			if b.Turn == a.Turn {
				p.With, p.How = b.Text(), p.How+"; with: "+judged(b)
			}
		}
		out = append(out, p)
	}
	return out
}

func judged(a Answer) string {
	text := fmt.Sprintf("%s by %s", a.Verdict, a.By)
	if a.Asked > 1 {
		text += fmt.Sprintf(", asked %d times", a.Asked)
	}
	return text + ": " + shorten(a.Why, 600)
}

// ShownFile is a file that an agent is shown in a replay: instructions, a hook, a mode.
type ShownFile struct{ Name, Text string }

// Ask has an agent answer the prompt of a step, in a folder where it may only look.
type Ask func(ctx context.Context, step, prompt string) (string, error)
