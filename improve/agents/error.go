package agents

import (
	"errors"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/improve/agents/subprocess"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// Why an agent did not do its job.
var (
	ErrMissing = subprocess.ErrMissing // it is not installed
	ErrTime    = subprocess.ErrTime    // it took too long
	ErrOutput  = subprocess.ErrOutput  // it wrote too much
	ErrKey     = errors.New("has no key and no login")
	ErrCost    = errors.New("cost too much")
	ErrExit    = errors.New("did not end well")
)

// Error is a job that an agent did not do.
type Error struct {
	Agent string
	Step  string
	Dir   string
	Log   string // file with everything it wrote
	Said  string // its last lines, redacted
	Do    string // what a person can do about it
	Err   error
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "agent %s, step %s, in %s: %v", e.Agent, e.Step, e.Dir, e.Err)
	if e.Said != "" {
		fmt.Fprintf(&b, ": %s", e.Said)
	}
	if e.Do != "" {
		fmt.Fprintf(&b, "; %s", e.Do)
	}
	if e.Log != "" {
		fmt.Fprintf(&b, " (log: %s)", e.Log)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// lastLines is the end of an output as one line for an error.
func lastLines(text string) string {
	const lines, size = 5, 600
	all := strings.Split(strings.TrimSpace(text), "\n")
	text = termsafe.Line(strings.Join(all[max(0, len(all)-lines):], " | "))
	if r := []rune(text); len(r) > size {
		text = "…" + string(r[len(r)-size:])
	}
	return text
}
