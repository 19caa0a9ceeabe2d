package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/llm/registry"
	"github.com/trimtab/trimtab/surface/tui"
)

// pickerOf finds models by the settings, the environment and the keyring.
func (a *app) pickerOf() (*registry.Picker, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	keys := key.Source{Env: a.getenv, Ring: key.System()}
	p, err := registry.New(registry.Options{Config: cfg.Models, Env: a.getenv, Keys: keys})
	if p != nil && err != nil {
		a.progress("models: %s (ignored)\n", err)
		err = nil
	}
	return p, err
}

// keys are those that can be entered.
func (t *talk) keys() (out []tui.Item) {
	for _, k := range t.picker.KeyNames() {
		out = append(out, tui.Item{Name: k.For, Key: k.Account, Text: map[bool]string{true: k.Account + " is there", false: k.Account}[k.Known]})
	}
	return out
}

// models are those to choose from.
func (t *talk) models(ctx context.Context) ([]tui.Item, error) {
	var out []tui.Item
	for _, e := range t.picker.List(ctx) {
		it := tui.Item{Name: e.Name, Text: e.Provider, Off: e.Why}
		if e.Window > 0 {
			it.Text += fmt.Sprintf(", %dk tokens", e.Window/1000)
		}
		if e.Price.Known() {
			it.Text += fmt.Sprintf(", $%g in, $%g out a million", *e.Price.Input, *e.Price.Output)
		}
		if e.Usable {
			it.Off = ""
		}
		out = append(out, it)
	}
	slices.SortStableFunc(out, func(a, b tui.Item) int { // what can be chosen comes first
		return cmp.Compare(min(len(a.Off), 1), min(len(b.Off), 1))
	})
	return out, nil
}
