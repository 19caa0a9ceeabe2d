package loop

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
)

// The input of a tool call is read without being decoded: calls are hashed on
// every message, and some of them carry a whole file.

// callKey is the identity of a call: its name and its input, whatever the order
// of the keys and the space between them. Top-level keys in but do not count,
// unless there are no others.
func callKey(name string, input []byte, but ...string) uint64 {
	hash := valueHash(input)
	if len(but) > 0 {
		if some, ok := memberHash(input, but); ok {
			hash = some
		}
	}
	return mix(xxhash.Sum64String(name) ^ mix(hash+1))
}

// memberHash hashes the members of an object that are not in but. It is not ok
// where there are none.
func memberHash(input []byte, but []string) (hash uint64, ok bool) {
	var sum uint64
	for key, value := range jsonscan.Members(input) {
		if !slices.Contains(but, string(key)) {
			sum += jsonscan.MemberHash(key, valueHash(value))
			ok = true
		}
	}
	return jsonscan.ObjectHash(sum), ok
}

// valueHash hashes a JSON value. What is not JSON is hashed as bytes.
func valueHash(raw []byte) uint64 {
	s := jsonscan.Scanner{B: raw}
	end, hash := s.Value(s.Space(0), 0)
	if end < 0 || s.Space(end) < len(raw) {
		return xxhash.Sum64(raw)
	}
	return hash
}

// text returns the string under the first of these keys that is one, at most n
// bytes of it.
func text(input []byte, n int, keys ...string) string {
	best, found := len(keys), ""
	for key, value := range jsonscan.Members(input) {
		i := slices.Index(keys, string(key))
		if i < 0 || i >= best {
			continue
		}
		if s, ok := jsonscan.UnquoteHead(value, 6*n); ok && s != "" { // an escape takes six bytes at most
			best, found = i, trimtab.Clip(s, n)
		}
	}
	return found
}

// mix spreads the bits of a number, so that sums of hashes do not cancel out.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
