package anthropic

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
	wire "github.com/trimtab/trimtab/wire/anthropic"
)

// URL is where the API is, if nobody says otherwise.
const URL = "https://api.anthropic.com"

// version is that of the API; it names a form of messages and not a day.
const version = "2023-06-01"

// Options say which model, where and how.
type Options struct {
	Model     string // the provider's name of it
	Name      string // what a person calls it; "anthropic/" and Model if not given
	URL       string // without /v1/messages
	Key       key.Key
	MaxTokens int // of a reply, where the request does not say; 16,000 if not given
	Budget    int // tokens of thinking, for models that want to be told; 0 is none. Newer models decide themselves.
	Sender    *client.Sender
}

// Model is a model behind the Messages API.
type Model struct{ opt Options }

var _ llm.Model = (*Model)(nil)

// New returns a model.
func New(opt Options) (*Model, error) {
	if opt.Model == "" {
		return nil, errors.New("anthropic: no model is named")
	}
	base, err := client.Base(cmp.Or(opt.URL, URL), opt.Key)
	if err != nil {
		return nil, fmt.Errorf("anthropic: %w", err)
	}
	m := &Model{opt: opt}
	if opt.Name == "" {
		m.opt.Name = "anthropic/" + opt.Model
	}
	m.opt.URL = base
	m.opt.MaxTokens = cmp.Or(opt.MaxTokens, 16_000)
	if opt.Sender == nil {
		m.opt.Sender = client.New(client.Options{})
	}
	return m, nil
}

// Name is what a person calls the model.
func (m *Model) Name() string { return m.opt.Name }

// Stream asks the model.
func (m *Model) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	body, thought, err := m.encode(r, true)
	if err != nil {
		return client.Failed(err)
	}
	l := m.letter("/v1/messages")
	l.Body = body
	if thought {
		l.Spare = func() ([]byte, error) {
			body, _, err := m.encode(r, false)
			return body, err
		}
	}
	l.Near = func(ctx context.Context) []string { return client.Nearest(ctx, m.opt.Model, m.List) }
	return m.opt.Sender.Stream(ctx, l)
}

func (m *Model) letter(path string) client.Letter {
	h := http.Header{}
	h.Set("Anthropic-Version", version)
	return client.Letter{
		Name: m.opt.Name, URL: m.opt.URL + path, Header: h, Key: m.opt.Key, Format: wire.Format{},
		Seal: func(h http.Header) { m.opt.Key.Set(h, "X-Api-Key", "") },
	}
}

// List returns the models that the provider offers to this key.
func (m *Model) List(ctx context.Context) ([]client.Listed, error) {
	var answer struct {
		Data []struct {
			ID     string `json:"id"`
			Window int    `json:"max_input_tokens"`
		} `json:"data"`
	}
	if err := m.opt.Sender.Get(ctx, m.letter("/v1/models?limit=1000"), &answer); err != nil {
		return nil, fmt.Errorf("list models: %w", err)
	}
	var all []client.Listed
	for _, d := range answer.Data {
		if d.ID != "" {
			all = append(all, client.Listed{Name: d.ID, Window: d.Window})
		}
	}
	return all, nil
}
