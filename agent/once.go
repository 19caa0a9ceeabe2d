package agent

import (
	"context"

	"github.com/trimtab/trimtab"
)

// Answer is what came of one prompt.
type Answer struct {
	Session string           `json:"sessionId"`
	Model   string           `json:"modelId"`
	Answer  string           `json:"answer"`          // the last reply
	Stopped string           `json:"stopped"`         // the Reason, or "paused: " and why
	Steps   int              `json:"steps"`           // replies of the model
	Changes []trimtab.Change `json:"changes"`         // to what the model saw
	Usage   trimtab.Usage    `json:"usage"`           // of all replies
	Calls   []AnswerCall     `json:"calls"`           // of tools
	Cost    *float64         `json:"cost,omitempty"`  // dollars, where the price is known; left to the caller
	Error   string           `json:"error,omitempty"` // where it failed
}

// AnswerCall is a call of a tool, in short.
type AnswerCall struct {
	Tool   string `json:"tool"`
	Failed bool   `json:"failed,omitempty"`
}

// Ended reports whether the run ended by itself.
func (a Answer) Ended() bool { return a.Stopped == string(Ended) }

// Once runs one prompt to its end and sums up what happened. each hears of every event
// on the way; nil drops them. Model is left to the caller, who chose it.
func Once(ctx context.Context, r Runner, session string, prompt trimtab.Message, each func(Event)) (Answer, error) {
	a := Answer{Session: session, Changes: []trimtab.Change{}, Calls: []AnswerCall{}}
	for ev, err := range r.Run(ctx, session, prompt) {
		if err != nil {
			a.Error = err.Error()
			return a, err
		}
		switch ev := ev.(type) {
		case Replied:
			a.Steps++
			a.Answer = ev.Message.Text()
			if u := ev.Message.Usage; u != nil {
				a.spend(*u)
			}
		case Returned:
			a.Calls = append(a.Calls, AnswerCall{ev.Call.Name, ev.Result.Failed})
			for _, e := range ev.Effects {
				if e.Spent != nil {
					a.spend(e.Spent.Usage)
				}
			}
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

func (a *Answer) spend(u trimtab.Usage) {
	a.Usage.Input += u.Input
	a.Usage.Output += u.Output
	a.Usage.CacheRead += u.CacheRead
	a.Usage.CacheWrite += u.CacheWrite
}
