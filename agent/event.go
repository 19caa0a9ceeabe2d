package agent

import (
	"time"

	"github.com/trimtab/trimtab"
)

// Event is something that happens in a run: Delta, Thought, Retrying, Called, Returned,
// Steered, Noticed, Faulted, Replied, Continued, Paused or Stopped. The last
// event of a run without an error is Paused or Stopped.
type Event interface{ event() }

// Delta is the next piece of the reply's prose.
type Delta struct{ Text string }

// Thought is the next piece of the model's thinking.
type Thought struct{ Text string }

// Retrying says that the provider could not be asked just now and will be again.
type Retrying struct {
	Wait time.Duration
	Why  string
}

// Called is a tool about to run, or to be refused.
type Called struct{ Call trimtab.ToolCall }

// Returned is the result of a call. Results come in the order of their calls.
type Returned struct {
	Call   trimtab.ToolCall
	Result trimtab.ToolResult
}

// Steered is a change to what the model sees.
type Steered struct{ Change trimtab.Change }

// Noticed is a word of steering to the person.
type Noticed struct {
	By     string
	Notify trimtab.Notify
}

// Faulted is something that went wrong in steering or in a tool and did not stop
// the run.
type Faulted struct{ Fault trimtab.Fault }

// Replied is a whole reply of the model, as it joined the history. A reply that
// was interrupted ends with a span by the host that says so.
type Replied struct{ Message trimtab.Message }

// Continued says that the agent was about to stop and goes on instead.
type Continued struct {
	By       string
	Continue trimtab.Continue
}

// Paused ends a run that steering holds until the person goes on. A run without a
// prompt takes it up again.
type Paused struct {
	By  string
	Why string
}

// Stopped ends a run.
type Stopped struct{ Reason Reason }

func (Delta) event()     {}
func (Thought) event()   {}
func (Retrying) event()  {}
func (Called) event()    {}
func (Returned) event()  {}
func (Steered) event()   {}
func (Noticed) event()   {}
func (Faulted) event()   {}
func (Replied) event()   {}
func (Continued) event() {}
func (Paused) event()    {}
func (Stopped) event()   {}

// Reason says why a run ended.
type Reason string

// The reasons.
const (
	Ended     Reason = "ended"     // the model has said what it had to say
	Length    Reason = "length"    // the reply reached its largest size
	Refused   Reason = "refused"   // the provider or the model declined
	Steps     Reason = "steps"     // the run reached Options.MaxSteps
	Pushed    Reason = "pushed"    // steering wants to go on, but had its way often enough
	Cancelled Reason = "cancelled" // the context was cancelled
)
