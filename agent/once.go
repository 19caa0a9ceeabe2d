package agent

import (
	"context"

	"github.com/trimtab/trimtab"
)

// Answer is what came of one prompt.
type Answer struct {
	Session string           `json:"sessionId"`
	Model   string           `json:"modelId"`
	Answer  string           `json:"answer"`  // the last reply
	Stopped string           `json:"stopped"` // the Reason, or "paused: " and why
	Steps   int              `json:"steps"`   // replies of the model
	Changes []trimtab.Change `json:"changes"` // to what the model saw
}

// Ended reports whether the run ended by itself.
func (a Answer) Ended() bool { return a.Stopped == string(Ended) }

// Once runs one prompt to its end and sums up what happened. each hears of every event
// on the way; nil drops them. Model is left to the caller, who chose it.
func Once(ctx context.Context, r Runner, session string, prompt trimtab.Message, each func(Event)) (Answer, error) {
	a := Answer{Session: session, Changes: []trimtab.Change{}}
	for ev, err := range r.Run(ctx, session, prompt) {
		if err != nil {
			return a, err
		}
		switch ev := ev.(type) {
		case Replied:
			a.Steps++
			a.Answer = ev.Message.Text()
		case Steered:
			a.Changes = append(a.Changes, ev.Change)
		case Stopped:
			a.Stopped = string(ev.Reason)
		case Paused:
			a.Stopped = "paused: " + ev.Why
		}
		if each != nil {
			each(ev)
		}
	}
	return a, nil
}
