package agent

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/llm"
)

//go:embed task.md
var taskWords string

const taskSchema = `{
  "type": "object",
  "properties": {
    "title": {"type": "string", "minLength": 1, "maxLength": 80, "description": "the task in a few words, for the person"},
    "prompt": {"type": "string", "minLength": 1, "maxLength": 32768, "description": "all that the other agent has to know, and what it is to report: it sees nothing of this conversation"}
  },
  "required": ["title", "prompt"],
  "additionalProperties": false
}`

// maxBranchSteps is how many replies a task may take.
const maxBranchSteps = 60

// TaskTool is the name of the tool that Task returns.
const TaskTool = "task"

// Task returns the tool by which a model gives a task to a branch: a run of the same model
// on the same engine with a history of its own, of which only the report comes back. Only
// the main line is steered, so nothing steers it. It is bound by what binds its caller: the
// person is asked for the same things, and what the caller's mode refuses is refused.
// What it changes belongs to the caller's call, and is undone with it.
func Task(model llm.Model, opt Options) tool.Tool {
	opt.Checker, opt.Recorder, opt.Summarize, opt.Window, opt.More, opt.Aside = nil, nil, nil, 0, nil, nil
	opt.MaxSteps = maxBranchSteps
	opt.System += "\n\n" + strings.TrimSpace(branchWords)
	b := brancher{model, opt}
	return tool.Tool{Tool: llm.Tool{Name: TaskTool, Description: strings.TrimSpace(taskWords), Schema: json.RawMessage(taskSchema)}, Run: b.run}
}

//go:embed branch.md
var branchWords string

type brancher struct {
	model llm.Model
	opt   Options
}

func (b brancher) run(ctx context.Context, raw json.RawMessage) (string, error) {
	var in struct{ Title, Prompt string }
	if err := json.Unmarshal(raw, &in); err != nil || strings.TrimSpace(in.Prompt) == "" || len(in.Prompt) > 32<<10 {
		return "", errors.New("task: give a title and a prompt of at most 32768 bytes")
	}
	above, _ := ctx.Value(branchKey{}).(trimtab.Session)
	line, err := newBranch(tool.SessionOf(ctx))
	if err != nil {
		return "", fmt.Errorf("task: %w", err)
	}
	opt := b.opt
	opt.History = line
	if refuse := b.opt.Refuse; refuse != nil {
		opt.Refuse = func(_ trimtab.Session, t llm.Tool) string { return refuse(above, t) }
	}
	watch := tool.ObserverOf(ctx)
	prompt := trimtab.Message{Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.Text{Text: in.Prompt, By: trimtab.Host}}}
	answer, err := Once(ctx, New(line, b.model, opt), line.session.ID, prompt, func(ev Event) { relay(watch, ev) })
	if watch.Done != nil && answer.Usage != (trimtab.Usage{}) {
		watch.Done(tool.Effect{Spent: &tool.Spent{Model: b.model.Name(), Usage: answer.Usage}})
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("task: %w", err)
	case ctx.Err() != nil:
		return "", fmt.Errorf("task: %w", ctx.Err())
	case !answer.Ended():
		return answer.Answer, fmt.Errorf("[the task did not come to its end: %s, after %d replies]", answer.Stopped, answer.Steps)
	}
	return answer.Answer, nil
}

// relay tells whoever watches the call what the branch does, a line a call, and hands on
// what it changed.
func relay(watch tool.Observer, ev Event) {
	switch ev := ev.(type) {
	case Called:
		fmt.Fprintf(watch, "%s %s\n", ev.Call.Name, About(ev.Call))
	case Returned:
		if ev.Result.Failed {
			line, _, _ := strings.Cut(ev.Result.Text, "\n")
			fmt.Fprintf(watch, "  %s\n", trimtab.Clip(line, 160))
		}
		if watch.Done != nil {
			for _, e := range ev.Effects {
				watch.Done(e)
			}
		}
	case Replied:
		if text := strings.TrimSpace(ev.Message.Text()); text != "" {
			line, _, _ := strings.Cut(text, "\n")
			fmt.Fprintf(watch, "%s\n", trimtab.Clip(line, 160))
		}
	}
}

// branchKey is where a call finds the session of its run.
type branchKey struct{}

// branch is a session in memory, on an engine without interventions.
type branch struct {
	engine *trimtab.Engine

	mu       sync.Mutex
	session  trimtab.Session
	messages []trimtab.Message
}

// newBranch begins one under the name of the session that it belongs to: what the person
// allowed there, and which files were read, counts here too.
func newBranch(id string) (*branch, error) {
	engine, err := trimtab.New(trimtab.Config{})
	if err != nil {
		return nil, err
	}
	return &branch{engine: engine, session: trimtab.NewSession(id, time.Time{})}, nil
}

// Handle steps the engine. Nothing of a branch depends on the time.
func (b *branch) Handle(ctx context.Context, _ string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all trimtab.Outcome
	for _, ev := range events {
		if err := ctx.Err(); err != nil {
			return b.session, all, err
		}
		s, out := b.engine.Step(b.session, ev, time.Time{})
		if said, ok := ev.(trimtab.Said); ok {
			m := said.Message
			m.ID = s.Last.ID
			b.messages = append(b.messages, m)
		}
		b.session, all = s, out
	}
	return b.session, all, nil
}

// Messages are those that were said.
func (b *branch) Messages(_ context.Context, _ string, after int) iter.Seq2[trimtab.Message, error] {
	b.mu.Lock()
	defer b.mu.Unlock()
	messages := slices.Clone(b.messages)
	return func(yield func(trimtab.Message, error) bool) {
		for _, m := range messages[min(after, len(messages)):] {
			if !yield(m, nil) {
				return
			}
		}
	}
}
