package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
)

// Runner takes prompts to a model. An Agent is one.
type Runner interface {
	Run(ctx context.Context, session string, prompt trimtab.Message) iter.Seq2[Event, error]
}

// ByMode runs each prompt with the model that is set for the session's mode.
type ByMode struct {
	Models  map[string]string // the model's name, by mode
	Default Runner            // for modes that have none

	// Session returns a session as it stands.
	Session func(ctx context.Context, id string) (trimtab.Session, error)

	// Open finds a model by its name.
	Open func(ctx context.Context, name string) (llm.Model, error)

	// With returns a runner for another model.
	With func(llm.Model) Runner
}

// Run takes a prompt to the model of the mode that the session is in now.
func (b ByMode) Run(ctx context.Context, session string, prompt trimtab.Message) iter.Seq2[Event, error] {
	mode, err := b.mode(ctx, session)
	if err != nil {
		return failing(err)
	}
	name := b.Models[mode]
	if name == "" {
		return b.Default.Run(ctx, session, prompt)
	}
	model, err := b.Open(ctx, name)
	if err != nil {
		return failing(fmt.Errorf("modes.model.%s: %w", mode, err))
	}
	return b.With(model).Run(ctx, session, prompt)
}

// Compact folds the finished turns of a session.
func (b ByMode) Compact(ctx context.Context, session string) iter.Seq2[Event, error] {
	c, ok := b.Default.(interface {
		Compact(ctx context.Context, session string) iter.Seq2[Event, error]
	})
	if !ok {
		return failing(errors.New("turns cannot be folded here"))
	}
	return c.Compact(ctx, session)
}

func (b ByMode) mode(ctx context.Context, session string) (string, error) {
	s, err := b.Session(ctx, session)
	if err != nil {
		return "", err
	}
	raw, err := s.Memory("mode")
	if err != nil || len(raw) == 0 {
		return "", err
	}
	var m struct {
		Mode string `json:"mode"`
	}
	_ = json.Unmarshal(raw, &m) // one that cannot be read is Normal, as the mode itself takes it
	return m.Mode, nil
}

func failing(err error) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) { yield(nil, err) }
}
