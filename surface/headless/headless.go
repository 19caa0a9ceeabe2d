// Package headless answers one prompt for a script: the answer on one stream, the way
// there on another. A program reads it as one JSON object at the end or as one a line
// while it happens, also where the run fails.
//
//	err := headless.Run(ctx, headless.Options{Runner: chosen, Session: id, Prompt: prompt, Format: headless.Stream, Out: os.Stdout, Err: os.Stderr})
package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/surface/linechat"
)

// The forms of an answer.
const (
	Text   = "text"
	JSON   = "json"        // one object at the end
	Stream = "stream-json" // one a line, as it happens
)

// CheckFormat refuses a form that there is not.
func CheckFormat(format string) error {
	if all := []string{Text, JSON, Stream}; !slices.Contains(all, format) {
		return fmt.Errorf("the output format %q is none of %s", format, strings.Join(all, ", "))
	}
	return nil
}

// Options are what a run is made of.
type Options struct {
	Runner  agent.Runner
	Session string
	Model   string
	Prompt  trimtab.Message
	Format  string // "" is Text
	Out     io.Writer
	Err     io.Writer
	Cost    func(model string, u trimtab.Usage) (dollars float64, known bool) // nil knows none
}

// Run answers the prompt.
func Run(ctx context.Context, opt Options) error {
	lines := json.NewEncoder(opt.Out)
	lines.SetEscapeHTML(false)
	stream := opt.Format == Stream
	var lost error // of what is read by a program
	tell := func(l agent.Line) {
		if stream && lost == nil {
			lost = lines.Encode(l)
		}
	}
	tell(agent.Line{Type: "start", Session: opt.Session, Model: opt.Model})
	answer, err := agent.Once(ctx, opt.Runner, opt.Session, opt.Prompt, func(ev agent.Event) {
		if line, ok := agent.LineOf(ev); ok {
			tell(line)
		}
		if r, ok := ev.(agent.Replied); ok && len(llm.Calls(r.Message)) > 0 && r.Message.Text() != "" {
			_ = termsafe.Fprintf(opt.Err, "%s\n", r.Message.Text()) // nobody is left to tell
		}
		linechat.Progress(opt.Err, ev)
	})
	answer.Model = opt.Model
	if opt.Cost != nil {
		if dollars, known := opt.Cost(opt.Model, answer.Usage); known {
			answer.Cost = &dollars
		}
	}
	switch {
	case stream:
		tell(agent.Line{Type: "end", Answer: &answer})
	case opt.Format == JSON:
		lines.SetIndent("", "  ")
		lost = lines.Encode(answer)
	case err == nil:
		lost = termsafe.Fprintf(opt.Out, "%s\n", answer.Answer)
	}
	switch {
	case err != nil || lost != nil:
		return errors.Join(err, lost)
	case !answer.Ended():
		return fmt.Errorf("the run was cut short: %s; trimtab --continue resumes it", answer.Stopped)
	}
	return nil
}
