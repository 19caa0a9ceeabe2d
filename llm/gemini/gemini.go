package gemini

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/client"
	"github.com/trimtab/trimtab/llm/key"
	wire "github.com/trimtab/trimtab/wire/gemini"
)

// URL is where the API is, if nobody says otherwise.
const URL = "https://generativelanguage.googleapis.com"

// Options say which model and where.
type Options struct {
	Model     string // the provider's name of it, without "models/"
	Name      string // what a person calls it; "gemini/" and Model if not given
	URL       string // without /v1beta
	Key       key.Key
	MaxTokens int // of a reply, where the request does not say; 0 leaves it to the provider
	Sender    *client.Sender
}

// Model is a model behind the Gemini API.
type Model struct{ opt Options }

var _ llm.Model = (*Model)(nil)

// New returns a model.
func New(opt Options) (*Model, error) {
	opt.Model = strings.TrimPrefix(opt.Model, "models/")
	if opt.Model == "" {
		return nil, errors.New("gemini: no model is named")
	}
	base, err := client.Base(cmp.Or(opt.URL, URL), opt.Key)
	if err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	m := &Model{opt: opt}
	if opt.Name == "" {
		m.opt.Name = "gemini/" + opt.Model
	}
	m.opt.URL = base
	if opt.Sender == nil {
		m.opt.Sender = client.New(client.Options{})
	}
	return m, nil
}

// Name is what a person calls the model.
func (m *Model) Name() string { return m.opt.Name }

// Stream asks the model.
func (m *Model) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	body, err := m.encode(r)
	if err != nil {
		return client.Failed(err)
	}
	l := m.letter("/v1beta/models/" + url.PathEscape(m.opt.Model) + ":streamGenerateContent?alt=sse")
	l.Body = body
	l.Near = func(ctx context.Context) []string { return client.Nearest(ctx, m.opt.Model, m.List) }
	return m.opt.Sender.Stream(ctx, l)
}

func (m *Model) letter(path string) client.Letter {
	return client.Letter{
		Name: m.opt.Name, URL: m.opt.URL + path, Header: http.Header{}, Key: m.opt.Key, Format: wire.Format{},
		Seal: func(h http.Header) { m.opt.Key.Set(h, "X-Goog-Api-Key", "") },
	}
}

// List returns the models of the provider that can be talked to.
func (m *Model) List(ctx context.Context) ([]client.Listed, error) {
	var answer struct {
		Models []struct {
			Name    string   `json:"name"`
			Window  int      `json:"inputTokenLimit"`
			Methods []string `json:"supportedGenerationMethods"`
		} `json:"models"`
	}
	if err := m.opt.Sender.Get(ctx, m.letter("/v1beta/models?pageSize=1000"), &answer); err != nil {
		return nil, fmt.Errorf("list models: %w", err)
	}
	var all []client.Listed
	for _, d := range answer.Models {
		if name := strings.TrimPrefix(d.Name, "models/"); name != "" && slices.Contains(d.Methods, "generateContent") {
			all = append(all, client.Listed{Name: name, Window: d.Window})
		}
	}
	return all, nil
}
