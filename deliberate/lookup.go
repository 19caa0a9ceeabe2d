package deliberate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
)

// lookup is the work of one request: the researcher's own loop of model and tools,
// in a session of its own below the debate's.
func (r *run) lookup(req Request) func(ctx context.Context) finding {
	l := &lookup{
		service: r.opt.Service, history: r.opt.History, id: fmt.Sprintf("%s.r%d", r.plan.ID, req.N), parent: r.plan, most: r.opt.Lookups,
		model: r.models[r.plan.Model], reply: r.opt.MaxReply, patience: time.Duration(r.opt.TurnSeconds) * time.Second,
	}
	for _, t := range r.opt.Tools {
		if t.ReadOnly {
			l.tools = append(l.tools, t)
		}
	}
	prompt := fmt.Sprintf("The debate is about this brief:\n\n%s\n\n%s asks you to look up: %s", trimtab.Clip(r.plan.Brief, 8000), r.table.Name(req.By), req.Topic)
	if req.Words != "" {
		prompt += "\n\nIn their own words:\n\n" + harmless(req.Words)
	}
	return func(ctx context.Context) finding { return l.work(ctx, prompt) }
}

type lookup struct {
	service  Service
	history  History
	id       string
	parent   Plan
	model    llm.Model
	tools    []Tool
	most     int
	reply    int
	patience time.Duration

	session trimtab.Session
	said    []trimtab.Message
	out     finding
}

// work runs until there is an answer. Whatever goes wrong with model or tools is an
// answer too; only a run that was cut short is none.
func (l *lookup) work(ctx context.Context, prompt string) finding {
	text, err := l.loop(ctx, prompt)
	switch {
	case ctx.Err() != nil:
		l.out.err = ctx.Err()
	case err != nil:
		l.out.text = notDone + trimtab.Clip(oneLine(err.Error()), 400) + "."
	default:
		l.out.text = text
	}
	l.out.model = l.model.Name()
	return l.out
}

func (l *lookup) loop(ctx context.Context, prompt string) (string, error) {
	if err := l.open(ctx, prompt); err != nil {
		return "", err
	}
	offered := make([]llm.Tool, len(l.tools))
	for i, t := range l.tools {
		offered[i] = t.Tool
	}
	for step := range l.most {
		if step == l.most-1 {
			offered = nil // the last word is an answer
		}
		m, err := l.ask(ctx, offered)
		if err != nil {
			return "", err
		}
		calls := llm.Calls(m)
		if len(calls) == 0 {
			text := strings.TrimSpace(m.Text())
			if text == "" {
				return "", errEmpty
			}
			return trimtab.Clip(text, maxWords*l.reply), nil
		}
		if err := l.use(ctx, calls); err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("no answer after %d requests to the model", l.most)
}

// open begins the session, or takes up the one that a crash left.
func (l *lookup) open(ctx context.Context, prompt string) error {
	_, err := l.service.Begin(ctx, trimtab.Info{ID: l.id, Host: Host, Project: l.parent.Project, Model: l.model.Name(), Parent: l.parent.ID})
	switch {
	case errors.Is(err, trimtab.ErrExists), errors.Is(err, trimtab.ErrConflict):
		for m, err := range l.history.Messages(ctx, l.id, 0) {
			if err != nil {
				return err
			}
			l.said = append(l.said, m)
		}
		return l.mend(ctx, prompt)
	case err != nil:
		return err
	}
	return l.say(ctx, trimtab.Say(trimtab.RoleUser, trimtab.Host, prompt))
}

// mend closes calls whose results were lost.
func (l *lookup) mend(ctx context.Context, prompt string) error {
	if len(l.said) == 0 {
		return l.say(ctx, trimtab.Say(trimtab.RoleUser, trimtab.Host, prompt))
	}
	if last := l.said[len(l.said)-1]; last.Role == trimtab.RoleAssistant {
		return l.use(ctx, llm.Calls(last))
	}
	return nil
}

func (l *lookup) ask(ctx context.Context, offered []llm.Tool) (trimtab.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	s, _, err := l.service.Handle(ctx, l.id, trimtab.Calling{})
	if err != nil {
		return trimtab.Message{}, err
	}
	m, stop, err := llm.Collect(l.model.Stream(ctx, llm.Request{System: strings.TrimSpace(researcher), Messages: s.View(l.said), Tools: offered, MaxTokens: l.reply}))
	if err != nil {
		return m, err
	}
	if stop == llm.StopRefused {
		return m, errRefused
	}
	if u := m.Usage; u != nil {
		l.out.usage.Input += u.Input
		l.out.usage.Output += u.Output
		l.out.usage.CacheRead += u.CacheRead
		l.out.usage.CacheWrite += u.CacheWrite
	}
	m.ID, m.From, m.Role = "", "", trimtab.RoleAssistant
	return m, l.say(ctx, m)
}

// use runs calls, one after the other, and says their results.
func (l *lookup) use(ctx context.Context, calls []trimtab.ToolCall) error {
	if len(calls) == 0 {
		return nil
	}
	m := trimtab.Message{Role: trimtab.RoleTool}
	for _, c := range calls {
		l.out.calls = append(l.out.calls, c)
		m.Parts = append(m.Parts, l.result(ctx, c))
	}
	return l.say(ctx, m)
}

// maxResult is the most of a tool's result that the researcher reads, in bytes.
const maxResult = 32 << 10

func (l *lookup) result(ctx context.Context, c trimtab.ToolCall) trimtab.ToolResult {
	i := slices.IndexFunc(l.tools, func(t Tool) bool { return t.Name == c.Name })
	if i < 0 {
		return trimtab.ToolResult{ID: c.ID, Failed: true, Text: fmt.Sprintf("there is no tool %q here", trimtab.Clip(c.Name, 60))}
	}
	_, out, err := l.service.Handle(ctx, l.id, trimtab.Using{Call: c})
	if err != nil {
		return trimtab.ToolResult{ID: c.ID, Failed: true, Text: err.Error()}
	}
	for _, t := range out.Actions {
		if deny, ok := t.Action.(trimtab.Deny); ok {
			return trimtab.ToolResult{ID: c.ID, Failed: true, Text: "denied: " + deny.Why}
		}
	}
	text, err := l.tools[i].Run(ctx, c.Input)
	if err != nil {
		text = strings.TrimSpace(text + "\n" + err.Error())
	}
	return trimtab.ToolResult{ID: c.ID, Text: trimtab.Clip(strings.ToValidUTF8(text, "\uFFFD"), maxResult), Failed: err != nil}
}

func (l *lookup) say(ctx context.Context, m trimtab.Message) error {
	s, _, err := l.service.Handle(ctx, l.id, trimtab.Said{Message: m})
	if err != nil {
		return err
	}
	m.ID = s.Last.ID
	l.session, l.said = s, append(l.said, m)
	return nil
}
