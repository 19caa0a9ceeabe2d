package forge

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// What can come of a request that did not succeed. Every error of a Forge is one
// of these, the context's own, or one that came before anything was sent.
var (
	// ErrNotFound: it is not there, or the token may not see it.
	ErrNotFound = errors.New("not found")
	// ErrRefused: the forge understood and will not; asking again will not help.
	ErrRefused = errors.New("refused")
	// ErrExists: there is one already.
	ErrExists = errors.New("exists already")
	// ErrLimited: too many requests. Error.Until says when to come again.
	ErrLimited = errors.New("rate limited")
	// ErrUnreachable: nothing was done, and later it may work.
	ErrUnreachable = errors.New("unreachable")
	// ErrUnclear: the request left and its answer did not arrive whole. It may have
	// been done, and may still be done.
	ErrUnclear = errors.New("the answer was lost, so it may have been done")
)

// Error is what a forge answered.
type Error struct {
	Forge  string    // "github"
	Doing  string    // "open issue"
	Status int       // of HTTP, where there was one
	Said   string    // the forge's own words, without the token
	Do     string    // what the person could do, where we know
	Until  time.Time // with ErrLimited: not before
	Err    error     // one of the errors above
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: %v", e.Forge, e.Doing, e.Err)
	if !e.Until.IsZero() {
		fmt.Fprintf(&b, " until %s", e.Until.UTC().Format(time.RFC3339))
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Said != "" {
		fmt.Fprintf(&b, ": %s", e.Said)
	}
	if e.Do != "" {
		fmt.Fprintf(&b, "; %s", e.Do)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// permanent reports whether a forge will say the same the next time.
func permanent(err error) bool {
	return errors.Is(err, ErrRefused) || errors.Is(err, ErrNotFound)
}
