package agent

import (
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
)

// Event is something that happens in a run: Delta, Thought, Retrying, Called, Output, Returned,
// Steered, Noticed, Faulted, Replied, Continued, Context, Folded, Paused or Stopped. The last
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

// Output is what a call that runs has written since the last one, as far as it is
// recent: of a program that writes faster than anybody reads, the end.
type Output struct {
	Call trimtab.ToolCall
	Text string
}

// Returned is the result of a call, with what it did. Results come in the order of their
// calls.
type Returned struct {
	Call    trimtab.ToolCall
	Result  trimtab.ToolResult
	Effects []tool.Effect
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

// Context says how much of the model's context the next request takes, in tokens.
type Context struct {
	Used   int
	Window int // 0 is not known
}

// Folded says that messages are seen as their summary from now on, so that the context
// has space again. The command "frame unfold" takes it back.
type Folded struct {
	Frame    string
	Goal     string
	Summary  string
	Messages int
	Before   int // tokens of the next request
	After    int
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
func (Output) event()    {}
func (Returned) event()  {}
func (Steered) event()   {}
func (Noticed) event()   {}
func (Faulted) event()   {}
func (Replied) event()   {}
func (Continued) event() {}
func (Context) event()   {}
func (Folded) event()    {}
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

// Words say why a run ended to a person who talks with the agent, and what to do; "" where
// it ended as it should.
func (r Reason) Words() string {
	switch r {
	case Ended:
		return ""
	case Cancelled:
		return "interrupted"
	case Length:
		return "the reply reached its largest size; say \"go on\" for the rest"
	case Refused:
		return "the model declined to answer"
	case Steps:
		return "the run reached its largest number of steps; say \"go on\" to let it work on"
	case Pushed:
		return "steering asked to continue, but reached its limit"
	}
	return "stopped: " + string(r)
}
