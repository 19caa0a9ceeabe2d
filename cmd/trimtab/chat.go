package main

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/helm"
	"github.com/trimtab/trimtab/llm"
)

func chatFlags(c *cobra.Command, a *app) {
	f := c.Flags()
	f.StringVarP(&a.flag.prompt, "prompt", "p", "", "answer this `prompt` on stdout and leave; what comes on stdin is context")
	f.BoolVarP(&a.flag.proceed, "continue", "c", false, "go on with the newest session of this folder")
	f.StringVarP(&a.flag.resume, "resume", "r", "", "go on with the session of this `id`")
	f.StringVarP(&a.flag.model, "model", "m", "", "`name` of the model: demo, or demo:FILE for a script")
	_ = c.RegisterFlagCompletionFunc("resume", a.completeSession)
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		a.flag.prompted = c.Flags().Changed("prompt")
		if a.flag.prompted && strings.TrimSpace(a.flag.prompt) == "" {
			return misused("the prompt is empty; give one as in: trimtab -p \"what is in this folder?\"")
		}
		if a.flag.proceed && a.flag.resume != "" {
			return misused("--continue and --resume both choose a session; give one of them")
		}
		return nil
	}
}

// talk is a chat under way.
type talk struct {
	*app
	door  *helm.Helm
	agent *agent.Agent
	id    string
	model string
}

//go:embed system.md
var system string

func (a *app) chat(ctx context.Context) error {
	if !a.flag.prompted && !a.terminal.in {
		fmt.Fprintf(a.err, "%s\n\nNobody is at the keyboard. To ask something: trimtab -p \"…\"\nMore: trimtab --help\n", about)
		return usageError{errors.New("no prompt and no terminal")}
	}
	t, closing, err := a.openTalk(ctx)
	if err != nil {
		return err
	}
	defer closing()
	if a.flag.prompted {
		return t.once(ctx)
	}
	return t.loop(ctx)
}

// openTalk wires model, tools and session together.
func (a *app) openTalk(ctx context.Context) (*talk, func(), error) {
	model, err := a.model(a.flag.model)
	if err != nil {
		return nil, nil, err
	}
	dir, err := a.folder()
	if err != nil {
		return nil, nil, err
	}
	st, err := a.store(ctx)
	if err != nil {
		return nil, nil, err
	}
	door, err := a.helm(ctx)
	if err != nil {
		return nil, nil, err
	}
	folder, err := tool.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	tools := append(folder.Tools(), tool.TodoWrite(), tool.TodoRead(agent.Todos))
	t := &talk{app: a, door: door, model: model.Name()}
	t.agent = agent.New(door, model, agent.Options{History: st, Tools: tools, System: strings.ReplaceAll(system, "{{.Folder}}", dir)})
	if err := t.begin(ctx, dir); err != nil {
		return nil, nil, errors.Join(err, folder.Close())
	}
	return t, func() { _ = folder.Close() }, nil
}

// begin opens the session: a new one, or the one to go on with.
func (t *talk) begin(ctx context.Context, dir string) error {
	if !t.flag.proceed && t.flag.resume == "" {
		return t.fresh(ctx, dir)
	}
	s, err := t.current(ctx, t.flag.resume)
	if err != nil {
		return err
	}
	if s.Host != host {
		return fmt.Errorf("session %s is one of %s: go on with it there", s.ID, or(s.Host, "another agent"))
	}
	_, out, err := t.door.Handle(ctx, s.ID, trimtab.Resumed{})
	if err != nil {
		return err
	}
	t.tellOutcome(out)
	t.id = s.ID
	return nil
}

const host = "trimtab"

func (t *talk) fresh(ctx context.Context, dir string) error {
	s, err := t.door.Begin(ctx, trimtab.Info{ID: newID(t.app), Host: host, Project: dir, Model: t.model})
	t.id = s.ID
	return err
}

// newID is the time for people and a few random letters against collisions.
func newID(a *app) string {
	return a.clock().UTC().Format("20060102-150405-") + strings.ToLower(rand.Text()[:6])
}

// onceJSON is the answer to -p for programs.
type onceJSON struct {
	Session string           `json:"sessionId"`
	Model   string           `json:"modelId"`
	Answer  string           `json:"answer"`
	Stopped string           `json:"stopped"`
	Steps   int              `json:"steps"`
	Changes []trimtab.Change `json:"changes"`
}

// once answers one prompt: the answer on stdout, the way there on stderr.
func (t *talk) once(ctx context.Context) error {
	prompt := trimtab.Prompt(t.flag.prompt)
	context, err := t.context()
	if err != nil {
		return err
	}
	if context != "" {
		prompt.Parts = append(prompt.Parts, trimtab.Text{Text: context, By: trimtab.Host})
	}
	t.progress("%s, model %s\n", t.id, t.model)
	result := onceJSON{Session: t.id, Model: t.model, Changes: []trimtab.Change{}}
	for ev, err := range t.agent.Run(ctx, t.id, prompt) {
		if err != nil {
			return err
		}
		switch ev := ev.(type) {
		case agent.Replied:
			result.Steps++
			result.Answer = ev.Message.Text()
			if len(llm.Calls(ev.Message)) > 0 && result.Answer != "" {
				t.progress("%s\n", result.Answer)
			}
		case agent.Steered:
			result.Changes = append(result.Changes, ev.Change)
		case agent.Stopped:
			result.Stopped = string(ev.Reason)
		case agent.Paused:
			result.Stopped = "paused: " + ev.Why
		}
		t.tell(ev)
	}
	if t.flag.json {
		return t.printJSON(result)
	}
	t.printf("%s\n", result.Answer)
	if result.Stopped != string(agent.Ended) {
		return fmt.Errorf("the run did not end by itself: %s; trimtab --continue goes on with it", result.Stopped)
	}
	return nil
}

// context is what comes on stdin, where a prompt was given.
func (t *talk) context() (string, error) {
	if t.terminal.in {
		return "", nil
	}
	cfg, err := t.config()
	if err != nil {
		return "", err
	}
	raw, err := io.ReadAll(io.LimitReader(t.in, int64(cfg.Limits.MaxMessage)+1))
	if err != nil {
		return "", fmt.Errorf("stdin: %w", err)
	}
	if len(raw) > cfg.Limits.MaxMessage {
		return "", fmt.Errorf("stdin: %w: over %d bytes (limits.maxMessage)", trimtab.ErrTooLarge, cfg.Limits.MaxMessage)
	}
	return string(raw), nil
}

// tell shows what happens on the way to an answer.
func (t *talk) tell(ev agent.Event) {
	switch ev := ev.(type) {
	case agent.Called:
		t.progress("  · %s %s\n", ev.Call.Name, firstLine(string(ev.Call.Input), 80))
	case agent.Returned:
		if ev.Result.Failed {
			t.progress("    failed: %s\n", firstLine(ev.Result.Text, 100))
		}
	case agent.Steered:
		t.progress("  %s\n", change(ev.Change))
	case agent.Noticed:
		t.progress("  %s\n", ev.Notify.Text)
	case agent.Faulted:
		t.progress("  fault: %s\n", ev.Fault.Error())
	case agent.Continued:
		t.progress("  goes on: %s\n", ev.Continue.Why)
	}
}

// tellOutcome shows the notices and faults of a step.
func (t *talk) tellOutcome(out trimtab.Outcome) {
	for _, taken := range out.Actions {
		if n, ok := taken.Action.(trimtab.Notify); ok {
			t.progress("%s\n", n.Text)
		}
	}
	for _, f := range out.Faults {
		t.progress("fault: %s\n", f.Error())
	}
}
