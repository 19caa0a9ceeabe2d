package agent

import (
	"encoding/json"

	"github.com/trimtab/trimtab"
)

// Line is an event as programs read it, one JSON object a line. What does not belong to
// its type is left out.
type Line struct {
	Type    string          `json:"type"`
	Session string          `json:"sessionId,omitempty"`
	Model   string          `json:"modelId,omitempty"`
	Text    string          `json:"text,omitempty"`
	ID      string          `json:"id,omitempty"`    // of a call, and of its result
	Tool    string          `json:"tool,omitempty"`  // of a call
	Input   json.RawMessage `json:"input,omitempty"` // of a call
	Failed  bool            `json:"failed,omitempty"`
	Files   []string        `json:"files,omitempty"` // that a call changed
	Exit    *int            `json:"exit,omitempty"`  // of a command
	Usage   *trimtab.Usage  `json:"usage,omitempty"`
	Change  *trimtab.Change `json:"change,omitempty"` // of what the model sees
	Why     string          `json:"why,omitempty"`
	Answer  *Answer         `json:"answer,omitempty"` // of the last line
}

// LineOf is what programs read of an event; false for those that say nothing to them.
func LineOf(ev Event) (Line, bool) {
	switch ev := ev.(type) {
	case Delta:
		return Line{Type: "text", Text: ev.Text}, true
	case Thought:
		return Line{Type: "thinking", Text: ev.Text}, true
	case Retrying:
		return Line{Type: "retry", Why: ev.Why}, true
	case Called:
		return Line{Type: "call", ID: ev.Call.ID, Tool: ev.Call.Name, Input: ev.Call.Input}, true
	case Output:
		return Line{Type: "output", ID: ev.Call.ID, Text: ev.Text}, true
	case Returned:
		return lineOfResult(ev), true
	case Replied:
		return Line{Type: "reply", ID: ev.Message.ID, Model: ev.Message.Model, Text: ev.Message.Text(), Usage: ev.Message.Usage}, true
	case Steered:
		return Line{Type: "steered", Change: &ev.Change}, true
	case Noticed:
		return Line{Type: "notice", Text: ev.Notify.Text}, true
	case Faulted:
		return Line{Type: "fault", Text: ev.Fault.Error()}, true
	case Continued:
		return Line{Type: "continued", Why: ev.Continue.Why}, true
	case Folded:
		return Line{Type: "folded", ID: ev.Frame, Text: ev.Summary}, true
	}
	return Line{}, false
}

func lineOfResult(ev Returned) Line {
	l := Line{Type: "result", ID: ev.Call.ID, Tool: ev.Call.Name, Text: ev.Result.Text, Failed: ev.Result.Failed}
	for _, e := range ev.Effects {
		for _, f := range e.Files {
			l.Files = append(l.Files, f.Path)
		}
		if e.Command != nil {
			l.Exit = &e.Command.Exit
		}
	}
	return l
}
