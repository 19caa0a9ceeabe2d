package deliberate

import "github.com/trimtab/trimtab"

// Event is something that happens in a debate: Speaking, Delta, Spoke, Missed,
// Looking, Found, Steered, Noticed, Faulted, Moved, Ticked, Voted, Measured, Paused
// or Ended.
// The last event of a run without an error is Paused or Ended.
type Event interface{ event() }

// Speaking is somebody who takes the floor.
type Speaking struct {
	Turn  Turn
	Queue []string // who waits, the most urgent first
}

// Delta is the next piece of what the speaker says.
type Delta struct{ Who, Text string }

// Spoke is a whole message, as it joined the history.
type Spoke struct{ Utterance }

// Missed is a turn that came to nothing.
type Missed struct{ Who, Why string }

// Looking is the researcher beginning with a request.
type Looking struct{ Request Request }

// Found is what the researcher brought.
type Found struct {
	Request Request
	Calls   []trimtab.ToolCall // the tools that were used
}

// Steered is a change to what the speakers see.
type Steered struct{ Change trimtab.Change }

// Noticed is a word of steering to the person.
type Noticed struct{ By, Text string }

// Faulted is something that went wrong in steering and did not stop the debate.
type Faulted struct{ Fault trimtab.Fault }

// Moved is a phase that begins.
type Moved struct {
	From, To Phase
	Index    int
}

// Ticked is a criterion that is met, or no longer met.
type Ticked struct{ Criterion Criterion }

// Voted is a side taken on a proposal, or a proposal made.
type Voted struct {
	Proposal            Proposal
	Support, Opposition float64
	Agreed, Contested   bool
}

// Measured is how the debate stands after a message.
type Measured struct {
	Progress Progress
	Meters   Meters
	Tokens   int
	Cost     float64
	Priced   bool // the cost is known
}

// Paused ends a run that can be taken up again: a limit was reached, somebody asked
// for it, or steering did.
type Paused struct{ Why string }

// Ended is the end of the debate.
type Ended struct{ Reason Reason }

func (Speaking) event() {}
func (Delta) event()    {}
func (Spoke) event()    {}
func (Missed) event()   {}
func (Looking) event()  {}
func (Found) event()    {}
func (Steered) event()  {}
func (Noticed) event()  {}
func (Faulted) event()  {}
func (Moved) event()    {}
func (Ticked) event()   {}
func (Voted) event()    {}
func (Measured) event() {}
func (Paused) event()   {}
func (Ended) event()    {}

// Reason says why a debate ended.
type Reason string

// The reasons.
const (
	Success  Reason = "success"  // everything that was wanted is there
	Messages Reason = "messages" // the mode's number of messages was reached
	ByPerson Reason = "person"   // the person ended it
)
