package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/lazyregexp"
	"github.com/trimtab/trimtab/internal/settingtag"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/client"
	"github.com/trimtab/trimtab/llm/demo"
	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/llm/openai"
	"github.com/trimtab/trimtab/llm/price"
)

// Options are what a Picker is made of.
type Options struct {
	Config
	Env    func(string) string // for base URLs; nil is an empty environment
	Keys   key.Source
	Sender *client.Sender // one of our own if nil
	Demo   llm.Model      // the usual one if nil
}

// Picker finds models. It is safe to share.
type Picker struct {
	opt    Options
	named  map[string]Target
	prices *price.Table
}

// New returns a Picker. Where only some of the settings cannot be read, it returns
// a Picker that does without them, and an error that tells of them.
func New(opt Options) (*Picker, error) {
	cfg, err := settingtag.Fill(opt.Config)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	opt.Config = cfg
	if opt.Env == nil {
		opt.Env = func(string) string { return "" }
	}
	if opt.Sender == nil {
		opt.Sender = client.New(client.Options{})
	}
	if opt.Demo == nil {
		opt.Demo = demo.New(demo.Options{})
	}
	p := &Picker{opt: opt}
	var bad, worse error
	p.named, bad = targets(opt.Named)
	p.prices, worse = price.New(opt.Prices)
	if p.prices == nil {
		return nil, worse
	}
	return p, errors.Join(bad, worse)
}

// Hint tells how to connect a real model.
const Hint = "To talk to a real model, set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or start Ollama."

// Default is the model where none is named. hint is not empty where it is only
// the demo, and tells how to connect a real one.
func (p *Picker) Default(ctx context.Context) (name, hint string) {
	if p.opt.Default != "" {
		return p.opt.Default, ""
	}
	for _, provider := range providers {
		if provider == ollamaAPI { // what a person configured is meant before what merely runs
			if name := p.firstNamed(); name != "" {
				return name, ""
			}
		}
		if name := p.first(ctx, provider); name != "" {
			return name, ""
		}
	}
	return p.opt.Demo.Name(), Hint
}

// firstNamed is the first of the settings' own models that can be asked, or "".
func (p *Picker) firstNamed() string {
	for _, name := range slices.Sorted(maps.Keys(p.named)) {
		if _, err := p.open(p.named[name], name); err == nil {
			return name
		}
	}
	return ""
}

// KeyName is a key that a model is asked with.
type KeyName struct {
	For     string // a provider, or a model of the settings
	Account string // the variable that would hold it, which is its name in the keyring too
	Known   bool
}

// KeyNames are the keys that models can be asked with.
func (p *Picker) KeyNames() []KeyName {
	var all []KeyName
	add := func(of string, accounts ...string) {
		if len(accounts) > 0 && accounts[0] != "" && !slices.ContainsFunc(all, func(k KeyName) bool { return k.Account == accounts[0] }) {
			all = append(all, KeyName{of, accounts[0], !p.opt.Keys.Find(accounts...).Empty()})
		}
	}
	for _, provider := range providers {
		add(provider, habitsOf(provider).keys...)
	}
	for _, name := range slices.Sorted(maps.Keys(p.named)) {
		add(name, p.named[name].KeyEnv)
	}
	return all
}

// first is the model to begin with of a provider, or "".
func (p *Picker) first(ctx context.Context, provider string) string {
	d, err := p.endpoint(Target{Provider: provider})
	if err != nil {
		return ""
	}
	if provider != ollamaAPI && d.home { // the models of an own address are known
		if known := p.prices.Of(provider); !d.key.Empty() && len(known) > 0 {
			return provider + "/" + known[0].Name
		}
		return ""
	}
	if provider != ollamaAPI && !d.given { // no address, and no key for it
		return ""
	}
	listed, err := p.ask(ctx, d)
	if err != nil || len(listed) == 0 {
		return ""
	}
	return provider + "/" + listed[0].Name
}

