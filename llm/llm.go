package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/trimtab/trimtab"
)

// Model is a language model.
type Model interface {
	// Name is what a person calls the model, as in "demo".
	Name() string

	// Stream sends a request and yields the reply piece by piece. The last
	// chunk of a whole reply is Done. An error ends the stream; what came before
	// it is not a reply. The model stops soon after ctx is cancelled or the
	// reader leaves, and may be asked again.
	Stream(ctx context.Context, r Request) iter.Seq2[Chunk, error]
}

// Request is all that a model gets to know.
type Request struct {
	System    string
	Messages  []trimtab.Message
	Tools     []Tool
	MaxTokens int // of the reply; 0 leaves it to the model
}

// Tool is a tool as the model sees it.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // of its input: a JSON Schema of type object
	ReadOnly    bool            // it changes nothing outside the session, so it may run beside others
}

// Chunk is a piece of a reply: TextDelta, ThinkingDelta, CallDelta, Retrying or
// Done.
type Chunk interface{ chunk() }

// TextDelta is the next piece of the reply's prose.
type TextDelta struct{ Text string }

// ThinkingDelta is the next piece of what the model lets be seen of its
// thinking. It is shown and not part of the reply's prose.
type ThinkingDelta struct{ Text string }

// CallDelta is the next piece of a tool call that the model is writing. The
// first one of an ID has the name. It is for showing only: the call to run is
// the one in Done.
type CallDelta struct {
	ID    string
	Name  string
	Input string // the next piece of its JSON
}

// Retrying says that the provider could not be asked just now, and that it will be
// asked again. It comes only while nothing of the reply has come: what is shown
// of it can be taken away when the reply begins.
type Retrying struct {
	Wait time.Duration // until the next try
	Why  string
}

// Done is the whole reply. The message carries the model's name, what the
// provider counted, and calls whose inputs are JSON.
type Done struct {
	Message trimtab.Message
	Stop    StopReason
}

func (TextDelta) chunk()     {}
func (ThinkingDelta) chunk() {}
func (CallDelta) chunk()     {}
func (Retrying) chunk()      {}
func (Done) chunk()          {}

// StopReason says why a reply ended.
type StopReason string

// The reasons that providers share.
const (
	StopEnd     StopReason = "end"     // the model has said what it had to say
	StopCalls   StopReason = "calls"   // it waits for its tools
	StopLength  StopReason = "length"  // the reply reached its largest size
	StopRefused StopReason = "refused" // the provider or the model declined
)

// Collect reads a stream up to its Done and returns the reply. Where the reply
// did not become whole there is none: the message is empty and err says why.
func Collect(stream iter.Seq2[Chunk, error]) (trimtab.Message, StopReason, error) {
	for chunk, err := range stream {
		if err != nil {
			return trimtab.Message{}, "", fmt.Errorf("read reply: %w", err)
		}
		if done, ok := chunk.(Done); ok {
			return done.Message, done.Stop, nil
		}
	}
	return trimtab.Message{}, "", fmt.Errorf("read reply: %w", ErrCut)
}

// Calls returns the tool calls of a reply, in order.
func Calls(m trimtab.Message) []trimtab.ToolCall {
	var calls []trimtab.ToolCall
	for _, p := range m.Parts {
		if c, ok := p.(trimtab.ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}
