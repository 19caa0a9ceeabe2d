package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/demo"
	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/llm/registry"
	"github.com/trimtab/trimtab/surface/tui"
)

const maxScript = 4 << 20

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

// open finds the model by its name; "" is the default. note is what a person
// should know of it.
func (t *talk) open(ctx context.Context, name string) (m llm.Model, note string, err error) {
	if file, ok := strings.CutPrefix(name, "demo:"); ok {
		m, err = playScript(file)
		return m, "", err
	}
	hint := ""
	if name == "" {
		name, hint = t.picker.Default(ctx)
	}
	m, err = t.picker.Open(ctx, name)
	if err == nil && m.Name() == "demo" {
		note = "This is the built-in demo model: no key, no network. " + hint
	}
	return m, strings.TrimSpace(note), err
}

func playScript(file string) (llm.Model, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("model demo:%s: %w", file, err)
	}
	if info.Size() > maxScript {
		return nil, fmt.Errorf("model demo:%s: %d bytes are over the limit of %d", file, info.Size(), maxScript)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("model demo:%s: %w", file, err)
	}
	script, err := demo.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("model demo:%s: %w", file, err)
	}
	return demo.Play(file, script, demo.Options{}), nil
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
