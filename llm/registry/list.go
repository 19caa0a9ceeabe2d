package registry

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/trimtab/trimtab/internal/lazyregexp"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/client"
	"github.com/trimtab/trimtab/llm/price"
)

// Entry is a model to choose.
type Entry struct {
	Name     string // what Open takes
	Provider string
	Window   int         // tokens of context; 0 is not known
	Price    price.Rates // dollars for a million tokens, as far as they are known
	Usable   bool
	Why      string // why it is not usable, and what to do
}

// List returns the models that can be chosen: those of the settings, then those
// of each provider, then the demo. Providers that can be asked are asked for what
// they have, all at once; where one does not answer in time, its models are those
// that we know of.
func (p *Picker) List(ctx context.Context) []Entry {
	var all []Entry
	for _, name := range slices.Sorted(maps.Keys(p.named)) {
		all = append(all, p.namedEntry(name))
	}
	found := make([][]Entry, len(providers))
	var wg sync.WaitGroup
	for i, provider := range providers {
		wg.Go(func() { found[i] = p.entries(ctx, provider) })
	}
	wg.Wait()
	for _, f := range found {
		all = append(all, f...)
	}
	return append(all, Entry{Name: p.opt.Demo.Name(), Provider: "built in", Usable: true})
}

func (p *Picker) namedEntry(name string) Entry {
	t := p.named[name]
	known, _ := p.prices.Find(p.priced(name))
	e := Entry{Name: name, Provider: t.Provider, Window: known.Window, Price: known.Rates, Usable: true}
	if _, err := p.open(t, name); err != nil {
		e.Usable, e.Why = false, err.Error()
	}
	return e
}

// entries are the models of a provider.
func (p *Picker) entries(ctx context.Context, provider string) []Entry {
	d, err := p.endpoint(Target{Provider: provider})
	if err != nil {
		return nil // Open says what is wrong with it
	}
	if why := d.lacks(); why != "" {
		return p.known(provider, nil, why)
	}
	listed, err := p.ask(ctx, d)
	switch {
	case provider == ollamaAPI || d.given && !d.home:
		return p.offered(provider, listed) // what we know of is elsewhere
	case errors.Is(err, llm.ErrKey):
		return p.known(provider, nil, err.Error())
	case err != nil || len(listed) == 0:
		return p.known(provider, nil, "")
	}
	return append(p.known(provider, listed, ""), p.more(provider, listed)...)
}

// known are the models that the table has. Where the provider told what it offers,
// those that it does not are not usable.
func (p *Picker) known(provider string, listed []client.Listed, why string) []Entry {
	var all []Entry
	for _, k := range p.prices.Of(provider) {
		e := Entry{Name: provider + "/" + k.Name, Provider: provider, Window: k.Window, Price: k.Rates, Usable: why == "", Why: why}
		if listed != nil && !slices.ContainsFunc(listed, func(l client.Listed) bool { return same(l.Name, k.Name) }) {
			e.Usable, e.Why = false, "the provider does not offer it to this key"
		}
		all = append(all, e)
	}
	return all
}

func same(listed, known string) bool { return listed == known || price.Base(listed) == known }

// more are the models that a provider offers and the table does not have.
func (p *Picker) more(provider string, listed []client.Listed) []Entry {
	var new []client.Listed
	for _, l := range listed {
		known := slices.ContainsFunc(p.prices.Of(provider), func(k price.Entry) bool { return same(l.Name, k.Name) })
		if !known && talks(provider, l.Name) {
			new = append(new, l)
		}
	}
	return p.offered(provider, new)
}

// offered are models as a provider tells of them.
func (p *Picker) offered(provider string, listed []client.Listed) []Entry {
	var all []Entry
	for _, l := range listed {
		k, _ := p.prices.Find(provider + "/" + l.Name)
		all = append(all, Entry{Name: provider + "/" + l.Name, Provider: provider, Window: cmp.Or(l.Window, k.Window), Price: k.Rates, Usable: true})
	}
	return all
}

// other are words in the names of models that do not talk, or not by this API.
var other = lazyregexp.Pattern(`audio|realtime|image|tts|transcribe|search|instruct|embedding|moderation|research|live|codex|robotics|computer-use|aqa|-pro(-20|$)`)

// talks reports whether a model of a provider's list is one to talk to.
func talks(provider, name string) bool {
	switch provider {
	case openaiAPI:
		return openaiName().MatchString(name) && !other().MatchString(name)
	case geminiAPI:
		return strings.HasPrefix(name, "gemini-") && !other().MatchString(strings.ReplaceAll(name, "-pro", ""))
	}
	return true
}
