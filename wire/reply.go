package wire

import "github.com/trimtab/trimtab"

// Reply reads a copy of a reply as it comes. However it is cut into pieces, the
// result is the same. It keeps no more than MaxReply bytes and never fails: what
// it cannot read is left out, and the Result says so.
type Reply interface {
	// Write takes the next bytes of the reply, after any compression was undone.
	Write(p []byte)

	// Watch has each piece of the reply handed on as it is read, in order. Call
	// it before the first Write.
	Watch(each func(Delta))

	// Close returns what the reply said. Write must not be called after it.
	Close() Result
}

// MaxReply is how much of one reply is kept.
const MaxReply = 16 << 20

// Result is what a reply said.
type Result struct {
	// Message is the reply as far as it came: text, tool calls whose input is
	// JSON, and thinking as Opaque in the form in which it is sent back. Its
	// Usage is what the provider counted, if it said.
	Message trimtab.Message

	ID       string // by which a later request may build on it, where the provider keeps the history
	Stop     Stop
	Reason   string // why it ended, in the provider's own word
	Complete bool   // it came to its end; a stream that was cut never does
	Cut      bool   // something in it was too large to keep, and is missing
	Fault    string // the kind of error that the provider reported instead, or in the middle
}

// Stop says why a reply ended, in words of ours.
type Stop string

// The reasons that the providers share. Other reasons are "".
const (
	StopEnd     Stop = "end"     // the model has said what it had to say
	StopCalls   Stop = "calls"   // it waits for its tools
	StopLength  Stop = "length"  // the reply reached its largest size
	StopRefused Stop = "refused" // the provider or the model declined
	StopPaused  Stop = "paused"  // the provider wants the turn sent again to go on
)

// Delta is a piece of a reply: of its text, of thinking that may be shown, or of
// the input of a call.
type Delta struct {
	Text    string
	Thought string
	Call    string // the id of the call that Input belongs to
	Name    string // its name, with the first piece
	Input   string
}
