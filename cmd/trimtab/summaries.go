package main

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/trimtab/trimtab/agent/summary"
	"github.com/trimtab/trimtab/llm"
)

// summaries has a model write the summaries of finished frames, where the settings
// say so, until the context ends.
func (a *app) summaries(ctx context.Context, log *slog.Logger) error {
	cfg, err := a.config()
	if err != nil || cfg.Frames.Summaries != "model" {
		return err
	}
	st, err := a.store(ctx)
	if err != nil {
		return err
	}
	service, err := a.sessions(ctx)
	if err != nil {
		return err
	}
	picker, err := a.pickerOf()
	if err != nil {
		return err
	}
	w := summary.Writer{Service: service, History: st, Log: log, Model: func(ctx context.Context) (llm.Model, error) {
		name := cmp.Or(cfg.Frames.Model, a.flag.model)
		if name == "" {
			name, _ = picker.Default(ctx)
		}
		return picker.Open(ctx, name)
	}}
	go w.Watch(ctx, service.Subscribe(ctx))
	return nil
}
