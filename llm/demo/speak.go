package demo

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
)

// reply is what the model has decided to say.
type reply struct {
	text  string
	calls []trimtab.ToolCall
	fail  string // it breaks off with this error
}

// speaker says replies.
type speaker struct {
	name  string
	delay time.Duration
}

// speak streams a reply: its words, its calls, and then the whole of it.
func (s speaker) speak(ctx context.Context, r llm.Request, rep reply) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for word := range words(rep.text) {
			if err := s.wait(ctx); err != nil {
				yield(nil, err)
				return
			}
			if !yield(llm.TextDelta{Text: word}, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		if rep.fail != "" {
			yield(nil, errors.New(rep.fail))
			return
		}
		for _, c := range rep.calls {
			if !yield(llm.CallDelta{ID: c.ID, Name: c.Name, Input: string(c.Input)}, nil) {
				return
			}
		}
		yield(s.done(r, rep), nil)
	}
}

func (s speaker) done(r llm.Request, rep reply) llm.Done {
	d := llm.Done{Stop: llm.StopEnd, Message: trimtab.Message{Role: trimtab.RoleAssistant, Model: s.name}}
	if rep.text != "" {
		d.Message.Parts = append(d.Message.Parts, trimtab.Text{Text: rep.text, By: trimtab.Model})
	}
	for _, c := range rep.calls {
		d.Stop = llm.StopCalls
		d.Message.Parts = append(d.Message.Parts, c)
	}
	d.Message.Usage = &trimtab.Usage{Input: tokens(weigh(r)), Output: tokens(d.Message.Size())}
	return d
}

// wait lets the time between two words pass.
func (s speaker) wait(ctx context.Context) error {
	if s.delay <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(s.delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// words yields the words of a text, each with the blanks behind it.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			end := len(text)
			if i := strings.IndexAny(text, " \n"); i >= 0 {
				rest := strings.TrimLeft(text[i:], " \n")
				end = len(text) - len(rest)
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}

// weigh is the size of a request in bytes.
func weigh(r llm.Request) int {
	n := len(r.System)
	for _, m := range r.Messages {
		n += m.Size()
	}
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n
}

// tokens is an estimate, as good as any for a model that has none.
func tokens(bytes int) int { return (bytes + 3) / 4 }
