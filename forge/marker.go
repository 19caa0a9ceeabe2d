package forge

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// Marker is the hidden line by which we know what we wrote: a comment of HTML
// with a kind, an id and a signature over both. Forges keep it in the text and
// show it to nobody.
type Marker struct {
	Kind string // "issue", "pull", "comment" or "review"
	ID   string
}

// Signer writes and knows markers.
type Signer struct{ keys [][]byte }

// The limits of what is read.
const (
	minKey     = 16
	maxID      = 128
	maxRead    = 4 << 20 // bytes of a body that are looked through
	maxMarkers = 64      // markers of a body that are looked at
)

const (
	markBegin = "<!-- trimtab:1 "
	markEnd   = " -->"
)

var (
	idForm   = lazyregexp.Pattern(`^[A-Za-z0-9](?:[A-Za-z0-9._:@/-]{0,126}[A-Za-z0-9])?$`)
	kindForm = lazyregexp.Pattern(`^[a-z]{1,16}$`)
	lookForm = lazyregexp.Pattern(`(?i)<(!--\s*trimtab\s*:)`)
)

// NewSigner signs with the first key and knows the markers of all of them, so
// that a key can be changed without forgetting what was filed under the old one.
func NewSigner(keys ...[]byte) (Signer, error) {
	if len(keys) == 0 {
		return Signer{}, errors.New("markers need a key; without one anybody could write ours")
	}
	var s Signer
	for i, k := range keys {
		if len(k) < minKey {
			return Signer{}, fmt.Errorf("key %d for markers has %d bytes; give at least %d random ones", i+1, len(k), minKey)
		}
		s.keys = append(s.keys, append([]byte(nil), k...))
	}
	return s, nil
}

// Check refuses what cannot be written as a marker.
func (m Marker) Check() error {
	switch {
	case !kindForm().MatchString(m.Kind):
		return fmt.Errorf("invalid kind of marker %q; give up to 16 small letters", clip(m.Kind, 40))
	case !idForm().MatchString(m.ID), len(m.ID) > maxID, strings.Contains(m.ID, "--"):
		return fmt.Errorf("invalid marker id %q; give 1 to %d letters, digits and . _ : @ / -, a letter or digit at both ends, and no \"--\"", clip(m.ID, 60), maxID)
	}
	return nil
}

// Sign returns the text with the marker below it. Whatever looks like a marker in
// the text itself is made harmless: a text that quotes one of ours, as a
// transcript may, must not be taken for it.
func (s Signer) Sign(text string, m Marker) (string, error) {
	if err := m.Check(); err != nil {
		return "", err
	}
	if len(s.keys) == 0 {
		return "", errors.New("markers need a key")
	}
	return strings.TrimRight(Harmless(text), " \t\r\n") + "\n\n" + s.line(m), nil
}

func (s Signer) line(m Marker) string {
	return markBegin + m.Kind + " " + m.ID + " " + hex.EncodeToString(mac(s.keys[0], m)) + markEnd
}

// Harmless returns the text with everything that looks like one of our markers
// spoilt.
func Harmless(text string) string { return lookForm().ReplaceAllString(text, "&lt;$1") }

// Markers returns the markers in a text that we signed, in their order.
func (s Signer) Markers(text string) []Marker {
	text = text[:min(len(text), maxRead)]
	var out []Marker
	for range maxMarkers {
		_, rest, ok := strings.Cut(text, markBegin)
		if !ok {
			break
		}
		if m, ok := s.read(rest); ok {
			out = append(out, m)
		}
		text = rest
	}
	return out
}

// Has reports whether a text holds this marker, signed by us.
func (s Signer) Has(text string, m Marker) bool {
	for _, one := range s.Markers(text) {
		if one == m {
			return true
		}
	}
	return false
}

// claims reports whether a text holds this marker, whoever signed it: what somebody else
// wrote may hold it, too.
func claims(text string, m Marker) bool {
	text = text[:min(len(text), maxRead)]
	for range maxMarkers {
		_, rest, ok := strings.Cut(text, markBegin)
		if !ok {
			return false
		}
		if one, _, ok := parse(rest); ok && one == m {
			return true
		}
		text = rest
	}
	return false
}

// read reads a marker of ours behind its beginning.
func (s Signer) read(rest string) (Marker, bool) {
	m, got, ok := parse(rest)
	if !ok {
		return Marker{}, false
	}
	for _, k := range s.keys {
		if hmac.Equal(got, mac(k, m)) {
			return m, true
		}
	}
	return Marker{}, false
}

// parse reads a marker behind its beginning, with its signature.
func parse(rest string) (Marker, []byte, bool) {
	const most = 16 + 1 + maxID + 1 + 2*sha256.Size + len(markEnd)
	line, _, ok := strings.Cut(rest[:min(len(rest), most)], markEnd)
	if !ok {
		return Marker{}, nil, false
	}
	kind, rest, ok1 := strings.Cut(line, " ")
	id, sum, ok2 := strings.Cut(rest, " ")
	m := Marker{kind, id}
	got, err := hex.DecodeString(sum)
	if !ok1 || !ok2 || err != nil || len(got) != sha256.Size || m.Check() != nil {
		return Marker{}, nil, false
	}
	return m, got, true
}

// mac signs a marker. Neither a kind nor an id can hold a line end, so no two
// markers give the same text.
func mac(key []byte, m Marker) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("trimtab marker 1\n" + m.Kind + "\n" + m.ID))
	return h.Sum(nil)
}
