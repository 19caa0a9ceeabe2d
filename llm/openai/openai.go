package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"

	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/client"
	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/wire/openaichat"
)

// URL is where OpenAI's own API is.
const URL = "https://api.openai.com/v1"

// Options say which model and where.
type Options struct {
	Model     string // the server's name of it
	Provider  string // in front of the name: "openai" if not given
	Name      string // what a person calls it; the provider, a slash and Model if not given
	URL       string // with /v1, without /chat/completions
	Key       key.Key
	MaxTokens int // of a reply, where the request does not say; 0 leaves it to the server
	Sender    *client.Sender
}

// Model is a model behind the Chat Completions API.
type Model struct{ opt Options }

var _ llm.Model = (*Model)(nil)

// New returns a model.
func New(opt Options) (*Model, error) {
	opt.Provider = cmp.Or(opt.Provider, "openai")
	if opt.Model == "" {
		return nil, fmt.Errorf("%s: no model is named", opt.Provider)
	}
	base, err := client.Base(cmp.Or(opt.URL, URL), opt.Key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", opt.Provider, err)
	}
	m := &Model{opt: opt}
	if opt.Name == "" {
		m.opt.Name = opt.Provider + "/" + opt.Model
	}
	m.opt.URL = base
	if opt.Sender == nil {
		m.opt.Sender = client.New(client.Options{})
	}
	return m, nil
}

// Name is what a person calls the model.
func (m *Model) Name() string { return m.opt.Name }

var errEmpty = errors.New("there is nothing to send: the conversation is empty")

// Stream asks the model.
func (m *Model) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	body, err := m.encode(r)
	if err != nil {
		return client.Failed(err)
	}
	l := m.letter("/chat/completions")
	l.Body = body
	l.Near = func(ctx context.Context) []string { return client.Nearest(ctx, m.opt.Model, m.List) }
	return m.opt.Sender.Stream(ctx, l)
}

func (m *Model) letter(path string) client.Letter {
	return client.Letter{
		Name: m.opt.Name, URL: m.opt.URL + path, Header: http.Header{}, Key: m.opt.Key, Format: openaichat.Format{},
		Seal: func(h http.Header) { m.opt.Key.Set(h, "Authorization", "Bearer ") },
	}
}

// List returns the models that the server offers.
func (m *Model) List(ctx context.Context) ([]client.Listed, error) {
	var answer struct {
		Data []struct {
			ID     string `json:"id"`
			Window int    `json:"context_length"` // of some servers
			Length int    `json:"max_model_len"`  // of others
		} `json:"data"`
	}
	if err := m.opt.Sender.Get(ctx, m.letter("/models"), &answer); err != nil {
		return nil, fmt.Errorf("list models: %w", err)
	}
	var all []client.Listed
	for _, d := range answer.Data {
		if d.ID != "" {
			all = append(all, client.Listed{Name: d.ID, Window: cmp.Or(max(d.Window, 0), max(d.Length, 0))})
		}
	}
	return all, nil
}
