package summary

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/session"
)

// Kind is the kind of work that a Writer does.
const Kind = "frame.summary"

// Service is the part of session.Service that answers go through.
type Service interface {
	Handle(ctx context.Context, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error)
}

// History is where the messages of a session are kept.
type History interface {
	Messages(ctx context.Context, id string, after int) iter.Seq2[trimtab.Message, error]
}

// Writer writes summaries.
type Writer struct {
	Service Service
	History History
	Model   func(ctx context.Context) (llm.Model, error) // asked for each summary, so that it may change
	Log     *slog.Logger                                 // nil is none
}

// The limits of a summary.
const (
	maxRecord = 96 << 10 // bytes of the messages that the model reads
	maxPart   = 4 << 10  // of one part of a message
	maxText   = 4 << 10  // of what it writes
	patience  = 3 * time.Minute
)

//go:embed prompt.md
var prompt string

// request is what the work says.
type request struct {
	Session string      `json:"session"`
	Frame   string      `json:"frame"`
	Goal    string      `json:"goal"`
	Status  string      `json:"status"`
	First   trimtab.Ref `json:"firstMessage"`
	Last    trimtab.Ref `json:"lastMessage"`
	Draft   string      `json:"draft"`
}

// Watch writes what is asked for until the channel is closed. One that fails is
// logged; the summary that was there stays.
func (w Writer) Watch(ctx context.Context, live <-chan session.Published) {
	for p := range live {
		for _, taken := range p.Entry.Actions {
			work, ok := taken.Action.(trimtab.Enqueue)
			if !ok || work.Kind != Kind {
				continue
			}
			if err := w.Write(ctx, work.Data); err != nil && ctx.Err() == nil && w.Log != nil {
				w.Log.Warn("a summary was not written; the one taken from the messages stays", "session", p.Session.ID, "error", err)
			}
		}
	}
}

// Write writes one summary and gives it back to the session.
func (w Writer) Write(ctx context.Context, data json.RawMessage) error {
	var ask request
	if err := json.Unmarshal(data, &ask); err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	record, err := w.record(ctx, ask)
	if err != nil {
		return fmt.Errorf("summary of %s: %w", ask.Frame, err)
	}
	model, err := w.Model(ctx)
	if err != nil {
		return fmt.Errorf("summary of %s: %w", ask.Frame, err)
	}
	text, err := write(ctx, model, record)
	if err != nil {
		return fmt.Errorf("summary of %s: %w", ask.Frame, err)
	}
	_, out, err := w.Service.Handle(ctx, ask.Session, trimtab.Asked{Command: "frame", Args: []string{"summary", ask.Frame, clip(text, maxText)}, By: trimtab.Model, Away: true})
	if err != nil {
		return fmt.Errorf("summary of %s: %w", ask.Frame, err)
	}
	if answer, err := out.Reply(); err != nil || answer.Failed {
		return errors.Join(fmt.Errorf("summary of %s was refused: %s", ask.Frame, answer.Text), err)
	}
	return nil
}

// Of has a model write what came of some messages.
func Of(ctx context.Context, model llm.Model, goal string, messages []trimtab.Message) (string, error) {
	var lines []string
	for _, m := range messages {
		for _, p := range m.Parts {
			if text := line(m.Role, p); text != "" {
				lines = append(lines, text)
			}
		}
	}
	text, err := write(ctx, model, fmt.Sprintf("Goal: %s\n\nThe record:\n", goal)+strings.Join(middle(lines, maxRecord), "\n"))
	return clip(text, maxText), err
}

func write(ctx context.Context, model llm.Model, record string) (string, error) {
	reply, _, err := llm.Collect(model.Stream(ctx, llm.Request{
		System:   strings.TrimSpace(prompt),
		Messages: []trimtab.Message{trimtab.Say(trimtab.RoleUser, trimtab.Host, record)},
	}))
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(reply.Text())
	if text == "" {
		return "", fmt.Errorf("%s wrote nothing", model.Name())
	}
	return text, nil
}

// record is the piece of work as text. Of a long one the beginning and the end are
// kept.
func (w Writer) record(ctx context.Context, ask request) (string, error) {
	var lines []string
	for m, err := range w.History.Messages(ctx, ask.Session, max(ask.First.Seq-1, 0)) {
		if err != nil {
			return "", err
		}
		for _, p := range m.Parts {
			if text := line(m.Role, p); text != "" {
				lines = append(lines, text)
			}
		}
		if m.ID == ask.Last.ID {
			break
		}
	}
	if len(lines) == 0 {
		return "", errors.New("it has no messages")
	}
	head := fmt.Sprintf("Goal: %s\nEnded as: %s\nA first draft, made without understanding: %s\n\nThe record:\n", ask.Goal, ask.Status, ask.Draft)
	return head + strings.Join(middle(lines, maxRecord), "\n"), nil
}

// line is one part of a message.
func line(role trimtab.Role, p trimtab.Part) string {
	switch p := p.(type) {
	case trimtab.Text:
		return string(role) + ": " + clip(p.Text, maxPart)
	case trimtab.ToolCall:
		return fmt.Sprintf("calls %s %s", p.Name, clip(plainInput(p.Input), maxPart))
	case trimtab.ToolResult:
		if p.Failed {
			return "failed: " + clip(p.Text, maxPart)
		}
		return "result: " + clip(p.Text, maxPart)
	}
	return ""
}

// plainInput is what a call was given, for reading: JSON escapes (\n, \u003c) cost tokens
// and hide what a command or a file said. What is not an object stays as it is.
func plainInput(raw json.RawMessage) string {
	var in map[string]json.RawMessage
	if json.Unmarshal(raw, &in) != nil {
		return string(raw)
	}
	var out []string
	for _, key := range slices.Sorted(maps.Keys(in)) {
		out = append(out, key+": "+plainValue(in[key]))
	}
	return strings.Join(out, ", ")
}

func plainValue(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	if text, ok := v.(string); ok {
		return text
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return string(raw)
	}
	return strings.TrimSpace(out.String())
}

// middle leaves out lines in the middle until the rest fits.
func middle(lines []string, most int) []string {
	size := 0
	for _, l := range lines {
		size += len(l) + 1
	}
	if size <= most {
		return lines
	}
	first, last, budget := 0, len(lines), most
	for first < last {
		next := lines[first]
		if (first+len(lines)-last)%2 == 1 {
			next = lines[last-1]
		}
		if budget -= len(next) + 1; budget < 0 {
			break
		}
		if (first+len(lines)-last)%2 == 1 {
			last--
		} else {
			first++
		}
	}
	out := append([]string{}, lines[:first]...)
	out = append(out, fmt.Sprintf("[%d lines left out]", last-first))
	return append(out, lines[last:]...)
}

// clip shortens text to n bytes, and says so.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return trimtab.Clip(s, n) + " …"
}
