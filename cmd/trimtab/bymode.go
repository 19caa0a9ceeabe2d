package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/surface/tui"
)

// byMode runs prompts with the model that the settings name for the session's
// mode (modes.model), and with the chosen one where they name none.
type byMode struct {
	*talk
	models map[string]string // by mode
	chosen tui.Runner
	with   func(llm.Model) tui.Runner
}

func (b byMode) Run(ctx context.Context, session string, prompt trimtab.Message) iter.Seq2[agent.Event, error] {
	mode, err := b.modeOf(ctx, session)
	if err != nil {
		return failing(err)
	}
	name := b.models[mode]
	if name == "" {
		return b.chosen.Run(ctx, session, prompt)
	}
	model, _, err := b.open(ctx, name)
	if err != nil {
		return failing(fmt.Errorf("modes.model.%s: %w", mode, err))
	}
	return b.with(model).Run(ctx, session, prompt)
}

func (b byMode) modeOf(ctx context.Context, session string) (string, error) {
	s, err := b.service.Session(ctx, session)
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

func failing(err error) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) { yield(nil, err) }
}
