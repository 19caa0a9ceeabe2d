package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/demo"
)

const maxScript = 4 << 20

// model finds the model by its name.
func (a *app) model(name string) (llm.Model, error) {
	if file, ok := strings.CutPrefix(name, "demo:"); ok {
		info, err := os.Stat(file)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", name, err)
		}
		if info.Size() > maxScript {
			return nil, fmt.Errorf("model %s: %d bytes are over the limit of %d", name, info.Size(), maxScript)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", name, err)
		}
		script, err := demo.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", name, err)
		}
		return demo.Play(name, script, demo.Options{}), nil
	}
	if name == "" || name == "demo" {
		return demo.New(demo.Options{}), nil
	}
	return nil, misused("model %q is not known; there are demo, the built-in one, and demo:FILE, a script", name)
}
