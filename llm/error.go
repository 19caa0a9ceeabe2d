package llm

import (
	"errors"
	"fmt"
	"strings"
)

// The errors of asking a model that surfaces tell apart.
var (
	ErrCut     = errors.New("the reply was cut off before its end")
	ErrKey     = errors.New("no key that the provider takes")
	ErrModel   = errors.New("no such model")
	ErrBusy    = errors.New("the provider is busy or has a fault")
	ErrReach   = errors.New("the provider cannot be reached")
	ErrLong    = errors.New("the conversation is too long for the model")
	ErrRefused = errors.New("the provider refused the request")
)

// Error is what went wrong with a provider. It never holds a key.
type Error struct {
	Err    error  // one of the errors above
	Where  string // the host that was asked
	Status int    // of HTTP, if it answered
	Said   string // its own words, cleaned
	Do     string // what the person can do
}

// Error says what happened, where, and what to do.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Where != "" {
		b.WriteString(e.Where + ": ")
	}
	fmt.Fprint(&b, e.Err)
	switch {
	case e.Status != 0 && e.Said != "":
		fmt.Fprintf(&b, " (%d, %s)", e.Status, e.Said)
	case e.Status != 0:
		fmt.Fprintf(&b, " (%d)", e.Status)
	case e.Said != "":
		fmt.Fprintf(&b, " (%s)", e.Said)
	}
	if e.Do != "" {
		b.WriteString("; " + e.Do)
	}
	return b.String()
}

// Unwrap returns which kind of error it is.
func (e *Error) Unwrap() error { return e.Err }
