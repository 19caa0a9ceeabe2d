package price

import (
	_ "embed" // the table
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

//go:embed models.json
var models []byte

// Entry is what is known of a model.
type Entry struct {
	Provider  string `json:"provider"`
	Name      string `json:"name"` // the provider's name of it
	Rates            // dollars for a million tokens
	UpTo      int    `json:"upTo"`      // the largest request for which they hold; 0 is any
	Window    int    `json:"window"`    // tokens of context; 0 is not known
	MaxOutput int    `json:"maxOutput"` // tokens of a reply; 0 is not known
	Seen      string `json:"seen"`      // the day on which this was so
}

// Rates are dollars for a million tokens. What is nil is not known.
type Rates struct {
	Input      *float64 `json:"input"`
	Output     *float64 `json:"output"`
	CacheRead  *float64 `json:"cacheRead"`
	CacheWrite *float64 `json:"cacheWrite"`
}

// Known reports whether there is a price at all.
func (r Rates) Known() bool { return r.Input != nil && r.Output != nil }

// Table is what is known of all models. It does not change.
type Table struct{ all []Entry }

// New returns the built-in table with prices of the user's over it: by name, as in
// "input=3 output=15 cacheRead=0.3 cacheWrite=3.75 window=200000". A name may
// have its provider in front.
func New(own map[string]string) (*Table, error) {
	var file struct {
		Models []Entry `json:"models"`
	}
	if err := json.Unmarshal(models, &file); err != nil {
		return nil, fmt.Errorf("the built-in table of prices: %w", err)
	}
	t := &Table{all: file.Models}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(own)) {
		e, err := parse(name, own[name])
		if err != nil {
			errs = append(errs, fmt.Errorf("the price of %s: %w", name, err))
			continue
		}
		t.all = append([]Entry{e}, t.all...)
	}
	return t, errors.Join(errs...)
}

// providers are the words in front of a name that are none of its own.
var providers = []string{"anthropic", "openai", "gemini", "ollama"}

func split(model string) (provider, name string) {
	if before, after, ok := strings.Cut(model, "/"); ok && slices.Contains(providers, before) {
		return before, after
	}
	return "", model
}

// parse reads an entry of the user's.
func parse(name, text string) (Entry, error) {
	var e Entry
	e.Provider, e.Name = split(name)
	for _, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(word, "=")
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || n < 0 || math.IsInf(n, 0) || math.IsNaN(n) || n > 1e9 {
			return e, fmt.Errorf("invalid price %q; write it as input=3 output=15", word)
		}
		switch key {
		case "input":
			e.Input = &n
		case "output":
			e.Output = &n
		case "cacheRead":
			e.CacheRead = &n
		case "cacheWrite":
			e.CacheWrite = &n
		case "window":
			e.Window = int(n)
		default:
			return e, fmt.Errorf("%q is not known; there are input, output, cacheRead, cacheWrite and window", key)
		}
	}
	return e, nil
}

// dated is the end of a name that only says which issue of a model it is.
var dated = lazyregexp.Pattern(`(?:[-@]20\d{6}|-20\d\d-\d\d-\d\d|-latest)$`)

// Base is a model's name without the date of its issue.
func Base(name string) string { return dated().ReplaceAllString(name, "") }

// Find returns what is known of a model. Its name may have the provider in front
// and a date at its end.
func (t *Table) Find(model string) (Entry, bool) {
	provider, name := split(model)
	for _, want := range []string{name, Base(name)} {
		for _, e := range t.all {
			if e.Name == want && (provider == "" || e.Provider == "" || e.Provider == provider) {
				return e, true
			}
		}
	}
	return Entry{}, false
}

// Of returns the models of a provider, the one to begin with first.
func (t *Table) Of(provider string) []Entry {
	var all []Entry
	for _, e := range t.all {
		if e.Provider == provider {
			all = append(all, e)
		}
	}
	return all
}

// Cost is what a reply cost, in dollars. ok is false where that is not known: for
// a model without a price, and for a usage of which a part has none.
func (t *Table) Cost(model string, u trimtab.Usage) (dollars float64, ok bool) {
	provider, name := split(model)
	if name == "demo" || provider == "ollama" && !strings.HasSuffix(name, "cloud") {
		if _, priced := t.Find(model); !priced {
			return 0, true // it runs on this machine: nobody sends a bill
		}
	}
	e, found := t.Find(model)
	if !found || !e.Known() || e.UpTo > 0 && u.Context() > e.UpTo {
		return 0, false
	}
	for _, part := range []struct {
		tokens int
		rate   *float64
	}{{u.Input, e.Input}, {u.Output, e.Output}, {u.CacheRead, e.CacheRead}, {u.CacheWrite, e.CacheWrite}} {
		if part.tokens == 0 {
			continue
		}
		if part.rate == nil {
			return 0, false
		}
		dollars += float64(part.tokens) * *part.rate / 1e6
	}
	return dollars, true
}
