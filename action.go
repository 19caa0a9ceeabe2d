package trimtab

import "encoding/json"

// Action is what an intervention wants done: Inject, Retract, Fold, Unfold,
// Reply, Notify, Pause, Continue, Check, Enqueue or Deny.
type Action interface{ action() }

// Inject puts a note before the model's eyes. One note lives per slot of an
// intervention: a new one replaces the old one. Empty text injects nothing.
type Inject struct {
	Slot  string `json:"slot"`
	Text  string `json:"text"`
	Place Place  `json:"place"`
	Life  Life   `json:"life"`
	Why   string `json:"why"`
	Asks  bool   `json:"asks,omitempty"` // it asks the agent to act; a kind that is never heeded falls silent

	// Urgency is how much it matters, where nobody asked for it: the session's attention is
	// limited. Every is the shortest distance, in steps, to the next of its kind.
	Urgency Urgency `json:"urgency,omitempty"`
	Every   int     `json:"every,omitempty"`

	// Requested is what a person asked for by name or by the word: no budget withholds
	// it, it takes nothing of the budget of others, and it never falls silent.
	Requested bool `json:"requested,omitempty"`
}

// Retract ends the life of the note in a slot, if there is one.
type Retract struct {
	Slot   string `json:"slot"`
	Why    string `json:"why"`
	Heeded bool   `json:"heeded,omitempty"` // the agent did what the note asked
}

// Fold replaces the messages First to Last, in what the model sees, by one
// summary.
type Fold struct {
	Key   string `json:"key"`
	First Ref    `json:"first"`
	Last  Ref    `json:"last"`
	Text  string `json:"text"`
	Why   string `json:"why"`
}

// Unfold shows the messages of a Fold again.
type Unfold struct {
	Key string `json:"key"`
	Why string `json:"why"`
}

// Reply answers a command. Data is the same answer for programs.
type Reply struct {
	Text   string          `json:"text"`
	Data   json.RawMessage `json:"data,omitempty"`
	Failed bool            `json:"failed,omitempty"`
}

// Notify tells the person something without telling the model.
type Notify struct {
	Text    string `json:"text"`
	Warning bool   `json:"warning,omitempty"`
}

// Pause asks the surface to hold the session until the person goes on.
type Pause struct {
	Why string `json:"why"`
}

// Continue answers Stopping: go on, with these words to the model.
type Continue struct {
	Text    string  `json:"text"`
	Why     string  `json:"why"`
	Urgency Urgency `json:"urgency,omitempty"` // as in Inject
}

// Check answers Stopping where the surface can run commands: run this one in the project,
// and come back with a Checked before the agent may stop.
type Check struct {
	Command string `json:"command"`
	Why     string `json:"why"`
}

// Enqueue hands work to the durable pipeline.
type Enqueue struct {
	Kind string          `json:"kind"`
	Data json.RawMessage `json:"data,omitempty"`
	Why  string          `json:"why"`
}

// Deny answers Using: the tool may not run. The model reads Why.
type Deny struct {
	Why string `json:"why"`
}

func (Inject) action()   {}
func (Retract) action()  {}
func (Fold) action()     {}
func (Unfold) action()   {}
func (Reply) action()    {}
func (Notify) action()   {}
func (Pause) action()    {}
func (Continue) action() {}
func (Check) action()    {}
func (Enqueue) action()  {}
func (Deny) action()     {}
