package registry

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/anthropic"
	"github.com/trimtab/trimtab/llm/client"
	"github.com/trimtab/trimtab/llm/gemini"
	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/llm/openai"
)

// endpoint is where a model is asked, and with what.
type endpoint struct {
	target Target
	url    string
	key    key.Key
	home   bool // it is the provider's own address
	given  bool // the address is the user's, from the environment or the settings
}

// habits are what a provider's users are used to.
type habits struct {
	url  string   // its own address
	urls []string // variables with another one
	keys []string // variables with the key
}

func habitsOf(provider string) habits {
	switch provider {
	case anthropicAPI:
		return habits{anthropic.URL, []string{"ANTHROPIC_BASE_URL"}, []string{"ANTHROPIC_API_KEY"}}
	case geminiAPI:
		return habits{gemini.URL, []string{"GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL"}, []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}}
	case openaiAPI:
		return habits{openai.URL, []string{"OPENAI_BASE_URL", "OPENAI_API_BASE"}, []string{"OPENAI_API_KEY"}}
	}
	return habits{}
}

// endpoint finds the address and the key of a target. The provider's own key goes to
// its own address and to one from the environment; to one from the settings goes
// only the key that the settings name with it.
func (p *Picker) endpoint(t Target) (endpoint, error) {
	d := endpoint{target: t, url: t.URL, given: t.URL != ""}
	h := habitsOf(t.Provider)
	for _, name := range h.urls {
		if d.url == "" {
			d.url = strings.TrimSpace(p.opt.Env(name))
			d.given = d.url != ""
		}
	}
	if t.Provider == ollamaAPI && d.url == "" {
		base, err := openai.OllamaBase(p.opt.Env("OLLAMA_HOST"))
		if err != nil {
			return d, err
		}
		d.url, d.given = base, true
	}
	d.url = cmp.Or(d.url, h.url)
	d.home = sameHost(d.url, h.url)
	switch {
	case t.KeyEnv != "":
		d.key = p.opt.Keys.Find(t.KeyEnv)
	case t.Provider == ollamaAPI:
	case t.URL == "" || d.home:
		d.key = p.opt.Keys.Find(h.keys...)
	}
	return d, nil
}

func sameHost(a, b string) bool {
	x, err1 := url.Parse(a)
	y, err2 := url.Parse(b)
	return err1 == nil && err2 == nil && x.Host != "" && strings.EqualFold(x.Host, y.Host) && x.Scheme == y.Scheme
}

// lister is a model that knows its siblings.
type lister interface {
	llm.Model
	List(ctx context.Context) ([]client.Listed, error)
}

// open makes the model of a target. called is its name in the settings, or "".
func (p *Picker) open(t Target, called string) (llm.Model, error) {
	d, err := p.endpoint(t)
	if err != nil {
		return nil, err
	}
	if why := d.lacks(); why != "" {
		return nil, fmt.Errorf("%w; %s", llm.ErrKey, why)
	}
	return p.make(d, called)
}

// lacks says what is missing before the endpoint can be asked, or "".
func (d endpoint) lacks() string {
	switch {
	case !d.key.Empty():
		return ""
	case d.target.KeyEnv != "" || d.home:
		from := d.key.From()
		return fmt.Sprintf("set %s, or keep the key in the system's keyring (service %s, account %s)", from, key.Service, from)
	}
	return "" // a server of one's own may want none
}

// make makes the model at an endpoint.
func (p *Picker) make(d endpoint, called string) (lister, error) {
	known, _ := p.prices.Find(d.target.Provider + "/" + d.target.Model)
	switch d.target.Provider {
	case anthropicAPI:
		limit := 0
		if known.MaxOutput > 0 {
			limit = min(known.MaxOutput, 32_000)
		}
		return anthropic.New(anthropic.Options{
			Model: d.target.Model, Name: called, URL: d.url, Key: d.key, Sender: p.opt.Sender, MaxTokens: limit, Budget: p.opt.Thinking,
		})
	case geminiAPI:
		return gemini.New(gemini.Options{Model: d.target.Model, Name: called, URL: d.url, Key: d.key, Sender: p.opt.Sender})
	case ollamaAPI:
		d.url = strings.TrimSuffix(strings.TrimRight(d.url, "/"), "/v1") + "/v1"
	}
	return openai.New(openai.Options{Model: d.target.Model, Provider: d.target.Provider, Name: called, URL: d.url, Key: d.key, Sender: p.opt.Sender})
}