// Open returns the model that a name means; "" is the default.
func (p *Picker) Open(ctx context.Context, name string) (llm.Model, error) {
	if name == "" {
		name, _ = p.Default(ctx)
	}
	if name == "demo" || name == p.opt.Demo.Name() {
		return p.opt.Demo, nil
	}
	t, own, err := p.resolve(ctx, name)
	if err != nil {
		return nil, err
	}
	called := ""
	if own {
		called = name
	}
	m, err := p.open(t, called)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	return m, nil
}

var openaiName = lazyregexp.Pattern(`^(gpt-|chatgpt-|o[1-9](-|$))`)

// resolve finds out what a name means. own says that it is one of the settings'.
func (p *Picker) resolve(ctx context.Context, name string) (t Target, own bool, err error) {
	if t, ok := p.named[name]; ok {
		return t, true, nil
	}
	provider, model, both := strings.Cut(name, "/")
	if provider == "google" {
		provider = geminiAPI
	}
	switch {
	case both && model != "" && slices.Contains(providers, provider):
		return Target{Provider: provider, Model: model}, false, nil
	case strings.HasPrefix(name, "claude-"):
		return Target{Provider: anthropicAPI, Model: name}, false, nil
	case openaiName().MatchString(name):
		return Target{Provider: openaiAPI, Model: name}, false, nil
	case strings.HasPrefix(name, "gemini-"):
		return Target{Provider: geminiAPI, Model: name}, false, nil
	}
	if d, err := p.endpoint(Target{Provider: ollamaAPI}); err == nil {
		listed, _ := p.ask(ctx, d) // no Ollama, no model of it
		if slices.ContainsFunc(listed, func(l client.Listed) bool { return l.Name == strings.TrimSuffix(name, ":latest") }) {
			return Target{Provider: ollamaAPI, Model: name}, false, nil
		}
	}
	return Target{}, false, p.unknown(name)
}

// Means returns what a name means, where it is one of the settings' own, and the
// variable with its key, where that is not the provider's usual one.
func (p *Picker) Means(name string) (text, variable string) {
	t, ok := p.named[name]
	if !ok {
		return "", ""
	}
	return p.opt.Named[name], t.KeyEnv
}

// unknown says that a name means nothing, and what may have been meant.
func (p *Picker) unknown(name string) error {
	names := slices.Sorted(maps.Keys(p.named))
	names = append(names, "demo")
	for _, provider := range providers {
		for _, e := range p.prices.Of(provider) {
			names = append(names, e.Name, provider+"/"+e.Name)
		}
	}
	do := "write it as provider/model, with a provider of " + strings.Join(providers, ", ") + ", or demo"
	if near := client.Near(name, names); len(near) > 0 {
		do = "near it: " + strings.Join(near, ", ")
	}
	return fmt.Errorf("model %q: %w; %s", name, llm.ErrModel, do)
}

// Cost is what a reply of a model cost, in dollars; ok is false where that is not
// known.
func (p *Picker) Cost(model string, u trimtab.Usage) (dollars float64, ok bool) {
	return p.prices.Cost(p.priced(model), u)
}

// Window is how many tokens of context a model has; 0 is not known.
func (p *Picker) Window(model string) int {
	e, _ := p.prices.Find(p.priced(model))
	return e.Window
}

// priced is the name under which a model has its price. One of the settings' that
// is at an address of its own has one only where the settings give it.
func (p *Picker) priced(model string) string {
	t, ok := p.named[model]
	if _, own := p.prices.Find(model); !ok || own || t.URL != "" {
		return model
	}
	return t.Provider + "/" + t.Model
}

// ask asks a provider for its models, for no longer than the settings allow.
func (p *Picker) ask(ctx context.Context, d endpoint) ([]client.Listed, error) {
	limit := p.opt.Patience
	if d.target.Provider == ollamaAPI {
		limit = p.opt.Probe
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(limit)*time.Millisecond)
	defer cancel()
	if d.target.Provider == ollamaAPI {
		return openai.Ollama(ctx, p.opt.Sender, d.url)
	}
	d.target.Model = cmp.Or(d.target.Model, "any") // which one does not matter to a list
	m, err := p.make(d, "")
	if err != nil {
		return nil, err
	}
	return m.List(ctx)
}
