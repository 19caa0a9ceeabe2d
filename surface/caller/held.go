package caller

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/llm/key"
)

// Held are the keys of providers that the gateway has, so that callers need none.
type Held map[string]key.Key

// maxKeyFile is the largest file that is read as a key.
const maxKeyFile = 16 << 10

// Hold finds the keys that the settings name: env:NAME, file:PATH or keyring:NAME for each
// provider. One that is not there stops the start: callers would be refused without a word
// to whoever set it up.
func Hold(named map[string]string, env func(string) string, ring key.Ring) (Held, error) {
	held := Held{}
	var errs []error
	for _, provider := range slices.Sorted(maps.Keys(named)) {
		if _, ok := headers[provider]; !ok {
			errs = append(errs, fmt.Errorf("serve.providerKeys: provider %q is not known; there are %s", provider, strings.Join(slices.Sorted(maps.Keys(headers)), ", ")))
			continue
		}
		k, err := Find(named[provider], env, ring)
		if err != nil {
			errs = append(errs, fmt.Errorf("serve.providerKeys.%s: %s: %w", provider, named[provider], err))
			continue
		}
		held[provider] = k
	}
	return held, errors.Join(errs...)
}

// Find is the key at env:NAME, file:PATH or keyring:NAME; of "" there is none.
func Find(where string, env func(string) string, ring key.Ring) (k key.Key, err error) {
	if where == "" {
		return k, nil
	}
	if k, err = find(where, env, ring); err == nil && k.Empty() {
		err = errors.New("there is no key in it")
	}
	return k, err
}

func find(where string, env func(string) string, ring key.Ring) (key.Key, error) {
	kind, name, _ := strings.Cut(where, ":")
	switch kind {
	case "env":
		return key.Source{Env: env}.Find(name), nil
	case "keyring":
		return key.Source{Ring: ring}.Find(name), nil
	case "file":
		f, err := os.Open(name)
		if err != nil {
			return key.Key{}, err
		}
		defer f.Close()
		raw, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
		return key.New(string(raw), name), err
	}
	return key.Key{}, errors.New("give env:NAME, file:PATH or keyring:NAME, and never the key itself")
}

// header is how a provider takes its key.
type header struct{ name, prefix string }

var headers = map[string]header{
	"anthropic": {"X-Api-Key", ""},
	"openai":    {"Authorization", "Bearer "},
	"gemini":    {"X-Goog-Api-Key", ""},
}

// credentials are the headers that providers take keys in.
var credentials = []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key"}

// query is the parameter that Gemini takes a key in.
const query = "key"

// given is a caller's key among what a request brings as the key of a provider.
func given(r *http.Request) string {
	for _, name := range credentials {
		for _, v := range r.Header.Values(name) {
			if secret := bare(v); isKey(secret) {
				return secret
			}
		}
	}
	if strings.Contains(r.URL.RawQuery, prefix) {
		if secret := r.URL.Query().Get(query); isKey(secret) {
			return secret
		}
	}
	return ""
}

func isKey(secret string) bool { _, ok := idOf(secret); return ok }

func bare(value string) string {
	value = strings.TrimSpace(value)
	if scheme, rest, ok := strings.Cut(value, " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(rest)
	}
	return value
}

// takeOff removes callers' keys from what leaves, and reports whether a provider's key is
// left.
func takeOff(r *http.Request) (left bool) {
	for _, name := range credentials {
		values := slices.DeleteFunc(slices.Clone(r.Header.Values(name)), func(v string) bool { return strings.Contains(v, prefix) && isKey(bare(v)) })
		if len(values) == 0 {
			r.Header.Del(name)
			continue
		}
		r.Header[http.CanonicalHeaderKey(name)] = values
		left = true
	}
	q := r.URL.Query()
	if !q.Has(query) {
		return left
	}
	q[query] = slices.DeleteFunc(q[query], isKey)
	if len(q[query]) == 0 {
		q.Del(query)
	} else {
		left = true
	}
	u := *r.URL
	u.RawQuery = q.Encode()
	r.URL = &u
	return left
}

// authorize sees to it that a request has a key for its provider: the caller's own, or
// the one that is held.
func (h Held) authorize(r *http.Request, provider string) error {
	if takeOff(r) {
		return nil
	}
	k, ok := h[provider]
	if !ok {
		return fmt.Errorf("this gateway holds no key for %s (serve.providerKeys): send your own as the API key, and the key of this gateway in the header X-Trimtab-Key", provider)
	}
	to := headers[provider]
	k.Set(r.Header, to.name, to.prefix)
	return nil
}
