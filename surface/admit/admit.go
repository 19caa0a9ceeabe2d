// Package admit is what a gateway and whoever guards it say to each other: what a request is
// about to ask for, why it may not, and what became of it. It decides nothing and counts
// nothing: surface/caller guards, surface/metrics counts.
//
//	gateway.Options{Guard: gate, Calls: counters.Count}
package admit

import (
	"net/http"
	"time"

	"github.com/trimtab/trimtab"
)

// Guard stands between callers and providers, where a gateway is for people with keys of
// their own.
type Guard interface {
	// User is whose sessions those of a request are; "" is whoever runs the gateway.
	User(r *http.Request) string
	// Admit decides on a request before it leaves: a Refusal says why it may not. It puts
	// the provider's key into the header where that is its own to give.
	Admit(r *http.Request, a Asking) error
	// Done hears of a request that was admitted when it is over.
	Done(r *http.Request, c Call)
}

// Asking is what a request is about to ask for.
type Asking struct {
	Provider string
	Model    string // "" where it names none, or more than one
	Counted  bool   // what it uses will be known: it is free, or in a format that is read
}

// Refusal is an error that a client is told, with the status for it.
type Refusal struct {
	Status int
	Text   string
	Retry  time.Duration // when it may come again; 0 is not said
}

func (e *Refusal) Error() string { return e.Text }

// The kinds of calls.
const (
	Main  = "main"  // a main turn, steered
	Side  = "side"  // a sub-agent, a title, a compaction: passed untouched
	Other = "other" // in no format that is read
)

// Call is a request to a provider when it is over, whatever it was for.
type Call struct {
	Kind     string
	User     string // the caller's; "" is whoever runs the gateway
	Host     string // the agent, where it is known
	Provider string
	Model    string // that was asked for

	Began, Ended time.Time
	First        time.Time // when the first bytes of the reply came; zero where none did

	Status  int              // of the reply; 0 where none came
	Fault   string           // how the provider failed: see gateway.Trace
	Usage   *trimtab.Usage   // nil where the provider did not say
	Changes []trimtab.Change // what steering changed with it
	Faulted bool             // steering failed, and it went out as it came

	Sent, Received int // bytes of the request as it came and of the reply
}
