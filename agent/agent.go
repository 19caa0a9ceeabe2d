package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/llm"
)

// Service is the part of session.Service that an agent goes through.
type Service interface {
	Handle(ctx context.Context, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error)
}

// History is where the messages of a session are kept. A trimtab.Archive is one.
type History interface {
	Messages(ctx context.Context, id string, after int) iter.Seq2[trimtab.Message, error]
}

// Options are what an agent has beside its model.
type Options struct {
	History   History     // the store behind the service; required
	Tools     []tool.Tool // what the model is offered
	System    string      // the system prompt
	MaxSteps  int         // replies in one run; 200 if not given
	MaxTokens int         // of one reply; 0 leaves it to the model

	// More returns tools that are found out only when they are needed, and what
	// went wrong in finding them. It is called once at the start of each run.
	More func(ctx context.Context) ([]tool.Tool, []trimtab.Fault)

	// Permit asks the person about a call. It is called for one call at a time.
	// nil: every call that asks is refused.
	Permit func(ctx context.Context, ask tool.Ask) (tool.Reply, error)

	// Window is how many tokens the model takes; 0 is not known. Where it fills, finished
	// turns are folded. Summarize has a model write what came of them; nil extracts it.
	Window    int
	Summarize func(ctx context.Context, model llm.Model, goal string, messages []trimtab.Message) (string, error)

	// Aside is what the model is told beside a prompt, such as that a command in the
	// background has ended; told is called once it stands in the history. nil: nothing.
	Aside func(session string) (texts []trimtab.Text, told func())

	// Recorder keeps what calls did, so that it can be shown and undone. nil: nothing is kept.
	Recorder Recorder

	// Checker asks the working tree and runs checks before the agent stops. nil: neither.
	Checker Checker

	// Offer decides, once for each run, whether the model is offered a tool; nil: all of
	// them. It should not depend on what changes in a session: providers keep the beginning
	// of a request, and the list of tools is its very beginning.
	Offer func(s trimtab.Session, t llm.Tool) bool

	// Refuse says why a tool that is offered is not run for now, as its mode may want; ""
	// runs it. It is asked with the session as it was when the run began (M11). nil: never.
	Refuse func(s trimtab.Session, t llm.Tool) (why string)
}

// Recorder keeps what the calls of a turn did; turn is the prompt that began it. Package
// agent/record has one.
type Recorder interface {
	Record(session string, turn trimtab.Ref, call trimtab.ToolCall, effects []tool.Effect) error
}

// Checker looks at the project that a session works on. Package agent/check has one.
type Checker interface {
	// Look returns the files that were written last, or nil.
	Look(ctx context.Context, dir string) []trimtab.Written
	// Check runs a command line.
	Check(ctx context.Context, dir, command string) trimtab.Receipt
}

// Agent takes prompts to a model. It holds no state of a session and is safe to
// share, but one session has one run at a time.
type Agent struct {
	service Service
	model   llm.Model
	opt     Options
}

// New returns an agent.
func New(service Service, model llm.Model, opt Options) *Agent {
	if opt.MaxSteps <= 0 {
		opt.MaxSteps = 200
	}
	return &Agent{service: service, model: model, opt: opt}
}

// Run takes a prompt to the model and goes on until there is nothing left to do.
// A prompt without parts says nothing: the run takes up the session where it
// stands, after a pause or an error. An error ends the run. When ctx is cancelled
// or the reader leaves, the run closes what is open and ends.
func (a *Agent) Run(ctx context.Context, session string, prompt trimtab.Message) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		r := &run{Agent: a, ctx: ctx, cancel: cancel, id: session, yield: yield}
		end, err := r.drive(prompt)
		switch {
		case r.left:
		case err != nil:
			yield(nil, fmt.Errorf("session %s: %w", session, err))
		default:
			yield(end, nil)
		}
	}
}

var errNoHistory = errors.New("the agent has no History; give it the store behind the service")

type sessionKey struct{}

// Todos returns the todo list of the session whose tool is running: what
// tool.TodoRead wants.
func Todos(ctx context.Context) []trimtab.Todo {
	todos, _ := ctx.Value(sessionKey{}).([]trimtab.Todo)
	return todos
}
