package registry

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// Config is what can be set. Zero values take the defaults.
type Config struct {
	Default  string            `json:"default" doc:"the model where none is named; empty takes the first that can be used"`
	Named    map[string]string `json:"named" guard:"user" doc:"models by names of your own, each as: provider/model at URL with VARIABLE; for example openai/qwen3 at http://127.0.0.1:8080/v1 with LOCAL_KEY; URL and VARIABLE may be left out"`
	Prices   map[string]string `json:"prices" doc:"dollars for a million tokens by model, each as: input=3 output=15 cacheRead=0.3 cacheWrite=3.75 window=200000"`
	Thinking int               `json:"thinking" min:"0" max:"100000" doc:"tokens that older Claude models may think before they reply; 0 is none, and newer ones decide themselves"`
	Probe    int               `json:"probe" default:"300" min:"10" max:"10000" doc:"milliseconds to look for Ollama"`
	Patience int               `json:"patience" default:"2000" min:"100" max:"60000" doc:"milliseconds that a provider's list of models may take"`
}

// Target is which model, where, with which key.
type Target struct {
	Provider string // anthropic, openai, gemini or ollama
	Model    string // the provider's name of it
	URL      string // "" is the provider's own
	KeyEnv   string // the variable with the key; "" is the provider's own, and none where URL is somewhere else
}

// The providers, in the order in which one is chosen.
const (
	anthropicAPI = "anthropic"
	openaiAPI    = "openai"
	geminiAPI    = "gemini"
	ollamaAPI    = "ollama"
)

var providers = []string{anthropicAPI, openaiAPI, geminiAPI, ollamaAPI}

var variable = lazyregexp.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ParseTarget reads "provider/model at URL with VARIABLE".
func ParseTarget(text string) (Target, error) {
	const form = "write it as provider/model at URL with VARIABLE"
	words := strings.Fields(text)
	if len(words) == 0 {
		return Target{}, errors.New("it is empty; " + form)
	}
	var t Target
	var ok bool
	t.Provider, t.Model, ok = strings.Cut(words[0], "/")
	if !ok || t.Model == "" || !slices.Contains(providers, t.Provider) {
		return Target{}, fmt.Errorf("it does not begin with a provider (%s), a slash and a model; %s", strings.Join(providers, ", "), form)
	}
	for rest := words[1:]; len(rest) > 0; rest = rest[2:] {
		if len(rest) < 2 {
			return Target{}, errors.New("a word is missing at its end; " + form)
		}
		switch {
		case rest[0] == "at" && t.URL == "":
			t.URL = rest[1]
		case rest[0] == "with" && t.KeyEnv == "":
			if !variable().MatchString(rest[1]) { // it may be the key itself: it is not repeated
				return Target{}, errors.New("what follows \"with\" is not the name of a variable; name the variable that holds the key, and never the key itself")
			}
			t.KeyEnv = rest[1]
		default:
			return Target{}, errors.New("it has a word that does not belong there; " + form)
		}
	}
	return t, nil
}

// targets reads the names of the settings. Those that cannot be read are left out
// and told.
func targets(named map[string]string) (map[string]Target, error) {
	all := map[string]Target{}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(named)) {
		t, err := ParseTarget(named[name])
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("model %s: %w", name, err))
		case name == "demo" || strings.HasPrefix(name, "demo:") || strings.ContainsAny(name, "/ \t\n"):
			errs = append(errs, fmt.Errorf("model %q: a name of your own may not be demo, nor hold a slash or a blank", name))
		default:
			all[name] = t
		}
	}
	return all, errors.Join(errs...)
}
