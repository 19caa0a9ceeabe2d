// Package policy is settings that a gateway serves to those who use it: a person who joins
// has them below their own, and keys that it locks stay as they are. What would lead
// requests elsewhere or run programs, it may not set. A person can leave it, so what must
// hold on a machine belongs into the managed file of that machine.
//
//	err := policy.Join(ctx, data, policy.Source{URL: "https://gateway.example", Key: "env:TRIMTAB_KEY"}, find, now)
//	layer, ok, err := policy.Layer(data) // for config.Sources
//
// It stores where a key is, and never the key.
package policy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/tailscale/hujson"

	"github.com/trimtab/trimtab/internal/atomicfile"
	"github.com/trimtab/trimtab/internal/config"
)

// path is where a gateway serves its policy.
const path = "/trimtab/api/policy"

// Source is where a policy comes from.
type Source struct {
	URL string `json:"url"`
	Key string `json:"key"` // where the caller's key is: env:NAME, file:PATH or keyring:NAME
}

// kept is the policy in the data folder.
type kept struct {
	Source
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

const (
	fileName = "policy.json"
	maxSize  = 1 << 20
	patience = 10 * time.Second
)

// Authorize puts a key that is at a place into a header.
type Authorize func(where string, h http.Header) error

// Join asks a gateway for its policy and keeps it.
func Join(ctx context.Context, data string, from Source, key Authorize, now time.Time) error {
	from.URL = strings.TrimSuffix(from.URL, "/")
	u, err := url.Parse(from.URL)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && !(u.Scheme == "http" && isLocal(u.Hostname())) {
		return fmt.Errorf("%q is no https URL of a gateway", from.URL)
	}
	text, err := fetch(ctx, from, key)
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(kept{from, now.UTC().Truncate(time.Second), text}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(data, fileName), raw, 0o600)
}

func isLocal(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

func fetch(ctx context.Context, from Source, key Authorize) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from.URL+path, nil)
	if err != nil {
		return "", err
	}
	if err := key(from.Key, r.Header); err != nil {
		return "", fmt.Errorf("the key for %s: %s: %w", from.URL, from.Key, err)
	}
	// A key goes to the gateway that was named, and nowhere that it leads.
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	reply, err := client.Do(r)
	if err != nil {
		return "", fmt.Errorf("ask %s for its policy: %w", from.URL, err)
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(reply.Body, maxSize+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("ask %s for its policy: %w", from.URL, err)
	case reply.StatusCode != http.StatusOK:
		return "", fmt.Errorf("%s serves no policy: %s: %s", from.URL, reply.Status, strings.TrimSpace(string(raw[:min(len(raw), 300)])))
	case len(raw) > maxSize:
		return "", fmt.Errorf("the policy of %s is over %d bytes", from.URL, maxSize)
	}
	return string(raw), check(raw)
}

// check refuses what is no settings file.
func check(raw []byte) error {
	v, err := hujson.Parse(raw)
	if err != nil {
		return fmt.Errorf("the policy is no JSON: %w", err)
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return errors.New("the policy is no JSON object")
	}
	return nil
}

// Joined is whose policy is kept, and since when; ok is false where there is none.
func Joined(data string) (from Source, at time.Time, ok bool, err error) {
	k, ok, err := load(data)
	return k.Source, k.At, ok, err
}

// Leave forgets the policy. It reports whether there was one.
func Leave(data string) (bool, error) {
	err := os.Remove(filepath.Join(data, fileName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Layer is the policy as a layer of settings. One that cannot be read is an error: it is
// not the same as none.
func Layer(data string) (layer config.Layer, ok bool, err error) {
	k, ok, err := load(data)
	if !ok || err != nil {
		return layer, false, err
	}
	return config.Layer{Name: "policy", File: k.URL + path, Data: []byte(k.Text), Guarded: true, Managed: true}, true, nil
}

func load(data string) (k kept, ok bool, err error) {
	f, err := os.Open(filepath.Join(data, fileName))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // where no data folder can be, none was joined
		return k, false, nil
	}
	if err != nil {
		return k, false, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, 2*maxSize))
	if err == nil {
		err = json.Unmarshal(raw, &k)
	}
	if err != nil {
		return k, false, fmt.Errorf("%s: the policy cannot be read: %w; join again, or leave: trimtab config policy", f.Name(), err)
	}
	return k, true, nil
}
