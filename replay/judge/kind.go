package judge

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Kind is what a note or a moment is about.
type Kind string

// The kinds of moments.
const (
	loops         Kind = "loop"
	unproved      Kind = "unproved finish"
	sameReport    Kind = "same report"
	lostGoal      Kind = "lost goal"
	forgottenItem Kind = "forgotten item"
)

// momentKinds lists the kinds of moments in the order of spec and tables.
var momentKinds = []Kind{unproved, loops, sameReport, lostGoal, forgottenItem}

// answers says which moments a note of a kind speaks to.
var answers = map[Kind][]Kind{
	unproved:     {unproved, forgottenItem},
	loops:        {loops, sameReport},
	sameReport:   {sameReport, loops},
	"goal":       {lostGoal},
	"reflection": {lostGoal},
	"todo":       {forgottenItem},
	"open todo":  {forgottenItem},
}

// KindRow is a row of the table of kinds. What is empty in it fits anything.
type KindRow struct {
	By   string `json:"by"`
	Slot string `json:"slot,omitempty"`
	Why  string `json:"why,omitempty"` // a part of the reason
	Kind Kind   `json:"kind"`
}

// Kinds tells what a note is about by who makes it; the first row that fits holds.
type Kinds []KindRow

// ownKinds knows the lineup, and the names that interventions to come will have. A
// continuation has the slot "continue", a pause "pause".
var ownKinds = Kinds{
	{By: "todo", Kind: "todo"},
	{By: "automata", Kind: "reflection"},
	{By: "focus", Kind: "goal"},
	{By: "mode", Kind: "goal"},
	{By: "frame", Kind: "frame"},
	{By: "guard", Slot: "report", Kind: sameReport},
	{By: "guard", Why: "report", Kind: sameReport},
	{By: "guard", Kind: loops},
	{By: "stop", Why: "open item", Kind: "open todo"},
	{By: "stop", Why: "announced", Kind: "announced step"},
	{By: "stop", Kind: unproved},
	{By: "verify", Kind: unproved},
}

// ReadKinds returns the table of kinds, with the rows of a file before our own where one
// is named.
func ReadKinds(file string) (Kinds, error) {
	if file == "" {
		return ownKinds, nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var more Kinds
	if err := json.Unmarshal(raw, &more); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return append(more, ownKinds...), nil
}

// Of returns the kind of a note; its maker's name where the table has no row.
func (t Kinds) Of(by, slot, why string) Kind {
	for _, r := range t {
		if (r.By == "" || r.By == by) && (r.Slot == "" || r.Slot == slot) && strings.Contains(why, r.Why) {
			return r.Kind
		}
	}
	return Kind(by)
}

// finishes reports whether a kind is about the end of a turn: it speaks to that end
// and to no other step.
func (k Kind) finishes() bool { return k == unproved }

func (k Kind) speaksTo(m Kind) bool { return slices.Contains(answers[k], m) }
