package report

import (
	"errors"
	"fmt"
	"io"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/pipeline"
	"github.com/trimtab/trimtab/internal/plural"
)

// Spooled says what came of a file that another tool left.
func Spooled(s pipeline.Spooled) string {
	name := improve.SpoolFolder + "/" + s.Name
	switch {
	case errors.Is(s.Err, improve.ErrFiled):
		return fmt.Sprintf("%s: %s", name, s.Err)
	case s.Err != nil:
		return fmt.Sprintf("%s was not taken in: %s", name, s.Err)
	}
	return fmt.Sprintf("%s was taken in as %s, and waits for approval", name, s.ID)
}

// Switched writes what the kill switch does to the work that runs.
func Switched(w io.Writer, halt bool, running int) error {
	p := &printer{w: w}
	switch {
	case !halt:
		p.printf("work may begin; trimtab improve run does it\n")
	case running == 0:
		p.printf("stopped: no work is running, and none starts until trimtab improve start\n")
	default:
		p.printf("stopped: %s, and none begins until trimtab improve start\n", plural.Irregular(running, "running one ends within its step", "running ones end within their steps"))
	}
	return p.err
}

// Nothing writes why there is nothing to do, where so many wait for approval.
func Nothing(w io.Writer, waiting int) error {
	p := &printer{w: w}
	if waiting > 0 {
		p.printf("nothing is approved; %s: trimtab improve preview ID, then trimtab improve approve ID\n", plural.Irregular(waiting, "request waits", "requests wait"))
	} else {
		p.printf("nothing to do; trimtab improve new makes a request\n")
	}
	return p.err
}
